"""Keeps external sources ahead of the engine."""

import copy
import time
import warnings

from .. import _core, _origin
from .._sources import check_size
from .._threads import Threads

_LONGEST_NAME = 103  # as DALI has it


class Feeder:
    """Feeds one `_Feed` of `external_source` into the engine, ahead in threads when its source is parallel."""

    def __init__(self, feed, names, batch_size, workers, used=None, follows=None):
        self._feed = feed
        self._follows = follows  # says whether a batch may follow another one: see `Policy`
        self._kinds = {}  # of the last batches, by output
        self.names = names
        self._used = range(len(names)) if used is None else used  # outputs that the graph needs: those of these names
        self._batch_size = batch_size
        self._num_workers = workers if feed.source is not None and feed.source.concurrent else 1
        if feed.source is not None and feed.source.depth:
            feed.source.serve(self._num_workers)
        self._threads = None
        self._ahead = []  # lists of futures, one list a batch
        self._ready = None  # the next batch, one for each name, until the other feeders have theirs, too
        self._ended = False  # the source has
        self._took = [0, 0, 0]  # calls ahead, their seconds, and those of them that a core worked

    @property
    def source(self):
        return self._feed.source

    def can_feed(self):
        """Whether the next batch is there without asking the user to feed it."""
        return (
            self.source is not None
            or self._feed.pending > 0
            or (self._feed.repeat_last and self._feed.last is not None)
        )

    def prepare(self):
        """Gets the next batch from the source. `StopIteration` when that has come to its end.

        After an error, which is the source's own, the source stands before that batch: it is asked for it again.
        """
        if self.source is not None and self._ready is None:
            try:
                self._ready = self._next()
            except StopIteration:
                self._ended = True
                raise

    def taken(self):
        """The next batch from the source, one for each name."""
        self.prepare()
        batches, self._ready = self._ready, None
        return batches

    def feed(self, engine):
        """Gives the engine the batch that was prepared."""
        if self.source is None:
            self._refeed(engine)
            return
        batches, self._ready = self._ready, None
        for name, output in zip(self.names, self._used, strict=True):
            engine.feed(name, batches[output])

    def _refeed(self, engine):
        if self._feed.pending:
            self._feed.pending -= 1
        elif self._feed.repeat_last and self._feed.last is not None:
            engine.feed(self.names[0], self._feed.last)

    def answers_to(self, name):
        return name in self.names

    def give(self, engine, data, layout):
        """What the user feeds."""
        if self.source is not None:
            raise RuntimeError("an external source that has a `source` cannot be fed by hand")
        batch = self._feed.convert(data, layout or None)
        check_size(self.names[0], batch, self._batch_size)
        self._check_kinds([batch])
        engine.feed(self.names[0], batch)
        self._feed.pending += 1
        self._feed.last = batch if self._feed.repeat_last else None

    def _next(self):
        source = self.source
        try:
            results = self._asked_ahead() if source.depth else [call() for call in self._calls()]
            batches = self._feed.batches(source.join(results), self._batch_size)
            self._check_kinds(batches)
        except Exception:
            if source.can_seek:
                self._forget_ahead()  # all are asked for again, in order
            else:
                del self._ahead[:1]
            raise
        source.iteration += 1
        del self._ahead[:1]
        return batches

    def _check_kinds(self, batches):
        """Refuses batches of a type, rank or layout that may not follow those of the last ones."""
        for i, batch in enumerate(batches if self._follows else ()):
            if len(batch):
                kind = batch.dtype, len(batch[0].shape()), batch.layout()
                self._feed.explained(lambda i=i, kind=kind: self._follows(self._kinds.get(i), kind))
                self._kinds[i] = kind

    def _calls(self):
        """What gives the first batch that was not asked for yet."""
        return self.source.calls(self.source.iteration + len(self._ahead), self._batch_size)

    def _asked_ahead(self):
        """The results of the oldest calls in the threads."""
        if self._threads is None:
            self._threads = Threads(self._num_workers, "penstock-source")
        while len(self._ahead) <= self.source.depth:
            self._ahead.append([self._threads.submit(_timed, call) for call in self._calls()])
        results = []
        for future in self._ahead[0]:
            ended, value, took = future.result()
            self._took = [one + more for one, more in zip(self._took, took, strict=True)]
            if ended:
                raise StopIteration
            results.append(value)
        return results

    def _forget_ahead(self):
        for futures in self._ahead:
            for future in futures:
                if not future.cancel():
                    future.exception()  # waits: an iterable must not be asked by two at a time
        self._ahead.clear()

    def reset(self):
        """The next epoch, for which the source is asked anew; one that cannot begin anew goes on, and loses nothing."""
        if self.source is not None and (self._ended or self.source.can_restart):
            self._forget_ahead()
            self._ready = None
            self._ended = False
            self.source.reset()

    def explained(self):
        """What calls the source ahead and how that goes, as a line; nothing where it is not parallel."""
        if self.source is None or not self.source.depth:
            return ""
        calls, seconds, on_core = self._took
        text = f"source {', '.join(self.names)}: {self.source.called_by} x {self._num_workers}, calls: {calls}"
        if self._num_workers > 1 and self.source.called_by == "thread" and seconds:
            text += (
                f", {on_core / seconds:.0%} of their time on a core; the rest they waited, for Python's lock unless the"
                " source itself waits for something: processes (py_start_method of the pipeline) do not share that lock"
            )
        return text + "\n"

    def position(self, in_flight):
        """Where the source stands after the batches that were taken; those in the making do not count."""
        untaken = in_flight + (self._ready is not None)
        return {"epoch": self.source.epoch, "iteration": self.source.iteration - untaken}

    def warn_of_lost_state(self, before=""):
        """Says that checkpoints will not hold where the source stands, where it cannot be asked for a place.

        The words `before` come first.
        """
        if self.source is not None and not self.source.can_seek:
            warnings.warn(
                f"{before}checkpoints of this pipeline do not capture the state of its external source, "
                f"{self.source.kind}: "
                "with a restored checkpoint it begins anew, and may not match other data. Use a callable that takes "
                "the number of the sample or batch, or bring the source to its place yourself.",
                RuntimeWarning,
                stacklevel=_origin.stack_level(),
            )

    def seek(self, position):
        """Goes on from such a position, where the source can."""
        if not self.source.can_seek:
            warnings.warn(
                "cannot capture state of such 'source': it begins anew. Use a callable that takes the number of the "
                "sample or batch.",
                RuntimeWarning,
                stacklevel=2,
            )
            return
        self.reset()
        self.source.epoch, self.source.iteration = position["epoch"], position["iteration"]

    def close(self):
        if self._threads is not None:
            self._threads.close()


