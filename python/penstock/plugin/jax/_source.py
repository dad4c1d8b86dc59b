"""Batches that compiled JAX programs pull by themselves."""

import functools
import weakref

import numpy as np

from ... import _core
from ..._together import made_together

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
    is that of the data flow. A ticket that was used before, or by two, is an error of the program's run.

    The host's memory is copied into that of XLA, once. Programs run on one CPU device.

    Args
    ----
    pipe, output_map
        As for `source`.
    """

    def __init__(self, pipe, output_map):
        if len(set(output_map)) != len(output_map):
            raise ValueError("output_map names should be distinct")
        if pipe.num_outputs != len(output_map):
            raise ValueError(f"output_map has {len(output_map)} names, the pipeline {pipe.num_outputs} outputs")
        _register()
        self._pipe = pipe
        self._names = list(output_map)
        self._place = 0  # number of the batch that comes next; tickets hold it
        self._held = self._pull()  # the first one, which says what all are like
        self._specs = [(batch.shape, batch.dtype) for batch in _arrays(self._held)]
        this = weakref.ref(self)
        self._number = _core.keep_callback(lambda size, inputs: this()._answer(inputs))
        weakref.finalize(self, _core.release_callback, self._number)

    def ticket(self):
        """The ticket of the batch that comes next, an int32 scalar."""
        return np.int32(self._place)

    def next(self, ticket):
        """(batch, ticket of the next one), a dict of arrays with the shapes and types of the first batch.

        For use in functions that are compiled; `ticket` is an int32 scalar. The program's run ends with an error for a
        batch of other shapes or types, a ticket out of order, and whatever the pipeline raises, also at the end of its
        data.
        """
        import jax

        specs = [jax.ShapeDtypeStruct((), np.int32)]
        specs += [jax.ShapeDtypeStruct(shape, jax.dtypes.canonicalize_dtype(dtype)) for shape, dtype in self._specs]
        call = jax.ffi.ffi_call(_TARGET, specs, has_side_effect=True)
        following, *arrays = call(jax.numpy.asarray(ticket, np.int32), function=np.int64(self._number))
        return dict(zip(self._names, arrays, strict=True)), following

    def state_dict(self):
        """Where the source stands after the batches that finished programs pulled."""
        return self._pipe.state_dict()

    def load_state_dict(self, state):
        """Goes on where `state` was taken; tickets given before are void."""
        self._pipe.load_state_dict(state)
        self._held = None
        self._place += 1  # so that an old ticket does not fit

    def _pull(self):
        self._pipe._fill()
        [outputs] = made_together([self._pipe])
        return outputs

    def _answer(self, inputs):
        """Runs while a program runs, on a thread of XLA's."""
        place = int(np.asarray(inputs[0][0]))
        if place != self._place:
            raise ValueError(f"ticket {place} was given where {self._place} comes next: use each ticket once, in order")
        outputs, self._held = self._held or self._pull(), None
        self._pipe._took(outputs.iteration)
        self._pipe._fill()
        batches = _arrays(outputs)
        for name, batch, (shape, dtype) in zip(self._names, batches, self._specs, strict=True):
            if (batch.shape, batch.dtype) != (shape, dtype):
                raise ValueError(
                    f"`{name}` is {batch.dtype}{list(batch.shape)} in batch {place}, the program was compiled for "
                    f"{dtype}{list(shape)}"
                )
        self._place += 1
        made = [np.full(1, self._place, np.int32), *batches]
        return [_core.batch_of(_canonical(batch), None, False) for batch in made]


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


def _arrays(outputs):
    return [np.asarray(batch.as_cpu().as_tensor()) for batch in outputs]


def _canonical(batch):
    """64-bit numbers become 32-bit ones where JAX has no others."""
    import jax

    return np.asarray(batch, jax.dtypes.canonicalize_dtype(batch.dtype))


@functools.cache
def _register():
    import jax

    if not hasattr(_core, "jax_source_handler"):
        raise RuntimeError("this Penstock was built without jaxlib, whose headers `source` needs")
    jax.ffi.register_ffi_target(_TARGET, _core.jax_source_handler(), platform="cpu")
