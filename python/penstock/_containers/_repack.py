"""From one container into another: shard by shard, by several processes, and on from where an earlier run ended."""

import json
import multiprocessing
import os
import queue
import signal

from .. import _core
from .._whole_file import whole_file
from ._found import find
from ._samples import count_of, samples_of
from ._writers import shard_path, writer

_PLAN = "penstock-pack.json"  # what is being packed, while it is not done
_EVERY = 256  # samples between two messages, and between two savings of a database


def repack(source, out, kind, *, data="", label="", records=10_000, processes=1, skip_damaged=False, progress=None):
    """Packs the data set at `source` into the folder `out` as a container of that kind. Returns (samples, failures).

    A run that was ended goes on where it was when it is called again with the same arguments: shards that are complete
    are kept, and an LMDB grows on. `progress(done, total, bytes)` is called now and then. `failures` are pairs of
    source and reason, with `skip_damaged`; otherwise a damaged sample raises `RuntimeError`. `ValueError` for a folder
    that holds something else, and what `find` raises.
    """
    source, out = os.fspath(source), os.fspath(out)
    container = find(source, data, label)
    total = count_of(container)
    shards = 1 if kind == "lmdb" else max(1, -(-total // records))
    _begin(out, {"source": os.path.abspath(source), "kind": kind, "samples": total, "shards": shards,
                 "data": container.data, "label": container.label})  # fmt: skip
    tell = _Told(progress, total)
    if kind == "lmdb":
        _into_database(container, out, skip_damaged, tell)
    else:
        _into_shards(container, out, kind, shards, total, min(processes, shards), skip_damaged, tell)
        for shard in range(shards if kind == "folder" else 0):
            os.remove(shard_path(kind, out, shard, shards))
    os.remove(os.path.join(out, _PLAN))
    return tell.done, tell.failures


def _begin(out, plan):
    """Writes down what is packed. `ValueError` where the folder holds something else."""
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, _PLAN)
    if os.path.exists(path):
        with open(path) as file:
            begun = json.load(file)
        if begun != plan:
            other = next(name for name in plan if begun.get(name) != plan[name])
            raise ValueError(
                f"{out} holds a data set that another run began, with another {other}: {begun.get(other)!r}, not "
                f"{plan[other]!r}; name an empty folder, or remove it"
            )
        return
    if os.listdir(out):
        raise ValueError(f"{out} is not empty; name a new folder")
    with whole_file(path, "w") as file:
        json.dump(plan, file)


class _Told:
    """What was done, by all processes."""

    def __init__(self, progress, total):
        self.done = self.bytes = 0
        self.failures = []
        self._progress, self._total = progress, total

    def add(self, samples, size, failures=()):
        """So many samples more, of so many bytes."""
        self.done += samples
        self.bytes += size
        self.failures += failures
        if self._progress is not None:
            self._progress(self.done, self._total, self.bytes)


def _into_database(container, out, skip_damaged, tell):
    database = _core.PackedDatabase(out)
    there = len(database)
    failures = []
    report = (lambda *failure: failures.append(failure)) if skip_damaged else None
    size = since = 0
    try:
        for index, (data, label, place) in enumerate(samples_of(container, on_failure=report)):
            if index < there:
                tell.add(1, 0)
                continue
            if label is None:
                raise ValueError(
                    f"{place} has no label, which records of an LMDB need; choose another kind of container"
                )
            database.append(data, label)
            size, since = size + len(data), since + 1
            if since == _EVERY:
                database.save()
                tell.add(since, size)
                size = since = 0
    except BaseException:
        database.save()
        raise
    database.finish()
    tell.add(since, size, failures)


def _into_shards(container, out, kind, shards, total, processes, skip_damaged, tell):
    todo = []
    for shard in range(shards):
        if os.path.exists(shard_path(kind, out, shard, shards)):
            tell.add(_first(total, shards, shard + 1) - _first(total, shards, shard), 0)
        else:
            todo.append(shard)
    if processes <= 1:
        for shard in todo:
            for message in _shard(container, out, kind, shard, shards, total, skip_damaged):
                tell.add(*message)
        return
    _by_processes(container, out, kind, todo, shards, total, processes, skip_damaged, tell)


def _first(total, shards, shard):
    return total * shard // shards  # as readers divide a data set


def _shard(container, out, kind, shard, shards, total, skip_damaged):
    """Writes a shard; yields (samples, bytes, failures) on the way."""
    failures = []
    report = (lambda *failure: failures.append(failure)) if skip_damaged else None
    index = _first(total, shards, shard)
    made = writer(kind, shard_path(kind, out, shard, shards), container.classes)
    size = since = 0
    try:
        for data, label, _ in samples_of(container, shard, shards, report):
            made.add(index, data, label)
            index, size, since = index + 1, size + len(data), since + 1
            if since == _EVERY:
                yield since, size, ()
                size = since = 0
        made.finish()
    except BaseException:
        made.leave()
        raise
    yield since, size, failures


def _by_processes(container, out, kind, todo, shards, total, processes, skip_damaged, tell):
    context = multiprocessing.get_context("spawn")
    messages = context.Queue()
    workers = [
        context.Process(
            target=_work, daemon=True,
            args=(container, out, kind, todo[i::processes], shards, total, skip_damaged, messages),
        )
        for i in range(processes)
    ]  # fmt: skip
    for worker in workers:
        worker.start()
    try:
        working = len(workers)
        while working:
            try:
                message = messages.get(timeout=1)
            except queue.Empty:
                dead = [worker for worker in workers if worker.exitcode not in (None, 0)]
                if dead:
                    raise RuntimeError(f"a process that packs ended with exit code {dead[0].exitcode}") from None
                continue
            if message is None:
                working -= 1
            elif isinstance(message, str):
                raise RuntimeError(message)
            else:
                tell.add(*message)
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()


def _work(container, out, kind, todo, shards, total, skip_damaged, messages):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that began this one ends it
    try:
        for shard in todo:
            for message in _shard(container, out, kind, shard, shards, total, skip_damaged):
                messages.put(message)
        messages.put(None)
    except Exception as error:
        messages.put(f"{error}")
