"""Pipelines whose definition runs for each batch (`_eager`): each batch is handed on as that of an external source."""

from .. import _branch, _context, _core
from ..external_source import external_source
from ._build import normalised_outputs
from ._eager import AgainError, Eager


def debugged_of(pipeline_class):
    """The class of such pipelines, derived from `pipeline_class`."""

    class DebugPipeline(pipeline_class):
        """What ``pipeline_def(debug=True)`` makes: `definition` gives the outputs, `options` are of `Pipeline`."""

        def __init__(self, definition, options):
            super().__init__(**{**options, "exec_pipelined": False, "prefetch_queue_depth": 1})
            self._outputs_set = None
            self._defined = definition
            given = {name: self._given[name] for name in ("batch_size", "num_threads", "device_id", "shuffle_seed")}
            self._operators_run = Eager(
                pipeline_class, {**given, "seed": self._seed, "exec_pipelined": False, "prefetch_queue_depth": 1}
            )
            self._run.also_reset(self._operators_run.reset)

        def define_graph(self):
            """The outputs that the definition gives for the first batch, as external sources."""
            first = self._run_definition()
            waiting = [first]
            nodes = external_source(
                lambda: [node.get() for node in (waiting.pop() if waiting else self._run_definition())],
                num_outputs=len(first),
                no_copy=True,
            )
            return [node.gpu() if made.device == "gpu" else node for node, made in zip(nodes, first, strict=True)]

        def _run_definition(self):
            self._operators_run.begin()
            try:
                return self._run_once()
            except AgainError:
                self._operators_run.begin(again=True)
                return self._run_once()

        def _run_once(self):
            _context.push(self, self._written)
            self._written.eager = self._operators_run
            self._written.splits.clear()
            try:
                made = self._defined()
                made = self._outputs_set if made is None else made if isinstance(made, tuple) else (made,)
                nodes = normalised_outputs([self._operators_run.seen(one) for one in made])
                _branch.refuse_hidden(nodes, None, "[set_outputs]")
                return nodes
            finally:
                self._written.eager = None
                _context.pop()

        def set_outputs(self, *outputs):
            """As of `Pipeline`, also within the definition."""
            if self._written.eager is None:
                super().set_outputs(*outputs)
            else:
                self._outputs_set = outputs

        def feed_input(self, data_node, data, layout=None, cuda_stream=None, use_copy_kernel=False):
            """A batch for the external source of the name `data_node`."""
            del cuda_stream, use_copy_kernel
            self._operators_run.feed(data_node, _core.batch_of(data, layout or None, True))

        def _reader_metas(self):
            return dict(self._operators_run.readers())

        def close(self):
            """As of `Pipeline`."""
            super().close()
            self._operators_run.close()

    return DebugPipeline
