"""Pipelines: a graph of operators that gives batches.

What a user takes is here. Iterators and plugins of frameworks work against `contract`, and touch nothing else of a
pipeline than that and its public methods.
"""

from .._conditionals import do_not_convert
from ..data_node import DataNode
from ._pipeline import Pipeline, pipeline_def

__all__ = ["DataNode", "Pipeline", "do_not_convert", "pipeline_def"]
