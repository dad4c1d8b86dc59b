"""Iterators that give PyTorch tensors."""

import warnings

from ..base_iterator import BaseIterator, LastBatchPolicy
from ._tensors import Dense, tensor_of


class DALIGenericIterator(BaseIterator):
    """Gives a list with one dict of tensors per pipeline, for-loop after for-loop an epoch.

    Tensors share the memory of the batch, which is theirs alone: later batches never overwrite it.

    Args
    ----
    pipelines : Pipeline or list of them
        Pipelines with one batch size.
    output_map : list of str
        Names of the pipelines' outputs, in order.
    size : int
        Samples in an epoch over all pipelines, when there is no reader to ask; -1 ends with the pipelines' sources.
    reader_name : str
        The reader that decides about epochs. Not needed where the only reader was given `epoch_end`.
    auto_reset : bool
        Whether the end of an epoch begins the next one by itself; a new for-loop always does.
    last_batch_policy : LastBatchPolicy
        What happens to the last batch, unless the reader was given `epoch_end`. With ``epoch_end="pad"`` each dict has
        one more entry, `valid`, which is False for padding.
    last_batch_padded : bool
        Without `reader_name`: whether the pipelines pad the last batch.
    prepare_first_batch : bool
        Whether the first batch is made when the iterator is.
    fill_last_batch : bool
        Deprecated name of FILL (True) and PARTIAL (False) of `last_batch_policy`.
    dynamic_shape : bool
        Accepted, without effect: shapes may always change.
    """

    def __init__(
        self,
        pipelines,
        output_map,
        size=-1,
        reader_name=None,
        auto_reset=False,
        fill_last_batch=None,
        dynamic_shape=False,
        last_batch_padded=False,
        last_batch_policy=LastBatchPolicy.FILL,
        prepare_first_batch=True,
    ):
        del dynamic_shape
        assert len(set(output_map)) == len(output_map), "output_map names should be distinct"
        self.output_map = list(output_map)
        if fill_last_batch is not None:
            warnings.warn("`fill_last_batch` is deprecated, use `last_batch_policy`", DeprecationWarning, stacklevel=2)
            last_batch_policy = LastBatchPolicy.FILL if fill_last_batch else LastBatchPolicy.PARTIAL
        super().__init__(
            pipelines, size, reader_name, auto_reset, last_batch_padded, last_batch_policy, prepare_first_batch
        )
        self._dense = Dense(self._pipes[0])
        if self._pads:
            self._refuse_mask_in(self.output_map)

    def __next__(self):
        batches = []
        with self._mutex:
            for outputs, kept in zip(self._next(), self._kept(), strict=True):
                if kept == 0 and self._reader_name is None:
                    break  # pipelines beyond `size` have nothing to give
                batches.append(self._tensors(outputs, kept))
        return batches

    def _tensors(self, outputs, kept):
        assert len(outputs) == len(self.output_map), (
            f"output_map has {len(self.output_map)} names, the pipeline {len(outputs)} outputs"
        )
        named = enumerate(zip(self.output_map, outputs, strict=True))
        tensors = {name: self._tensor(number, name, output, kept) for number, (name, output) in named}
        if self._pads:
            tensors["valid"] = tensor_of(outputs.valid, kept, "valid")
        return tensors

    def _tensor(self, number, name, output, kept):
        return self._dense(number, output, kept, name)


class DALIClassificationIterator(DALIGenericIterator):
    """`DALIGenericIterator` of pipelines with two outputs, which it calls "data" and "label".

    Args
    ----
    pipelines, size, reader_name, auto_reset, fill_last_batch, dynamic_shape
        As for `DALIGenericIterator`.
    last_batch_padded, last_batch_policy, prepare_first_batch
        As for `DALIGenericIterator`.
    """

    def __init__(
        self,
        pipelines,
        size=-1,
        reader_name=None,
        auto_reset=False,
        fill_last_batch=None,
        dynamic_shape=False,
        last_batch_padded=False,
        last_batch_policy=LastBatchPolicy.FILL,
        prepare_first_batch=True,
    ):
        super().__init__(
            pipelines,
            ["data", "label"],
            size,
            reader_name,
            auto_reset,
            fill_last_batch,
            dynamic_shape,
            last_batch_padded,
            last_batch_policy,
            prepare_first_batch,
        )
