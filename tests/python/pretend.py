"""Virtual devices that pretend to have CUDA graphs, so that all that is decided around graphs is tested anywhere.

A graph plays by calling what was recorded once more and writing the results where the first ones lay.
"""

import contextlib
import copy
import gc
import zlib

import torch
from spread import TWO, Calls
from torch import nn
from torch.utils._python_dispatch import _disable_current_modes

from penstock.parallel import DataParallel, _graphs
from penstock.parallel._score import MOST_GIVEN, Given

CALLS = 3  # that run without


class PretendMachine:
    careful = False  # whether recording leaves all tensors as they are; programs see to it for all but optimizers

    def __init__(self, devices):
        self.devices = devices
        self.streams = None
        self.played = 0
        self._travelling, self.travelled = [], 0

    def play(self):
        pass

    @contextlib.contextmanager
    def playing_on(self, streams):
        yield

    def on(self, i):
        return contextlib.nullcontext()

    def first_waits(self, given=()):
        pass

    others_wait = first_waits

    def score(self, launches):
        def play(given=()):
            assert len(given) <= MOST_GIVEN
            for launch in launches:
                launch(given)

        return play

    def plays(self, recordings):
        return Plays(recordings)

    @contextlib.contextmanager
    def rehearsing(self, i):
        yield

    def record(self, i, function, after=None):
        with torch.autograd.set_multithreading_enabled(False), self._nothing_happens():
            first = function()
        mode = torch.is_grad_enabled(), torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")

        def play():
            grad, autocast, dtype = mode
            with torch.set_grad_enabled(grad), torch.autocast("cpu", dtype, autocast, cache_enabled=False):
                again = function()
            with torch.no_grad():
                for old, new in zip(first, again, strict=True):
                    old.copy_(new)
            self.played += 1

        return play, first

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
        for one in copies:
            _copy_elements(tensor, one, ())

    def checksums_of(self, tensor):
        return torch.zeros(1, dtype=torch.int64)

    def renewal(self, i, rows, beside=False):
        def launch(given=()):
            with torch.no_grad(), _disable_current_modes():
                for one, checksums, copies in rows:
                    if checksums is not None and not _is_news(one, checksums):
                        continue
                    for copy in copies:
                        _copy_elements(one, copy, given)

        return launch

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
        def launch(given=()):
            for addends, offset in rows:
                flat = given[to - 1] if isinstance(to, int) else to
                flat.as_strided(addends[0].shape, addends[0].stride(), offset).copy_(sum(addends))

        return launch

    def random_states(self):
        return torch.get_rng_state()

    def restore(self, state):
        torch.set_rng_state(state)


class Plays:
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
