"""Iterators that give Paddle tensors, which share the memory of the batch by DLPack."""

import paddle

from ._empty import Empty
from .base_iterator import BaseIterator, LastBatchPolicy

__all__ = ["DALIClassificationIterator", "DALIGenericIterator", "LastBatchPolicy"]


class DALIGenericIterator(BaseIterator):
    """Gives a list with one dict of tensors per pipeline, for-loop after for-loop an epoch.

    Args
    ----
    pipelines : Pipeline or list of them
        Pipelines with one batch size, whose samples have one shape in each batch.
    output_map : list of str
        Names of the pipelines' outputs, in order. Pairs of a name and a tag of DALI's are taken, too.
    size : int
        Samples in an epoch over all pipelines, when there is no reader to ask; -1 ends with the pipelines' sources.
    reader_name : str
        The reader that decides about epochs. Not needed where the only reader was given `epoch_end`.
    auto_reset : bool
        Whether the end of an epoch begins the next one by itself; a new for-loop always does.
    fill_last_batch
        Deprecated, without effect.
    dynamic_shape : bool
        Accepted, without effect: shapes may always change.
    last_batch_padded : bool
        Without `reader_name`: whether the pipelines pad the last batch.
    last_batch_policy : LastBatchPolicy
        What happens to the last batch, unless the reader was given `epoch_end`. With ``epoch_end="pad"`` each dict has
        one more entry, `valid`, which is False for padding.
    prepare_first_batch : bool
        Whether the first batch is made when the iterator is.
    """

    def __init__(self, pipelines, output_map, size=-1, reader_name=None, auto_reset=False, fill_last_batch=None,
                 dynamic_shape=False, last_batch_padded=False, last_batch_policy=LastBatchPolicy.FILL,
                 prepare_first_batch=True):  # fmt: skip
        del dynamic_shape, fill_last_batch
        self.output_map = [one if isinstance(one, str) else one[0] for one in output_map]
        assert len(set(self.output_map)) == len(self.output_map), "output_map names should be distinct"
        super().__init__(
            pipelines, size, reader_name, auto_reset, last_batch_padded, last_batch_policy, prepare_first_batch
        )
        self._empty = Empty(self._pipes[0], lambda outputs: [_tensor(output, None) for output in outputs])
        if self._pads:
            self._refuse_mask_in(self.output_map)

    def __next__(self):
        batches = []
        with self._mutex:
            for outputs, kept in zip(self._next(), self._kept(), strict=True):
                if kept == 0 and self._reader_name is None:
                    break  # pipelines beyond `size` have nothing to give
                named = enumerate(zip(self.output_map, outputs, strict=True))
                made = {name: self._tensor(number, output, kept) for number, (name, output) in named}
                if self._pads:
                    made["valid"] = paddle.to_tensor(outputs.valid)[:kept]
                batches.append(made)
        return batches

    def _tensor(self, number, output, kept):
        tensor = _tensor(output, kept)
        if len(output):
            self._empty.note(number, tensor)
        elif like := self._empty(number):
            return paddle.empty([0, *like[0]], dtype=like[1])
        return tensor


class DALIClassificationIterator(DALIGenericIterator):
    """`DALIGenericIterator` of pipelines with two outputs, which it calls "data" and "label".

    Args
    ----
    pipelines, size, reader_name, auto_reset, fill_last_batch, dynamic_shape
        As for `DALIGenericIterator`.
    last_batch_padded, last_batch_policy, prepare_first_batch
        As for `DALIGenericIterator`.
    """

    def __init__(self, pipelines, size=-1, reader_name=None, auto_reset=False, fill_last_batch=None,
                 dynamic_shape=False, last_batch_padded=False, last_batch_policy=LastBatchPolicy.FILL,
                 prepare_first_batch=True):  # fmt: skip
        super().__init__(pipelines, ["data", "label"], size, reader_name, auto_reset, fill_last_batch, dynamic_shape,
                         last_batch_padded, last_batch_policy, prepare_first_batch)  # fmt: skip


def _tensor(output, kept):
    """A batch as a tensor, the first `kept` samples of it where that is not None."""
    return paddle.utils.dlpack.from_dlpack(output.as_tensor().__dlpack__())[:kept]
