"""Iterators that show the next batch before they give it, as Google's CLU expects them."""

from typing import NamedTuple

import numpy as np

from ..._threads import Threads
from .._one_at_a_time import one_at_a_time
from ..base_iterator import LastBatchPolicy
from ._decorator import make_decorator
from ._documentation import ARGUMENTS, DEVICES
from ._iterator import DALIGenericIterator
from ._typed import makes

__all__ = ["DALIGenericPeekableIterator", "DALIPeekableIterator", "peekable_data_iterator"]


class ArraySpec(NamedTuple):
    """Shape and type of an array, equal to a `clu.data.dataset_iterator.ArraySpec` with the same."""

    dtype: object
    shape: tuple

    def __eq__(self, other):
        if not (hasattr(other, "dtype") and hasattr(other, "shape")):
            return tuple.__eq__(self, other)
        return (self.dtype, tuple(self.shape)) == (other.dtype, tuple(other.shape))

    __hash__ = tuple.__hash__


class DALIPeekableIterator(DALIGenericIterator):
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
        self._peeked = None
        self._element_spec = None
        self._pool = None
        super().__init__(
            pipelines, output_map, size, reader_name, auto_reset, last_batch_padded, last_batch_policy,
            prepare_first_batch, sharding, pmap_compatible,
        )  # fmt: skip

    def __next__(self):
        with self._mutex:
            if self._peeked is None:
                return self._checked(super().__next__())
            batch, self._peeked = self._peeked, None
            self._next()
            return batch

    @one_at_a_time
    def __iter__(self):
        super().__iter__()
        if self._first_batch is None:
            self._peeked = None
        return self

    def peek(self):
        """The batch that `next` will give. `ValueError` when shapes or types are not those of the first batch.

        `state_dict` and `checkpoints` stand before it.
        """
        with self._mutex:
            if self._peeked is None:
                self._hold()
                before = self._first_batch, self._consumed, self._resumed
                self._peeked = self._checked(super().__next__())
                self._first_batch, self._consumed, self._resumed = before
            return self._peeked

    def peek_async(self):
        """A `concurrent.futures.Future` of what `peek` gives. Not for pipelines with functions that have a sharding."""
        if self._alone:
            raise RuntimeError(
                "peek_async is not possible with functions that have a sharding: they are launched by the thread that "
                "asks for the batch, in the same order in every process; use peek"
            )
        if self._pool is None:
            self._pool = Threads(1, "penstock-peek")
        return self._pool.submit(self.peek)

    @one_at_a_time
    def load_state_dict(self, state):
        """Goes on where `state` was taken, as `DALIGenericIterator` does; a batch that was peeked is forgotten."""
        self._peeked = None
        super().load_state_dict(state)

    @property
    def element_spec(self):
        """For each output its `shape` and `dtype`, from the first batch."""
        if self._element_spec is None:
            self.peek()
        return self._element_spec

    @property
    def is_nonpadding(self):
        """For each sample of the batch that was taken last, also by `peek`, whether it is of the epoch.

        As DALI counts it, by the size of the shard of `reader_name`. `AttributeError` without one, and where it has an
        `epoch_end`: with "pad" each batch has `valid`.
        """
        with self._mutex:
            if not hasattr(self._epochs, "fresh"):
                raise AttributeError(
                    'is_nonpadding needs a reader_name, of a reader without epoch_end; with epoch_end="pad" each batch '
                    "has `valid`"
                )
            rows = self._epochs.most_kept()
            samples = np.arange(self.batch_size if rows is None else rows)
            return self._target.place("valid", [samples < self._epochs.fresh(i) for i in range(len(self._pipes))])

    def _checked(self, batch):
        spec = {name: ArraySpec(array.dtype, array.shape) for name, array in batch.items()}
        if self._element_spec is None:
            self._element_spec = spec
        for name, found in spec.items():
            if found != self._element_spec[name]:
                raise ValueError(
                    "The shape or type of the output changed between iterations. A peekable iterator does not support "
                    f"that: `{name}` was {self._element_spec[name]} and is {found} now"
                )
        return batch


DALIGenericPeekableIterator = DALIPeekableIterator  # DALI's name


@makes(DALIPeekableIterator)
def peekable_data_iterator(
    pipeline_fn=None,
    output_map=[],  # noqa: B006 - DALI's signature; never written
    size=-1,
    reader_name=None,
    auto_reset=False,
    last_batch_padded=False,
    last_batch_policy=LastBatchPolicy.FILL,
    prepare_first_batch=True,
    sharding=None,
    devices=None,
    pmap_compatible=None,
):
    return make_decorator(
        DALIPeekableIterator,
        pipeline_fn,
        sharding,
        devices,
        pmap_compatible,
        output_map=output_map,
        size=size,
        reader_name=reader_name,
        auto_reset=auto_reset,
        last_batch_padded=last_batch_padded,
        last_batch_policy=last_batch_policy,
        prepare_first_batch=prepare_first_batch,
    )


DALIPeekableIterator.__doc__ = f"""`DALIGenericIterator` with `peek`, `peek_async`, `element_spec` and `is_nonpadding`.

Args
----
pipelines : Pipeline or list of them
    One pipeline for each shard of the sharding that this process holds, in the order of the shards.
{ARGUMENTS}"""

peekable_data_iterator.__doc__ = f"""As `data_iterator`, for iterators that can `peek`.

Args
----
pipeline_fn : callable
    Returns nodes, as for `pipeline_def`.
{ARGUMENTS}{DEVICES}"""
