"""The iterator for outputs whose samples differ in shape."""

import torch

from ..base_iterator import LastBatchPolicy
from ._iterators import DALIGenericIterator
from ._tensors import tensors_of


class DALIRaggedIterator(DALIGenericIterator):
    """`DALIGenericIterator` with a say in how each output comes: as one tensor, a list of tensors, or a sparse tensor.

    Args
    ----
    output_types : list of str
        One a output: `DENSE_TAG` (samples of one shape, one tensor; also the default), `SPARSE_LIST_TAG` (a list with
        one tensor a sample) or `SPARSE_COO_TAG` (a sparse COO tensor whose first axis is the batch and whose others
        are as long as the longest sample; samples of one rank).
    pipelines, output_map, size, reader_name, auto_reset, fill_last_batch, dynamic_shape
        As for `DALIGenericIterator`.
    last_batch_padded, last_batch_policy, prepare_first_batch
        As for `DALIGenericIterator`.
    """

    DENSE_TAG = "dense"
    SPARSE_LIST_TAG = "sparse_list"
    SPARSE_COO_TAG = "sparse_coo"

    def __init__(
        self,
        pipelines,
        output_map,
        size=-1,
        reader_name=None,
        output_types=None,
        auto_reset=False,
        fill_last_batch=None,
        dynamic_shape=False,
        last_batch_padded=False,
        last_batch_policy=LastBatchPolicy.FILL,
        prepare_first_batch=True,
    ):
        output_types = [self.DENSE_TAG] * len(output_map) if output_types is None else list(output_types)
        assert set(output_types) <= {self.DENSE_TAG, self.SPARSE_LIST_TAG, self.SPARSE_COO_TAG}, (
            f"Only DENSE_TAG, SPARSE_LIST_TAG and SPARSE_COO_TAG are allowed, got {output_types}"
        )
        assert len(output_types) == len(output_map), (
            f"output_types has {len(output_types)} entries for {len(output_map)} outputs"
        )
        self._types = dict(zip(output_map, output_types, strict=True))
        super().__init__(
            pipelines, output_map, size, reader_name, auto_reset, fill_last_batch, dynamic_shape, last_batch_padded,
            last_batch_policy, prepare_first_batch,
        )  # fmt: skip

    def _tensor(self, number, name, output, kept):
        if self._types[name] == self.DENSE_TAG:
            return self._dense(number, output, kept, name)
        tensors = tensors_of(output, kept)
        if self._types[name] == self.SPARSE_LIST_TAG:
            return tensors
        if tensors:
            self._dense.note(number, tensors)
            return _sparse(tensors)
        none = self._dense(number, output, kept, name)
        return torch.sparse_coo_tensor(
            size=(0,) * none.dim(), dtype=none.dtype, device=none.device, check_invariants=False
        )


def _sparse(samples):
    """One sparse COO tensor (samples, longest...) that holds every element of every sample, zeros included."""
    ranks = {sample.dim() for sample in samples}
    assert len(ranks) == 1, f"samples of a sparse output have one rank, got {sorted(ranks)}"
    indices = [
        torch.cat([torch.full((1, sample.numel()), i), torch.ones(sample.shape).nonzero().T])
        for i, sample in enumerate(samples)
    ]
    longest = [max(lengths) for lengths in zip(*(sample.shape for sample in samples), strict=True)]
    values = torch.cat([sample.reshape(-1) for sample in samples])
    return torch.sparse_coo_tensor(
        torch.cat(indices, 1).to(values.device), values, (len(samples), *longest), check_invariants=False
    )
