"""Watches a training script at its work: when it asked for batches, and when one was waited for."""

import collections
import functools
import os
import runpy
import sys
import threading
import time
import traceback

from ..pipeline.contract import Pipeline, Run, run_of
from ..plugin.base_iterator import BaseIterator

_WARM_UP_S = 1.0  # at the beginning, which does not count: compilation, first files
_WARM_UP_CALLS = 3
_INSISTED = 20  # times that a script may go on although it was told to end


class Enough(BaseException):
    """Ends the training loop once enough was seen; nothing that handles errors takes it for one."""


class _NoFunction(ValueError):
    pass


class Watch:
    """``with Watch(seconds) as watch: watch.run("train.py", "", [])``, then `seen()`.

    Args
    ----
    seconds : float
        How long to look, from the first batch on, after a warm-up.
    batches : int
        Likewise, how many; None for any number.
    tell : callable
        Called with the share that is done.
    """

    def __init__(self, seconds, batches=None, tell=lambda share: None):
        self._seconds, self._batches, self._tell = seconds, batches, tell
        self._depth = threading.local()
        self._lock = threading.Lock()
        self._calls = {}  # thread -> [(begin, end)] of the outermost calls for batches
        self._waits = []  # (begin, end, samples, pipeline) on any thread
        self._starts = []  # (begin, end) of starting batches for which Python's sources are asked
        self._made = {}  # run -> its pipeline, which so lives on
        self._stats = {}  # run -> what its pipeline said of itself before it was closed
        self._first = None
        self._told_to_end = 0
        self._undo = []

    def __enter__(self):
        for name in ("run", "share_outputs", "outputs"):
            self._put(Pipeline, name, self._asking(getattr(Pipeline, name)))
        self._put(Pipeline, "build", self._building(Pipeline.build))
        self._put(Pipeline, "close", self._closing(Pipeline.close))
        self._put(Run, "wait", self._waiting(Run.wait))
        self._put(Run, "start_one", self._starting(Run.start_one))
        for kind in _kinds(BaseIterator):
            if "__next__" in vars(kind) and kind is not BaseIterator:
                self._put(kind, "__next__", self._asking(vars(kind)["__next__"]))
        watch = self

        def watched(cls, **kwargs):
            super(BaseIterator, cls).__init_subclass__(**kwargs)
            if "__next__" in vars(cls):
                cls.__next__ = watch._asking(vars(cls)["__next__"])

        BaseIterator.__init_subclass__ = classmethod(watched)
        return self

    def __exit__(self, *_exception):
        del BaseIterator.__init_subclass__
        for owner, name, before in reversed(self._undo):
            if before is None:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

    def _put(self, owner, name, function):
        self._undo.append((owner, name, vars(owner).get(name)))
        setattr(owner, name, function)

    # What is watched --------------------------------------------------------------------------------------------------

    def _asking(self, function):
        @functools.wraps(function)
        def asked(*arguments, **named):
            if getattr(self._depth, "inside", False):
                return function(*arguments, **named)
            self._end_if_enough()
            self._depth.inside, begin = True, time.perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                self._depth.inside = False
                with self._lock:
                    self._calls.setdefault(threading.get_ident(), []).append((begin, time.perf_counter()))

        return asked

    def _starting(self, function):
        @functools.wraps(function)
        def started(run, *arguments, **named):
            begin = time.perf_counter()
            try:
                return function(run, *arguments, **named)
            finally:
                end = time.perf_counter()
                with self._lock:
                    if run.asks_python():
                        self._starts.append((begin, end))
                    else:
                        self._waits.append((begin, end, 0, run))  # for the engine

        return started

    def _building(self, function):
        @functools.wraps(function)
        def built(pipe):
            function(pipe)
            self._made[run_of(pipe)] = pipe

        return built

    def _closing(self, function):
        @functools.wraps(function)
        def closed(pipe):
            run = run_of(pipe)
            if run in self._made and run not in self._stats:
                self._stats[run] = pipe.stats()
            function(pipe)

        return closed

    def _waiting(self, function):
        @functools.wraps(function)
        def waited(run):
            begin = time.perf_counter()
            made = function(run)
            samples = 0 if isinstance(made, Exception) else len(made[0])
            with self._lock:
                self._waits.append((begin, time.perf_counter(), samples, run))
            return made

        return waited

    def _end_if_enough(self):
        now = time.perf_counter()
        with self._lock:
            calls = self._calls.get(threading.get_ident(), [])
            if len(calls) < _WARM_UP_CALLS or now - calls[0][1] < _WARM_UP_S:
                return
            if self._first is None:
                self._first = (now, len(calls))
        since, counted = now - self._first[0], len(calls) - self._first[1]
        share = max(since / self._seconds, counted / self._batches if self._batches else 0)
        self._tell(min(share, 1.0))
        if share >= 1:
            self._told_to_end += 1
            if self._told_to_end > _INSISTED:
                print("penstock bench: the script goes on although it was told to end", file=sys.stderr, flush=True)
                os._exit(1)
            raise Enough

    def run(self, script, function, arguments):
        """Runs the script, or a function of it, as `python script arguments...` would; until `Enough`, or its end."""
        before, path = sys.argv, list(sys.path)
        sys.argv, sys.path[:0] = [script, *arguments], [os.path.dirname(os.path.abspath(script))]
        try:
            found = runpy.run_path(script, run_name="penstock_watched" if function else "__main__")
            if function:
                if not callable(found.get(function)):
                    raise _NoFunction(f"{script} has no function {function!r}")
                found[function]()
        except Enough:
            pass
        except SystemExit as end:
            if end.code not in (None, 0):
                raise RuntimeError(f"{script} ended with {end.code!r}") from None
        except _NoFunction:
            raise
        except Exception as error:  # noqa: BLE001 - the script's, whatever it is
            raise _raised(script, error) from None
        finally:
            sys.argv, sys.path[:] = before, path

    # What was seen ----------------------------------------------------------------------------------------------------

    def pipelines(self):
        """(pipeline, its stats) of those that work at the same time: that with most samples, then those of which the
        loop took a batch between most batches of the first.

        A script may have others: one for validation, one anew for each epoch.
        """
        given = [(run, count) for _, _, count, run in sorted(self._waits, key=lambda wait: wait[0]) if count]
        samples = collections.Counter()
        for run, count in given:
            samples[run] += count
        first = max(samples, key=samples.get)
        between, turns = collections.Counter(), [set()]
        for run, _ in given:
            if run is first:
                turns.append(set())
            else:
                turns[-1].add(run)
        for turn in turns[1:-1]:
            between.update(turn)
        runs = [first, *(run for run, count in between.items() if 2 * count >= len(turns) - 2)]
        return [(self._made[run], self._stats.get(run) or self._made[run].stats()) for run in runs if run in self._made]

    def seen(self):
        """What the thread that asked most did, as a dict: `seconds` in all, of which `waited` for batches, asked
        Python's sources (`source`), had batches `handed` over and computed (`step`); `batches`, `samples`, and `steps`,
        the seconds between the calls.

        `LookupError` where the script took too few batches of a pipeline of Penstock's.
        """
        calls = max(self._calls.values(), key=len, default=[])
        first = next((i for i, call in enumerate(calls) if call[1] - calls[0][1] >= _WARM_UP_S), len(calls))
        first = max(min(first, len(calls) // 2), 1)
        counted = calls[first:]
        if len(counted) < 2:
            raise LookupError(
                f"the script took {len(calls)} batch{'es' * (len(calls) != 1)} from pipelines of Penstock; a few more "
                "are needed: does it run a training loop, and without worker processes of its own?"
            )
        begin, end = calls[first - 1][1], counted[-1][1]
        waits = [wait for wait in self._waits if wait[1] > begin and wait[0] < end]
        inside = sum(stop - start for start, stop in counted)
        waited, source = overlap(counted, [wait[:2] for wait in waits]), overlap(counted, self._starts)
        steps = [later[0] - earlier[1] for earlier, later in zip(calls[first - 1 :], counted, strict=False)]
        return {
            "seconds": end - begin, "waited": waited, "source": source,
            "handed": max(0.0, inside - waited - source), "step": sum(steps),
            "batches": len(counted), "samples": sum(wait[2] for wait in waits), "steps": steps,
        }  # fmt: skip


def _raised(script, error):
    """Shows the traceback of a script from its own first line on; gives what the command ends with."""
    trace = error.__traceback__
    while trace is not None and os.path.abspath(trace.tb_frame.f_code.co_filename) != os.path.abspath(script):
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)
    return RuntimeError(f"{script} raised {type(error).__name__}: {error}")


def _kinds(cls):
    yield cls
    for one in cls.__subclasses__():
        yield from _kinds(one)


def overlap(some, others):
    """How long any of `others` went on while one of `some` did: both are lists of (begin, end)."""
    merged = []
    for begin, end in sorted(others):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    total, i = 0.0, 0
    for begin, end in sorted(some):
        while i and merged[i - 1][1] > begin:
            i -= 1
        while i < len(merged) and merged[i][0] < end:
            total += max(0.0, min(end, merged[i][1]) - max(begin, merged[i][0]))
            i += 1
    return total
