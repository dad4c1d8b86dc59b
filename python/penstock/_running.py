"""Running a pipeline: batches are started ahead, fed by external sources, and taken in order."""

import weakref

from ._build import reachable
from ._callbacks import explained, stop
from ._context import mark
from ._enumerations import PipelineAPIType
from ._feeding import ExternalSource, make_feeders, named_feeders
from ._operator import refuse_foreign
from ._options import check_max_batch_size
from ._processes import start
from ._results import Outputs
from ._together import take_together
from .errors import ArgumentError, NotFedError, UnknownNameError


class Running:
    """The part of `Pipeline` that gives batches."""

    def run(self, cuda_stream=None, /, **inputs):
        """The next batch: one `TensorListCPU`, or `TensorListGPU`, per output. `StopIteration` when a source has ended.

        Args
        ----
        cuda_stream
            Ignored: outputs are complete, or ordered by the streams that read them.
        inputs
            Batches for external sources, by name: fed first, as by `feed_input`.
        """
        del cuda_stream
        for name, data in inputs.items():
            self.feed_input(name, data)
        self._use(PipelineAPIType.BASIC)
        self._fill()
        return self._take()

    def schedule_run(self):
        """Starts the next batch (several the first time) without waiting for it."""
        self._use(PipelineAPIType.SCHEDULED)
        if self._started:
            self._start_one()
        else:
            self._fill()

    def share_outputs(self, cuda_stream=None):
        """The next batch; earlier ones stay valid. `cuda_stream` is ignored."""
        del cuda_stream
        self._use(PipelineAPIType.SCHEDULED)
        return self._take()

    def release_outputs(self):
        """Does nothing: batches belong to whoever holds them."""

    def outputs(self, cuda_stream=None):
        """`release_outputs`, then `share_outputs`. `cuda_stream` is ignored."""
        return self.share_outputs(cuda_stream)

    def _fill(self):
        """Keeps the engine busy: as many batches in the making as were asked for and can be fed."""
        self.build()
        while self._engine.in_flight() < self._depth and self._can_start():
            self._start_one(only_fed=True)

    def iter_setup(self):
        """What subclasses override: called before each batch that is started, mostly to `feed_input`.

        `StopIteration` from it ends the epoch, as from a source; the batches in the making still come out.
        """

    def start_py_workers(self):
        """Starts the processes that call parallel sources, where `py_start_method` asks for any; `build` does it, too.

        Forked processes should start before the program starts threads or uses a GPU. Threads start with the first
        batch.
        """
        if self._sources_started:
            return
        batch_size, workers = check_max_batch_size(self.max_batch_size), self._given["py_num_workers"] or 0
        graph = self._definition()
        if self._nodes is None:
            self._feeders = named_feeders(graph, batch_size)
        elif self._given["py_start_method"] == "thread":
            self._feeders = make_feeders(self._feed_names, batch_size, max(workers, 1))
        else:
            feeds = dict.fromkeys(operator.attached for operator in self._feed_names)
            self._processes = start(feeds, workers, self._given["py_start_method"], self._pickler, batch_size)
            if self._processes is not None:
                weakref.finalize(self, self._processes.close).atexit = False
            self._feeders = make_feeders(self._feed_names, batch_size, max(workers, 1))
        self._sources_started = True

    def _can_start(self):
        return not self._ended and self._fault is None and (self._sets_up() or self._can_feed())

    def _sets_up(self):
        """Whether the pipeline's own `iter_setup` is still to be called for the batch that comes next."""
        return not self._is_set_up and getattr(self.iter_setup, "__func__", None) is not Running.iter_setup

    def _can_feed(self):
        return all(feeder.can_feed() for feeder in self._feeders)

    def _set_up(self):
        """Calls `iter_setup`: once for a batch, also where that is not started because it was not fed."""
        if self._sets_up():
            self.iter_setup()
            self._is_set_up = True

    def _start_one(self, only_fed=False):
        """Starts a batch; `only_fed` leaves it where an external source was given nothing for it."""
        self.build()
        if self._ended or self._fault is not None:
            return
        try:
            self._set_up()
            if only_fed and not self._can_feed():
                return
            for feeder in self._feeders:
                feeder.prepare()
        except StopIteration:
            self._ended = True
            return
        except Exception as error:  # noqa: BLE001 - raised behind the batches in the making
            self._fault = error
            return
        for feeder in self._feeders:
            feeder.feed(self._engine)
        self._schedule()
        self._is_set_up = False
        self._scheduled += 1
        self._started = True

    def _schedule(self):
        try:
            self._engine.schedule()
        except ArgumentError as error:
            raise NotFedError(str(error)) from None

    def _take(self):
        [outputs] = take_together([self])
        return outputs

    def _ensure_one(self):
        """Sees to it that a batch is in the making. Raises what a source did, `StopIteration` at its end."""
        self.build()
        if self.empty() and self._feeders:
            self._start_one()  # says what was not fed
        self._refuse_empty()

    def _refuse_empty(self):
        """Raises what comes instead of a batch, where none is in the making."""
        if not self.empty():
            return
        fault, self._fault = self._fault, None
        try:
            raise StopIteration if fault is None else fault
        finally:
            del fault  # its traceback would keep this frame, and the pipeline, until cycles are collected

    def _wait(self):
        """The oldest batch in the making, or what it raised, as a value. Ctrl-C leaves it in the making.

        Runs on any thread; `_took` or `_lost` then counts it on that of the user.
        """
        made, self._put_back = self._put_back, None
        if made is None:
            made = self._waited()
        self._oldest = self._oldest + 1 if isinstance(made, Exception) else made.iteration + 1
        return made

    def _waited(self):
        try:
            outputs = Outputs(self._engine.wait())
            self._contract.check(outputs)
        except Exception as error:  # noqa: BLE001 - raised by the one who waits
            error.__traceback__ = error.__traceback__.tb_next  # not this frame, which would keep the pipeline
            return error if self._nodes is None else explained(error, reachable(self._nodes, self._sinks))
        return outputs

    def _wait_again(self, made):
        """Takes back what `_wait` gave: it gives it again."""
        self._put_back = made
        self._oldest -= 1

    def _drop_one(self):
        """Forgets the oldest batch in the making."""
        self._wait()

    def _took(self, iteration):
        self._taken = iteration + 1

    def _lost(self):
        """Counts the batches that failed: states go on behind them."""
        self._taken = self._oldest

    def _stand_at(self, iteration):
        """That batch is the next, in the making or not."""
        self._taken = self._scheduled = self._oldest = iteration
        self._put_back = self._fault = None

    def reset(self):
        """Begins the next epoch of external sources, once all batches of this one were taken."""
        if self._at_source_end(ask=True):
            self._next_source_epoch()

    def _at_source_end(self, ask=False):
        """Whether a source has nothing behind the batches that were taken, as far as is known or it says when asked."""
        if self._taken != self._scheduled:
            return False
        if ask and self._can_start():
            self._start_one()
        return self._ended

    def _next_source_epoch(self):
        self._ended = self._started = self._is_set_up = False
        self._generation += 1
        for feeder in self._feeders:
            feeder.reset()

    @property
    def _can_begin_anew(self):
        """Whether no data is lost when batches in the making are dropped and sources begin their next epoch."""
        return all(feeder.source is not None and feeder.source.can_restart for feeder in self._feeders)

    def _begin_anew(self, iteration):
        """Drops what is in the making; with that batch, counted from the start of the run, sources begin an epoch."""
        if not iteration == self._taken == self._scheduled:
            self._engine.seek(iteration)
        self._stand_at(iteration)
        self._next_source_epoch()

    def empty(self):
        """Whether no started batch is left to take."""
        return self._engine is None or (self._put_back is None and self._engine.in_flight() == 0)

    def feed_input(self, data_node, data, layout=None, cuda_stream=None, use_copy_kernel=False):
        """Gives a batch to an external source that has no source of its own.

        Args
        ----
        data_node : DataNode or str
            The source, or its name. `KeyError` when there is none.
        data : array or list of arrays
            One array whose outermost axis is the batch, or one array per sample; at most `max_batch_size` samples.
        layout : str
            Axis letters of a sample, such as "HWC".
        cuda_stream, use_copy_kernel
            Ignored: data is in host memory.
        """
        del cuda_stream, use_copy_kernel
        self.build()
        if not isinstance(data_node, str):
            refuse_foreign([data_node.source], mark(self), "[feed_input]")
            data_node = self._feed_names.get(data_node.source)
        name = data_node
        for feeder in self._feeders:
            if feeder.answers_to(name):
                feeder.give(self._engine, data, layout)
                return
        raise UnknownNameError(f"Could not find an input operator with name {name!r}")

    def external_sources(self):
        """The external sources, for plugins that feed pipelines like this one: a list of `ExternalSource`."""
        self._definition()
        feeds = {}
        for operator, name in self._feed_names.items():
            feeds.setdefault(operator.attached, []).append(name)
        return [ExternalSource(feed, names) for feed, names in feeds.items()]

    def input_feed_count(self, input_name):
        """Batches that must be fed to `input_name` before the first one comes out: 1."""
        del input_name
        return 1

    def close(self):
        """Ends the workers' part in this pipeline and closes its files. It cannot run again.

        A Python function that runs is waited for. Ctrl-C (`KeyboardInterrupt`) ends the wait, and leaves it behind.
        """
        if self._nodes is not None:
            stop(reachable(self._nodes, self._sinks))
        for feeder in self._feeders:
            feeder.close()
        if self._processes is not None:
            self._processes.close()
        if self._engine is not None:
            self._engine.close()

    def _use(self, api):
        """One pipeline is used in one style: run(), schedule_run() and share_outputs(), or an iterator."""
        if self._api is None:
            self._api = api
        elif self._api_checked and self._api != api:
            raise RuntimeError(
                f"Mixing pipeline API type. Currently used: {self._api!s}, but trying to use {api!s}. Use one of them "
                "for one pipeline, or call enable_api_check(False)."
            )

    def enable_api_check(self, enable):
        """With `enable` (the default) `RuntimeError` is raised when styles of use are mixed."""
        self._api_checked = enable
