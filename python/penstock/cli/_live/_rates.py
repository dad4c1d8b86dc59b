"""How fast batches come, and what waits for what: from a pipeline's `stats`."""

import time

from ... import _core

_EVERY_S = 0.5
_NEVER = 0.05  # of the time: waits below that are none


class Rates:
    """Figures of the last half second, or of the last batch where that took longer; `last` is a dict for JSON."""

    def __init__(self, pipeline):
        self._pipeline = pipeline
        self._workers = pipeline.num_threads or _core.usable_cores()
        self.last = None
        self._total = 0
        self._start()

    def _start(self):
        self._since, self._stats = time.perf_counter(), self._pipeline.stats()
        self._batches = self._samples = 0
        self._took = self._step = 0.0

    def add(self, samples, took):
        """A batch of so many samples came after `took` seconds. Whether `last` is new."""
        self._batches += 1
        self._samples += samples
        self._total += 1
        self._took += took
        elapsed = time.perf_counter() - self._since
        if elapsed < _EVERY_S and self.last is not None:
            return False
        self.last = self._figures(elapsed)
        self._start()
        return True

    def stepped(self, seconds):
        """So long the pretended training step took."""
        self._step += seconds

    def pause(self):
        """Time that passes now counts for nothing."""

    def resume(self):
        self._start()

    def _figures(self, elapsed):
        before, now = self._stats, self._pipeline.stats()
        waited = min(self._took, now["consumer_waited_seconds"] - before["consumer_waited_seconds"])
        made = now["samples"] - before["samples"]
        hints = now["read_ahead"]["hints"] - before["read_ahead"]["hints"]
        slow = now["read_ahead"]["slow_hints"] - before["read_ahead"]["slow_hints"]
        operators = [
            {"name": one["operator"], "us": one["microseconds_per_sample"],
             "cores": one["microseconds_per_sample"] * 1e-6 * made / elapsed}
            for one in now["operators"]
        ]  # fmt: skip
        found = {
            "batches": self._total, "batches_per_s": self._batches / elapsed, "samples_per_s": self._samples / elapsed,
            "failures": now["failures"], "workers": self._workers, "operators": operators,
            "busy": min(sum(one["cores"] for one in operators), self._workers),
            "waits": {"loader": waited / elapsed, "step": min(1.0, self._step / elapsed)},
            "not_in_memory": slow / hints if hints > 0 else None,
            "gpu": (now["gpu_awaited_seconds"] - before["gpu_awaited_seconds"]) / elapsed,
        }  # fmt: skip
        found["waits"]["other"] = max(0.0, 1 - found["waits"]["loader"] - found["waits"]["step"])
        found["says"] = said(found)
        return found


def said(found):
    """What limits now, in a sentence or two."""
    waits, busy = found["waits"], found["busy"] / found["workers"]
    if waits["loader"] < _NEVER:
        return "The loop waits for no batch: the loader keeps up, and its workers wait for the loop."
    text = f"The loop waits {waits['loader']:.0%} of its time for batches. "
    slowest = max(found["operators"], key=lambda one: one["cores"], default=None)
    if found["not_in_memory"] is not None and found["not_in_memory"] > 0.5 and busy < 0.7:
        return f"{text}{found['not_in_memory']:.0%} of the samples were not in memory: workers wait for the disk."
    if found["gpu"] > 0.5 and busy < 0.7:
        return f"{text}Workers wait for the GPU."
    if slowest is not None and slowest["cores"] > 0:
        share = slowest["cores"] / max(sum(one["cores"] for one in found["operators"]), 1e-9)
        return f"{text}{slowest['name']} takes {share:.0%} of the workers' time."
    return text.strip()
