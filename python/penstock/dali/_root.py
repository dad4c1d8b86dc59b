"""What ``import nvidia.dali`` gives."""

from .. import (
    DataNode,
    Pipeline,
    __version__,
    data_node,
    do_not_convert,
    external_source,
    fn,
    math,
    newaxis,
    ops,
    pipeline,
    pipeline_def,
    plugin,
    tensors,
    tfrecord,
    types,
)
from . import backend
from .backend import __cuda_version__

__git_sha__ = ""
__all__ = [
    "DataNode", "Pipeline", "__cuda_version__", "__git_sha__", "__version__", "backend", "data_node", "do_not_convert",
    "external_source", "fn", "math", "newaxis", "ops", "pipeline", "pipeline_def", "plugin", "tensors", "tfrecord",
    "types",
]  # fmt: skip
