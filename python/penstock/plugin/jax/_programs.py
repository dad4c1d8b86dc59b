"""Compiled programs that make arrays of batches, in JAX's own memory.

They have no arguments: each asks the engine for its GPU's batch and tells it the stream. Nothing of the batch goes
through JAX's hands: with views, two outputs took 460 us of a thread's time on a host where this takes 190.

What is copied costs a GPU that decodes 5 % of its rate. So such a program also makes arrays of which nothing is known
yet, and pipelines write later batches there: an output whose memory an array has lent is that array.
"""

import itertools
import threading

import numpy as np

from ... import _core, types
from ...tensors import TensorListGPU
from ._ffi import TAKE
from ._gpus import number_of, of_number

# Programs that are kept, so that a reader of some shapes in turns compiles each once; and how many have outputs of the
# host: with more, their shapes change.
_MOST, _MOST_ALONG = 64, 8


def on_gpu(batch):
    """Whether the batch lies on a GPU."""
    return isinstance(batch, TensorListGPU)


class OverGpus:
    """Places arrays over GPUs of the process, each pipeline's batch on one, in JAX's order of them.

    That is how each output's sharding has them.
    """

    def __init__(self, devices, shardings):
        import jax

        self.gpus = [number_of(device) for device in devices]
        self._mesh = jax.sharding.Mesh(np.array(devices, dtype=object), ("gpu",))
        self._shardings = shardings

    def compiled(self, take, goes):
        """The program that calls `take` on each GPU: what the calls give are the rows of whole arrays."""
        import jax

        rows = jax.sharding.PartitionSpec("gpu")
        each = jax.shard_map(take, mesh=self._mesh, in_specs=(), out_specs=rows, check_vma=False)
        return jax.jit(each, out_shardings=list(itertools.compress(self._shardings, goes)))


class _OnOne:
    """Places arrays on the GPU on which the batch lies."""

    def __init__(self, batches):
        self.gpus = [_gpu_of(batches)]

    def compiled(self, take, goes):
        """The program that calls `take` there."""
        import jax

        del goes
        return jax.jit(take, out_shardings=jax.sharding.SingleDeviceSharding(of_number(self.gpus[0])))


class Programs:
    """The programs of an iterator, each compiled for the first batches of its shapes.

    A program costs as much whatever it copies, so it takes all outputs on GPUs, and small ones on the host where
    `along` has True for them.
    """

    def __init__(self, along):
        self._along = along
        self._known = {}  # by what they are compiled for; the one used last is the last
        self._due = []  # (program, numbers of outputs, how to offer them)
        self._turn = threading.Lock()  # held by the thread that puts a batch into a mailbox: an epoch's last one is cut
        # while another thread makes the next

    def take(self, pipes, over=None, offer=None):
        """(which outputs go, an array of each that does) of a batch of each pipeline, or of one without `over`.

        None where no program can make them: the batches differ in shape, or JAX has other element types, those of 64
        bits as a rule. ``offer(number, places, lender)`` lends memory for that output of a later batch, a place for
        each pipeline: `lend` calls it, later.
        """
        with self._turn:
            goes, key, lenders = self._described(pipes, over)
            taken = [list(itertools.compress(outputs, goes)) for outputs in pipes]
            program = self._program(key, taken, goes, over)
            if program is None:
                return None
            arrays, wanted = program(taken, lenders)
            if wanted and offer:
                numbers = list(itertools.compress(itertools.count(), goes))
                self._due.append((program, wanted, lambda i, *memory: offer(numbers[i], *memory)))
        return goes, arrays

    def are_due(self):
        """Whether `lend` has something to do."""
        return bool(self._due)

    def lend(self):
        """Has arrays lend their memory to batches that come after those taken."""
        with self._turn:
            due, self._due = self._due, []
            for program, wanted, offer in due:
                program.lend(wanted, offer)

    def _program(self, key, taken, goes, over):
        """The one for such batches. A holder of memory of one that is forgotten here keeps that one alive, too."""
        known = key in self._known
        program = self._known.pop(key) if known else _program_for(taken, goes, over or _OnOne(taken[0]))
        self._known[key] = program
        if len(self._known) > _MOST:
            del self._known[next(iter(self._known))]
        return program

    def _described(self, pipes, over):
        described = [_core.jax_described(outputs, self._along) for outputs in pipes]
        goes, lenders = described[0][0], [lenders for *_, lenders in described]
        key = over is not None, *(key for _, key, _ in described)
        if key in self._known or not self._along or len(self._known) < _MOST_ALONG:
            return goes, key, lenders
        self._along = ()
        return self._described(pipes, over)


