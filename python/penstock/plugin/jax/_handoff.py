"""Batches into JAX arrays."""

import collections
import functools

import numpy as np

from ... import _core
from ...tensors import TensorGPU

_TELL = "penstock_tell_stream"


class Handoff:
    """Makes arrays of batches.

    What lies on a GPU is copied there, into memory that is JAX's own, by one program for all outputs: a program costs
    50 us whatever it copies. JAX does not say on which stream it reads memory of others, so the batch is held until its
    copy is made; nobody waits for that. With `zero_copy` arrays are the batches' memory.
    """

    def __init__(self, zero_copy=False):
        self._take = _lent if zero_copy else self._copies
        self._held = collections.deque()  # (views of a batch, mark), oldest first
        self._program = None
        self.on_gpu = False  # whether the latest outputs lay on one, some of them

    def arrays(self, outputs):
        """One array for each output of a pipeline's batch: JAX's on its GPU, or NumPy's of the host's memory."""
        import jax

        arrays = [batch.as_tensor() for batch in outputs]
        on_gpu = [i for i, tensor in enumerate(arrays) if isinstance(tensor, TensorGPU)]
        if on_gpu and jax.default_backend() != "gpu":  # installed without CUDA, or told to use the CPU
            arrays = [tensor.as_cpu() if isinstance(tensor, TensorGPU) else tensor for tensor in arrays]
            on_gpu = []
        self.on_gpu = bool(on_gpu)
        taken = iter(self._take([arrays[i] for i in on_gpu]) if on_gpu else ())
        return [next(taken) if isinstance(tensor, TensorGPU) else np.asarray(tensor) for tensor in arrays]

    def _copies(self, tensors):
        import jax

        if self._program is None:
            # The mark is made by the same launch, so it is ready when the copies are, whatever becomes of them.
            self._program = jax.jit(lambda given: (jax.tree.map(jax.numpy.copy, given), jax.numpy.zeros((), bool)))
        while self._held and self._held[0][1].is_ready():
            self._held.popleft()
        views = [jax.dlpack.from_dlpack(tensor) for tensor in tensors]
        copies, mark = self._program(views)
        self._held.append((views, mark))
        return copies


def _lent(tensors):
    """The tensors' own memory.

    XLA lets go of an array when programs that read it are queued, and its own allocator gives that memory out in the
    order of this stream. So does ours.
    """
    import jax

    for tensor in tensors:
        tensor.hold_for(_stream_of(tensor.device_id()))
    return [jax.dlpack.from_dlpack(tensor) for tensor in tensors]


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
