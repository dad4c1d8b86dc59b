"""The outputs of one pipeline, epoch after epoch, from any place on."""

import weakref

from ..plugin.base_iterator import BaseIterator, LastBatchPolicy

_served = weakref.WeakSet()  # pipelines


class Batches(BaseIterator):
    """Outputs of one pipeline, epoch after epoch. `ValueError` for one that serves another already."""

    def __init__(self, pipe):
        if pipe in _served:
            raise ValueError(
                "this pipeline serves another loader, which would miss the batches that come here: make one for each"
            )
        pipe.build()
        self.reader = next(iter(pipe.reader_facts()), None)
        self.finished = False  # the last loop came to its end
        self._wanted = None  # the epoch that comes when this loop is left
        super().__init__(
            pipe, -1, self.reader, auto_reset=False, last_batch_padded=False, policy=LastBatchPolicy.PARTIAL,
            prepare_first_batch=False,
        )  # fmt: skip
        _served.add(pipe)

    @property
    def pads(self):
        return self._pads

    @property
    def counts_epochs(self):
        return self.reader is not None and bool(self._pipes[0].reader_facts(self.reader)["epoch_end"])

    def __next__(self):
        try:
            [outputs] = self._next()
        except StopIteration:
            self.finished = True
            raise
        [kept] = self._kept()
        return outputs, kept

    def begin_loop(self):
        """Leaves what is left of an epoch that was begun or finished."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None and wanted != self._next_epoch():
            self._go_to(wanted)
        elif self._consumed or self.finished:
            self._leave_epoch()
        self.finished = False

    def set_epoch(self, epoch):
        """The next loop gives that epoch. One that is under way goes on."""
        self._wanted = None
        if self._consumed and not self.finished:
            self._wanted = epoch
        elif epoch != self._next_epoch():
            self._go_to(epoch)

    def _next_epoch(self):
        """The epoch that the next loop gives, or what is left of it."""
        # Finished epochs, then how far the unfinished one has come.
        epoch, *begun = self._pipes[0].state_dict()["engine"]["readers"][0]["seen"]
        if self._consumed or self.finished:
            return epoch + bool(begun)
        return epoch - self._epochs.ended()  # a state saved after the last batch: its loop has yet to end

    def _go_to(self, epoch):
        """The next batch is the first one of that epoch."""
        state = self._pipes[0].state_dict()
        for reader in state["engine"]["readers"]:
            reader["seen"] = [epoch]
        state.pop("iterator", None)
        self._pipes[0].load_state_dict(state)
        self._epochs.next_epoch()
        self._consumed = self.finished = False
        self._first_batch = None

    def state_dict(self):
        """Where this stands after the last batch given."""
        return {**super().state_dict(), "finished": self.finished}

    def load_state_dict(self, state):
        """Goes on where `state` was saved. `ValueError` for what is no such state, or that of another pipeline."""
        if not isinstance(state, dict) or not state.get("pipelines") or "finished" not in state:
            raise ValueError(f"this is no state of a loader, which has `pipelines` and `finished`: {state!r:.200}")
        if not isinstance(state["finished"], bool):
            raise ValueError(f"`finished` of the state of the loader is {state['finished']!r}; True or False was saved")
        super().load_state_dict(state)
        self.finished = state["finished"]
        self._wanted = None