def _timed(call):
    """Whether the source has ended, what it gave, and the times: StopIteration cannot pass through a future."""
    begun, on_core = time.perf_counter(), time.thread_time()
    try:
        ended, value = False, call()
    except StopIteration:
        ended, value = True, None
    return ended, value, (1, time.perf_counter() - begun, time.thread_time() - on_core)


class ExternalSource:
    """An external source of a pipeline: `names` of its outputs, `named` by the user or not, `batch` as it was said.

    `source` is None where it is fed by name.
    """

    def __init__(self, feed, names):
        self._feed = feed
        self.names, self.batch, self.source = names, feed.batch, feed.source
        self.named = all(node.source.name for node in feed.nodes)

    def anew(self, batch_size):
        """The source at its beginning, for another pipeline: calling it gives a dict of batches by name."""
        feed = copy.copy(self._feed)
        feed.source = self.source.anew()
        feeder = Feeder(feed, self.names, batch_size, 1)
        return lambda: dict(zip(self.names, feeder.taken(), strict=True))


def make_feeders(names, batch_size, workers, follows=None):
    """One feeder for each call of `external_source`; `names` are those that the engine knows, by operator.

    `follows` is that of the `Policy`.
    """
    feeders = {}
    for op, name in names.items():
        feeders.setdefault(op.attached, {})[op] = name
    return [
        Feeder(feed, list(own.values()), batch_size, workers, _used_outputs(feed, own), follows)
        for feed, own in feeders.items()
    ]


def _used_outputs(feed, used):
    """Which outputs of the source these operators are; a warning names the others."""
    outputs = [node.source for node in feed.nodes]
    unused = [str(i) for i, one in enumerate(outputs) if one not in used]
    if unused and feed.source is not None:
        those = (
            f"output at the index {unused[0]} is"
            if len(unused) == 1
            else f"outputs at the indices {', '.join(unused)} are"
        )
        warnings.warn(
            f"The external source node '{_shown(feed.source.given)}' produces {len(outputs)} outputs, "
            f"but the {those} not used.",
            UserWarning,
            stacklevel=_origin.stack_level(),
        )
    return [outputs.index(one) for one in used]


def _shown(source):
    """What the user gave, as Python shows it."""
    text = str(source)
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 3] + "..."


class NamedFeed:
    """An external source that came without Python objects, in a deserialised graph: fed by name only."""

    source = None
    bytes_per_sample = None
    repeat_last = False
    last = None

    def __init__(self):
        self.pending = 0

    def convert(self, data, layout=None):
        return _core.batch_of(data, layout, True)

    def explained(self, work):
        return work()


def named_feeders(graph, batch_size, follows=None):
    """Feeders for all external sources of a graph. `follows` is that of the `Policy`."""
    names = [name for op, name, _device, _args in graph.nodes if op == "external_source"]
    return [Feeder(NamedFeed(), [name], batch_size, 1, follows=follows) for name in names]
