"""What the iterators of all frameworks share: several pipelines in step, epoch after epoch."""

import contextlib
import json
import logging
import operator
import threading
import warnings

from .. import _origin
from ..pipeline.contract import run_of, take_together
from ..types import PipelineAPIType
from ._epochs import Counted, LastBatchPolicy, OfReader, Stepped
from ._one_at_a_time import one_at_a_time

__all__ = ["LastBatchPolicy"]

_NO_DATA = (
    "It seems that there is no data in the pipeline. This may happen if `last_batch_policy` is set to PARTIAL and the "
    "requested batch size is greater than the shard size."
)
_SHARED = {
    "dataset size": "epoch_size",
    "number of shards": "number_of_shards",
    "padding (`pad_last_batch`)": "pad_last_batch",
    "sticking (`stick_to_shard`)": "stick_to_shard",
    "end of epochs (`epoch_end`)": "epoch_end",
}


class BaseIterator:
    """Takes one batch from each pipeline at a time. Subclasses turn them into arrays of their framework.

    Threads may share an iterator: each batch is given to one of them. Subclasses hold `_mutex` in `__next__`.
    """

    _several_without_size = False  # whether several pipelines may go on until their sources end

    def __init__(self, pipelines, size, reader_name, auto_reset, last_batch_padded, policy, prepare_first_batch):
        self._mutex = threading.RLock()
        self._pipes = list(pipelines) if isinstance(pipelines, (list, tuple)) else [pipelines]
        assert self._pipes, "Number of provided pipelines has to be at least 1"
        if not isinstance(policy, LastBatchPolicy):
            raise ValueError(f"Wrong type for `last_batch_policy`. Expected LastBatchPolicy, got {type(policy)}")
        self._auto_reset = _auto_reset(auto_reset)
        self._runs = [run_of(pipe) for pipe in self._pipes]
        self.batch_size = self._pipes[0].max_batch_size
        assert all(pipe.max_batch_size == self.batch_size for pipe in self._pipes), (
            "All pipelines should have the same batch size set"
        )
        checkpointing = {bool(run.options["enable_checkpointing"]) for run in self._runs}
        if len(checkpointing) > 1:
            raise ValueError("All wrapped pipelines must have the same value for `enable_checkpointing`")
        self._checkpointing = checkpointing.pop()
        for run in self._runs:
            run.build()
            run.use(PipelineAPIType.ITERATOR)
        # Python's sources are called on the user's thread, as in a plain loop; other pipelines are refilled on any.
        self._fed = [run for run in self._runs if run.feeders]
        self._unfed = [run for run in self._runs if not run.feeders]
        self._pipelined = all(pipe.exec_pipelined for pipe in self._pipes)  # else nothing is made before it is wanted
        self._reader_name = self._only_reader_with_epoch_end() if reader_name is None else reader_name
        self._epochs = self._account(_whole(size), last_batch_padded, policy)
        if self._counts_samples:
            self._refuse_skip("which epochs counted in samples cannot have", ", or an `epoch_end` of the reader")
        self._policy = policy
        self._consumed = False  # something of this epoch was given to the user
        self._resumed = False  # a state was loaded, and nothing given since
        self._source_ended = False  # which ends the epoch, full or not
        self._passes_end = False  # of a source's epoch that began before this one, as that was full: it goes on
        self._first_batch = None  # taken, but not given yet
        self._load_iterator_state()
        if prepare_first_batch:
            self._prepare()

    def _account(self, size, padded, policy):
        if self._reader_name is None:
            assert size != 0, "Size cannot be 0"
            assert size > 0 or len(self._pipes) == 1 or self._several_without_size, (
                "Negative size is supported only for a single pipeline; give `reader_name` for several"
            )
            if size < 0:
                policy = LastBatchPolicy.FILL
            else:
                message = "Please set `reader_name` and do not set last_batch_padded and size manually"
                warnings.warn(message, DeprecationWarning, stacklevel=_origin.stack_level())
            count, positions = self._places()
            return Counted(size, count, positions, self.batch_size, policy, padded)
        assert size < 0, "When reader_name is provided, size should not be set"
        assert not padded, "When reader_name is provided, last_batch_padded should not be set"
        metas = [pipe.reader_facts(self._reader_name) for pipe in self._pipes]
        for what, key in _SHARED.items():
            found = {meta[key] for meta in metas}
            assert len(found) == 1, f"Reader Operator `{self._reader_name}`: pipelines differ in {what}: {found}"
        if metas[0]["epoch_end"]:
            return Stepped(metas[0], self.batch_size, lambda: self._runs[0].reader_start(self._reader_name)[2])
        return OfReader(metas[0], [meta["shard_id"] for meta in metas], self.batch_size, policy)

    def _places(self):
        """How many pipelines there are in all processes that work together, and which of them are these."""
        return len(self._pipes), range(len(self._pipes))

    def _only_reader_with_epoch_end(self):
        readers = self._pipes[0].reader_facts()
        if len(readers) != 1:
            return None
        [(name, meta)] = readers.items()
        return name if meta["epoch_end"] else None

    @property
    def _counts_samples(self):
        """Whether epochs are so many samples: neither so many batches, nor what sources give until they end."""
        return self._epochs.size >= 0 and not isinstance(self._epochs, Stepped)

    def _refuse_skip(self, why, remedy=""):
        """`ValueError` where samples that cannot be made are left out."""
        if any(run.options["on_error"] == "skip" for run in self._runs):
            raise ValueError(
                f'on_error="skip" makes batches of different lengths, {why}; use "replace" or "zero"{remedy}'
            )

    @property
    def _pads(self):
        """Whether batches carry rows that are marked as not valid."""
        if self._reader_name is None:
            return False
        return self._pipes[0].reader_facts(self._reader_name)["epoch_end"] == "pad"

    def _refuse_mask_in(self, names):
        """`ValueError` where an output has the name of the mask."""
        if "valid" in names:
            raise ValueError(
                'an output is called "valid", which is the name of the mask of padding (epoch_end="pad", or '
                "LastBatchPolicy.PARTIAL on several shards): give that output another name"
            )

    def _prepare(self):
        try:
            self._hold()
        except StopIteration:
            if not any(pipe.is_restored_from_checkpoint for pipe in self._pipes):
                raise RuntimeError(_NO_DATA) from None

    def _hold(self):
        """Takes the next batch without giving it: `state_dict` still stands before it."""
        if self._first_batch is None:
            self._held_state = self.state_dict()
            self._first_batch = self._take()

    def _next(self):
        """The next batch, as `_pull` gives it: the outputs of each pipeline."""
        batch, self._first_batch = self._first_batch, None
        if batch is None:
            batch = self._take()
        self._consumed, self._resumed = True, False
        return batch

    def _kept(self):
        """For each pipeline how many samples of the batch that `_next` gave are kept (None: all)."""
        return [self._epochs.kept(i) for i in range(len(self._pipes))]

    def _take(self):
        if self._over():
            self._end()
        taken = self._runs[0].taken
        try:
            batch = self._pull_on()
        except StopIteration:
            self._source_ended = self._sources_ended()
            self._end()
        except BaseException:  # Ctrl-C, too
            if self._runs[0].taken > taken:  # the batch that failed is one of the epoch's
                self._epochs.advance()
            raise
        if self._epochs.advance():
            self._end()
        return batch

    def _pull_on(self):
        """The next batch of every pipeline, behind the end of a source's epoch that began before this one."""
        try:
            return self._pull()
        except StopIteration:
            if not (self._passes_end and self._sources_ended()):
                raise
        self._begin_sources()
        return self._pull()

    def _pull(self):
        """The next batch of every pipeline, whatever epochs say."""
        for run in self._runs:
            run.fill()
        ahead = (self._unfed, self._fed) if self._pipelined else ()
        outputs = take_together(self._runs, *ahead)
        self._check_sizes(outputs)
        return outputs

    def _check_sizes(self, outputs):
        if not self._counts_samples:
            return
        sizes = {len(output) for one in outputs for output in one}
        assert sizes == {self.batch_size}, (
            "Variable batch size is not supported by the iterator when `reader_name` or `size` is given; batches of "
            f"{sorted(sizes)} came where {self.batch_size} was expected"
        )

    def _end(self):
        self._consumed = True
        if self._auto_reset:
            self.reset()
        raise StopIteration

    @one_at_a_time
    def reset(self):
        """Begins the next epoch, once all of this one was given."""
        # A batch may be held by `peek`, or since the iterator was made.
        if self._first_batch is None and self._at_end():
            self._begin()
        else:
            logging.warning("The iterator cannot be reset while the epoch is not finished. Ignoring...")

    def _over(self):
        return self._source_ended or self._epochs.ended()

    def _at_end(self):
        """Whether this epoch has nothing more to give: a source that was not asked ahead is asked now."""
        if not self._over() and self._epochs.drops_next():
            with contextlib.suppress(StopIteration):
                self._pull_on()
                self._epochs.advance()
        if not self._over() and self._fed and not self._passes_end:
            self._settle()
            self._source_ended = self._sources_ended(ask=True)
        return self._over()

    def _sources_ended(self, ask=False):
        return any(run.at_source_end(ask) for run in self._fed)

    def _settle(self):
        """Waits until no thread of the iterator uses the pipelines: they are about to be moved."""

    def _begin(self):
        """Begins the next epoch behind one that is over."""
        if self._source_ended:
            self._begin_sources(self._left_out() if self._reader_name is not None else 0)
            self._count_next(anew=True)
        else:
            self._count_next(passes_end=bool(self._fed))

    def _leave_epoch(self):
        """Goes to the beginning of the next epoch without making what is left of this one.

        Where a source cannot begin anew, its batches must not be lost: what is left of this epoch comes first.
        """
        if self._over() and self._first_batch is None:
            self._begin()
        elif all(run.can_begin_anew for run in self._fed):
            self._settle()
            left_out = self._left_out()
            for run in self._runs:
                run.begin_anew(run.taken + left_out)
            self._count_next(anew=bool(self._fed))
        elif self._first_batch is None and self._at_end():
            self._begin()

    def _left_out(self):
        """Counts what is left of the epoch. Gives how many batches that is."""
        left_out = 0
        while self._epochs.size >= 0 and not self._epochs.ended():
            self._epochs.advance()
            left_out += 1
        return left_out

    def _begin_sources(self, left_out=0):
        """Begins the next epoch of the sources, of which one is at its end; all pipelines leave out so many batches."""
        self._settle()
        for pipe, run in zip(self._pipes, self._runs, strict=True):
            if left_out or (run.feeders and run.can_begin_anew):
                run.begin_anew(run.taken + left_out)
            else:
                pipe.reset()
        self._passes_end = False

    def _count_next(self, anew=False, passes_end=False):
        """Counts from the beginning of the next epoch; `anew` where sources begin with their first sample."""
        self._epochs.next_epoch(anew)
        self._passes_end = passes_end
        self._source_ended = self._consumed = self._resumed = False
        self._first_batch = None

    @one_at_a_time
    def __iter__(self):
        if self._resumed and self._first_batch is None and self._at_end():
            self._begin()  # the state was saved behind the last batch of an epoch
        elif self._consumed and self._runs[0].policy.loops_go_on:
            self.reset()
        elif self._consumed:
            self._leave_epoch()
        return self

    def __next__(self):
        raise NotImplementedError

    def next(self):
        """The next batch."""
        return self.__next__()

    def __len__(self):
        """Batches in one epoch."""
        return len(self._epochs)

    @property
    def size(self):
        """Samples of one pipeline in this epoch, or the size that was given."""
        return self._epochs.size

    # Saving -----------------------------------------------------------------------------------------------------------

    @one_at_a_time
    def state_dict(self):
        """Where all pipelines and the epoch stand, after the last batch that was given."""
        if self._first_batch is not None:
            return self._held_state
        for run in self._runs:
            run.iterator_state = {
                **self._epochs.state(), "_source_ended": self._source_ended, "_passes_end": self._passes_end
            }  # fmt: skip
        return {"pipelines": [pipe.state_dict() for pipe in self._pipes]}

    @one_at_a_time
    def load_state_dict(self, state):
        """Goes on where `state` was taken, in any process and on any number of pipelines if theirs were alike.

        `ValueError` for other pipelines, and for another number of them when they differed from each other; all stand
        where they stood then, but for what sources that cannot go back had given for batches in the making.
        """
        if not isinstance(state, dict) or "pipelines" not in state:
            raise ValueError("this is no state of an iterator, which has 'pipelines'; is it one of a pipeline?")
        states = state["pipelines"]
        if not isinstance(states, (list, tuple)) or not states:
            raise ValueError(
                f"`pipelines` of the state is {states!r:.100}: a list of the pipelines' states was saved there"
            )
        if len(states) != len(self._pipes):
            if any(one != states[0] for one in states):
                raise ValueError(
                    f"the state is of {len(states)} pipelines that differ, this iterator has {len(self._pipes)}"
                )
            states = [states[0]] * len(self._pipes)
        generation, before = self._runs[0].generation, [pipe.state_dict() for pipe in self._pipes]
        try:
            self._load_pipelines(states)
            self._load_iterator_state()
        except BaseException:
            if self._runs[0].generation != generation:  # batches made ahead are of all pipelines: all go back
                self._load_pipelines(before)
            raise
        self._first_batch = None

    def _load_pipelines(self, states):
        for pipe, one in zip(self._pipes, states, strict=True):
            pipe.load_state_dict(one)

    def _load_iterator_state(self):
        state = self._runs[0].iterator_state
        if state is not None:
            self._epochs.load(state)
            self._source_ended, self._passes_end = (
                state.get(name) is True for name in ("_source_ended", "_passes_end")
            )
            self._consumed, self._resumed = False, True  # a for-loop goes on where the saved one stood

    def checkpoints(self):
        """`state_dict` of each pipeline as bytes, for ``Pipeline(checkpoint=...)``."""
        if not self._checkpointing:
            raise ValueError("Cannot access checkpoints: the pipelines were not given enable_checkpointing=True")
        return [json.dumps(one).encode() for one in self.state_dict()["pipelines"]]


def _whole(size):
    try:
        return operator.index(size)
    except TypeError:
        raise TypeError(f"`size` is a whole number of samples, got {size!r:.100}") from None


def _auto_reset(value):
    if value in (False, None, "no"):
        return False
    if value in (True, "yes"):
        return True
    raise ValueError(f"Unsupported value for `auto_reset`: {value!r}; it is True, False, None, 'yes' or 'no'")
