"""What the engine hands out, as Python objects."""

import functools
from dataclasses import dataclass


class Outputs(tuple):
    """One batch: a tuple with a `TensorListCPU`, or `TensorListGPU`, per output.

    `valid` has False for padded and zeroed samples, `indices` their numbers in the first reader's data set (-1 without
    a reader), `iteration` counts batches from the start of the run.
    """

    def __new__(cls, batch):
        made = super().__new__(cls, batch.take_outputs())
        made._of_engine = batch
        made.iteration = batch.iteration
        return made

    # Arrays that few ask for: making them takes as long as an output.
    valid = functools.cached_property(lambda self: self._of_engine.valid)
    indices = functools.cached_property(lambda self: self._of_engine.indices)


@dataclass(frozen=True, slots=True)
class Failure:
    """A sample that could not be made."""

    iteration: int
    slot: int
    index: int
    source: str
    stage: str
    reason: str


def failures_of(engine):
    """All failures that the engine remembers."""
    names = Failure.__slots__
    return [Failure(*(getattr(one, name) for name in names)) for one in engine.failures()]


def meta_of(meta):
    """Facts about one reader under DALI's keys, then Penstock's own."""
    return {
        "epoch_size": meta.epoch_size,
        "epoch_size_padded": meta.epoch_size_padded,
        "number_of_shards": meta.num_shards,
        "shard_id": meta.shard,
        "pad_last_batch": int(meta.pads),
        "stick_to_shard": int(meta.sticks),
        "steps_per_epoch": meta.steps_per_epoch,
        "epoch_end": meta.epoch_end,
    }
