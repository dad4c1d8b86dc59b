"""Batches of pipelines as JAX arrays."""

import weakref
from dataclasses import dataclass

import numpy as np

from ...pipeline.contract import put_back, run_of, wait_for_all
from .._empty import Empty
from ..base_iterator import BaseIterator, LastBatchPolicy
from ._ahead import Ahead
from ._documentation import ARGUMENTS
from ._handoff import Handoff, ragged
from ._settings import Settings, without_mesh
from ._target import target_of

_AHEAD_OF_GPU = 2  # batches: with one, two threads in turns wait for each other to wake, 50 to 100 us each time


@dataclass(slots=True)  # a tuple's names take 2 us to look up when caches are cold
class _Made:
    """The arrays made of a batch of every pipeline, or what was raised.

    `outputs` are the batches themselves, where they may have to be cut. Elsewhere they are let go on the thread that
    made the arrays: that costs as much as all the rest of `next`.
    """

    generation: int
    iteration: int = 0  # of the latest batch that was waited for: also of one that failed, as it is gone
    arrays: dict | None = None
    outputs: list | None = None
    error: Exception | None = None


class DALIGenericIterator(BaseIterator):
    _several_without_size = True  # as with one pipeline in each of several processes

    def __init__(
        self,
        pipelines,
        output_map,
        size=-1,
        reader_name=None,
        auto_reset=False,
        last_batch_padded=False,
        last_batch_policy=LastBatchPolicy.FILL,
        prepare_first_batch=True,
        sharding=None,
        pmap_compatible=None,
    ):
        assert len(set(output_map)) == len(output_map), "output_map names should be distinct"
        self.output_map = list(output_map)
        self._pipes = list(pipelines) if isinstance(pipelines, (list, tuple)) else [pipelines]
        runs = [run_of(pipe) for pipe in self._pipes]
        self._target = target_of(sharding, self.output_map, self._pipes, pmap_compatible)
        kept = [self._target.keeps(name) for name in self.output_map]
        self._settings = Settings()
        self._handoff = Handoff(kept, self._target.over_gpus(self.output_map), runs, self._settings)
        self._empty, self._noted = Empty(self._pipes[0], self._handoff.arrays), False
        self._ahead = Ahead()
        self._works_ahead = True  # the thread of `_ahead` does
        self._full = False  # as much is being done ahead as may be, without looking at the pipelines
        super().__init__(
            pipelines, size, reader_name, auto_reset, last_batch_padded, last_batch_policy, False
        )  # fmt: skip
        # The thread must not keep the iterator alive, nor must what waits to be given.
        self._others = self._runs[1:]
        refilled = self._unfed if self._pipelined else ()
        self._work = _make, (self._runs, self._unfed, refilled, self._handoff, weakref.WeakMethod(self._made_of))
        self._cuts = last_batch_policy is LastBatchPolicy.PARTIAL
        self._marks = self._pads or (self._cuts and self._target.num_shards > 1)
        if self._marks:
            self._refuse_mask_in(self.output_map)
        # Functions with collectives belong to the thread that calls next(); all else is done one batch ahead.
        self.functions = self._runs[0].consumer_steps
        self._alone = bool(self.functions)
        for function in self.functions:
            self._target.bind(function)
        if self._target.num_shards > 1 or any(function.num_shards > 1 for function in self.functions):
            self._refuse_unequal_parts()
        self._target.agree(self)
        if prepare_first_batch:
            self._target.agree_on_first(self._first_arrays)

    def _first_arrays(self):
        self._prepare()
        return {} if self._first_batch is None else self._first_batch.arrays

    def _refuse_unequal_parts(self):
        """Shards in other processes would be of other lengths, and no process would know."""
        ends = {meta["epoch_end"] for meta in self._pipes[0].reader_facts().values()}
        if "partial" in ends:
            raise ValueError(
                'epoch_end="partial" ends shards with batches of different lengths, of which no array can be made; use '
                '"pad", which marks padding in `valid`, or LastBatchPolicy.PARTIAL'
            )
        self._refuse_skip("of which no array on several shards can be made")

    def _check_sizes(self, outputs):
        super()._check_sizes(outputs)
        sizes = {len(output) for one in outputs for output in one}
        if len(self._pipes) < self._target.num_shards and sizes != {self.batch_size}:
            raise ValueError(
                f"batches of {sorted(sizes)} samples came where batch_size is {self.batch_size}: with shards in other "
                "processes, which cannot know, all must be full; let the source fill its last batch or leave it out"
            )

    def _places(self):
        return self._target.num_shards, self._target.local

    def __next__(self):
        # What is ready is given by this function alone: after milliseconds of other work caches are cold, and each
        # other function costs over 1 us, as nearly each object does.
        with self._mutex:
            ahead, epochs = self._ahead, self._epochs
            if ahead.made and self._full and self._first_batch is None and epochs.counter + epochs.step <= epochs.whole:
                first, (_, made) = self._runs[0], ahead.made[0]
                if made.error is None and made.generation == first.generation:
                    # Ctrl-C is looked for behind calls and in loops: it finds all of this done or nothing.
                    epochs.counter += epochs.step
                    self._consumed = True
                    first.taken = taken = made.iteration + 1
                    del ahead.made[0]
                    ahead.asked.put(self._work)
                    for run in self._others:
                        run.taken = taken
                    return made.arrays
            made = self._next()
            if not self._epochs.cuts:
                return made.arrays
            kept, most = self._kept(), self._epochs.most_kept()
            if most == self.batch_size and min(kept) == most:
                return made.arrays
            return self._arrays_of(made.outputs, kept, most)

    def _pull(self):
        if self._alone:
            self._handoff.lend()
            outputs = super()._pull()
            return _Made(0, arrays=self._arrays_of(outputs), outputs=outputs if self._cuts else None)
        made = self._get()
        while made.generation != self._runs[0].generation:  # made before the pipelines went elsewhere
            made = self._get()
        if made.error is None and self._works_ahead:
            try:
                self._ask()
            except BaseException:  # Ctrl-C in a source
                self._ahead.put_back(made)
                raise
        taken = made.iteration + 1
        for run in self._runs:
            run.taken = taken
        if made.error is None:
            return made
        error, made.error = made.error, None
        try:
            raise error
        finally:
            del error  # its traceback would keep this frame, and the iterator, until cycles are collected

    def _ask(self):
        """Has the next arrays made."""
        _fill(self._fed)
        most = _AHEAD_OF_GPU if self._handoff.on_gpu else 1
        work, arguments = self._work
        while self._ahead.pending < most and self._can_ask():
            self._ahead.ask(work, *arguments)
        self._full = self._ahead.pending == most and not self._fed

    def _can_ask(self):
        """Whether there is a batch for another piece of work. The first may find that there is none any more."""
        pending = self._ahead.pending
        return not pending or all(run.engine.in_flight() > pending for run in self._fed)

    def _get(self):
        """The next batch's arrays. A caller ahead of the pipelines makes them: another thread would only cost time.

        On a GPU it is always done ahead, as copies and their waiting are dear: 0.45 instead of 0.60 ms for 200 digits.
        """
        self._full = False
        if self._ahead.pending:
            made, ready = self._ahead.get()
            self._works_ahead = self._may_work_ahead(ready)
            return made
        _fill(self._fed)
        ready = all(run.engine.ready() for run in self._runs)
        self._works_ahead = self._may_work_ahead(ready)
        work, arguments = self._work
        return work(*arguments)

    def _may_work_ahead(self, ready):
        return self._pipelined and (ready or self._handoff.on_gpu)

    def _made_of(self, generation, outputs):
        self._check_sizes(outputs)
        kept = outputs if self._cuts else None
        return _Made(generation, outputs[0].iteration, self._arrays_of(outputs), kept)

    def _arrays_of(self, outputs, kept=None, most=None):
        """A dict of arrays; with `kept` the pipelines' rows are cut to `most`, and those beyond `kept` marked."""
        with self._settings.applied(), without_mesh():
            return self._placed(outputs, kept, most)

    def _placed(self, outputs, kept, most):
        count = len(outputs[0])
        assert count == len(self.output_map), (
            f"output_map has {len(self.output_map)} names, the pipeline {count} outputs"
        )
        try:
            columns = self._handoff.columns(outputs, whole=most is None)
        except RuntimeError as error:
            error.add_note(f"outputs with samples of different shapes: {ragged(self.output_map, outputs)}")
            raise
        if len(outputs) == 1 and not (self._noted and len(outputs[0][0])):
            self._see_to_empty(outputs[0], columns)
        if most is not None:
            columns = [[array[:most] for array in parts] for parts in columns]
        arrays = {name: self._target.place(name, parts) for name, parts in zip(self.output_map, columns, strict=True)}
        if self._marks:
            valid = [one.valid for one in outputs]
            if kept is not None:
                valid = [np.arange(most) < rows for rows in kept]
            arrays["valid"] = self._target.place("valid", valid)
        return arrays

    def _see_to_empty(self, outputs, columns):
        """Gives the arrays of a batch without samples the extents and types that those of others have."""
        for number, parts in enumerate(columns):
            if len(outputs[number]):
                self._empty.note(number, parts[0] if isinstance(parts, (list, tuple)) else parts)
                self._noted = True
            elif like := self._empty(number):
                columns[number] = [np.empty((0, *like[0]), like[1])]

    def _settle(self):
        self._ahead.settle()

    def load_state_dict(self, state):
        """Goes on where `state` was taken, on any number of devices and processes that the reader's epochs allow.

        `ValueError` for another pipeline's state, and names the difference.
        """
        with self._mutex:
            self._ahead.settle()
            super().load_state_dict(state)


def _make(runs, unfed, refilled, handoff, made_of):
    """Waits for a batch of every pipeline and makes arrays of it, on any thread.

    It starts batches of those `unfed`, and more of those that are to be `refilled`.
    """
    generation, outputs = runs[0].generation, ()
    try:
        handoff.lend()  # what the batch before this left: its arrays were wanted first
        _fill(unfed)
        for run in runs:
            run.refuse_empty()
        outputs = wait_for_all(runs, refilled)  # there is work for the engine while arrays are made
        return made_of()(generation, outputs)
    except Exception as error:  # noqa: BLE001 - raised where the batch is taken
        return _Made(generation, runs[0].oldest - 1, error=error)
    except BaseException:  # Ctrl-C
        put_back(runs, outputs)
        raise


def _fill(runs):
    for run in runs:
        run.fill()


DALIGenericIterator.__doc__ = f"""Gives dicts of JAX arrays, for-loop after for-loop an epoch.

While the user works on a batch, the next one is put on the devices by another thread, on a GPU the next two; without
one, the calling thread does it where it is faster than the pipelines.

Args
----
pipelines : Pipeline or list of them
    One pipeline for each shard of the sharding that this process holds, in the order of the shards.
{ARGUMENTS}"""
