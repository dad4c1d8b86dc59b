"""The processes of a pipeline, and the parent's ends of what connects it with them."""

import contextlib
import functools
import multiprocessing
import pickle
import threading
import time
import weakref
from multiprocessing import reduction

from .._pickling import UserPickler
from .blocks import Blocks
from .remote import Remote
from .worker import unpickled_sources, work

_GRACE_S = 1  # s that a call in progress has to return when a pipeline ends; then its process is ended
_pools = weakref.WeakSet()


class WorkerError(RuntimeError):
    """Why a worker process gave no batch: the text holds its traceback."""

    def __str__(self):
        return f"in a worker process\n\n{super().__str__()}"


def start(feeds, count, method, pickler, batch_size):
    """Starts processes for those of the feeds whose sources are parallel. None where there are none.

    `RuntimeError` where `count` is 0, and what the pickler raises for sources that it cannot write.
    """
    feeds = [feed for feed in feeds if feed.source is not None and feed.source.depth]
    if not feeds:
        return None
    if not count:
        raise RuntimeError(
            "The external source cannot run in parallel mode without Python workers pool: py_num_workers is "
            f"{count}; give the pipeline 1 or more, or py_start_method='thread'"
        )
    pool = Pool([feed.source for feed in feeds], count, method, UserPickler(pickler), [
        _blocks(feed, count, batch_size) for feed in feeds
    ])  # fmt: skip
    for number, feed in enumerate(feeds):
        feed.source = Remote(feed.source, pool, number)
        feed.copy = False  # what lies in shared memory belongs to this batch until it is given back
    return pool


def _blocks(feed, count, batch_size):
    parts = 1 if feed.source.batch else min(count, batch_size)
    samples = -(-batch_size // parts)
    return Blocks(parts * (feed.source.depth + 1), (feed.bytes_per_sample or 0) * samples, samples)


class Pool:
    """`count` processes that call `sources`.

    Args
    ----
    sources : list of Source
        Forked processes have them as they are; for others they are pickled, here and now.
    count : int
        Processes.
    method : "fork" or "spawn"
        How they start.
    pickler : UserPickler
        For what the user gave.
    blocks : list of Blocks
        The shared memory of each source.
    """

    def __init__(self, sources, count, method, pickler, blocks):
        self.count = count
        self.method = method
        self._blocks = blocks
        context = multiprocessing.get_context(method)
        if method == "fork":
            make = functools.partial(list, sources)
        else:
            make = functools.partial(unpickled_sources, [_taken_apart(one, pickler) for one in sources])
        self._workers = []
        _pools.add(self)
        weakref.finalize(self, _end, self._workers).atexit = False
        for _ in range(count):
            self._workers.append(_Worker(context, make, method == "fork"))
        self.processes = [worker.process for worker in self._workers]
        self._condition = threading.Condition()
        self._free = list(range(count))

    def pids(self):
        """The numbers of the processes."""
        return [process.pid for process in self.processes]

    def statistics(self):
        """Bytes of the blocks of all sources, and likewise for each sample."""
        found = [blocks.capacities() for blocks in self._blocks]
        return {
            "capacities": [size for sizes, _ in found for size in sizes],
            "per_sample_capacities": [size for _, sizes in found for size in sizes],
        }

    def ask(self, number, asked, worker=None):
        """What source `number` gives in a process that has nothing else to do, or in that of the number `worker`.

        `StopIteration` at its end, and what it raised, with the process's traceback as the cause.
        """
        with self._lent(None if worker is None else worker % self.count) as one:
            block = self._blocks[number].take()
            kind, answer = one.answer(number, block, asked)
        if kind == "shared":
            text, spans, capacity = answer
            return pickle.loads(text, buffers=block.arrays(spans, capacity, self._blocks[number].give_back))
        self._blocks[number].give_back(block)
        if kind == "small":
            text, buffers = answer
            return pickle.loads(text, buffers=[bytearray(one) for one in buffers])
        if kind == "ended":
            raise StopIteration
        raise _raised(*answer)

    @contextlib.contextmanager
    def _lent(self, wanted):
        if not self._workers:
            raise RuntimeError("the worker processes of this pipeline were ended; build another pipeline to go on")
        with self._condition:
            self._condition.wait_for(lambda: self._free if wanted is None else wanted in self._free)
            number = self._free[0] if wanted is None else wanted
            self._free.remove(number)
        try:
            yield self._workers[number]
        finally:
            with self._condition:
                self._free.append(number)
                self._condition.notify_all()

    def close(self):
        """Ends the processes, each after the call in progress, or after a second."""
        _end(self._workers)


def _taken_apart(source, pickler):
    """What the user gave, by the user's pickler, and the rest."""
    given, source.given = source.given, None
    try:
        return pickler.dumps(given), pickle.dumps(source)
    finally:
        source.given = given


def _raised(pickled, said, text):
    cause = WorkerError(text)
    error = RuntimeError(said) if pickled is None else pickle.loads(pickled)
    error.__cause__ = cause
    return error


class _Worker:
    """One process and the connection to it."""

    def __init__(self, context, make, forked):
        self.connection, theirs = context.Pipe()
        others = [self.connection]
        if forked:
            others += [one.connection for pool in list(_pools) for one in pool._workers]
        self.process = context.Process(
            target=work, args=(theirs, others if forked else [], make), name="penstock-source", daemon=True
        )
        self.process.start()
        theirs.close()

    def answer(self, number, block, asked):
        new = self not in block.known_to
        try:
            self.connection.send((number, block.number, new, asked))
            if new:
                block.known_to.add(self)
                reduction.send_handle(self.connection, block.file, self.process.pid)
            return self.connection.recv()
        except (EOFError, OSError) as error:
            raise self._gone() from error

    def _gone(self):
        self.process.join(_GRACE_S)
        code = self.process.exitcode
        how = f"was ended by signal {-code}" if code is not None and code < 0 else f"ended with exit code {code}"
        return RuntimeError(
            f"worker process {self.process.pid} of a parallel external source {how}; it may have run out of memory, or "
            "the source crashed"
        )


def _end(workers):
    for worker in workers:
        worker.connection.close()
    end = time.monotonic() + _GRACE_S
    for worker in workers:
        worker.process.join(max(0, end - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
    workers.clear()
