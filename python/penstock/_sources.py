"""How Python objects give data to external sources: iterables, generators, callables; batches or samples."""

import copy
import functools
import inspect

import numpy as np

from ._own_copies import Lent, turn_with
from .types import BatchInfo, SampleInfo


def make_source(source, num_outputs, cycle, batch, batch_info, parallel, depth):
    """The right kind of source. `TypeError` for what is neither iterable nor callable, or takes wrong parameters."""
    several = num_outputs is not None
    if hasattr(source, "__iter__") or _makes_generators(source):
        if parallel and not batch:
            what = "a generator function" if _makes_generators(source) else "an iterable"
            raise TypeError(
                f"Parallel external source with {what} must be run in a batch mode (batch=True): only a callable with "
                "a parameter gives samples"
            )
        made = _Iterable(source, cycle, batch)
    elif callable(source):
        if cycle is not None:
            raise ValueError("cycle is for iterables; a callable ends its epoch by raising StopIteration")
        takes = _parameters(source)
        if parallel and not takes:
            raise TypeError(
                "Callable passed to External Source in parallel mode (when `parallel=True`) must accept exactly one "
                "argument, the sample or batch to give. Got a callable that does not accept arguments instead."
            )
        made = _Callable(source, takes, batch, batch_info)
    else:
        raise TypeError(f"a source is an iterable, a generator function or a callable, not {type(source).__name__}")
    made.several = several
    made.depth = depth if parallel else 0
    return made


def _makes_generators(source):
    return any(inspect.isgeneratorfunction(one) for one in (source, getattr(source, "__call__", None)))  # noqa: B004


def _parameters(source):
    """0 or 1: how many positional parameters the callable takes."""
    count = 0
    for parameter in inspect.signature(source).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            raise _refused(f"var-positional argument `*{parameter.name}`")
        if parameter.kind is parameter.VAR_KEYWORD:
            raise _refused(f"var-keyword argument `**{parameter.name}`")
        if parameter.kind is parameter.KEYWORD_ONLY:
            raise _refused(f"keyword-only argument `{parameter.name}`")
        count += 1
    if count > 1:
        raise _refused("more than one positional argument,")
    return count


def _refused(what):
    return TypeError(
        "The `source` callable must accept either 0 or 1 positional arguments to indicate whether it accepts the batch "
        f"or sample indexing information. Found {what} which is not allowed."
    )


class Source:
    """Position in the epoch, and how samples become batches."""

    several = False
    cycle = None
    called_by = "thread"
    depth = 0  # batches asked for ahead, by threads or processes; 0: on the thread that runs the pipeline

    def __init__(self, batch, given=None):
        self.batch = batch
        self.given = given  # what the user wrote
        self.iteration = 0  # batches that came out
        self.epoch = 0

    def reset(self):
        """The next epoch."""
        self.iteration = 0
        self.epoch += 1

    def anew(self):
        """The same source at its beginning, asked by the thread that wants its batches."""
        made = copy.copy(self)
        made.iteration = made.epoch = made.depth = 0
        return made

    def calls(self, iteration, batch_size):
        """What to do for that batch of the epoch: a list of calls without arguments."""
        return [functools.partial(self.lent_ask, info) for info in self.infos(iteration, batch_size)]

    def infos(self, iteration, batch_size):
        """What is asked for: the batch, or each of its samples."""
        if self.batch:
            return [BatchInfo(iteration, self.epoch)]
        first = iteration * batch_size
        return [SampleInfo(first + i, i, iteration, self.epoch) for i in range(batch_size)]

    def join(self, results):
        """The batch that the calls' results make, one batch per output when there are several."""
        if self.batch:
            return results[0]
        return [list(column) for column in zip(*results, strict=True)] if self.several else results


class _Callable(Source):
    kind = "a callable without a parameter"  # what may be said of those that cannot seek
    concurrent = True
    can_seek = can_restart = property(lambda self: self._takes)  # one that is told no number counts by itself

    def __init__(self, function, takes, batch, batch_info):
        super().__init__(batch, function)
        self._lent = None
        self._takes = takes
        self._whole_info = bool(batch_info)

    def serve(self, workers):
        """From now on so many threads ask at the same time."""
        self._lent = Lent(self.given, workers)

    def ask(self, info):
        """What the function gives for a `BatchInfo` or `SampleInfo`."""
        return self._asked(self.given, info)

    def lent_ask(self, info):
        """Likewise, on one of several threads."""
        with turn_with(self.given) if self._lent is None else self._lent() as function:
            return self._asked(function, info)

    def _asked(self, function, info):
        if not self._takes:
            return function()
        return function(info.iteration if self.batch and not self._whole_info else info)


class _Iterable(Source):
    kind = "an iterable"
    concurrent = False
    can_seek = False
    can_restart = property(lambda self: self.cycle == "raise")

    def __init__(self, source, cycle, batch):
        super().__init__(batch, source)
        if cycle not in (None, False, True, "no", "quiet", "raise"):
            raise ValueError(f'cycle is False, True, "quiet" or "raise", got {cycle!r}')
        self.cycle = {None: "no", False: "no", True: "quiet"}.get(cycle, cycle)
        if self.cycle != "no" and inspect.isgenerator(source):
            raise TypeError("Cannot cycle through a generator - if the generator is result of calling a generator "
                            "function, pass that function instead as `source`.")  # fmt: skip
        self._lent = None
        self._iterator = None
        self._over = False  # asked ahead of its end by threads, one that restarts by itself would lose batches

    def serve(self, workers):
        """From now on a thread asks."""
        if not isinstance(self.given, (list, tuple, np.ndarray)):  # their iterators do not change them
            self._lent = Lent(self.given, workers)

    def anew(self):
        """Likewise."""
        made = super().anew()
        made._iterator, made._over = None, False
        return made

    def _open(self, source):
        self._iterator = iter(source() if _makes_generators(source) else source)

    def ask(self, info):
        """What comes next."""
        del info
        return self._next_of(self.given)

    def lent_ask(self, info):
        """Likewise, on a thread."""
        del info
        with turn_with(self.given) if self._lent is None else self._lent() as source:
            return self._next_of(source)

    def _next_of(self, source):
        if self._over:
            raise StopIteration
        if self._iterator is None:
            self._open(source)
        try:
            return next(self._iterator)
        except StopIteration:
            if self.cycle != "quiet":
                self._over = True
                raise
            self._open(source)
            return next(self._iterator)

    def reset(self):
        super().reset()
        self._over = False
        if self.cycle == "raise":
            self._iterator = None


def check_size(name, batch, most):
    """`RuntimeError` for a batch of more samples than the pipeline takes."""
    if len(batch) > most:
        named = f" `{name}`" if name else ""
        raise RuntimeError(
            f"external source{named} got a batch of {len(batch)} samples, the pipeline takes at most {most}"
        )
