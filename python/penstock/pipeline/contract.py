"""What iterators and plugins of frameworks use of a pipeline, beside its public methods.

A plugin is one module that knows its framework and this contract. `run_of` gives the `Run` of a pipeline, whose public
attributes and methods say where the run stands and move it. A batch goes through these steps:

1. `run.fill()` starts as many batches as the pipeline makes ahead, and asks its Python sources for their data.
2. `take_together(runs)` waits for the next batch of each pipeline and counts it as taken; `made_together` and
   `wait_for_all` do the first of the two alone, the latter on any thread, and `run.took` the second.
3. What was waited for and not given is returned by `put_back`.

States, checkpoints and ends of epochs follow what is counted as taken, so nothing else has to be kept in step. A
plugin that only runs pipelines needs none of this: `plugin.tf` has `Pipeline.serialize`, `deserialize`, `feed_input`,
`run` and `close`.
"""

import json

from ._decorator import definer, is_pipeline_def
from ._pipeline import Pipeline
from ._policy import Policy
from ._run import Run
from ._sample import sample_of
from ._together import made_together, put_back, take_together, wait_for_all

__all__ = [
    "Policy", "Run", "definer", "graph_of", "is_pipeline_def", "made_together", "open_operators", "operator_names",
    "put_back", "run_of", "sample_of", "take_together", "wait_for_all",
]  # fmt: skip


def run_of(pipe):
    """The `Run` of the pipeline `pipe`, the same at every call. `TypeError` for what is no pipeline."""
    if not isinstance(pipe, Pipeline):
        hint = f"; call it: {pipe.__name__}(...)" if is_pipeline_def(pipe) else ""
        raise TypeError(f"a pipeline is expected here, got {type(pipe).__name__}: {pipe!r:.100}{hint}")
    return pipe._run


def open_operators(pipe):
    """The operators that outputs of `pipe` need, open to changes. None once the graph was planned."""
    return pipe._needed_operators() if pipe._graph is None else None


def operator_names(pipe):
    """Names of all operators of `pipe`, which is built, in the order of the graph."""
    return [name for name, *_ in pipe._graph.nodes]


def graph_of(pipe):
    """The graph of `pipe` as a dict: `ops` and `outputs`. Builds `pipe`.

    Each of `ops` has its `op`, and where they are given `name`, `device`, `args`, `inputs` and `arg_inputs`. Inputs and
    outputs are pairs (number of the operator, number of its output).
    """
    pipe.build()
    return json.loads(pipe._graph.to_json())
