"""What scripts take from ``nvidia.dali.backend``."""

from .. import _core, memory, tfrecord
from .._ranks import own_gpu
from .._schema import schemas
from ..errors import UnknownNameError
from ..tensors import TensorCPU, TensorGPU, TensorListCPU, TensorListGPU
from ._spelling import operator_name

__cuda_version__ = 0  # that DALI's library was compiled for; scripts compare it with that of the driver
_LIBRARIES = ("Cuda", "Cufft", "Npp", "Nvimgcodec", "Nvjpeg", "OpenCV")  # that DALI may be built with
_VERSIONS = tuple(f"Get{library}Version" for library in _LIBRARIES)
__all__ = [
    *_VERSIONS, "GetCUDACurrentDevice", "GetCUDADeviceCount", "GetSchema", "PreallocateDeviceMemory",
    "PreallocatePinnedMemory", "ReleaseUnusedMemory", "RestrictPinnedMemUsage", "TensorCPU", "TensorGPU",
    "TensorListCPU", "TensorListGPU", "TryGetSchema", "tfrecord",
]  # fmt: skip


def _no_version():
    """-1, which is DALI's word for a library that it was not built with: Penstock does not use it, or has its own."""
    return -1


globals().update(dict.fromkeys(_VERSIONS, _no_version))


def GetCUDACurrentDevice():  # noqa: N802 - DALI's name
    """The GPU of pipelines without a `device_id`; `RuntimeError` where there is none."""
    count = _core.gpu_count()
    if not count:
        raise RuntimeError(f"there is no GPU that Penstock can use ({_core.why_no_gpu()})")
    return own_gpu(count)


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


def TryGetSchema(name):  # noqa: N802 - DALI's name
    """What `GetSchema` gives for `name`; None when there is no such operator."""
    try:
        return GetSchema(name)
    except UnknownNameError:
        return None


def ReleaseUnusedMemory():  # noqa: N802 - DALI's name
    """`penstock.memory.release_unused`."""
    memory.release_unused()


def PreallocateDeviceMemory(bytes, device_id):  # noqa: A002, N802 - DALI's names
    """Does nothing: the first batches take memory, and later ones use it again.

    Args
    ----
    bytes : int
        How much memory is wanted.
    device_id : int
        Number of the GPU.
    """


def PreallocatePinnedMemory(bytes):  # noqa: A002, N802 - DALI's names
    """Does nothing, as `PreallocateDeviceMemory`.

    Args
    ----
    bytes : int
        How much memory is wanted.
    """


def RestrictPinnedMemUsage():  # noqa: N802 - DALI's name
    """False: no limit is set to pinned memory from outside."""
    return False
