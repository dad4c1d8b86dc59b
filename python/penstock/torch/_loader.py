"""A loader with the manners of `torch.utils.data.DataLoader`."""

import operator

from .._ranks import Ranks, discover
from ..pipeline.contract import run_of
from ..plugin.pytorch._tensors import Dense, tensor_of, tensors_of
from ._batches import Batches
from ._shard import give_shards

_ENDS = ("pad", "drop", "partial", "wrap")


class Loader:
    """Gives batches of a pipeline as tuples of tensors: ``for images, labels in loader``, an epoch a loop.

    It stands where a `DataLoader` stood: `len`, `state_dict`, `set_epoch`, `dataset` and `sampler` are there, and the
    pipeline's threads live on from epoch to epoch. Under `torchrun` (and MPI, Slurm, or wherever torch.distributed is
    initialised) each rank gets its own shard without a sampler: the pipeline's readers are told rank and number of
    ranks when the first batch, `len` or `state_dict` is asked for. All ranks take the same number of steps. Tensors
    share the memory of the batch, which is theirs alone.

    A loop that was left early is followed by the next epoch. A second loop over the same loader ends the first one,
    which says so with a `RuntimeError` when it is asked to go on.

    Args
    ----
    pipe : Pipeline
        Not built yet, so that its readers can be told their shard and `epoch_end`, and of this loader alone. Readers
        that were given `shard_id` or `num_shards` keep them.
    names : list of str
        Names of the outputs, in order: batches become dicts of these.
    epoch_end : "partial", "drop", "pad" or "wrap"
        What happens to the last batch, where the readers were not told: a short batch (it can be empty on some of
        several ranks), none, one filled up with rows that are False in a mask (one more tensor, `valid` with names), or
        one filled up with samples from the epoch's beginning. "drop" is right for training on several ranks.
    shard : (rank, size)
        Instead of what torch.distributed, jax.distributed or the launcher say.
    ragged : collection of int or str
        Outputs, by number or name, whose samples differ in shape: lists of tensors, one a sample.
    """

    num_workers = 0  # of DataLoader's processes: there are none
    pin_memory = False
    persistent_workers = True
    batch_sampler = None

    def __init__(self, pipe, names=None, *, epoch_end="partial", shard=None, ragged=()):
        if epoch_end not in _ENDS:
            raise ValueError(f"epoch_end is one of {_ENDS}, got {epoch_end!r}")
        run_of(pipe)  # refuses what is no pipeline
        self.pipe = pipe
        self.names = None if names is None else list(names)
        if self.names is not None and len(set(self.names)) != len(self.names):
            raise ValueError(f"names of outputs must differ, got {self.names}")
        self.ragged = frozenset(ragged)
        self._dense = Dense(pipe)
        self._epoch_end = epoch_end
        self._given_shard = None if shard is None else Ranks(*shard, "the argument `shard`")
        self._ranks = None
        self._batches = None
        self._loop = None  # the newest one

    # What loops do ----------------------------------------------------------------------------------------------------

    def __iter__(self):
        self._loop = _Loop(self, self._made())
        return self._loop

    def __len__(self):
        """Batches in one epoch of this rank. `TypeError` where a Python source decides."""
        batches = self._made()
        if batches.reader is None:
            raise TypeError("this loader has no length: its epochs end when the pipeline's external source ends")
        return len(batches)

    def set_epoch(self, epoch):
        """The next loop gives epoch number `epoch`, counted from 0; epochs go on by themselves, so few need this.

        Without effect where that is what comes next anyway, on the loop under way, and where no reader decides about
        epochs. Of several readers each begins its own epoch of that number: where their lengths differ, these do not
        come together in loop after loop. `TypeError` for what is no whole number, `ValueError` for one out of range.
        """
        try:
            number = operator.index(epoch)
        except TypeError:
            raise TypeError(f"epoch is a whole number, got {epoch!r}") from None
        if not 0 <= number < 2**62:
            raise ValueError(f"epoch is a number from 0 to 2**62 - 1, got {number}")
        batches = self._made()
        if batches.counts_epochs:
            batches.set_epoch(number)

    def _made(self):
        """The pipeline at work, as the shard that this process is now."""
        ranks = self._given_shard or discover()
        if self._batches is None:
            give_shards(self.pipe, ranks, self._epoch_end)
            self._keys, self._lists = self._named_outputs()
            batches = Batches(self.pipe)
            if batches.pads and self.names is not None:
                batches._refuse_mask_in(self.names)
            self._batches, self._ranks = batches, ranks
        elif ranks[:2] != self._ranks[:2]:
            raise RuntimeError(
                f"the loader began as rank {self._ranks.rank} of {self._ranks.size} ({self._ranks.source}) and is now "
                f"rank {ranks.rank} of {ranks.size} ({ranks.source}): connect the processes before its first use"
            )
        return self._batches

    def _named_outputs(self):
        """What outputs are called, and those of them that are ragged. `ValueError` for names that fit no output."""
        count = self.pipe.num_outputs
        names = list(range(count)) if self.names is None else self.names
        if len(names) != count:
            raise ValueError(f"there are {len(names)} names for {count} outputs: {self.names}")
        by_number = dict(enumerate(names))
        ragged = {by_number.get(one, one) for one in self.ragged}
        if unknown := ragged.difference(names):
            raise ValueError(f"`ragged` has {sorted(unknown, key=str)}, the outputs are {names}")
        return names, ragged

    def _converted(self, outputs, kept):
        batch = {
            name: tensors_of(output, kept) if name in self._lists else self._dense(number, output, kept, name)
            for number, (name, output) in enumerate(zip(self._keys, outputs, strict=True))
        }
        if self._batches.pads:
            batch["valid"] = tensor_of(outputs.valid, kept, "valid")
        return tuple(batch.values()) if self.names is None else batch

    # Saving -----------------------------------------------------------------------------------------------------------

    def state_dict(self):
        """Where the loader stands after the last batch given: plain values. Loads on any number of ranks."""
        return self._made().state_dict()

    def load_state_dict(self, state):
        """Goes on where `state` was saved: the next loop gives what was left of that epoch, or the next one where it
        was finished. `ValueError` for the state of another pipeline, and for what is no state."""
        self._made().load_state_dict(state)

    def __reduce_ex__(self, protocol):
        raise TypeError(
            "a loader cannot be copied or pickled: make another one with a pipeline of its own, in the process that "
            "uses it, and give that the state, load_state_dict(loader.state_dict())"
        )

    # What frameworks ask of a DataLoader ------------------------------------------------------------------------------

    @property
    def batch_size(self):
        """Samples in a batch of this rank, at most."""
        return self.pipe.max_batch_size

    @property
    def drop_last(self):
        """Whether incomplete batches are left out."""
        batches = self._made()
        return batches.reader is not None and self.pipe.reader_facts(batches.reader)["epoch_end"] == "drop"

    @property
    def shard(self):
        """(rank, size) of this process: the argument `shard`, or as found. A reader with a `shard_id` keeps it."""
        self._made()
        return tuple(self._ranks[:2])

    @property
    def dataset(self):
        """Something with the length of the data set, over all ranks."""
        batches = self._made()
        if batches.reader is None:
            raise AttributeError("there is no data set of known length behind an external source")
        return range(self.pipe.reader_facts(batches.reader)["epoch_size"])

    @property
    def sampler(self):
        """The loader itself, which has the `set_epoch` that Lightning looks for here."""
        return self


class _Loop:
    """One ``for`` over a loader."""

    def __init__(self, loader, batches):
        self._loader = loader
        self._batches = batches
        self._begun = False

    def __iter__(self):
        return self

    def __next__(self):
        if self._loader._loop is not self:
            raise RuntimeError("another loop over this loader has begun; a loader serves one loop at a time")
        if not self._begun:  # not before: Lightning loads its state into a loop that was made already
            self._begun = True
            self._batches.begin_loop()
        return self._loader._converted(*next(self._batches))
