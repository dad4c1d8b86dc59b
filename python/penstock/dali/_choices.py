"""Where DALI chooses otherwise than Penstock: what a script finds in `nvidia.dali` in place of Penstock's own names."""

import contextlib
import functools
import inspect
import json
import os
import time
from types import MappingProxyType

from .. import ops, pipeline
from ..pipeline.contract import Policy, definer, run_of
from . import _constants, _phrases, _readers, _sources, _spelling
from .flags import OperatorConcurrency, StreamPolicy

_READER_KEYS = (
    "epoch_size", "epoch_size_padded", "number_of_shards", "shard_id", "pad_last_batch", "stick_to_shard",
)  # fmt: skip


_ON_BOXES = ("bb_flip", "bbox_paste", "bbox_rotate", "box_encoder", "random_bbox_crop", "ssd_random_crop")


class _PyPool:
    """What must be gone when a pipeline is."""

    def __init__(self, processes):
        self.pids, self.close = processes.pids, processes.close
        self.pool = self._observer = self
        self.thread = processes.processes[0]


class _OfDali(Policy):
    """DALI's choices."""

    start_method = "fork"
    loops_go_on = True
    checkpoints_when_enabled = True
    takes_longer_queue = True
    refuses_when_built = True
    arguments = MappingProxyType({operator: {"check_boxes": False} for operator in _ON_BOXES})
    constant = staticmethod(_constants.converted)
    follows = staticmethod(_sources.refuse_change)
    reader = staticmethod(_readers.buffered)
    deprecated = "WARNING: `nvidia.dali.{old}` is now deprecated. Use `nvidia.dali.{new}` instead."
    lost_state = "DALI doesn't capture state of such 'source'. Here, too, "

    def seed(self, checkpoint):
        if checkpoint is not None:
            with contextlib.suppress(ValueError, KeyError, TypeError):  # `build` says what is wrong with it
                return json.loads(checkpoint)["engine"]["seed"]  # the run goes on with its own numbers
        return (time.time_ns() ^ os.getpid()) & 0x7FFFFFFF

    def explain(self, error, operators, doing):
        if isinstance(error, RuntimeError):
            _phrases.put(error, operators, doing)


POLICY = _OfDali()


class Pipeline(pipeline.Pipeline, policy=POLICY):
    """`penstock.Pipeline` with DALI's choices.

    Without `seed` every pipeline draws other numbers in every run. A loop over an iterator after one that was left
    gives what that left of the epoch. Errors have DALI's words around Penstock's.
    """

    def run(self, cuda_stream=None, /, **inputs):
        """As of `penstock.Pipeline`, as a plain tuple. `RuntimeError` for `inputs` where batches are made ahead."""
        if inputs and self.exec_pipelined and max(self.cpu_queue_size, self.gpu_queue_size) > 1:
            raise RuntimeError(
                "run() takes inputs by their names where no batch is made before them: "
                "`prefetch_queue_depth` in Pipeline constructor shall be set to 1 (for both devices), or "
                f"`exec_pipelined` to False; got prefetch_queue_depth={self.prefetch_queue_depth}. With feed_input the "
                "pipeline may work ahead"
            )
        return tuple(super().run(cuda_stream, **inputs))

    def share_outputs(self, cuda_stream=None):
        """As of `penstock.Pipeline`, as a plain tuple."""
        return tuple(super().share_outputs(cuda_stream))

    def input_feed_count(self, input_name):
        """Batches to feed to `input_name` before the first run, so that as many as may be are in the making."""
        super().input_feed_count(input_name)
        return max(self.cpu_queue_size, self.gpu_queue_size)

    def reader_meta(self, name=None):
        """Facts about the reader called `name`, or about all by name, under DALI's keys."""
        facts = self.reader_facts(name)
        if name is not None:
            return {key: facts[key] for key in _READER_KEYS}
        return {reader: {key: one[key] for key in _READER_KEYS} for reader, one in facts.items()}

    @property
    def stream_policy(self):
        """What was given."""
        return _flag(StreamPolicy, super().stream_policy)

    @property
    def concurrency(self):
        """What was given."""
        return _flag(OperatorConcurrency, super().concurrency)

    @property
    def _py_pool(self):
        """The processes of parallel sources as DALI's own tests look at them; None where there are none."""
        processes = run_of(self).processes
        return None if processes is None else _PyPool(processes)


def _flag(kind, given):
    """The value of an enumeration, which serialized pipelines have as its number."""
    return kind(given) if isinstance(given, int) else given


pipeline_def = definer(Pipeline)


def _of_pipelines(decorator):
    """A decorator that makes iterators, of DALI's pipelines."""

    @functools.wraps(decorator)
    def made(pipeline_fn=None, *args, **kwargs):
        def decorate(function):
            return decorator(pipeline_def(function), *args, **kwargs)

        return decorate if pipeline_fn is None else decorate(pipeline_fn)

    made.__signature__ = inspect.signature(decorator)  # which not all look up through what is wrapped
    return made


# Classes that releases of DALI before 1.0 had, and scripts of that time use.
_OLD_DECODERS = {
    f"{old}{part}": f"Image{part}"
    for old in ("HostDecoder", "nvJPEGDecoder")
    for part in ("", "Crop", "RandomCrop", "Slice")
}


def of(module):
    """Names of a module of `nvidia.dali` that are not what Penstock's module of that name has."""
    if module in ("", "pipeline"):
        return {
            "Pipeline": Pipeline, "pipeline_def": pipeline_def, "StreamPolicy": StreamPolicy,
            "OperatorConcurrency": OperatorConcurrency,
        }  # fmt: skip
    if module == "pipeline.experimental":
        return {"pipeline_def": pipeline_def}
    if module == "fn":
        return {"_to_snake_case": _spelling.snake_case}
    if module == "ops":
        decoders = {old: getattr(ops.decoders, new) for old, new in _OLD_DECODERS.items()}
        return {**decoders, "_op_name": _spelling.operator_name}
    if module in ("plugin.jax", "plugin.jax.iterator"):
        from ..plugin import jax

        return {"data_iterator": _of_pipelines(jax.data_iterator), "Pipeline": Pipeline, "pipeline_def": pipeline_def}
    if module == "plugin.jax.clu":
        from ..plugin.jax import clu

        return {"peekable_data_iterator": _of_pipelines(clu.peekable_data_iterator)}
    return {}
