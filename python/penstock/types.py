"""Element types, enumerations, constants and the small records that callbacks receive. Names and numbers are DALI's."""

import enum
import re
from dataclasses import dataclass

import numpy as np


class _Named(enum.IntEnum):
    """An integer that prints as DALI's enumerations do: ``DALIDataType.FLOAT``."""

    __str__ = enum.Enum.__str__


class DALIDataType(_Named):
    """Types of elements."""

    NO_TYPE = -1
    UINT8 = 0
    UINT16 = 1
    UINT32 = 2
    UINT64 = 3
    INT8 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    FLOAT16 = 8
    FLOAT = 9
    FLOAT64 = 10
    BOOL = 11
    STRING = 12
    FEATURE = 17
    IMAGE_TYPE = 20
    DATA_TYPE = 21
    INTERP_TYPE = 22
    TENSOR_LAYOUT = 23
    PYTHON_OBJECT = 24
    BFLOAT16 = 32


class DALIImageType(_Named):
    """Colours that decoders give."""

    RGB = 0
    BGR = 1
    GRAY = 2
    YCbCr = 3
    ANY_DATA = 4


class DALIInterpType(_Named):
    """Filters for resampling."""

    INTERP_NN = 0
    INTERP_LINEAR = 1
    INTERP_CUBIC = 2
    INTERP_LANCZOS3 = 3
    INTERP_TRIANGULAR = 4
    INTERP_GAUSSIAN = 5


class PipelineAPIType(_Named):
    """Styles of using a pipeline, which do not mix."""

    BASIC = 0
    ITERATOR = 1
    SCHEDULED = 2


for _enumeration in (DALIDataType, DALIImageType, DALIInterpType):
    globals().update({member.name: member for member in _enumeration})

NHWC, NCHW, NFHWC, NFCHW, SAME = "HWC", "CHW", "FHWC", "FCHW", ""
CPU_ONLY_DEVICE_ID = -99999


class TensorLayout(str):
    """Axis letters of a tensor, such as ``"HWC"``."""


NUMPY_NAMES = {
    DALIDataType.UINT8: "uint8",
    DALIDataType.UINT16: "uint16",
    DALIDataType.UINT32: "uint32",
    DALIDataType.UINT64: "uint64",
    DALIDataType.INT8: "int8",
    DALIDataType.INT16: "int16",
    DALIDataType.INT32: "int32",
    DALIDataType.INT64: "int64",
    DALIDataType.FLOAT16: "float16",
    DALIDataType.FLOAT: "float32",
    DALIDataType.FLOAT64: "float64",
    DALIDataType.BOOL: "bool",
    DALIDataType.BFLOAT16: "bfloat16",
}
_BY_NAME = {name: dtype for dtype, name in NUMPY_NAMES.items()} | {
    "half": DALIDataType.FLOAT16,
    "float": DALIDataType.FLOAT,
    "double": DALIDataType.FLOAT64,
    "char": DALIDataType.INT8,
    "short": DALIDataType.INT16,
    "int": DALIDataType.INT32,
    "long": DALIDataType.INT64,
}


def to_numpy_type(dtype):
    """The NumPy type for `dtype`, a `DALIDataType`; `TypeError` where NumPy has none."""
    name = NUMPY_NAMES.get(DALIDataType(dtype))
    if name is None:
        raise TypeError(f"NumPy has no type for {DALIDataType(dtype)}")
    if name == "bfloat16":
        import ml_dtypes

        return ml_dtypes.bfloat16
    return np.bool_ if name == "bool" else getattr(np, name)


def to_dali_type(framework_type):
    """The `DALIDataType` for `framework_type`, a type of NumPy, JAX or torch, or its name; `TypeError` for others."""
    if isinstance(framework_type, DALIDataType):
        return framework_type
    name = framework_type if isinstance(framework_type, str) else getattr(framework_type, "name", None)
    if name is None:
        try:
            name = np.dtype(framework_type).name
        except TypeError:
            name = re.sub(r"^torch\.", "", str(framework_type))
    if name not in _BY_NAME:
        raise TypeError(f"there is no type of Penstock for {framework_type!r}")
    return _BY_NAME[name]


@dataclass(frozen=True, slots=True)
class SampleInfo:
    """Which sample a source is asked for.

    `idx_in_epoch` counts from the start of the epoch `epoch_idx`, `idx_in_batch` within the batch, and `iteration`
    counts batches of the epoch.
    """

    idx_in_epoch: int
    idx_in_batch: int
    iteration: int
    epoch_idx: int


@dataclass(frozen=True, slots=True)
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


class ScalarConstant:
    """A number that takes part in expressions with nodes, of a fixed element type.

    ``types.Constant(3).uint8()`` fixes the type; without it, integers count as INT32, floats as FLOAT.

    Args
    ----
    value : bool, int or float
        The number, of Python or NumPy. `TypeError` for anything else.
    dtype : DALIDataType
        The element type.
    """

    _KINDS = (bool, int, float)

    def __init__(self, value, dtype=None):
        if isinstance(value, (np.bool_, np.integer, np.floating)):
            value = value.item()
        if not isinstance(value, self._KINDS):
            raise TypeError(f"a scalar constant is a bool, int or float, got {type(value).__name__}")
        self.shape = []
        self.value = value
        if dtype is None:
            kind = self._KINDS.index(type(value))
            dtype = (DALIDataType.BOOL, DALIDataType.INT32, DALIDataType.FLOAT)[kind]
        self.dtype = DALIDataType(dtype)

    def __eq__(self, other):
        if isinstance(other, ScalarConstant):
            return self.value == other.value and self.dtype == other.dtype
        return self.value == other if isinstance(other, self._KINDS) else NotImplemented

    __hash__ = None

    def _as(self, kind):
        if not isinstance(self.value, kind):
            raise TypeError(f"a constant of type {self.dtype} is no {kind.__name__}")
        return self.value

    def __bool__(self):
        return self._as(bool)

    def __int__(self):
        return self._as(int)

    def __float__(self):
        return self._as(float)

    def __repr__(self):
        return repr(self.value)

    def __str__(self):
        return f"{self.value}:{self.dtype}"


def _add_converters():
    """ScalarConstant.uint8(), .float16(), ...: the same value with another type."""

    def converter(dtype, name):
        def convert(self):
            return ScalarConstant(self.value, dtype)

        convert.__name__ = name
        convert.__doc__ = f"The same value as {dtype.name}."
        return convert

    for dtype, name in NUMPY_NAMES.items():
        setattr(ScalarConstant, name, converter(dtype, name))
    ScalarConstant.float = ScalarConstant.float32
    ScalarConstant.double = ScalarConstant.float64


_add_converters()


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
    from ._constant import constant_node

    return constant_node(value, dtype=dtype, shape=shape, layout=layout, device=device, **kwargs)
