"""A loader that is timed, or whose batches come from memory."""

import collections
import json
import statistics
import time

__all__ = ["LoaderEvaluator"]


class LoaderEvaluator:
    """Gives the batches of a loader and measures how long each was waited for.

    Args
    ----
    dataloader : iterable with a length
        Such as `torch.utils.data.DataLoader`.
    mode : "log" or "replay"
        "log" loads; "replay" loads an epoch once, when it is made, and then gives kept batches over and over, as a
        loader would that takes no time. `ValueError` for others.
    num_cached_batches : int, default 20
        How many of the last batches "replay" keeps.
    metrics_file : str
        Where `save_metrics` writes when it is not told.
    """

    def __init__(self, dataloader, mode="log", num_cached_batches=20, metrics_file=None):
        if mode not in ("log", "replay"):
            raise ValueError(f'mode is "log" or "replay", got {mode!r}')
        self.dataloader = dataloader
        self.mode = mode
        self.num_cached_batches = num_cached_batches
        self.metrics_file = metrics_file
        self.cached_batches = collections.deque(dataloader if mode == "replay" else (), maxlen=num_cached_batches)
        self.batch_times = []  # seconds, of the last loop
        self._seconds = 0.0

    def __len__(self):
        return len(self.dataloader)

    def __iter__(self):
        batches = iter(self.dataloader) if self.mode == "log" else self._kept()
        self.batch_times, began = [], time.perf_counter()
        while True:
            asked = time.perf_counter()
            try:
                batch = next(batches)
            except StopIteration:
                break
            self.batch_times.append(time.perf_counter() - asked)
            yield batch
        self._seconds = time.perf_counter() - began

    def _kept(self):
        if not self.cached_batches:
            raise RuntimeError("there is no batch to replay: the loader gave none, or num_cached_batches is 0")
        for i in range(len(self.dataloader)):
            yield self.cached_batches[i % len(self.cached_batches)]

    def get_metrics(self):
        """Of the last loop, as a dict; empty before it. Times in seconds.

        `mode`, `total_batches`, `total_time` (of the loop with its body; 0 while it runs), `avg_batch_time`,
        `min_batch_time`, `max_batch_time`, `batch_times`, `cached_batches` and `cache_ready`.
        """
        times = list(self.batch_times)
        if not times:
            return {}
        return {
            "mode": self.mode,
            "total_batches": len(times),
            "total_time": self._seconds,
            "avg_batch_time": statistics.fmean(times),
            "min_batch_time": min(times),
            "max_batch_time": max(times),
            "batch_times": times,
            "cached_batches": len(self.cached_batches),
            "cache_ready": bool(self.cached_batches),
        }

    def save_metrics(self, filename=None):
        """Writes `get_metrics` as JSON to `filename`, or `metrics_file`. `ValueError` where neither was given."""
        path = filename or self.metrics_file
        if path is None:
            raise ValueError("save_metrics needs a filename, or metrics_file of the evaluator")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.get_metrics(), file, indent=2)

    def print_summary(self):
        """Prints the mode, the cache and the times, under DALI's headings where it has them."""
        metrics = self.get_metrics()
        facts = {
            "Mode": self.mode,
            "Dataset size": len(getattr(self.dataloader, "dataset", ())) or "unknown",
            "Number of batches": len(self),
            "Batches kept": len(self.cached_batches),
            "Total batches processed": metrics.get("total_batches", 0),
        }
        print("Loader Evaluator Summary:", *(f"  {name}: {value}" for name, value in facts.items()), sep="\n")
        for name, value in metrics.items():
            if name.endswith("_time"):
                print(f"  {name}: {value:.4f} s")
