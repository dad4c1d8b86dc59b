"""Virtual devices that pretend to have CUDA graphs, so that all that is decided around graphs is tested anywhere.

A graph repeats operations on tensors, and launches, in the memory in which they were recorded, and runs no Python.
"""

import contextlib
import copy
import gc
import threading
import zlib

import torch
from spread import TWO, Calls
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves

from penstock.parallel import DataParallel, _graphs
from penstock.parallel._launch_sequence import MOST_GIVEN, Given

CALLS = 3  # that run without


class PretendMachine:
    careful = False  # whether recording leaves all tensors as they are; programs see to it for all but optimizers

    def __init__(self, devices):
        self.devices, self.lock = devices, threading.Lock()
        self.streams = None
        self.replayed, self._tape = 0, None
        self._travelling, self.travelled = [], 0

    def replay(self):
        pass

    @contextlib.contextmanager
    def playing_on(self, streams):
        yield

    def on(self, i):
        return contextlib.nullcontext()

    def first_waits(self, given=()):
        pass

    others_wait = first_waits

    def launch_sequence(self, launches):
        def replay(given=()):
            assert len(given) <= MOST_GIVEN
            for launch in launches:
                launch(given)

        return replay

    def replays(self, recordings):
        return Replays(recordings)

    @contextlib.contextmanager
    def rehearsing(self, i):
        yield

    def record(self, i, function, after=None):
        self._tape = tape = Tape()
        try:
            with torch.autograd.set_multithreading_enabled(False), self._nothing_happens(), tape:
                made = function()
        finally:
            self._tape = None

        def replay():
            tape.replay()
            self.replayed += 1

        return replay, made

    def _launch(self, work):
        """What queues such work, or puts it on the tape."""

        def launch(given=()):
            with torch.no_grad(), _disable_current_modes():
                if self._tape is not None:
                    self._tape.entries.append((work, (given,), {}, ()))
                work(given)

        return launch

    def _everything(self):
        return gc.get_objects() if self.careful else []

    @contextlib.contextmanager
    def _nothing_happens(self):
        alive = [one for one in self._everything() if type(one) in (torch.Tensor, torch.nn.Parameter)]
        plain = [one for one in alive if one.layout == torch.strided and not one.is_meta and 0 not in one.stride()]
        kept = [(one, one.detach().clone()) for one in plain]
        yield
        for one, contents in kept:
            if one.shape == contents.shape:
                one.data.copy_(contents)

    @contextlib.contextmanager
    def aside(self, i):
        yield

    def join(self, i):
        pass

    def send(self, i, tensor, copies):
        self._launch(lambda _: [_copy_elements(tensor, one, ()) for one in copies])()

    def checksums_of(self, tensor):
        return torch.zeros(1, dtype=torch.int64)

    def renewal(self, i, rows, beside=False):
        def renew(given):
            for one, checksums, copies in rows:
                if checksums is not None and not _is_news(one, checksums):
                    continue
                for to in copies:
                    _copy_elements(one, to, given)

        return self._launch(renew)

    def sending(self, i, rows):
        return [lambda given=(): self._travelling.append((rows, given))]

    def arrive(self, given=()):
        self.travelled += len(self._travelling)
        for rows, then in self._travelling:
            for one, copies in rows:
                for to in copies:
                    _copy_elements(one, to, then)
        self._travelling.clear()

    def handing_out(self, rows, before=(), after=()):
        return [*before, self.renewal(0, rows), *after]

    def total(self, i, rows, to):
        def add(given):
            for addends, offset in rows:
                flat = given[to - 1] if isinstance(to, int) else to
                flat.as_strided(addends[0].shape, addends[0].stride(), offset).copy_(sum(addends))

        return self._launch(add)

    def random_states(self):
        return torch.get_rng_state()

    def restore(self, state):
        torch.set_rng_state(state)


class Tape(TorchDispatchMode):
    """What a graph would hold: operations and launches, with the very tensors that they had. Others see no change of
    theirs but that of contents: versions stay.
    """

    def __init__(self):
        super().__init__()
        self.entries = []  # (operation or launch, args, kwargs, results)

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        if torch.Tag.data_dependent_output in operator.tags:
            raise RuntimeError("operation not permitted when stream is capturing")
        made = operator(*args, **(kwargs or {}))
        if not operator.is_view:
            self.entries.append((operator, args, kwargs or {}, _tensors(made)))
        return made

    def replay(self):
        touched = {id(one): one for _, args, kwargs, made in self.entries for one in (*_tensors((args, kwargs)), *made)}
        counted = [one for one in touched.values() if not one.is_inference()]
        versions = [one._version for one in counted]
        with torch.no_grad(), torch.autocast("cpu", enabled=False):
            for work, args, kwargs, results in self.entries:
                for old, new in zip(results, _tensors(work(*args, **kwargs)), strict=True):
                    if old.data_ptr() != new.data_ptr():
                        old.data.copy_(new)
        torch._C._autograd._unsafe_set_version_counter(counted, versions)


def _tensors(value):
    return [one for one in tree_leaves(value) if isinstance(one, torch.Tensor)]


class Replays:
    def __init__(self, recordings):
        self.recordings = recordings

    def __call__(self):
        for one in reversed(self.recordings):
            one()


def _is_news(one, checksums):
    now = zlib.crc32(one.detach().contiguous().reshape(-1).view(torch.uint8).numpy()) + 1
    return checksums.item() != now and bool(checksums.fill_(now).item())


def _copy_elements(one, to, given):
    """As the kernel, which knows no shapes."""
    one, to = (_elements(side, given) for side in (one, to))
    assert one.dtype == to.dtype
    to.copy_(one)


def _elements(side, given):
    """In the order in which they lie in memory, and as they are there."""
    is_given = isinstance(side, Given)
    tensor = given[side.number - 1] if is_given else side
    begin, count = (side.begin, side.count) if is_given else (0, side.numel())
    assert tensor.itemsize == side.itemsize
    flat = torch.empty(0, dtype=tensor.dtype)
    return flat.set_(tensor.untyped_storage(), tensor.storage_offset() + begin, (count,))


def pretend(monkeypatch):
    """From now on wrappers on virtual devices use graphs."""
    monkeypatch.setattr(_graphs, "why_not", lambda devices: None)
    monkeypatch.setattr(_graphs, "Machine", PretendMachine)


def network(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4))


def pair(make=network, **options):
    """The same module twice: with graphs and without."""
    module = make()
    return DataParallel(module, TWO, **options), DataParallel(copy.deepcopy(module), TWO, graphs=False, **options)


def called(function, *args, calls=CALLS + 2, module=None, **options):
    """The wrapper after some calls of the function, or of the module, and the last result."""
    parallel = DataParallel(module or Calls(function), TWO, **options)
    for _ in range(calls):
        result = None  # or its backward pass might still come
        result = parallel(*args)
    return parallel, result


def worst(a, b):
    return max((one - other).abs().max().item() for one, other in zip(a, b, strict=True))
