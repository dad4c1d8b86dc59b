"""Runs a pipeline as the page asks for it: on and on, paused, or a batch at a time; and says how it went."""

import collections
import pathlib
import sys
import threading
import time
import traceback

from ...pipeline.contract import graph_of, run_of
from . import _plan, _timeline
from ._rates import Rates
from ._samples import Kept

_PACKAGE = str(pathlib.Path(__file__).parents[2])
_KEPT = 8  # batches that can be gone back to
_KEPT_BYTES = 256 << 20  # that they may have together, but for the newest
_TRACE_EVERY_S = 2.0
_TRACED = 4  # batches of a trace


class Player:
    """What the page shows and steers. `play` is the main thread's; all else may be called by any thread."""

    def __init__(self, what, load, draw, step=0.0, paused=False):
        self._what, self._load, self._draw = what, load, draw
        self._changed = threading.Condition()
        self._step, self._paused, self._wanted, self._reload, self._closed = step, paused, 1, False, False
        self._kept = collections.deque(maxlen=_KEPT)
        self._version = self._loads = 0
        self._error = self._note = None
        self._stopped = False  # by an error, which a reload undoes
        self._looked_at = None  # the batch that the page has: it stays while it is looked at
        self._about = {}  # what does not change while a pipeline lives
        self._rates, self._timeline = None, None
        self._pipeline = None

    # The page ---------------------------------------------------------------------------------------------------------

    def state(self, seen=-1, within=0.0):
        """Everything that changes, as a dict for JSON, as soon as it is not that of the version `seen`."""
        with self._changed:
            self._changed.wait_for(lambda: self._version != seen or self._closed, within)
            return {
                "version": self._version, "loads": self._loads, "closed": self._closed, "paused": self._paused,
                "step_ms": self._step * 1000, "error": self._error, "note": self._note,
                "batches": [kept.number for kept in self._kept],
                "rates": None if self._rates is None else self._rates.last, "timeline": self._timeline,
            }  # fmt: skip

    def about(self):
        """What stays the same while a pipeline lives: `what`, `plan` (SVG), `explain` and `facts`."""
        with self._changed:
            return {"what": self._what, "loads": self._loads, **self._about}

    def kept(self, number):
        """The batch of that number; None where it was let go."""
        with self._changed:
            there = [*self._kept, *([self._looked_at] if self._looked_at else [])]
            return next((kept for kept in there if kept.number == number), None)

    def look_at(self, number):
        """Likewise, the newest for 0, and keeps it until another one is looked at."""
        with self._changed:
            kept = self.kept(number or (self._kept[-1].number if self._kept else -1))
            self._looked_at = kept or self._looked_at
        return kept

    def do(self, what, value=None):
        """One of `pause`, `play`, `toggle`, `next`, `reload`, and `step` with milliseconds. `ValueError` for others."""
        with self._changed:
            if what in ("pause", "play"):
                self._paused = what == "pause"
            elif what == "toggle":
                self._paused = not self._paused
            elif what == "next":
                self._paused, self._wanted = True, self._wanted + 1
            elif what == "reload":
                self._reload = True
            elif what == "step" and isinstance(value, (int, float)) and 0 <= value <= 600_000:
                self._step = value / 1000
            else:
                raise ValueError(f"no such request: {what!r} with {value!r:.100}")
            self._tell()

    def stop(self):
        """Has `play` come to its end, and what waits for news."""
        with self._changed:
            self._closed = True
            self._tell()

    def _tell(self):
        self._version += 1
        self._changed.notify_all()

    # The main thread --------------------------------------------------------------------------------------------------

    def play(self):
        """Until `stop`, or Ctrl-C."""
        try:
            while not self._closed:
                self._begin()
                while not self._closed and not self._reload:
                    if not self._may_go_on():
                        continue
                    try:
                        self._one()
                    except (Exception, SystemExit):  # noqa: BLE001 - shown on the page
                        self._failed("while a batch was made")
        finally:
            self._let_go()

    def _let_go(self):
        pipeline, self._pipeline = self._pipeline, None
        if pipeline is not None:
            pipeline.close()

    def _begin(self):
        with self._changed:
            self._reload, self._about = False, {}
            self._error = self._note = self._timeline = self._rates = self._looked_at = None
            self._paused, self._stopped = self._paused and not self._stopped, False
            self._kept.clear()
            self._loads += 1
            self._wanted = 1
            self._tell()
        try:
            self._let_go()
            self._pipeline, self._marks, self._names = self._load()
            graph, explained = graph_of(self._pipeline), self._pipeline.explain()
            facts = _facts(self._pipeline)
        except (Exception, SystemExit):  # noqa: BLE001 - shown on the page
            self._failed("while the pipeline was made")
            self._wanted = 0
            return
        self._taken, self._ended, self._traced_at, self._traced = 0, False, time.monotonic(), None
        with self._changed:
            self._about = {"plan": _plan.svg(graph, explained), "explain": explained, "facts": facts}
            self._rates = Rates(self._pipeline)
            self._tell()

    def _failed(self, when):
        error = sys.exc_info()[1]
        text = "".join(traceback.format_exception(type(error), error, _of_user(error.__traceback__)))
        print(f"penstock view: {when}: {text.strip().splitlines()[-1]}", file=sys.stderr, flush=True)
        with self._changed:
            self._stopped = self._stopped or not self._paused
            self._error, self._paused = {"when": when, "text": text}, True
            self._tell()

    def _may_go_on(self):
        """Whether another batch is wanted now; waits where none is."""
        with self._changed:
            if not self._about:  # nothing to run: the script has to be mended
                self._changed.wait_for(lambda: self._reload or self._closed)
                return False
            if self._paused and not self._wanted:
                self._rates.pause()
                self._changed.wait_for(lambda: not self._paused or self._wanted or self._reload or self._closed)
                self._rates.resume()
                return False
            self._wanted = max(0, self._wanted - 1)
            return True

    def _one(self):
        """Takes a batch, shows it, and pretends a training step."""
        self._trace()
        begun = time.perf_counter()
        outputs = self._batch()
        if outputs is None:
            with self._changed:
                self._paused, self._note = True, "The source has ended, and gives no more. r begins anew."
                self._tell()
            return
        took = time.perf_counter() - begun
        self._taken += 1
        kept = Kept(self._taken, outputs, lambda: self._draw(outputs, self._marks, self._names))
        with self._changed:
            self._error = self._note = None
            self._kept.append(kept)
            while len(self._kept) > 1 and sum(one.nbytes for one in self._kept) > _KEPT_BYTES:
                self._kept.popleft()
            new = self._rates.add(len(outputs[0]), took)
            if new or self._paused or self._taken == 1:
                self._tell()
        step = self._step
        if step and not self._paused:
            begun = time.perf_counter()
            with self._changed:
                self._changed.wait_for(lambda: self._step != step or self._paused or self._reload or self._closed, step)
            self._rates.stepped(time.perf_counter() - begun)

    def _batch(self):
        try:
            outputs = self._pipeline.run()
        except StopIteration:
            if self._taken == 0:
                raise ValueError("the pipeline gave no batch; is its source empty?") from None
            if self._ended:
                return None
            self._ended = True
            self._pipeline.reset()
            return self._batch()
        self._ended = False
        return outputs

    def _trace(self):
        """Begins and ends traces: of a few batches each, every now and then."""
        engine, now = run_of(self._pipeline).engine, time.monotonic()
        if self._traced is not None and self._taken - self._traced >= _TRACED:
            engine.set_tracing(False)
            timeline = _timeline.of(engine.trace())
            self._traced, self._traced_at = None, now
            with self._changed:
                self._timeline = timeline or self._timeline
        elif self._traced is None and (now - self._traced_at >= _TRACE_EVERY_S or self._timeline is None):
            engine.set_tracing(True)
            self._traced = self._taken


def _of_user(trace):
    """The traceback from the user's first line on: what this program did before is of no interest."""
    while trace is not None and trace.tb_next is not None:
        if not _is_own(trace):
            return trace
        trace = trace.tb_next
    return None if trace is None or _is_own(trace) else trace


def _is_own(trace):
    name = trace.tb_frame.f_code.co_filename
    return name.startswith((_PACKAGE, "<frozen"))


def _facts(pipeline):
    readers = [
        f"{name or 'a reader'}: {meta['epoch_size']:,} samples, shard {meta['shard_id']} of {meta['number_of_shards']}"
        for name, meta in pipeline.reader_facts().items()
    ]
    return {
        "batch size": pipeline.max_batch_size,
        "workers": pipeline.num_threads or "all cores",
        "batches in the making": run_of(pipeline).depth,
        "readers": "; ".join(readers) or "none",
    }
