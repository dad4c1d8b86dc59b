"""Iterators that give JAX arrays, on one device or sharded over several."""

from ..base_iterator import LastBatchPolicy
from . import fn
from ._decorator import data_iterator
from ._iterator import DALIGenericIterator
from .clu import DALIPeekableIterator, peekable_data_iterator

__all__ = [
    "DALIGenericIterator",
    "DALIPeekableIterator",
    "LastBatchPolicy",
    "data_iterator",
    "fn",
    "peekable_data_iterator",
]
