"""One measurement of one loader, in a process of its own so that thread pools never meet.

usage: python -P block.py SETTINGS, where SETTINGS is JSON:
library, job, root, batch, threads; variant (torchvision's); gpu, and with it hw_decoder_load and Penstock's decoder;
seconds, or in place of time batches to count.

As a file, not as a module of the package: that would load Penstock, 11 MB, into the processes of the others.
"""

import importlib
import importlib.util
import itertools
import json
import operator
import os
import pathlib
import statistics
import sys
import time

_PACKAGES = {"penstock": "penstock", "dali": "nvidia.dali"}
_PASSED_ON = ("root", "batch", "threads", "gpu", "hw_decoder_load", "decoder")
_WARM_SECONDS = 2


def _beside(name):
    """The module of that name in this folder, without the package around it."""
    spec = importlib.util.spec_from_file_location(name, pathlib.Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def batches_of(settings):
    """The loader: an iterator over sizes of batches. Its library is imported, but nothing is built yet."""
    common = {key: settings[key] for key in _PASSED_ON if key in settings}
    library, job = settings["library"], settings["job"]
    if library == "torchvision":
        return _beside("torchvision_jobs").JOBS[job](variant=settings["variant"], **common)
    return _beside("pipelines").JOBS[job](lib=importlib.import_module(_PACKAGES[library]), job=job, **common)


def _memory(field):
    """A field of /proc/self/status in MB."""
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith(field + ":"))
    return int(line.split()[1]) / 1024


def _core_ticks():
    """Of all cores since the machine began: how long they had work, and how long others had the core meanwhile.

    On a virtual machine those are other tenants of the host: what Linux calls steal.
    """
    with open("/proc/stat") as stat:
        user, nice, system, _idle, _disk, irq, softirq, stolen = map(int, next(stat).split()[1:9])
    return user + nice + system + irq + softirq + stolen, stolen


def _wake_jax():
    """JAX's own start counts for no loader's first batch.

    Nothing is compiled: that takes 28 MB, and neither library does it.
    """
    import jax

    jax.block_until_ready(jax.device_put(0))


def measure(settings):
    """What one loader does with these settings: its rate and more, or the memory of a long run."""
    if settings["job"] == "mnist":
        _wake_jax()
    batches = batches_of(settings)
    first = warm_up(batches)
    found = _endurance(batches, settings["batches"]) if "batches" in settings else timed(batches, settings["seconds"])
    return {"first_batch_s": first} | found


def warm_up(batches):
    """Takes batches for as long as nothing counts; the seconds of the first one."""
    start = time.perf_counter()
    next(batches)
    first = time.perf_counter() - start
    while time.perf_counter() - start < first + _WARM_SECONDS:
        next(batches)
    return first


def timed(batches, seconds):
    """What a loader that is warm does for so long: its rate, its batches' times, and what of the host it takes."""
    sizes, ends = [], []
    ticks = _core_ticks()
    cpu, start = time.process_time(), time.perf_counter()
    while not ends or ends[-1] < seconds:
        sizes.append(next(batches))
        ends.append(time.perf_counter() - start)
    cpu = time.process_time() - cpu
    work, stolen = map(operator.sub, _core_ticks(), ticks)
    times = [end - begin for begin, end in itertools.pairwise([0, *ends])]
    return {
        "rate": sum(sizes) / ends[-1],
        "batch_ms": 1000 * statistics.median(times),
        "slow_batch_ms": 1000 * sorted(times)[len(times) * 99 // 100],
        "cores": cpu / ends[-1],
        "cpu_ms": 1000 * cpu / sum(sizes),
        "stolen": stolen / max(work, 1),
        "epoch_loss": epoch_loss(sizes, times),
        "peak_mb": _memory("VmHWM"),
    }


def epoch_loss(sizes, times):
    """Share of the rate that is lost at epochs' ends: whole epochs against their middle halves; None without ends."""
    ends = [i for i, size in enumerate(sizes) if size == 0]
    losses = []
    for begin, end in itertools.pairwise(ends):
        epoch = slice(begin + 1, end + 1)
        quarter = (end - begin) // 4
        middle = slice(begin + 1 + quarter, end - quarter)
        if sum(sizes[middle]):
            whole = sum(sizes[epoch]) / sum(times[epoch])
            losses.append(1 - whole / (sum(sizes[middle]) / sum(times[middle])))
    return statistics.median(losses) if losses else None


def _endurance(batches, count):
    """Memory of a long run: after a tenth of it, when everything has been allocated, and at its end."""
    rss = []
    for part in (count // 10, count - count // 10):
        for _ in range(part):
            next(batches)
        rss.append(_memory("VmRSS"))
    return {"rss_early_mb": rss[0], "rss_late_mb": rss[1], "peak_mb": _memory("VmHWM")}


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))), flush=True)
    os._exit(0)  # endless generators hold workers and processes that nothing waits for
