"""Iterators that give JAX arrays, on one device or sharded over several."""

from ..base_iterator import LastBatchPolicy
from ._decorator import data_iterator
from ._iterator import DALIGenericIterator

__all__ = ["DALIGenericIterator", "LastBatchPolicy", "data_iterator"]
