"""Operators that run as they are written down: what `pipeline_def(debug=True)` does.

Each call of an operator is a pipeline of its own, which is kept for the next batch and fed what the calls before gave.
"""

import collections

import numpy as np

from .. import _core
from .._branch import Branch
from .._operator import Operator, make_operator
from ..data_node import DataNode
from ..tensors import TensorListCPU, TensorListGPU
from ._feeding import Feeder

_SOURCE = "external_source"


class AgainError(BaseException):
    """The definition must begin again: random numbers were drawn before its first reader, whose samples choose them."""


class EagerNode(DataNode):
    """An output of an operator that has run."""

    __slots__ = ()

    def get(self):
        """The batch: a `TensorListCPU` or `TensorListGPU`; in a branch its samples alone."""
        batch, branch = self.whole(), self.source.branch
        if branch is None or not len(batch):
            return batch
        kept = [batch[i] for i, there in enumerate(_flags(branch)) if there]
        return type(batch)(kept, batch.layout())

    def whole(self):
        """The batch with a place for every sample; what is there for samples of other branches means nothing."""
        return self.source.results[self.index]

    def shape(self, *, dtype=None, device=None):
        """Extents of each sample: a list of tuples, or a node of them where `dtype` or `device` is given."""
        if dtype is None and device is None:
            return [tuple(one) for one in self.get().shape()]
        return super().shape(dtype=dtype, device=device or "cpu")

    def __str__(self):
        return f"{self!r}\n{self.get()}"


class Eager:
    """Runs the operators of one pipeline's definition, batch after batch.

    Args
    ----
    pipeline_class : type
        Of the small pipelines.
    options : dict
        Their arguments.
    """

    def __init__(self, pipeline_class, options):
        self._make_pipeline = lambda: pipeline_class(**options)
        self._most = options["batch_size"]
        self._steps = []
        self._sources = []  # feeders, in the order of their calls
        self._fed = collections.defaultdict(collections.deque)  # by name
        self._reader = None  # the first operator that reads: its samples choose the random numbers
        self._iteration = -1
        self._given = []  # by external sources, for this batch
        self._give_again = []

    def begin(self, again=False):
        """The next batch, or the same one `again`: the definition is about to run."""
        self._iteration += not again
        self._give_again = self._given if again else []
        self._given = []
        self._calls = self._source_calls = self._random = 0
        self._size = None  # samples of this batch, once something says it
        self._drew_alone = False

    def run(self, operator):
        """Does the operator's work: its outputs become nodes that have their batches."""
        if operator.schema.kind == "external":
            return
        if operator.branch is not None and not any(_flags(operator.branch)):
            operator.results = [TensorListCPU([])] * len(operator.outputs)
        else:
            batches = _inputs_of(operator)
            for batch in batches:
                self._check_size(len(batch), f"Input of `{operator.display}`")
            operator.results = self._step(operator).run(batches, self._iteration, self._size)
            for batch in operator.results:
                self._check_size(len(batch), f"Operator `{operator.display}`")
            if operator.branch is not None:
                operator.results = [_filled(batch, _flags(operator.branch)) for batch in operator.results]
        if self._reader is None and operator.schema.kind == "reader":
            self._reader = operator
            if self._drew_alone:
                raise AgainError
        self._drew_alone |= self._reader is None and operator.schema.random
        self._random += operator.schema.random and "seed" not in operator.args
        operator.outputs = [EagerNode(node.name, node.device, operator, node.index) for node in operator.outputs]

    def _step(self, operator):
        """The pipeline of this call: the same one for each batch, as long as the call is the same."""
        number, self._calls = self._calls, self._calls + 1
        asked = _signature(operator, self._random, self._reader is None)
        if number == len(self._steps):
            self._steps.append(None)
        step = self._steps[number]
        if step is None or step.asked != asked:
            step = self._steps[number] = _Step(self._make_pipeline(), operator, asked, self._reader, self._random)
        return step

    def _check_size(self, size, what):
        if self._size not in (None, size):
            raise RuntimeError(
                f"Batch size must be uniform across an iteration. {what} returned batch size {size}, others have "
                f"{self._size}"
            )
        self._size = size

    def seen(self, batch):
        """The node of a batch that others made, one array a sample or a list of tensors; the rest as it is."""
        if not isinstance(batch, (TensorListCPU, TensorListGPU)) and not (
            isinstance(batch, (list, tuple)) and batch and all(hasattr(one, "shape") for one in batch)
        ):
            return batch
        return self._fed_node(make_operator(_SOURCE, [], {}).outputs[0], _core.batch_of(batch, None, True), "Input")

    def _fed_node(self, node, batch, what="External Source operator"):
        self._check_size(len(batch), what)
        operator = node.source
        passing = self._make_pipeline()
        operator.results = [_passed(passing, node.device, batch)]
        operator.outputs = [EagerNode(node.name, node.device, operator, 0)]
        return operator.outputs[0]

    def feed(self, name, batch):
        """A batch for the source called `name`."""
        self._fed[name].append(batch)

    def feed_nodes(self, feed, nodes):
        """Nodes of an external source with this iteration's batches."""
        batches = self._give_again.pop(0) if self._give_again else self._batches(feed, nodes)
        self._given.append(batches)
        if len({len(batch) for batch in batches}) > 1:
            raise RuntimeError("External source must return outputs with consistent batch size.")
        return [self._fed_node(node, batch) for node, batch in zip(nodes, batches, strict=True)]

    def _batches(self, feed, nodes):
        if feed.source is None:
            name = nodes[0].source.name
            if not self._fed[name]:
                raise IndexError(f"the external source `{name}` was given no batch for iteration {self._iteration}")
            return [self._fed[name].popleft()]
        number, self._source_calls = self._source_calls, self._source_calls + 1
        if number == len(self._sources):
            self._sources.append(Feeder(feed, [node.source.name for node in nodes], self._most, 1))
        return self._sources[number].taken()

    def reset(self):
        """Sources begin their next epoch."""
        for source in self._sources:
            source.reset()

    def readers(self):
        """Facts about the readers that have run."""
        return [meta for step in self._steps if step is not None for meta in step.readers()]

    def close(self):
        """Closes the small pipelines."""
        for step in self._steps:
            step.close()


