"""What is queued on devices again and again: launches, graphs, and both written down for the engine to replay."""

from typing import NamedTuple

import torch

from .. import _core

_FIRST_WAITS, _OTHERS_WAIT, _RENEW, _TOTAL, _GRAPH, _SEND, _ARRIVE = range(
    7
)  # kinds of Node in src/parallel/launch_sequence.h

MOST_GIVEN = 15  # tensors: kMostBases, of which one is none


class Given(NamedTuple):
    """Elements of a contiguous tensor on the first device that is known only when a launch sequence is replayed."""

    number: int  # among those that are given, from 1 on
    begin: int
    count: int
    itemsize: int

    @property
    def nbytes(self):
        return self.count * self.itemsize


def room_like(tensor):
    """New memory for a contiguous tensor of that shape, type and device: the quickest way to ask for it."""
    return torch.empty_like(tensor, memory_format=torch.contiguous_format)


class Launch:
    """Work for one device, queued by calling it with what is given, or as nodes of a launch sequence.

    Args
    ----
    now : callable
        ``now(given)`` queues it on the streams that are current.
    nodes : list of tuple
        As `_core.LaunchSequence` takes them.
    kept
        What must live as long.
    """

    def __init__(self, now, nodes, kept=None):
        self._now, self.nodes, self.kept = now, nodes, kept

    def __call__(self, given=()):
        self._now(given)


def first_waits(now):
    return Launch(now, [(_FIRST_WAITS, 0, 0, 0, 0)])


def others_wait(now):
    return Launch(now, [(_OTHERS_WAIT, 0, 0, 0, 0)])


def renewal(i, gpu, table, jobs, most):
    """Of `jobs` in a table on the device, at most so many in a launch."""
    begin, size = table.data_ptr(), table.numel() // max(jobs, 1)
    parts = [(begin + first * size, min(most, jobs - first)) for first in range(0, jobs, max(most, 1))]

    def now(given):
        if given:
            raise ValueError("tensors are given to launch sequences only")
        for at, count in parts:
            _core.renew(gpu, torch.cuda.current_stream(gpu).cuda_stream, at, count)

    return Launch(now, [(_RENEW, i, at, count, 0) for at, count in parts], table)


def total(i, gpu, table, jobs, number):
    """Of `jobs` in a table on the device, with sums behind what is given with that number; 0: at their addresses."""

    def now(given):
        if jobs:
            stream = torch.cuda.current_stream(gpu).cuda_stream
            _core.total(gpu, stream, table.data_ptr(), jobs, given[number - 1].data_ptr() if number else 0)

    return Launch(now, [(_TOTAL, i, table.data_ptr(), jobs, number)] if jobs else [], table)


def sending(i, number, rows):
    """What is given with that number, or what lies there: see `Machine.sending`."""
    table, jobs = _core.copy_table(rows)
    contents = torch.frombuffer(bytearray(table), dtype=torch.uint8)
    return Launch(_only_in_scores, [(_SEND, i, contents.data_ptr(), jobs, number)], contents)


def arrive():
    return Launch(_only_in_scores, [(_ARRIVE, 0, 0, 0, 0)])


def _only_in_scores(_):
    raise ValueError("only launch sequences send")


class LaunchSequence:
    """Launches of several devices, queued by one call into the engine.

    Args
    ----
    machine : Machine
        On whose streams they are queued.
    launches : list of Launch
    """

    def __init__(self, machine, launches):
        self._machine, self._launches = machine, launches  # which keep what the nodes point to
        gpus = [device.index for device in machine.devices]
        self._sequence = _core.LaunchSequence(gpus, [node for one in launches for node in one.nodes])

    def __call__(self, given=()):
        self._sequence.replay(self._machine.handles, [one.data_ptr() for one in given])


class Recording:
    """The graph of one device, replayed by calling it.

    PyTorch's own replay comes first, and again each time where the graph draws random numbers: it tells the graph where
    the generator stands, with two launches. Others need no more than their launch, which is a node then.
    """

    def __init__(self, i, device, graph, arena):
        self._place, self._generator = i, torch.cuda.default_generators[device.index]
        self.graph, self._arena = graph, arena
        self.nodes = None  # not known yet, or none

    def __call__(self):
        before = self._generator.get_offset()
        self.graph.replay()
        handle = getattr(self.graph, "raw_cuda_graph_exec", None)  # since PyTorch 2.10
        if handle is not None and self._generator.get_offset() == before:
            self.nodes = [(_GRAPH, self._place, handle(), 0, 0)]


class Replays:
    """The recordings of all devices, one each, the first device's last: it has the others' results to wait for."""

    def __init__(self, machine, recordings):
        self._machine, self.recordings = machine, recordings
        self._sequence = None

    def __call__(self):
        if self._sequence is not None:
            self._sequence()
            return
        for one in reversed(self.recordings):
            one()
        if all(one.nodes for one in self.recordings):
            self._sequence = LaunchSequence(self._machine, self.recordings[::-1])
