"""Iterators that give JAX arrays, on one device or sharded over several."""

from ..base_iterator import LastBatchPolicy
from . import fn
from ._decorator import data_iterator
from ._iterator import DALIGenericIterator
from ._source import Source, source
from .clu import DALIPeekableIterator, peekable_data_iterator

__all__ = [
    "DALIGenericIterator",
    "DALIPeekableIterator",
    "LastBatchPolicy",
    "Source",
    "data_iterator",
    "fn",
    "peekable_data_iterator",
    "source",
]
