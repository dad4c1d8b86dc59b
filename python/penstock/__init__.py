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
from ._subscript import newaxis
from .data_node import DataNode
from .pipeline import Pipeline, pipeline_def

__version__ = "0.1.0"
__all__ = [
    "DataNode", "Pipeline", "data_node", "do_not_convert", "fn", "math", "memory", "newaxis", "ops", "pipeline",
    "pipeline_def", "tensors", "tfrecord", "types",
]  # fmt: skip
