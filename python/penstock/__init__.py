"""Penstock brings training data to every GPU: it reads, decodes and augments samples in C++ and hands batches over."""

from . import (
    _expressions,  # noqa: F401 - gives nodes their operators
    data_node,
    fn,
    math,
    memory,
    ops,
    pipeline,
    tensors,
    tfrecord,
    types,
)
from ._conditionals import do_not_convert
from ._core import set_table_opener as _set_table_opener
from ._subscript import newaxis
from ._tables import open_tables as _open_tables
from .bucketing import measure_lengths
from .data_node import DataNode
from .huggingface import from_huggingface
from .pipeline import Pipeline, pipeline_def

__version__ = "0.1.0"
__all__ = [
    "DataNode", "Pipeline", "data_node", "do_not_convert", "fn", "from_huggingface", "math", "measure_lengths",
    "memory", "newaxis", "ops", "pipeline", "pipeline_def", "tensors", "tfrecord", "types",
]  # fmt: skip

_set_table_opener(_open_tables)