class _Program:
    def __init__(self, specs, goes, place):
        import jax

        self._gpus, self._mailbox, self._count = place.gpus, _core.JaxMailbox(), len(specs)
        # Without a side effect as far as JAX knows: it launches such programs in a fifth of the time.
        take, number = jax.ffi.ffi_call(TAKE, specs), np.int64(self._mailbox.number)
        self._run = place.compiled(lambda: take(function=number), goes)
        self._can_lend = None  # known after a run

    def __call__(self, taken, lenders):
        """An array of each output from the batches of each GPU, and which outputs shall have memory in later ones.

        `lenders` has, for each batch, whose its memory is.
        """
        arrays, wanted = [], set()
        for i, column in enumerate(zip(*lenders, strict=True)):
            array = self._lent(column)
            arrays.append(None if any(array is other for other in arrays) else array)  # an output may be there twice
            if arrays[i] is not None or all(lender is True for lender in column):
                wanted.add(i)
        if any(array is None for array in arrays):
            missing = [
                [None if array is not None else one for one, array in zip(outputs, arrays, strict=True)]
                for outputs in taken
            ]
            copies, _ = self._launched(missing)
            arrays = [copy if array is None else array for copy, array in zip(copies, arrays, strict=True)]
        return arrays, wanted

    def lend(self, wanted, offer):
        """Makes arrays and lends the memory of those whose numbers are `wanted`, where that can be."""
        import jax

        if self._can_lend is False:
            return
        try:
            arrays, places = self._launched([[None] * self._count] * len(self._gpus))
        except jax.errors.JaxRuntimeError:  # memory for so many is short
            self._can_lend = False
            return
        if self._can_lend is None:
            self._can_lend = self._lie_there(arrays, places)
        for i in wanted if self._can_lend and all(places) else ():
            offer(i, [results[i] for results in places], (self, arrays[i]))

    def _lent(self, column):
        """The array of this program that has lent the memory of an output of all pipelines; None where none has."""
        first = column[0]
        lent = isinstance(first, tuple) and first[0] is self and all(lender is first for lender in column)
        return first[1] if lent else None

    def _launched(self, wanted):
        """The arrays of a run that copies batches where there are any, and where they lie on each GPU."""
        try:
            deliveries = [self._mailbox.put(gpu, batches) for gpu, batches in zip(self._gpus, wanted, strict=True)]
            arrays = self._run()
        except BaseException:  # the next program would take these batches
            self._mailbox.clear()
            raise
        return arrays, [delivery.results for delivery in deliveries]

    def _lie_there(self, arrays, places):
        """Whether XLA has called the engine by now, and put no copy behind."""
        told = dict(zip(self._gpus, places, strict=True))
        return all(places) and all(
            told[number_of(shard.device)][i][0] == shard.data.unsafe_buffer_pointer()
            for i, array in enumerate(arrays)
            for shard in array.addressable_shards
        )


def _program_for(taken, goes, place):
    """The program that takes such batches of each pipeline; None where there can be none."""
    import jax

    first, *others = [_specs(batches) for batches in taken]
    unlike = any(specs != first for specs in others) or [_gpu_of(batches) for batches in taken] != place.gpus
    if unlike or any(jax.dtypes.canonicalize_dtype(spec.dtype) != spec.dtype for spec in first):
        return None
    return _Program(first, goes, place)


def _specs(batches):
    """Shapes and element types of the arrays that batches make."""
    import jax

    wholes = [batch.as_tensor() for batch in batches]
    return [jax.ShapeDtypeStruct(tuple(whole.shape()), types.to_numpy_type(whole.dtype)) for whole in wholes]


def _gpu_of(batches):
    """The number of the one GPU on which they lie; None where there is no such one."""
    numbers = {batch.as_tensor().device_id() for batch in batches if on_gpu(batch)}
    return numbers.pop() if len(numbers) == 1 else None
