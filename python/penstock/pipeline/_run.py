"""A pipeline at work: which batches were taken, and which are in the making."""

import weakref

from .._callbacks import explained
from ..errors import ArgumentError, NotFedError
from ._feeding import make_feeders, named_feeders
from ._results import Outputs


class Run:
    """Where a pipeline stands: it owns what is taken, scheduled and oldest, the engine and the sources.

    Used by one thread at a time, but for what says otherwise. It does not keep its pipeline alive: its user does.
    `contract.run_of` gives it.

    Args
    ----
    pipeline : Pipeline
        Whose run it is.
    options, policy, consumer_steps
        As the attributes.
    check : callable
        Raises for outputs that are not what was promised.

    Attributes
    ----------
    taken : int
        Batches handed out since the start of the run; states stand behind them. A caller that hands out a batch
        without `took` sets it.
    scheduled, oldest : int
        Likewise, started, and waited for to their end.
    generation : int
        Changes whenever batches in the making are no longer those that come next.
    engine : penstock._core.Pipeline
        What makes the batches; None before `Pipeline.build`.
    depth : int
        Batches in the making at a time, by the host and a GPU together; None before `Pipeline.build`.
    operators : list
        Those of the graph; empty before `Pipeline.build`, and where the graph was read from a file.
    feeders : list
        The external sources at work; empty before `Pipeline.build`, and in pipelines that need no data of the user's.
    processes
        Those that call parallel sources, or None.
    consumer_steps : list
        What is done by the thread that takes a batch, by number; the same list as in the definition.
    options : dict
        The arguments that the pipeline was given, by name.
    policy : Policy
        Its choices.
    iterator_state : dict or None
        What the iterator saves with the state of the pipeline; the iterator sets it.
    """

    def __init__(self, pipeline, options, policy, consumer_steps, check):
        self._pipeline = weakref.ref(pipeline)  # a user that drops the pipeline ends it
        self.options, self.policy, self.consumer_steps = options, policy, consumer_steps
        self.engine = self.depth = self.processes = self.iterator_state = None
        self.feeders = []
        self.operators = []
        self.taken = self.scheduled = self.oldest = self.generation = 0
        self._check = check
        self._api, self.checks_api = None, True
        self._sources_started = False
        self._ended = False  # a source has come to its end; batches in the making still come out
        self._fault = None  # what a source raised; comes out behind the batches in the making
        self._started = False  # a batch was, since sources began their epoch
        self._is_set_up = False  # `iter_setup` was called for the batch that comes next
        self._put_back = None  # what the wait for the oldest gave, where Ctrl-C ended that of another pipeline
        self._also_reset = []

    # Beginning --------------------------------------------------------------------------------------------------------

    def use(self, api):
        """Says in which style the pipeline is used.

        Args
        ----
        api : types.PipelineAPIType
            `RuntimeError` for another one than before, unless `Pipeline.enable_api_check` was told not to look.
        """
        if self._api is None:
            self._api = api
        elif self.checks_api and self._api != api:
            raise RuntimeError(
                f"Mixing pipeline API type. Currently used: {self._api!s}, but trying to use {api!s}. Use one of them "
                "for one pipeline, or call enable_api_check(False)."
            )

    def start_sources(self, graph, feed_names, batch_size, start_processes):
        """Makes the feeders, once.

        Args
        ----
        graph : penstock._core.Graph
            What the sources feed.
        feed_names : dict or None
            Names of the sources by their operators; None where the graph was read from a file, and all are fed by name.
        batch_size : int
            Samples per batch, at most.
        start_processes : callable
            Gives what calls parallel sources, or None for threads.
        """
        if self._sources_started:
            return
        if feed_names is None:
            self.feeders = named_feeders(graph, batch_size, self.policy.follows)
        else:
            self.processes = start_processes()
            workers = max(self.options["py_num_workers"] or 0, 1)
            self.feeders = make_feeders(feed_names, batch_size, workers, self.policy.follows)
        self._sources_started = True

    def also_reset(self, function):
        """Has `function` called whenever sources begin their next epoch."""
        self._also_reset.append(function)

    def begin(self, engine, operators):
        """The graph was planned: `engine` makes its batches, `operators` are those of the graph."""
        self.engine, self.depth, self.operators = engine, engine.depth(), operators

    def build(self):
        """`Pipeline.build`, where that is still to be done."""
        if self.engine is None:
            self._pipeline().build()

    # Starting batches -------------------------------------------------------------------------------------------------

    def fill(self):
        """Keeps the engine busy: as many batches in the making as were asked for and can be fed."""
        self.build()
        while self.engine.in_flight() < self.depth and self._can_start():
            self.start_one(only_fed=True)

    def start_next(self):
        """Starts one more batch; as `fill` does where none was in this epoch of the sources."""
        if self._started:
            self.start_one()
        else:
            self.fill()

    def start_one(self, only_fed=False):
        """Starts a batch; `only_fed` leaves it where an external source was given nothing for it."""
        self.build()
        if self._ended or self._fault is not None:
            return
        try:
            if self._sets_up():
                self._pipeline().iter_setup()  # once for a batch, also where that is not started, being not fed
                self._is_set_up = True
            if only_fed and not self._can_feed():
                return
            for feeder in self.feeders:
                feeder.prepare()
        except StopIteration:
            self._ended = True
            return
        except Exception as error:  # noqa: BLE001 - raised behind the batches in the making
            self._fault = error
            return
        for feeder in self.feeders:
            feeder.feed(self.engine)
        try:
            self.engine.schedule()
        except ArgumentError as error:
            raise NotFedError(str(error)) from None
        self._is_set_up = False
        self.scheduled += 1
        self._started = True

    def _can_start(self):
        return not self._ended and self._fault is None and (self._sets_up() or self._can_feed())

    def _sets_up(self):
        """Whether the pipeline's own `iter_setup` is still to be called for the batch that comes next."""
        pipeline = self._pipeline()  # gone where a thread still makes what an iterator, gone with it, had asked for
        return not self._is_set_up and pipeline is not None and pipeline._sets_up

    def asks_python(self):
        """Whether starting a batch calls Python's sources, or an `iter_setup`."""
        pipeline = self._pipeline()
        return bool(self.feeders) or (pipeline is not None and pipeline._sets_up)

    def _can_feed(self):
        return all(feeder.can_feed() for feeder in self.feeders)

    # Taking batches ---------------------------------------------------------------------------------------------------

    def empty(self):
        """Whether no started batch is left to take."""
        return self.engine is None or (self._put_back is None and self.engine.in_flight() == 0)

    def ensure_one(self):
        """Sees to it that a batch is in the making. Raises what a source did, `StopIteration` at its end."""
        self.build()
        if self.empty() and self.feeders:
            self.start_one()  # says what was not fed
        self.refuse_empty()

    def refuse_empty(self):
        """Raises what comes instead of a batch, where none is in the making."""
        if not self.empty():
            return
        fault, self._fault = self._fault, None
        try:
            raise StopIteration if fault is None else fault
        finally:
            del fault  # its traceback would keep this frame, and the pipeline, until cycles are collected

    def wait(self):
        """The oldest batch in the making, or what it raised, as a value. Ctrl-C leaves it in the making.

        Runs on any thread; `took` or `lost` then counts it on that of the user.
        """
        made, self._put_back = self._put_back, None
        if made is None:
            made = self._waited()
        self.oldest = self.oldest + 1 if isinstance(made, Exception) else made.iteration + 1
        return made

    def _waited(self):
        try:
            outputs = Outputs(self.engine.wait())
            self._check(outputs)
        except Exception as error:  # noqa: BLE001 - raised by the thread that waits
            error.__traceback__ = error.__traceback__.tb_next  # not this frame, which would keep the pipeline
            error = explained(error, self.operators)
            self.policy.explain(error, self.operators, "in")
            return error
        return outputs

    def wait_again(self, made):
        """Takes back what `wait` gave, which is `made`: it gives it again."""
        self._put_back = made
        self.oldest -= 1

    def took(self, iteration):
        """Counts the batch of the number `iteration`, from the start of the run, and all before it as taken."""
        self.taken = iteration + 1

    def lost(self):
        """Counts the batches that failed: states go on behind them."""
        self.taken = self.oldest

    # Going elsewhere --------------------------------------------------------------------------------------------------

    def stand_at(self, iteration):
        """The batch of the number `iteration`, from the start of the run, is the next, in the making or not."""
        self.taken = self.scheduled = self.oldest = iteration
        self._put_back = self._fault = None

    def load(self, iteration, positions):
        """Goes on elsewhere in the run.

        Args
        ----
        iteration : int
            The next batch, counted from the start of the run; the engine stands before it.
        positions : list of dict
            Where each of `own_sources` stands, as their `position` gave it.
        """
        self.stand_at(iteration)
        self.generation += 1
        self._ended = self._started = False
        for feeder, position in zip(self.own_sources(), positions, strict=True):
            feeder.seek(position)

    def own_sources(self):
        """Feeders whose sources are asked; users feed the others."""
        return [feeder for feeder in self.feeders if feeder.source is not None]

    def fed_names(self):
        """Names of the external sources that are fed by name, having no `source`."""
        return [name for feeder in self.feeders if feeder.source is None for name in feeder.names]

    def at_source_end(self, ask=False):
        """Whether a source has nothing behind the batches that were taken, as far as known; with `ask` it is asked."""
        if self.taken != self.scheduled:
            return False
        if ask and self._can_start():
            self.start_one()
        return self._ended

    def next_source_epoch(self):
        """Sources begin their next epoch; all batches of this one were taken or dropped."""
        self._ended = self._started = self._is_set_up = False
        self.generation += 1
        for feeder in self.feeders:
            feeder.reset()
        for function in self._also_reset:
            function()

    @property
    def can_begin_anew(self):
        """Whether no data is lost when batches in the making are dropped and sources begin their next epoch."""
        return all(feeder.source is not None and feeder.source.can_restart for feeder in self.feeders)

    def begin_anew(self, iteration):
        """Drops what is in the making; with batch `iteration` of the run, sources begin an epoch."""
        if not iteration == self.taken == self.scheduled:
            self.engine.seek(iteration)
        self.stand_at(iteration)
        self.next_source_epoch()

    def reader_start(self, name):
        """(epoch, batch, batches that were left of that epoch) with which this run of the reader `name` began."""
        self.build()
        [meta] = [meta for meta in self.engine.readers() if meta.name == name]
        return meta.first_epoch, meta.first_iteration, meta.steps_in_first_epoch

    def close(self):
        """Ends sources, processes and engine, for good."""
        for feeder in self.feeders:
            feeder.close()
        if self.processes is not None:
            self.processes.close()
        if self.engine is not None:
            self.engine.close()
