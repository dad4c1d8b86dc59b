"""Running a pipeline: batches are started ahead, fed by external sources, and taken in order."""

import weakref

from .._callbacks import stop
from .._context import mark
from .._enumerations import PipelineAPIType
from .._operator import refuse_foreign
from .._options import check_max_batch_size
from .._processes import start
from ..errors import UnknownNameError
from ._feeding import ExternalSource
from ._together import take_together


class Running:
    """The part of `Pipeline` that gives batches; where it stands is in its `Run`."""

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
        self._run.use(PipelineAPIType.BASIC)
        self._run.fill()
        return self._take()

    def schedule_run(self):
        """Starts the next batch (several the first time) without waiting for it."""
        self._run.use(PipelineAPIType.SCHEDULED)
        self._run.start_next()

    def share_outputs(self, cuda_stream=None):
        """The next batch; earlier ones stay valid. `cuda_stream` is ignored."""
        del cuda_stream
        self._run.use(PipelineAPIType.SCHEDULED)
        return self._take()

    def release_outputs(self):
        """Does nothing: batches belong to their holder."""

    def outputs(self, cuda_stream=None):
        """`release_outputs`, then `share_outputs`. `cuda_stream` is ignored."""
        return self.share_outputs(cuda_stream)

    def iter_setup(self):
        """What subclasses override: called before each batch that is started, mostly to `feed_input`.

        `StopIteration` from it ends the epoch, as from a source; the batches in the making still come out.
        """

    @property
    def _sets_up(self):
        """Whether `iter_setup` does anything: it was overridden."""
        return getattr(self.iter_setup, "__func__", None) is not Running.iter_setup

    def start_py_workers(self):
        """Starts the processes that call parallel sources, where `py_start_method` asks for any; `build` does it, too.

        Forked processes should start before the program starts threads or uses a GPU. Threads start with the first
        batch.
        """
        batch_size = check_max_batch_size(self.max_batch_size)
        graph = self._definition()
        names = None if self._nodes is None else self._feed_names
        self._run.start_sources(graph, names, batch_size, self._source_processes)

    def _source_processes(self):
        """Those that call parallel sources, where threads do not."""
        method, workers = self._given["py_start_method"], self._given["py_num_workers"] or 0
        if method == "thread":
            return None
        feeds = dict.fromkeys(operator.attached for operator in self._feed_names)
        processes = start(feeds, workers, method, self._pickler, self.max_batch_size)
        if processes is not None:
            weakref.finalize(self, processes.close).atexit = False
        return processes

    def _take(self):
        [outputs] = take_together([self._run])
        return outputs

    def reset(self):
        """Begins the next epoch of external sources, once all batches of this one were taken."""
        if self._run.at_source_end(ask=True):
            self._run.next_source_epoch()

    def empty(self):
        """Whether no started batch is left to take."""
        return self._run.empty()

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
        for feeder in self._run.feeders:
            if feeder.answers_to(name):
                feeder.give(self._run.engine, data, layout)
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
        """Batches that must be fed to `input_name` before the first one comes out: 1. `KeyError` for no input's name.

        With `penstock.dali` as many as may be in the making, as in DALI.
        """
        self.build()
        if not any(feeder.answers_to(input_name) for feeder in self._run.feeders):
            raise UnknownNameError(f"The pipeline doesn't have an input named {input_name!r}")
        return 1

    def close(self):
        """Ends the workers' part in this pipeline and closes its files. It cannot run again.

        A Python function that runs is waited for. Ctrl-C (`KeyboardInterrupt`) ends the wait, and leaves it behind.
        """
        stop(self._written_operators())
        self._run.close()

    def enable_api_check(self, enable):
        """With `enable` (the default) `RuntimeError` is raised when styles of use are mixed."""
        self._run.checks_api = enable
