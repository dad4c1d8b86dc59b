"""The wrapper that people see."""

import functools
import os
import sys
import threading
import types
import weakref
from itertools import chain

import torch

from . import _devices
from ._balance import Balance
from ._context import Context
from ._errors import raise_all
from ._gather import gather
from ._graphs import Graphs, machine_for
from ._program import Program
from ._replicas import Replicas
from ._scatter import rows_of, scatter, sizes_of
from ._training import TrainStep
from ._tree import Sharded, mapped
from ._weights import Weights
from ._workers import Workers

_HOST = torch.device("cpu")


class _Forward:
    """What `Module` calls: `run`, which the compiler leaves alone where it is loaded. Wrappers may be given another."""

    def __get__(self, parallel, kind):
        if parallel is None:
            return kind.run
        if "torch._dynamo" not in sys.modules:  # torch.compiler.disable would import it, which takes a second
            return parallel.run
        if torch.compiler.is_compiling():
            return torch.compiler.disable(parallel.run)
        return types.MethodType(_left_alone(kind), parallel)


class DataParallel(torch.nn.Module):
    """Runs a module on several devices at once, each with a part of the batch.

    Takes the place of `torch.nn.DataParallel`, whose meaning and messages it keeps: the module lives on the first
    device, inputs may be anywhere and are cut along `dim`, results are gathered on the first device, gradients arrive
    at the module's own parameters, and in-place changes of buffers on the first device stay (running statistics of
    batch norm). Different is how: replicas live on from call to call, get new weights only when those have changed
    (however they were changed), and each has a thread of its own.

    Attributes that the wrapper has not are the module's.

    Args
    ----
    module : torch.nn.Module
        With all parameters and buffers on the first device.
    device_ids : list of int, str or torch.device
        GPUs by number, or virtual devices of the CPU, ``["cpu:0", "cpu:1"]``; all GPUs when not given. Without a GPU
        and without virtual devices the module runs as it is.
    output_device : int, str or torch.device
        Where results are gathered; the first device when not given. Ignored with one device.
    dim : int
        Dimension of the batch in inputs and results.
    split : "chunk", "even", "auto" or list of numbers
        How rows are shared: as `torch.chunk` does, as equally as can be, by measured speed, or in proportion to a
        weight for each device. With "auto" devices begin with equal parts; then those that took longer for a row, in
        `forward` or in the part of a `train_step` before the optimizer, get fewer, so that all finish together. Sizes
        change only where a call should get more than 5 % faster, ever more rarely. `split_now` has the weights.
    outputs : "gather", "sharded" or "cpu"
        One result on `output_device`, a list with the result of each replica where it is (`Sharded`: nothing piles up
        on one device, and another wrapper takes it as it is), or one result in host memory.
    buffers : "first" or "mean"
        After a forward pass in training, the module's floating-point buffers are those of the first replica, or the
        mean over all replicas.
    notice_data_edits : bool
        Whether weights that were edited through `.data`, which PyTorch does not count, are noticed too. On GPUs that
        reach each other's memory they always are. Elsewhere it costs a comparison of all weights in each call before
        which nothing else has changed.
    graphs : "auto" or False
        Whether calls become CUDA graphs, one for each device, from the fourth call of a kind on: same structure,
        shapes, types, modes and values of arguments that are no tensors. A graph repeats work on the device and runs
        no Python. What cannot be captured runs without, with one warning for each reason, and so do modules that have
        hooks, change attributes of their own or their arguments, compute on the host or draw random numbers there. Code
        in `forward` that reads what is neither in its arguments nor in the module (globals, files, clocks, attributes
        of classes) needs False. `graph_status` says how the last call ran.
    """

    def __init__(
        self,
        module,
        device_ids=None,
        output_device=None,
        dim=0,
        *,
        split="chunk",
        outputs="gather",
        buffers="first",
        notice_data_edits=True,
        graphs="auto",
    ):
        super().__init__()
        _check_choice("outputs", outputs, ("gather", "sharded", "cpu"))
        _check_choice("buffers", buffers, ("first", "mean"))
        _check_choice("graphs", graphs, ("auto", False))
        self.module = module
        self.dim = dim
        self.split = split if isinstance(split, str) else list(split)
        self.outputs = outputs
        self.buffers_rule = buffers
        self.notice_data_edits = notice_data_edits
        self.graphs = graphs
        self._devices = _devices.chosen(device_ids)
        self.device_ids = [_shown(device) for device in self._devices]
        self._engine = self._balance = None
        self._lock = threading.Lock()
        if not self._devices:
            return
        if split == "auto":
            self._balance = Balance(self._devices)
        sizes_of(0, len(self._devices), self.split_now)  # refuses what is none
        chosen = self._devices[0] if output_device is None else output_device
        self._output = _devices.one_device("cpu" if chosen == -1 else chosen)
        self.output_device = _shown(self._output)
        self.src_device_obj = self._devices[0]
        if len(self._devices) == 1:
            self.module.to(_devices.memory_of(self._devices[0]))

    forward = _Forward()

    def run(self, *inputs, **kwargs):
        """What the module gives for these inputs: see `outputs`. Errors of replicas tell device and rows.

        Args
        ----
        inputs, kwargs
            Of the module: tensors in any structure of tuples, lists, dicts, named tuples and dataclasses are cut along
            `dim`; other values go to every replica by reference. `ValueError` for tensors of different lengths there,
            where there are several devices.
        """
        if not self._devices:
            return self.module(*inputs, **kwargs)
        if self.graphs:
            with self._lock:
                program = self._program(inputs, kwargs)
                made = None if program is None else program.replay(inputs, kwargs)
            if made is not None:
                return self._delivered(made)
        self._check_placement()
        parts = scatter(inputs, kwargs, self._devices, self.dim, self.split_now)
        if not inputs and not kwargs:
            parts = parts[:1]  # a module without inputs runs once
        if len(self._devices) == 1:
            [(args, options)] = parts
            made = self.module(*args, **options)
            if self.outputs == "sharded":
                return Sharded([made])
            return self._delivered(made) if self.outputs == "cpu" else made
        made = self._on_replicas(parts, lambda replica, args, options: replica(*args, **options))
        if self.outputs == "sharded":
            return Sharded(made)
        return gather(made, torch.device("cpu") if self.outputs == "cpu" else self._output, self.dim)

    @property
    def graph_status(self):
        """How the last call ran: "graphs", or "no graphs, because ..."."""
        return "no call yet" if self._engine is None else self._engine.graphs.status

    @property
    def split_now(self):
        """How the rows of the next call are shared: `split`, or with "auto" the weights that were found so far."""
        return self.split if self._balance is None else self._balance.weights

    def _choices(self):
        """What a graph was captured for besides its call: all of it may be set anew."""
        return self.dim, self.outputs, self.split if isinstance(self.split, str) else tuple(self.split)

    def _program(self, inputs, kwargs):
        """What replays this call as graphs; None where it has to run without."""
        engine = self._running()
        if engine.machine is None:
            return None
        return engine.graphs.find(self, inputs, kwargs)

    def _delivered(self, made):
        """Results of graphs, which are on the first device, where they are wanted."""
        wanted = _HOST if self.outputs == "cpu" else self._output
        if wanted == self._devices[0] or self.outputs == "sharded" or _devices.same_place(self._devices[0], wanted):
            return made
        return mapped(lambda leaf: leaf.to(wanted) if isinstance(leaf, torch.Tensor) else leaf, made)

    def train_step(self, loss_fn, optimizer):
        """A function ``step(inputs, targets)``: forward, loss, backward and one step of `optimizer`.

        It gives the mean loss over all rows, detached. The loss is computed on each device for its own rows, so that
        results are not gathered.

        Args
        ----
        loss_fn : callable
            ``loss_fn(result, targets)``: the mean loss of those rows.
        optimizer : torch.optim.Optimizer
            Over the parameters of `module`.
        """
        return TrainStep(self, loss_fn, optimizer)

    def _on_replicas(self, parts, function):
        """``function(replica, args, kwargs)`` on the device of each part; a list. One call at a time."""
        count, devices = len(parts), self._devices
        with self._lock:
            engine = self._running()
            engine.replicas.refresh(self.module)
            buffers = {id(buffer): buffer for buffer in self.module.buffers()}
            tensors = {**{id(one): one for one in self.module.parameters()}, **buffers}
            # Batch normalisation changes its statistics uncounted.
            engine.weights.sync(tensors.values(), count, buffers.values() if engine.replicas.in_training() else ())
            context = Context(devices[:count])

            def call(i):
                args, kwargs = parts[i]
                return function(engine.replicas.bound(i, engine.weights.on(i)), args, kwargs)

            calls = [functools.partial(call, i) for i in range(count)]
            if self._balance is not None:
                calls = self._balance.timed(calls, rows_of(parts, self.dim))
            results = engine.workers.run([lambda i=i: context.run(devices[i], calls[i]) for i in range(count)])
            if self.buffers_rule == "mean" and self.module.training and not any(error for _, error in results):
                engine.weights.average(buffers.values(), count)
        failures = [(i, devices[i], error) for i, (_, error) in enumerate(results) if error is not None]
        if failures:
            rows = _rows(parts, self.dim)
            raise_all([(i, device, rows[i], error) for i, device, error in failures], count)
        return [result for result, _ in results]

    def _running(self):
        """Replicas, weights and workers of this process: a fork does not take the threads along."""
        if self._engine is None or self._engine.process != os.getpid():
            self._engine = _Engine(self)
        return self._engine

    def _check_placement(self):
        first = self._devices[0]
        for tensor in chain(self.module.parameters(), self.module.buffers()):
            if not _devices.same_place(tensor.device, first):
                raise RuntimeError(
                    f"module must have its parameters and buffers on device {first} (device_ids[0]) but found one of "
                    f"them on device: {tensor.device}"
                )

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "module":  # while it is being made
                raise
            return getattr(self.module, name)

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name not in ("_engine", "_lock")}

    def __setstate__(self, state):
        super().__setstate__(state)
        self._engine, self._lock = None, threading.Lock()


