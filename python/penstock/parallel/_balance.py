"""How rows are shared so that all devices finish together: learnt from how long each took for its rows."""

import collections
import functools
import statistics
import time

import torch

from ._scatter import sizes_of

_UNSETTLED = 4  # calls after a change that say nothing: libraries choose algorithms, and graphs are captured
_FIRST_WINDOW = 5  # measured calls before the first change; the wait for another one doubles with each
_LONGEST_WINDOW = 1280
_TRIAL = 10  # calls that show whether a change was of use
_OF_USE = 0.75  # how much of the unevenness may be left then
_WORTH = 1.05  # how much longer than with other sizes a call has to take: these cost new graphs and plans
_PENDING = 16  # calls whose times are not known yet


class Balance:
    """The weights that `split="auto"` has found so far; equal ones at first.

    What counts is the ratio of the devices' times within a call, so that calls of several kinds and lengths count
    alike. A device's time is the wall clock's for its worker, or the time between two events of its stream, which are
    read when they have passed: no thread waits for a measurement. Each change has to be worth it and waits for twice as
    many calls as the one before, so that sizes come to rest. One that was of no use is taken back: where calls are so
    small that a device's time does not depend on its rows, moving these would go on without end.

    Args
    ----
    devices : list of torch.device

    Attributes
    ----------
    weights : list of float
        For each device; another list object after each change.
    """

    def __init__(self, devices):
        self._devices = devices
        self.weights = [1.0] * len(devices)
        self._window = self._longest = _FIRST_WINDOW
        self._tried = None  # weights before the last change and how uneven times were, until its use is known
        self._pending = collections.deque()
        self._seen, self._unsettled = [], _UNSETTLED

    def __reduce__(self):
        return Balance, (self._devices,)  # copies learn anew

    def timed(self, functions, rows):
        """The functions of one call, one a device, such that their times are noted. One call at a time.

        They come back as they are where times would say nothing (fewer parts than devices, no tensors) or cannot be
        had (in a capture).

        Args
        ----
        functions : list of callable
        rows : list of int or None
            Of each part; None where there are no tensors.
        """
        if _capturing(self._devices[0]):  # in which not even events may be asked
            return functions
        self._learn()
        if None in rows or 0 in rows or len(rows) < len(self._devices) or len(self._pending) >= _PENDING:
            return functions
        call = _Call(rows)
        self._pending.append(call)
        return [functools.partial(call.run, i, self._devices[i], one) for i, one in enumerate(functions)]

    def _learn(self):
        """From calls that have ended on all devices."""
        while self._pending and (seconds := self._pending[0].seconds()) is not None:
            rows = self._pending.popleft().rows
            if not seconds or min(seconds) <= 0 or rows != self._sizes(sum(rows), self.weights):
                continue  # it failed, is of a time before the last change, or was given shards of another split
            if self._unsettled:
                self._unsettled -= 1
                continue
            costs = [one / count for one, count in zip(seconds, rows, strict=True)]
            self._seen.append((sum(rows), [cost / sum(costs) for cost in costs], _unevenness(seconds)))
            if len(self._seen) == self._window:
                self._decide()

    def _decide(self):
        totals, costs, unevenness = zip(*self._seen, strict=True)
        total, unevenness = max(totals), statistics.median(unevenness)
        costs = [statistics.median(column) for column in zip(*costs, strict=True)]
        self._seen.clear()
        self._window = self._longest
        if self._tried is not None:
            (weights, before), self._tried = self._tried, None
            if unevenness > _OF_USE * before:
                self._change(weights, _LONGEST_WINDOW)
                return
        weights = [1 / cost for cost in costs]
        now, then = (_finish(self._sizes(total, one), costs) for one in (self.weights, weights))
        if now > _WORTH * then:
            self._tried = self.weights, unevenness
            self._longest = min(2 * self._longest, _LONGEST_WINDOW)
            self._change([weight / sum(weights) for weight in weights], _TRIAL)

    def _change(self, weights, window):
        self.weights, self._window, self._unsettled = list(weights), window, _UNSETTLED

    def _sizes(self, rows, weights):
        return sizes_of(rows, len(weights), weights)


class _Call:
    """When each device began and ended its part."""

    def __init__(self, rows):
        self.rows = rows
        self._begun, self._ended = [None] * len(rows), [None] * len(rows)

    def run(self, i, device, function):
        self._begun[i] = _now(device)
        result = function()
        self._ended[i] = _now(device)
        return result

    def seconds(self):
        """A list; an empty one for a call that failed, None for one that has not ended."""
        if None in self._ended:  # the host is through with it, or it would not be asked for
            return []
        times = [_between(*pair) for pair in zip(self._begun, self._ended, strict=True)]
        return None if None in times else times


def _unevenness(seconds):
    """By how much the last device took longer than all on average."""
    return max(seconds) * len(seconds) / sum(seconds) - 1


def _finish(rows, costs):
    """When the last device is ready."""
    return max(count * cost for count, cost in zip(rows, costs, strict=True))


def _capturing(device):
    return device.type == "cuda" and torch.cuda.is_current_stream_capturing()


def _now(device):
    """Where the device is: a time, or an event in its current stream."""
    if device.type != "cuda":
        return time.perf_counter()
    event = torch.cuda.Event(enable_timing=True)
    event.record(torch.cuda.current_stream(device))
    return event


def _between(begin, end):
    """Time from one `_now` to another; None while an event is to come."""
    if isinstance(end, float):
        return end - begin
    return begin.elapsed_time(end) if end.query() else None
