"""Batches into JAX arrays."""

import collections
import functools
import itertools

import numpy as np

from ._ffi import TELL, can_register, register
from ._gpus import of_number
from ._programs import Programs, on_gpu


class Handoff:
    """Makes arrays of batches.

    What lies on a GPU is copied there by a compiled program, into memory that is JAX's own, and with it those small
    outputs on the host for which `along` has True, labels say. `over` says where one program makes arrays over all
    GPUs, None where there is no such place. With `zero_copy` arrays are the batches' memory.
    """

    def __init__(self, zero_copy=False, along=(), over=None):
        self._zero_copy, self._over = zero_copy, over
        self._programs = Programs(along)
        self._views = Views()
        self.on_gpu = False  # whether the latest outputs lay on one, some of them

    def columns(self, pipes, whole=True):
        """For each output of a batch of every pipeline one array over all GPUs, where `whole` and `over` allow that, or
        a list of one for each pipeline.
        """
        taken = self._taken(pipes, self._over) if whole and self._over and self._copies_from(pipes[0]) else None
        if taken is None:
            return list(zip(*map(self.arrays, pipes), strict=True))
        return _merged(*taken, lambda i: [_of_host(outputs[i]) for outputs in pipes])

    def arrays(self, outputs):
        """One array for each output of a pipeline's batch: JAX's on its GPU, or NumPy's of the host's memory."""
        if not self._copies_from(outputs):
            return _lent(outputs) if self.on_gpu else [_of_host(batch) for batch in outputs]
        taken = self._taken([outputs])
        return _merged(*taken, lambda i: _of_host(outputs[i])) if taken else self._views(outputs)

    def _copies_from(self, outputs):
        """Whether arrays are to be copies of some of them; notes whether some lie on a GPU."""
        import jax

        # JAX may have been installed without CUDA, or told to use the CPU.
        self.on_gpu = any(map(on_gpu, outputs)) and jax.default_backend() == "gpu"
        return self.on_gpu and not self._zero_copy

    def _taken(self, pipes, over=None):
        return self._programs.take(pipes, over) if can_register() else None


def ragged(names, outputs):
    """Names of the outputs, of one pipeline's batch or of several's, whose samples cannot become one array."""
    columns = zip(names, *outputs, strict=True)
    return [name for name, *batches in columns if not all(batch.is_dense_tensor() for batch in batches)]


def _merged(goes, arrays, other):
    """The arrays of those outputs that went, and what `other` gives for the numbers of all else."""
    arrays = iter(arrays)
    return [next(arrays) if went else other(i) for i, went in enumerate(goes)]


def _of_host(batch):
    """NumPy's array of a batch in host memory, or of a copy there."""
    tensor = batch.as_tensor()
    return np.asarray(tensor.as_cpu() if on_gpu(batch) else tensor)


class Views:
    """Copies of views that JAX is given by DLPack.

    JAX does not say on which stream it reads memory of others, so the batch is held until its copy is made; nobody
    waits for that.
    """

    def __init__(self):
        self._held = collections.deque()  # (views of a batch, mark), oldest first
        self._program = None

    def __call__(self, outputs):
        goes = [on_gpu(batch) for batch in outputs]
        return _merged(goes, self._copies(itertools.compress(outputs, goes)), lambda i: _of_host(outputs[i]))

    def _copies(self, batches):
        import jax

        if self._program is None:
            # The mark is made by the same launch, so it is ready when the copies are, whatever becomes of them.
            self._program = jax.jit(lambda given: (jax.tree.map(jax.numpy.copy, given), jax.numpy.zeros((), bool)))
        while self._held and self._held[0][1].is_ready():
            self._held.popleft()
        views = [jax.dlpack.from_dlpack(batch.as_tensor()) for batch in batches]
        copies, mark = self._program(views)
        self._held.append((views, mark))
        return copies


def _lent(outputs):
    """The batches' own memory, of those on a GPU.

    XLA lets go of an array when programs that read it are queued, and its own allocator gives that memory out in the
    order of this stream. So does ours.
    """
    import jax

    def lent(batch):
        tensor = batch.as_tensor()
        tensor.hold_for(_stream_of(tensor.device_id()))
        return jax.dlpack.from_dlpack(tensor)

    return [lent(batch) if on_gpu(batch) else _of_host(batch) for batch in outputs]


@functools.cache
def _stream_of(ordinal):
    """The stream on which XLA runs programs on a GPU of this process: a program tells it."""
    import jax

    register()
    told = np.zeros(1, np.uintp)
    spec = jax.ShapeDtypeStruct((), np.int32)
    ask = jax.jit(lambda: jax.ffi.ffi_call(TELL, spec, has_side_effect=True)(address=np.int64(told.ctypes.data)))
    with jax.default_device(of_number(ordinal)):
        ask().block_until_ready()
    return int(told[0])
