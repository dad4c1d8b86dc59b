"""Where epochs of framework iterators end: DALI's accounting, and Penstock's own `epoch_end`.

An account counts samples per pipeline. `ended` says that the epoch is over before another batch is taken, `advance`
counts a batch that was taken and says whether it is to be thrown away, `kept` how many of its samples belong to the
epoch (None: all) and `most_kept` how many of the pipeline that keeps most, in whatever process that is, `next_epoch`
begins the next one, from the first sample of all where sources were begun `anew`. `cuts` says that they may keep less
than all. A batch whose `step` does not bring `counter` beyond `whole` is kept whole, and the epoch was not over before
it: to count it, the `step` is all that is to be added. Policies are asked about once: naming a member of an enumeration
is a call of a Python function, which these would make for every batch.
"""

import enum
import math

import numpy as np

from .._fields import number, numbers

_STATE = "the state of the iterator"


class LastBatchPolicy(enum.Enum):
    """What happens to the last batch of an epoch that its samples do not fill."""

    FILL = 0
    DROP = 1
    PARTIAL = 2


class _Plain:
    """Accounts whose whole state is a counter."""

    cuts = False

    def drops_next(self):
        return False

    def state(self):
        return {"_counter": self.counter}

    def load(self, state):
        self.counter = number(state, "_counter", _STATE)


class Stepped(_Plain):
    """Epochs of a reader that was told `epoch_end`: the same number of steps on all ranks, nothing to trim here."""

    def __init__(self, meta, batch_size, steps_left):
        self.size = self.whole = meta["steps_per_epoch"] * batch_size
        self.counter = 0
        self.step = batch_size
        self._steps_left = steps_left  # asks how many batches the epoch had left where the run was resumed

    def __len__(self):
        return self.size // self.step

    def ended(self):
        return self.counter >= self.size

    def advance(self):
        self.counter += self.step
        return False

    def kept(self, pipeline):
        del pipeline
        return

    def most_kept(self):
        return

    def next_epoch(self, anew=False):
        del anew
        self.counter = 0

    def state(self):
        return {**super().state(), "_ended": self.ended()}

    def load(self, state):
        # Not the saved counter: another number of ranks has another number of steps to go.
        counter = number(state, "_counter", _STATE)
        ended = state.get("_ended", counter >= self.size)
        self.counter = self.size if ended else self.size - self._steps_left() * self.step


class Counted(_Plain):
    """Epochs of `size` samples over all pipelines; a negative size means until a pipeline ends."""

    def __init__(self, size, pipelines, positions, batch_size, policy, padded):
        self.size = size
        self.whole = size if size > 0 else math.inf
        self._positions = positions  # of the pipelines of this process among all
        self.counter = 0
        self.step = pipelines * batch_size
        self._batch_size = batch_size
        self._drops = policy is LastBatchPolicy.DROP
        self.cuts = policy is LastBatchPolicy.PARTIAL and size >= 0
        self._carries = policy is LastBatchPolicy.FILL and not padded and size > 0

    def __len__(self):
        whole = self.size // self.step
        return whole if self._drops else math.ceil(self.size / self.step)

    def ended(self):
        return 0 < self.size <= self.counter

    def advance(self):
        self.counter += self.step
        return self._drops and 0 < self.size < self.counter

    def kept(self, pipeline):
        """Samples of that pipeline that lie within `size`; pipelines are cut off from the last one on."""
        return self._kept_at(self._positions[pipeline])

    def _kept_at(self, position):
        if not self.cuts:
            return None
        left = self.step - max(0, self.counter - self.size) - position * self._batch_size
        return min(max(left, 0), self._batch_size)

    def most_kept(self):
        return self._kept_at(0)

    def next_epoch(self, anew=False):
        self.counter = self.counter % self.size if self._carries and not anew else 0

    def drops_next(self):
        return self._drops and 0 < self.size - self.counter < self.step


