"""Saving a pipeline: what it is (serialize), and where it stands (state_dict, checkpoint)."""

import enum
import json

from .. import _core
from .._enumerations import DALIDataType
from .._fields import number
from ..errors import ArgumentError

_OPTIONS = (
    "batch_size",
    "num_threads",
    "device_id",
    "exec_pipelined",
    "prefetch_queue_depth",
    "py_num_workers",
    "on_error",
    "seed",
    "shuffle_seed",
    "multiprocessors",
    "strict_device",
    "output_dtype",
    "output_ndim",
    "output_layout",
    "stream_policy",
    "concurrency",
)


def _plain(value):
    """An option as JSON has it: values of enumerations by their numbers."""
    return value.value if isinstance(value, enum.Enum) else value


class Saved:
    """State and serial form of `Pipeline`."""

    def state_dict(self):
        """Where the run stands after the last batch taken: a few hundred bytes of plain values."""
        self.build()
        run = self._run
        sources = [feeder.position(run.scheduled - run.taken) for feeder in run.own_sources()]
        state = {"engine": json.loads(run.engine.state(run.taken)), "taken": run.taken, "sources": sources}
        if run.iterator_state is not None:
            state["iterator"] = run.iterator_state
        return state

    def load_state_dict(self, state):
        """Goes on where `state` was taken, bit for bit. `ValueError` names the difference for another pipeline's."""
        self.build()
        _check_is_state(state)
        taken, positions = _taken(state), _positions(state["sources"], len(self._run.own_sources()))
        self._run.engine.load_state(json.dumps(state["engine"]))
        self._run.iterator_state = state.get("iterator")
        self._run.load(taken, positions)

    def checkpoint(self, filename=None):
        """`state_dict` as bytes, for ``Pipeline(checkpoint=...)``; also written to `filename` when given.

        With `penstock.dali` `RuntimeError` for a pipeline without `enable_checkpointing`.
        """
        self._refuse_disabled("save")
        data = json.dumps(self.state_dict()).encode()
        if filename is not None:
            with open(filename, "wb") as file:
                file.write(data)
        return data

    def _refuse_disabled(self, doing):
        if self._chosen_policy.checkpoints_when_enabled and not self._given["enable_checkpointing"]:
            raise RuntimeError(
                f"Cannot {doing} the checkpoint. The `enable_checkpointing` was not specified when creating the "
                "pipeline: pass enable_checkpointing=True to it"
            )

    def _restore(self, data):
        self.load_state_dict(_parsed(data, "checkpoint"))

    def serialize(self, define_graph=None, filename=None):
        """The graph and the options as bytes, for `deserialize`. `RuntimeError` for graphs that call Python.

        Args
        ----
        define_graph : callable
            Returns the outputs, where they were not set otherwise.
        filename : str or os.PathLike
            Where to write the bytes, too.
        """
        if define_graph is not None:
            if not callable(define_graph):
                hint = "; pass filename= by its name" if isinstance(define_graph, str) else ""
                raise TypeError(f"define_graph must be callable, got {type(define_graph).__name__}{hint}")
            with self:
                made = define_graph()
            self.set_outputs(*(made if isinstance(made, (tuple, list)) else [made]))
        graph = self._definition()
        if any(op == "callback" for op, *_ in graph.nodes):
            raise RuntimeError("a pipeline with Python functions cannot be serialized")
        options = {name: _plain(self._given[name]) for name in _OPTIONS}
        data = json.dumps({"graph": json.loads(graph.to_json()), "options": options}).encode()
        if filename is not None:
            with open(filename, "wb") as file:
                file.write(data)
        return data

    @classmethod
    def deserialize(cls, serialized_pipeline=None, filename=None, **options):
        """The pipeline that `serialize` wrote, built. `ValueError` unless just one of the first two is given.

        Args
        ----
        serialized_pipeline : bytes
            What `serialize` gave.
        filename : str or os.PathLike
            The file that it wrote.
        options
            Arguments of `Pipeline` that replace stored ones.
        """
        if (serialized_pipeline is None) == (filename is None):
            raise ValueError("deserialize takes either serialized_pipeline or filename")
        if filename is not None:
            with open(filename, "rb") as file:
                serialized_pipeline = file.read()
        stored = _stored(serialized_pipeline)
        own = {**stored["options"], "output_dtype": _types(stored["options"].get("output_dtype"))}
        pipeline = cls(**{**own, **{key: value for key, value in options.items() if value is not None}})
        pipeline._build_graph(stored)
        return pipeline

    def deserialize_and_build(self, serialized_pipeline):
        """Makes this pipeline the one that `serialize` wrote: its graph, with the arguments that this one has.

        Args
        ----
        serialized_pipeline : bytes
            What `serialize` gave. `ValueError` for other bytes.
        """
        if self._run.engine is not None:
            raise RuntimeError("the pipeline is built; take a new one for deserialize_and_build")
        stored = _stored(serialized_pipeline)
        if self._given["batch_size"] is None:
            self._given["batch_size"] = stored["options"]["batch_size"]
        self._build_graph(stored)

    def _build_graph(self, stored):
        self._graph = _core.Graph.from_json(json.dumps(stored["graph"]))
        self.build()


_STATE = "the state of the pipeline"


def _check_is_state(state):
    """`ValueError` for what no pipeline's `state_dict` can have given."""
    if not isinstance(state, dict) or not {"engine", "taken", "sources"} <= state.keys():
        held = sorted(state) if isinstance(state, dict) else type(state).__name__
        raise ValueError(f"this is no state of a pipeline, which has 'engine', 'taken' and 'sources', but {held}")


def _taken(state):
    """The number of batches taken. `ValueError` where the engine's own part of the state has another one."""
    taken, iteration = number(state, "taken", _STATE), number(state["engine"], "iteration", f"`engine` of {_STATE}")
    if iteration != taken:
        raise ValueError(
            f"`taken` of {_STATE} is {taken}, `iteration` of its `engine` {iteration}: both are one number"
        )
    return taken


def _positions(positions, sources):
    """Where so many external sources stand."""
    if not isinstance(positions, (list, tuple)):
        raise ValueError(f"`sources` of {_STATE} is {positions!r:.100}, a list was saved there")
    if len(positions) != sources:
        raise ValueError(
            f"the state is of a pipeline with {len(positions)} external sources that have a `source`, this one has "
            f"{sources}"
        )
    return [
        {name: number(one, name, f"source {i} of {_STATE}") for name in ("epoch", "iteration")}
        for i, one in enumerate(positions)
    ]


def _parsed(data, method):
    try:
        return json.loads(data)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"this is not what `Pipeline.{method}` gave: {error}") from error


def _stored(serialized_pipeline):
    """Graph and options that `serialize` wrote. `ValueError` for other bytes."""
    stored = _parsed(serialized_pipeline, "serialize")
    if not isinstance(stored, dict) or not {"graph", "options"} <= stored.keys():
        raise ArgumentError("these bytes are not those of a pipeline that `serialize` wrote")
    return stored


def _types(stored):
    """Element types that were written as numbers."""
    if isinstance(stored, list):
        return [_types(one) for one in stored]
    return None if stored is None else DALIDataType(stored)
