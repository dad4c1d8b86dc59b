"""The outputs of one pipeline, epoch after epoch, from any place on."""

from ..plugin.base_iterator import BaseIterator, LastBatchPolicy


class Batches(BaseIterator):
    """Outputs of one pipeline, epoch after epoch."""

    def __init__(self, pipe):
        pipe.build()
        self.reader = next(iter(pipe.reader_meta()), None)
        self.finished = False  # the last loop came to its end
        super().__init__(
            pipe, -1, self.reader, auto_reset=False, last_batch_padded=False, policy=LastBatchPolicy.PARTIAL,
            prepare_first_batch=False,
        )  # fmt: skip

    @property
    def pads(self):
        return self._pads

    @property
    def counts_epochs(self):
        return self.reader is not None and bool(self._pipes[0].reader_meta(self.reader)["epoch_end"])

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
        if self._consumed or self.finished:
            self._leave_epoch()
        self.finished = False

    def _seen(self):
        """[epoch, ...]: finished epochs, then how far the unfinished one has come."""
        return self._pipes[0].state_dict()["engine"]["readers"][0]["seen"]

    def next_epoch(self):
        """The epoch that the next loop gives."""
        epoch, *begun = self._seen()
        return epoch + bool(begun and self._consumed)

    def go_to(self, epoch):
        """The next batch is the first one of that epoch."""
        state = self._pipes[0].state_dict()
        for reader in state["engine"]["readers"]:
            reader["seen"] = [epoch]
        state.pop("iterator", None)
        self._pipes[0].load_state_dict(state)
        self._epochs.next_epoch()
        self._consumed = self.finished = False
        self._first_batch = None