@functools.cache
def _left_alone(kind):
    return torch.compiler.disable(kind.run)


class _Engine:
    """What a wrapper needs to run, and what copies of it make anew."""

    def __init__(self, parallel):
        devices = parallel._devices
        self.process = os.getpid()
        self.machine, why_not = machine_for(devices) if len(devices) > 1 else (None, "there is one device only")
        self.replicas = Replicas(len(devices))
        self.weights = Weights(devices, parallel.notice_data_edits, self.machine)
        self.workers = Workers(devices)
        wrapper = weakref.ref(parallel)  # threads end with the wrapper, not when cycles are collected
        self.graphs = Graphs(lambda args, kwargs: Program(wrapper()._engine, wrapper(), args, kwargs))
        if why_not:
            self.graphs.status = f"no graphs, because {why_not}"


def _shown(device):
    """A device as `torch.nn.DataParallel` shows it: GPUs by number."""
    return device.index if device.type == "cuda" else str(device)


def _check_choice(name, value, choices):
    if value not in choices:
        raise ValueError(f"{name} is one of {choices}, got {value!r}")


def _rows(parts, dim):
    """Which rows of the batch each part has, as text."""
    sizes = rows_of(parts, dim)
    if None in sizes:
        return ["no tensors"] * len(parts)
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return [
        f"rows {end - size} to {end - 1} of {ends[-1]}" if size else "no rows"
        for size, end in zip(sizes, ends, strict=True)
    ]
