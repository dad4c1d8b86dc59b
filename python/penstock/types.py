"""Element types, enumerations, constants and the small records that callbacks receive. Names and numbers are DALI's."""

from dataclasses import dataclass

import numpy as np

from ._constant import constant_node
from ._enumerations import (
    CPU_ONLY_DEVICE_ID,
    DALIDataType,
    DALIImageType,
    DALIInterpType,
    PipelineAPIType,
    to_dali_type,
    to_numpy_type,
)
from ._scalar import ScalarConstant

_MEMBERS = {member.name: member for one in (DALIDataType, DALIImageType, DALIInterpType) for member in one}
globals().update(_MEMBERS)

# For type checkers, which do not see the line above; a test compares the names.
NO_TYPE: DALIDataType
UINT8: DALIDataType
UINT16: DALIDataType
UINT32: DALIDataType
UINT64: DALIDataType
INT8: DALIDataType
INT16: DALIDataType
INT32: DALIDataType
INT64: DALIDataType
FLOAT16: DALIDataType
FLOAT: DALIDataType
FLOAT64: DALIDataType
BOOL: DALIDataType
STRING: DALIDataType
FEATURE: DALIDataType
IMAGE_TYPE: DALIDataType
DATA_TYPE: DALIDataType
INTERP_TYPE: DALIDataType
TENSOR_LAYOUT: DALIDataType
PYTHON_OBJECT: DALIDataType
BFLOAT16: DALIDataType
RGB: DALIImageType
BGR: DALIImageType
GRAY: DALIImageType
YCbCr: DALIImageType
ANY_DATA: DALIImageType
INTERP_NN: DALIInterpType
INTERP_LINEAR: DALIInterpType
INTERP_CUBIC: DALIInterpType
INTERP_LANCZOS3: DALIInterpType
INTERP_TRIANGULAR: DALIInterpType
INTERP_GAUSSIAN: DALIInterpType

NHWC, NCHW, NFHWC, NFCHW, SAME = "HWC", "CHW", "FHWC", "FCHW", ""

__all__ = [
    "BatchInfo", "CPU_ONLY_DEVICE_ID", "CUDAStream", "Constant", "ConstantNode", "DALIDataType", "DALIImageType",
    "DALIInterpType", "NCHW", "NFCHW", "NFHWC", "NHWC", "PipelineAPIType", "SAME", "SampleInfo", "ScalarConstant",
    "TensorLayout", "to_dali_type", "to_numpy_type", *_MEMBERS,
]  # fmt: skip


class TensorLayout(str):
    """Axis letters of a tensor, such as ``"HWC"``."""


@dataclass(unsafe_hash=True)
class SampleInfo:
    """Which sample a source is asked for.

    `idx_in_epoch` counts from the start of the epoch `epoch_idx`, `idx_in_batch` within the batch, and `iteration`
    counts batches of the epoch.
    """

    idx_in_epoch: int
    idx_in_batch: int
    iteration: int
    epoch_idx: int


@dataclass(unsafe_hash=True)
class BatchInfo:
    """Which batch a source is asked for: number `iteration` of epoch `epoch_idx`."""

    iteration: int
    epoch_idx: int


class CUDAStream:
    """A CUDA stream by its address `ptr`; None is the default stream."""

    def __init__(self, ptr=None):
        self._ptr = 0 if ptr is None else ptr

    @property
    def ptr(self):
        """The address; 0 for the default stream."""
        return self._ptr


def ConstantNode(device, value, dtype, shape, layout, **kwargs):  # noqa: N802 - DALI's name
    """A constant as a node of a graph.

    Args
    ----
    device : "cpu" or "gpu"
        Where the node is.
    value, dtype, shape, layout, kwargs
        As for `Constant`; None where not given.
    """
    return constant_node(value, dtype=dtype, shape=shape, layout=layout, device=device, **kwargs)


def Constant(value, dtype=None, shape=None, layout=None, device=None, **kwargs):  # noqa: N802 - DALI's name
    """A constant: a `ScalarConstant` for a plain number, a node of a graph otherwise.

    Args
    ----
    value : number, list or array
        NumPy integers and floats of 64 bits become 32 bits wide; lists are FLOAT, INT32 or BOOL by their widest
        element.
    dtype : DALIDataType
        The element type, when not that of the value.
    shape : list of int
        Extents of each sample; the value's own when not given.
    layout : str
        Axis letters of each sample.
    device : "cpu" or "gpu"
        Where the node is.
    kwargs
        `name` and `preserve`, as for every operator.
    """
    plain = isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating))
    if plain and shape is None and layout is None and device is None and not kwargs:
        return ScalarConstant(value, dtype)
    return constant_node(value, dtype=dtype, shape=shape, layout=layout, device=device, **kwargs)
