"""Batches that compiled JAX programs pull by themselves."""

import _thread
import atexit
import collections
import contextlib
import functools
import weakref

import numpy as np

from ... import _core, types
from ..._enumerations import PipelineAPIType
from ...pipeline.contract import made_together, run_of
from ._again import Again
from ._ffi import demand
from ._settings import unwatched

_TARGET = "penstock_pull"


class Source:
    """Batches of a pipeline inside compiled programs: K steps of training in one `lax.scan`, without Python's loop.

        source = penstock.plugin.jax.source(pipe, ["images", "labels"])

        def step(carry, _):
            model, ticket = carry
            batch, ticket = source.next(ticket)
            return (update(model, batch), ticket), None

        (model, ticket), _ = jax.lax.scan(step, (model, source.ticket()), length=100)

    A ticket stands for one place in the order of batches, and `next` gives the ticket of the next place; so the order
    is that of the data flow. A ticket that was used before, or by two, is an error of the program's run. On a GPU
    no thread waits for the ticket's number, so the error comes some batches late: in a later run, or from `state_dict`.
    With `jax_debug_nans` JAX runs programs that gave NaN again, with their tickets: the last batches are kept for that,
    from a `ticket` that was asked for under it to one that was not.

    Batches are copied into XLA's memory, once. Programs run on one device, a CPU or a GPU; pipelines for a GPU may have
    outputs there and on the host. Where a reader pads epochs, `valid` is False for padding, as the iterators give it.

    Args
    ----
    pipe, output_map
        As for `source`.
    """

    def __init__(self, pipe, output_map):
        import jax

        if len(set(output_map)) != len(output_map):
            raise ValueError("output_map names should be distinct")
        if pipe.num_outputs != len(output_map):
            raise ValueError(f"output_map has {len(output_map)} names, the pipeline {pipe.num_outputs} outputs")
        _register()
        self._pipe, self._run = pipe, run_of(pipe)
        self._run.use(PipelineAPIType.ITERATOR)
        self._names = list(output_map)
        self._marks = any(meta["epoch_end"] == "pad" for meta in pipe.reader_facts().values())
        if self._marks:
            if "valid" in self._names:
                raise ValueError('"valid" is the name of the mask of padding (epoch_end="pad"): use another one')
            self._names.append("valid")
        self._place = 0  # number of the batch that comes next; tickets hold it
        self._held = self._pull()  # the first one, which says what all are like
        self._specs = self._specs_of(self._with_marks(self._held))
        # 64-bit numbers become 32-bit ones where JAX has no others.
        self._dtypes = [jax.dtypes.canonicalize_dtype(dtype) for _, dtype in self._specs]
        self._tickets = collections.deque()  # (where the GPU writes the number of a ticket, the number it should have)
        this = weakref.ref(self)
        self._again = Again(lambda ticket: this()._next_batches(ticket))
        self._number = _core.keep_callback(lambda size, inputs: this()._answer(inputs))
        weakref.finalize(self, _core.release_callback, self._number).atexit = False  # programs may still run then

    def ticket(self):
        """The ticket of the batch that comes next, an int32 scalar."""
        import jax

        self._again.note()
        with unwatched():
            return jax.numpy.asarray(self._place, np.int32)

    def next(self, ticket):
        """(batch, ticket of the next one), a dict of arrays with the shapes and types of the first batch.

        For use in functions that are compiled; `ticket` is an int32 scalar. The program's run ends with an error for a
        batch of other shapes or types, a ticket out of order, and whatever the pipeline raises, also at the end of its
        data.
        """
        import jax

        self._again.note()
        specs = [jax.ShapeDtypeStruct((), np.int32)]
        specs += [
            jax.ShapeDtypeStruct(shape, dtype) for (shape, _), dtype in zip(self._specs, self._dtypes, strict=True)
        ]
        call = jax.ffi.ffi_call(_TARGET, specs, has_side_effect=True)
        following, *arrays = call(jax.numpy.asarray(ticket, np.int32), function=np.int64(self._number))
        return dict(zip(self._names, arrays, strict=True)), following

    def state_dict(self):
        """Where the source stands after the batches that finished programs pulled."""
        self._check_tickets()
        return self._pipe.state_dict()

    def load_state_dict(self, state):
        """Goes on where `state` was taken; tickets given before are void."""
        self._pipe.load_state_dict(state)
        self._held = None
        self._again.forget()
        self._place += 1  # so that an old ticket does not fit

    def _pull(self):
        self._run.fill()
        [outputs] = made_together([self._run])
        return outputs

    def _answer(self, inputs):
        """Runs while a program runs, on a thread of XLA's or, on a CPU, on the one that called the program."""
        try:
            return self._again(np.asarray(inputs[0][0]))
        except KeyboardInterrupt:
            # JAX makes an error of it. Raised once more behind this call, on the main thread, it is what the user sees.
            _thread.start_new_thread(_thread.interrupt_main, ())
            raise

    def _next_batches(self, ticket):
        self._tickets.append((ticket, self._place))
        self._check_tickets()
        outputs = self._held = self._held or self._pull()
        if self._pipe.exec_pipelined:
            self._run.fill()
        self._held = None
        self._run.took(outputs.iteration)
        batches = self._with_marks(outputs)
        for name, found, spec in zip(self._names, self._specs_of(batches), self._specs, strict=True):
            if found != spec:
                (shape, dtype), (expected_shape, expected_dtype) = found, spec
                raise ValueError(
                    f"`{name}` is {dtype}{list(shape)} in batch {self._place}, the program was compiled for "
                    f"{expected_dtype}{list(expected_shape)}"
                )
        self._place += 1
        ticket = _core.batch_of(np.full(1, self._place, np.int32), None, False)
        return [ticket, *(self._converted(i, batch) for i, batch in enumerate(batches))]

    def _with_marks(self, outputs):
        return [*outputs, _core.batch_of(np.asarray(outputs.valid), None, False)] if self._marks else outputs

    def _specs_of(self, batches):
        return [_spec_of(name, batch) for name, batch in zip(self._names, batches, strict=True)]

    def _converted(self, i, batch):
        if self._dtypes[i] == self._specs[i][1]:
            return batch
        return _core.batch_of(np.asarray(batch.as_cpu().as_tensor(), self._dtypes[i]), None, False)

    def _check_tickets(self):
        while self._tickets and self._tickets[0][0] != getattr(_core, "TICKET_NOT_YET_SEEN", None):
            given, expected = self._tickets.popleft()
            if given != expected:
                raise ValueError(
                    f"ticket {given} was given where {expected} comes next: use each ticket once, in order"
                )


def source(pipe, output_map):
    """A `Source` of the pipeline's batches for compiled programs; its first batch is made at once.

    Args
    ----
    pipe : Pipeline
        Its batches must all be of one shape. External sources are called while programs run.
    output_map : list of str
        Names of the pipeline's outputs, in order.
    """
    return Source(pipe, output_map)


def _spec_of(name, batch):
    """(shape, dtype) of a batch as one array; `ValueError` when its samples differ."""
    if not batch.is_dense_tensor():
        raise ValueError(f"`{name}` has samples of different shapes: resize or crop them to one size")
    whole = batch.as_tensor()
    return tuple(whole.shape()), np.dtype(types.to_numpy_type(whole.dtype))


def _wait_for_programs():
    import jax

    with contextlib.suppress(Exception):  # JAX waits, too, and tells
        jax.effects_barrier()


@functools.cache
def _register():
    import jax

    demand("`source`")
    atexit.register(_wait_for_programs)  # runs before pipelines are closed, being registered after that
    for platform in ("cpu", "CUDA"):
        jax.ffi.register_ffi_target(_TARGET, _core.jax_source_handler(platform == "CUDA"), platform=platform)
