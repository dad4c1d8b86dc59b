"""What scripts take from ``nvidia.dali.backend``."""

from .. import _core, tfrecord
from .._schema import schemas
from ..errors import UnknownNameError
from ..tensors import TensorCPU, TensorGPU, TensorListCPU, TensorListGPU
from ._spelling import operator_name

__cuda_version__ = 0  # that DALI's library was compiled for; scripts compare it with that of the driver
__all__ = ["GetCUDADeviceCount", "GetSchema", "TensorCPU", "TensorGPU", "TensorListCPU", "TensorListGPU", "tfrecord"]


def GetCUDADeviceCount():  # noqa: N802 - DALI's name
    """GPUs that Penstock can use."""
    return _core.gpu_count()


def GetSchema(name):  # noqa: N802 - DALI's name
    """The description of the operator that is called `name` in `fn` or, as `readers__File`, in DALI's library.

    `KeyError` when there is none.
    """
    known = next((one for one in (name, operator_name(name)) if one in schemas()), None)
    if known is None:
        raise UnknownNameError(f"Schema for operator '{name}' not registered")
    return schemas()[known]