def _signature(operator, *counts):
    """What must be equal for a call to be the same as that of the batch before."""
    inputs = [
        (node.device, name) for name, node in [*((None, one) for one in operator.inputs), *operator.arg_inputs.items()]
    ]
    whole = operator.branch is None
    return repr((operator.schema.name, operator.args, operator.device, operator.name, inputs, whole, counts))


def _flags(branch):
    """Which samples of the batch that branch has."""
    return [bool(np.asarray(flag)) for flag in branch.flag.whole().as_cpu()]


def _filled(batch, flags):
    """The batch with a sample of the branch in the place of those of others: operators refuse what is not like it."""
    there = flags.index(True)
    kept = [batch[i if flag else there] for i, flag in enumerate(flags)]
    return batch if all(flags) else type(batch)(kept, batch.layout())


def _inputs_of(operator):
    """A batch for each input, argument and, at last, the branch of an operator."""
    batches = [node.whole() for node in (*operator.inputs, *operator.arg_inputs.values())]
    if not all(map(len, batches)):  # of a branch without samples: what stands in its place is not read
        there = next(batch for batch in batches if len(batch))
        batches = [batch if len(batch) else there for batch in batches]
    return batches if operator.branch is None else [*batches, operator.branch.flag.whole()]


class _Step:
    """One call as a pipeline: its inputs are fed, and the reader before it reads along, as random numbers follow it."""

    def __init__(self, pipeline, operator, asked, reader, random):
        self.asked = asked
        self._pipeline = pipeline
        self._has_reader = operator.schema.kind == "reader"
        with pipeline:
            nodes = [
                _source(f"input_{i}", node.device)
                for i, node in enumerate((*operator.inputs, *operator.arg_inputs.values()))
            ]
            if reader is not None and not self._has_reader:
                pipeline._written.sinks.append(_again(reader, [], {}))
            for _ in range(random):  # streams of random numbers are counted: this is not the first
                make_operator("random.coin_flip", [], {"preserve": True})
            count = len(operator.inputs)
            arg_inputs = dict(zip(operator.arg_inputs, nodes[count:], strict=True))
            branch = None
            if operator.branch is not None:
                nodes.append(_source("branch", "cpu"))
                branch = Branch(nodes[-1], None)
            made = _again(operator, nodes[:count], arg_inputs)
            made.branch = branch
            self._names = [node.source.name for node in nodes]
            pipeline._written.sinks.append(made)
            if not nodes and reader is None and not self._has_reader:
                pipeline._written.sinks.append(_source("size", "cpu").source)  # says how many samples there are
                self._names = ["size"]
            # Not by set_outputs, which refuses the nodes of branches.
            pipeline._nodes = made.outputs or [make_operator("constant", [], {"idata": [0], "shape": []}).outputs[0]]
        self._num_outputs = len(made.outputs)

    def run(self, batches, iteration, size):
        pipeline, run = self._pipeline, self._pipeline._run
        pipeline.build()
        if run.taken != iteration:
            run.begin_anew(iteration)
        if self._names == ["size"]:
            batches = [np.zeros((size or pipeline.max_batch_size, 1), np.uint8)]
        for name, batch in zip(self._names, batches, strict=True):
            pipeline.feed_input(name, batch)
        return list(pipeline.run())[: self._num_outputs]

    def readers(self):
        return self._pipeline.reader_facts().items() if self._has_reader else ()

    def close(self):
        self._pipeline.close()


def _source(name, device):
    """An external source to be fed by that name."""
    from ..external_source import external_source

    return external_source(name=name, device=device)


def _again(operator, inputs, arg_inputs):
    made = Operator(
        operator.schema, inputs, operator.args, arg_inputs, operator.device, operator.name, True, operator.display
    )
    made.origin, made.attached = operator.origin, operator.attached
    return made


def _passed(pipeline, device, batch):
    """The batch as a pipeline hands it out."""
    with pipeline:
        pipeline.set_outputs(_source("data", device))
    pipeline.feed_input("data", batch)
    [made] = pipeline.run()
    pipeline.close()
    return made
