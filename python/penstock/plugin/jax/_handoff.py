"""Batches into JAX arrays."""

import collections
import functools
import itertools
import threading

import numpy as np

from ... import _core, types
from ...tensors import TensorListGPU
from ._ffi import demand
from ._gpus import of_number

_TELL, _TAKE = "penstock_tell_stream", "penstock_take"
_MOST_PROGRAMS = 8


class Handoff:
    """Makes arrays of batches.

    What lies on a GPU is copied there, into memory that is JAX's own, by one program for all outputs: a program costs
    as much whatever it copies. Small outputs on the host, labels say, are copied to the GPU by the same program if
    `along` has True for them. With `zero_copy` arrays are the batches' memory.
    """

    def __init__(self, zero_copy=False, along=()):
        self._along = along
        self._take = _lent if zero_copy else None  # known with the first batch
        self.on_gpu = False  # whether the latest outputs lay on one, some of them

    def arrays(self, outputs):
        """One array for each output of a pipeline's batch: JAX's on its GPU, or NumPy's of the host's memory."""
        import jax

        self.on_gpu = any(map(_on_gpu, outputs)) and jax.default_backend() == "gpu"
        if not self.on_gpu:  # or JAX was installed without CUDA, or told to use the CPU
            return [_of_host(batch) for batch in outputs]
        if self._take is None:
            self._take = Copies(self._along) if _can_tell() else Views()
        return self._take(outputs)


def ragged(names, outputs):
    """Names of the outputs, of one pipeline's batch or of several's, whose samples cannot become one array."""
    columns = zip(names, *outputs, strict=True)
    return [name for name, *batches in columns if not all(batch.is_dense_tensor() for batch in batches)]


def _on_gpu(batch):
    return isinstance(batch, TensorListGPU)


def _arrays(outputs, goes, take):
    """For each output an array: what `take` makes of those that `goes` marks, or one of the host's memory."""
    taken = iter(take(list(itertools.compress(outputs, goes))))
    return [next(taken) if there else _of_host(batch) for batch, there in zip(outputs, goes, strict=True)]


def _of_host(batch):
    """NumPy's array of a batch in host memory, or of a copy there."""
    tensor = batch.as_tensor()
    return np.asarray(tensor.as_cpu() if isinstance(batch, TensorListGPU) else tensor)


class Copies:
    """Copies made by a program that has no arguments: it asks the engine for the batch, and tells it the stream.

    Nothing of the batch goes through JAX's hands: with views, two outputs took 460 us of a thread's time on a host
    where this takes 190.
    """

    def __init__(self, along=()):
        self._along = along
        self._programs = {}  # (shelf, program), by what they are compiled for
        self._views = Views()
        self._turn = threading.Lock()  # who puts a batch on a shelf takes it: an epoch's last one is cut while another
        # thread makes the next

    def __call__(self, outputs):
        goes, key = _core.jax_described(outputs, self._along)
        if key not in self._programs:
            if self._along and len(self._programs) >= _MOST_PROGRAMS:  # outputs on the host that change their shapes
                self._along = ()
                return self(outputs)
            self._programs[key] = self._compiled(list(itertools.compress(outputs, goes)))
        shelf, program = self._programs[key]
        if program is None:
            return self._views(outputs)
        return _arrays(outputs, goes, lambda batches: self._run(shelf, program, batches))

    def _run(self, shelf, program, batches):
        with self._turn:
            shelf.put(batches)
            try:
                return program()
            except BaseException:  # the next program would take this batch
                shelf.clear()
                raise

    def _compiled(self, batches):
        """What it takes from and the program; None where JAX has other element types: those of 64 bits, as a rule."""
        import jax

        wholes = [batch.as_tensor() for batch in batches]
        specs = [jax.ShapeDtypeStruct(tuple(whole.shape()), types.to_numpy_type(whole.dtype)) for whole in wholes]
        if any(jax.dtypes.canonicalize_dtype(spec.dtype) != spec.dtype for spec in specs):
            return None, None
        # Without a side effect as far as JAX knows: it launches such programs in a fifth of the time.
        take = jax.ffi.ffi_call(_TAKE, specs)
        [number] = {whole.device_id() for batch, whole in zip(batches, wholes, strict=True) if _on_gpu(batch)}
        place, shelf = jax.sharding.SingleDeviceSharding(of_number(number)), _core.JaxShelf()
        return shelf, jax.jit(lambda: take(function=np.int64(shelf.number)), out_shardings=place)


class Views:
    """Copies of views that JAX is given by DLPack.

    JAX does not say on which stream it reads memory of others, so the batch is held until its copy is made; nobody
    waits for that.
    """

    def __init__(self):
        self._held = collections.deque()  # (views of a batch, mark), oldest first
        self._program = None

    def __call__(self, outputs):
        return _arrays(outputs, [_on_gpu(batch) for batch in outputs], self._copies)

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

    return [lent(batch) if _on_gpu(batch) else _of_host(batch) for batch in outputs]


@functools.cache
def _register():
    import jax

    demand("zero_copy=True")
    jax.ffi.register_ffi_target(_TELL, _core.jax_stream_handler(), platform="CUDA")
    jax.ffi.register_ffi_target(_TAKE, _core.jax_take_handler(), platform="CUDA")


@functools.cache
def _can_tell():
    """Whether programs can call the engine."""
    try:
        _register()
    except RuntimeError:  # what is in the way is said where nothing else can be done
        return False
    return True


@functools.cache
def _stream_of(ordinal):
    """The stream on which XLA runs programs on a GPU of this process: a program tells it."""
    import jax

    _register()
    told = np.zeros(1, np.uintp)
    spec = jax.ShapeDtypeStruct((), np.int32)
    ask = jax.jit(lambda: jax.ffi.ffi_call(_TELL, spec, has_side_effect=True)(address=np.int64(told.ctypes.data)))
    with jax.default_device(of_number(ordinal)):
        ask().block_until_ready()
    return int(told[0])