class OfReader:
    """Epochs of a reader, shard by shard, as DALI counts them.

    Without padding, readers go on into the next shard. With FILL what was read ahead of an epoch's end counts for the
    next one: `ahead` holds it for each shard's position.
    """

    def __init__(self, meta, shards, batch_size, policy):
        self.step = batch_size
        self._sticks = bool(meta["stick_to_shard"])
        padded = bool(meta["pad_last_batch"])
        self._drops = policy is LastBatchPolicy.DROP
        self.cuts = policy is LastBatchPolicy.PARTIAL
        self._carries = policy is LastBatchPolicy.FILL and not padded
        samples, self._num_shards = meta["epoch_size"], meta["number_of_shards"]
        starts = np.arange(self._num_shards + 1) * samples // self._num_shards
        self._own_sizes = np.diff(starts)
        self._sizes = self._own_sizes.copy()  # by position; moves with the epochs
        self._ahead = np.zeros_like(self._sizes)
        self._first_shards = np.array(shards)
        self._moved = 0  # shards, since the beginning
        self.counter = 0
        if self._drops:
            self.size = samples // self._num_shards
        elif padded:
            self.size = math.ceil(samples / self._num_shards)
        else:
            self.size = self._rounded_up(math.ceil(samples / self._num_shards))
        self._find_whole()

    def _find_whole(self):
        self.whole = int(min(self.size, self._own_sizes.min(), (self._sizes - self._ahead).min()))

    def _rounded_up(self, samples):
        return math.ceil(samples / self.step) * self.step

    def __len__(self):
        whole = self.size // self.step
        return whole if self._drops else math.ceil(self.size / self.step)

    def ended(self):
        return self.counter >= self.size

    def advance(self):
        self.counter += self.step
        return self._drops and self._exceeds(self.counter)

    def _exceeds(self, counter):
        # Numbers of Python: NumPy takes 20 us for what is one comparison on one shard.
        return any(
            ahead + counter > size for ahead, size in zip(self._ahead.tolist(), self._sizes.tolist(), strict=True)
        )

    def drops_next(self):
        """Whether the next batch is one that DROP throws away: it must be taken before the epoch is left."""
        return self._drops and not self.ended() and self._exceeds(self.counter + self.step)

    def kept(self, pipeline):
        if not self.cuts:
            return None
        return self._left(self._own_sizes[self._shard_of(pipeline)])

    def _shard_of(self, pipeline):
        return (self._first_shards[pipeline] + self._moved) % self._num_shards

    def most_kept(self):
        return self._left(self._own_sizes.max()) if self.cuts else None

    def fresh(self, pipeline):
        """How many samples of the latest batch are of the epoch, whatever the policy keeps."""
        return self._left(self._own_sizes[self._shard_of(pipeline)])

    def _left(self, size):
        return max(self.step - max(0, self.counter - int(size)), 0)

    def next_epoch(self, anew=False):
        del anew
        if self._carries:
            self._ahead = self._ahead + (self.counter - self._ahead.min()) - self._sizes
            self.counter = int(self._ahead.min())
        else:
            self.counter = 0
        if not self._sticks:
            self._moved += 1
        if not self._carries:
            return
        self._rotate()
        self.size = self._rounded_up((self._sizes - self._ahead).max())
        if self.size == 0:  # everything was read already
            self._ahead = np.zeros_like(self._ahead)
            self.counter = 0
            self._rotate()
            self.size = self._rounded_up(self._sizes.max())
        self._find_whole()

    def _rotate(self):
        # Against the movement of the shards, as in DALI: iterators of both give equal numbers of batches.
        if not self._sticks:
            self._sizes = np.roll(self._sizes, 1)

    def state(self):
        return {
            "_counter": int(self.counter),
            "_counter_per_gpu": self._ahead.tolist(),
            "_shard_sizes_per_gpu": self._sizes.tolist(),
            "_moved": self._moved,
            "_size": int(self.size),
        }

    def load(self, state):
        sizes = numbers(state, "_shard_sizes_per_gpu", _STATE)
        if len(sizes) != self._num_shards:
            raise ValueError(
                f"the state is of a run on {len(sizes)} shards, this one has {self._num_shards}; give the reader an "
                'epoch_end such as "pad" to resume on any number'
            )
        ahead = numbers(state, "_counter_per_gpu", _STATE, len(sizes))
        self.counter, self.size, self._moved = (number(state, name, _STATE) for name in ("_counter", "_size", "_moved"))
        self._ahead, self._sizes = np.array(ahead), np.array(sizes)
        self._find_whole()
