"""Batches into JAX arrays."""

import collections
import functools

import numpy as np

from ... import _core
from ...tensors import TensorGPU

_TELL = "penstock_tell_stream"


class Handoff:
    """Makes arrays of batches.

    What lies on a GPU is copied there, into memory that is JAX's own. JAX does not say on which stream it reads memory
    of others, so the batch is held until its copy is made; nobody waits for that. With `zero_copy` arrays are the
    batches' memory.
    """

    def __init__(self, zero_copy=False):
        self._zero_copy = zero_copy
        self._held = collections.deque()  # (batch, mark), oldest first
        self._copied = None

    def array(self, batch):
        """The batch as one array: JAX's on its GPU, or NumPy's of the host's memory."""
        import jax

        tensor = batch.as_tensor()
        if isinstance(tensor, TensorGPU) and jax.default_backend() != "gpu":
            tensor = tensor.as_cpu()  # a JAX that was installed without CUDA, or told to use the CPU
        if not isinstance(tensor, TensorGPU):
            return np.asarray(tensor)

        if self._zero_copy:
            # XLA lets go of an array when programs that read it are queued, and its own allocator gives that memory out
            # in the order of this stream. So does ours.
            tensor.hold_for(_stream_of(tensor.device_id()))
            return jax.dlpack.from_dlpack(tensor)
        if self._copied is None:
            # The mark is made by the same launch, so it is ready when the copy is, whatever becomes of the copy.
            self._copied = jax.jit(lambda x: (jax.numpy.copy(x), jax.numpy.zeros((), bool)))
        while self._held and self._held[0][1].is_ready():
            self._held.popleft()
        view = jax.dlpack.from_dlpack(tensor)
        copy, mark = self._copied(view)
        self._held.append((view, mark))
        return copy


@functools.cache
def _register():
    import jax

    if not hasattr(_core, "jax_stream_handler"):
        raise RuntimeError("this Penstock was built without jaxlib, whose headers zero_copy=True needs")
    jax.ffi.register_ffi_target(_TELL, _core.jax_stream_handler(), platform="CUDA")


@functools.cache
def _stream_of(ordinal):
    """The stream on which XLA runs programs on a GPU of this process: a program tells it."""
    import jax

    [device] = [one for one in jax.local_devices() if one.local_hardware_id == ordinal]
    _register()
    told = np.zeros(1, np.uintp)
    spec = jax.ShapeDtypeStruct((), np.int32)
    ask = jax.jit(lambda: jax.ffi.ffi_call(_TELL, spec, has_side_effect=True)(address=np.int64(told.ctypes.data)))
    with jax.default_device(device):
        ask().block_until_ready()
    return int(told[0])
