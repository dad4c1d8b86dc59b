"""What a pipeline says about itself."""

import contextlib
import json
import warnings

from .._enumerations import CPU_ONLY_DEVICE_ID
from . import _dot
from ._results import failures_of, meta_of


def _given(name, doc):
    return property(lambda self: self._given[name], doc=doc)


class Facts:
    """Properties and reports of `Pipeline`."""

    max_batch_size = _given("batch_size", "Samples per batch, at most.")
    num_threads = _given("num_threads", "Workers that may make samples of this pipeline at a time; None for all cores.")
    exec_pipelined = _given("exec_pipelined", "Whether batches are made before they are wanted.")
    exec_async = _given("exec_async", "Always asynchronous; what was given.")
    exec_dynamic = _given("exec_dynamic", "Kept as given; outputs always belong to their holder.")
    set_affinity = _given("set_affinity", "What was given.")
    prefetch_queue_depth = _given("prefetch_queue_depth", "Batches in the making at a time.")
    enable_memory_stats = _given("enable_memory_stats", "What was given.")
    py_num_workers = _given("py_num_workers", "Threads or processes that call parallel external sources.")
    py_start_method = _given(
        "py_start_method", 'What calls parallel external sources: "thread", or how processes start.'
    )
    stream_policy = _given("stream_policy", "What was given.")
    concurrency = _given("concurrency", "What was given.")
    max_streams = property(lambda self: -1, doc="Ignored.")
    default_cuda_stream_priority = property(lambda self: 0, doc="Ignored.")
    seed = property(lambda self: self._seed, doc="Seed of all random numbers.")
    exec_separated = property(lambda self: isinstance(self.prefetch_queue_depth, dict), doc="What was given.")

    @property
    def is_restored_from_checkpoint(self):
        """Whether the pipeline was built from a `checkpoint`."""
        return self._checkpoint is not None and self._run.engine is not None

    @property
    def device_id(self):
        """GPU that was asked for; None when none was, or `types.CPU_ONLY_DEVICE_ID`."""
        given = self._given["device_id"]
        return None if given == CPU_ONLY_DEVICE_ID else given

    @property
    def batch_size(self):
        """Deprecated name of `max_batch_size`."""
        warnings.warn("`batch_size` is deprecated, use `max_batch_size`", DeprecationWarning, stacklevel=2)
        return self.max_batch_size

    def _queue_size(self, key):
        depth = self.prefetch_queue_depth
        return depth.get(f"{key}_size", depth.get(key)) if isinstance(depth, dict) else depth

    cpu_queue_size = property(lambda self: self._queue_size("cpu"), doc="As given: batches that the host makes.")
    gpu_queue_size = property(lambda self: self._queue_size("gpu"), doc="As given; of an int, a GPU makes one more.")

    @property
    def num_outputs(self):
        """Number of outputs; builds."""
        self.build()
        return len(self._graph.outputs)

    def output_dtype(self):
        """What each output was promised to be; None for any."""
        return self._contract.given("dtype", self.num_outputs)

    def output_ndim(self):
        """Promised number of dimensions of each output; None for any."""
        return self._contract.given("ndim", self.num_outputs)

    def output_layout(self):
        """Promised layout of each output; None for any."""
        return self._contract.given("layout", self.num_outputs)

    def reader_meta(self, name=None):
        """Facts about the reader called `name`, or about all: see `reader_facts`.

        With `penstock.dali` those alone that DALI gives.
        """
        return self.reader_facts(name)

    def reader_facts(self, name=None):
        """Facts about the reader called `name` as a dict, or without `name` about all readers by name. Builds.

        `epoch_size` (samples of the data set), `epoch_size_padded`, `number_of_shards`, `shard_id`, `pad_last_batch`,
        `stick_to_shard`, `steps_per_epoch` (batches) and `epoch_end`. `RuntimeError` for a name that no reader has.
        """
        self.build()
        metas = self._reader_metas()
        if name is None:
            return metas
        if name not in metas:
            raise RuntimeError(
                f"Operator {name} not found or does not expose valid metadata: the readers are {sorted(metas)}"
            )
        return metas[name]

    def _reader_metas(self):
        return {meta.name: meta_of(meta) for meta in self._run.engine.readers()}

    def epoch_size(self, name=None):
        """Samples in the data set of the reader called `name` (padded, when it pads), or of all by name. Builds."""
        metas = self.reader_facts(name)
        if name is not None:
            return metas["epoch_size_padded"]
        return {key: meta["epoch_size_padded"] for key, meta in metas.items()}

    def explain(self):
        """The plan as it is executed, for people to read: a line per step and operator, in order. Builds.

        Parallel sources follow, with what calls them and, of threads, how long they have waited.
        """
        self.build()
        return self._run.engine.explain() + "".join(feeder.explained() for feeder in self._run.feeders)

    def stats(self):
        """What waits for what, since the pipeline was built, as a dict. Builds.

        `batches` and `samples` made, `failures`, `consumer_waited_seconds` (time in which the next batch was waited
        for: near zero where the loader keeps up), `gpu_awaited_seconds` (from the last launch of a batch to its end, of
        batches whose end the host waits for, such as those with files that the GPU decodes), `operators`, a list with
        `operator`, `timed_samples` (not every sample is timed) and `microseconds_per_sample` of each, and `read_ahead`,
        with `hints` (samples that were asked for ahead) and `slow_hints` (those that were not in memory).
        """
        self.build()
        return json.loads(self._run.engine.stats())

    def save_graph_to_dot_file(self, filename, *, show_tensors=False, show_ids=None, use_colors=False):
        """Writes the graph for Graphviz (``dot -Tsvg``). Builds.

        Args
        ----
        filename : str or os.PathLike
            The file to write.
        show_tensors : bool
            Whether outputs of operators are boxes of their own.
        show_ids
            Deprecated, without effect.
        use_colors : bool
            Whether colours tell "cpu", "gpu" and "mixed".
        """
        if show_ids is not None:
            warnings.warn("`show_ids` is deprecated and has no effect", DeprecationWarning, stacklevel=2)
        self.build()
        with open(filename, "w", encoding="utf-8") as file:
            file.write(_dot.text(json.loads(self._graph.to_json()), show_tensors, use_colors))

    def executor_statistics(self):
        """An empty dict, as DALI's dynamic executor gives; see `stats` and `penstock.memory`. Builds."""
        self.build()
        return {}

    def external_source_shm_statistics(self):
        """Memory shared with the processes that call parallel sources, as a dict of lists. Builds.

        `capacities` has the bytes of each block, which is one result of a worker, and `per_sample_capacities` likewise
        for each sample of it. Both are empty where threads call, or no source is parallel.
        """
        self.build()
        processes = self._run.processes
        return {"capacities": [], "per_sample_capacities": []} if processes is None else processes.statistics()

    @property
    def output_stream(self):
        """None: outputs are complete, or ordered by the streams that read them. Builds."""
        self.build()

    @contextlib.contextmanager
    def trace(self, path):
        """Records which thread worked on which sample when: ``with pipe.trace("timeline.json"): pipe.run()``. Builds.

        The file is written at the end of the block, also after an error, and opens in https://ui.perfetto.dev or
        chrome://tracing. One row a thread, one event for each operator and sample, with `batch` (from the start of the
        run) and `sample` (its slot in the batch); times are in microseconds. Recording costs a short lock an event.

        Args
        ----
        path : str or os.PathLike
            Where to write the last million events. `OSError` at the beginning of the block when that cannot be done.
        """
        self.build()
        with open(path, "w", encoding="utf-8") as file:
            self._run.engine.set_tracing(True)
            try:
                yield
            finally:
                self._run.engine.set_tracing(False)
                file.write(self._run.engine.trace())

    def failures(self):
        """Samples that could not be made so far, the last 10,000, as a list in the order in which they were met.

        Each has `iteration` (of the batch, from the start of the run), `slot` (in the batch), `index` (in the data set,
        -1 without a reader), `source` (file or key), `stage` (the operator that gave up) and `reason`. With every
        `on_error`, also when the error was raised. What a Python function raised is not among them.
        """
        return [] if self._run.engine is None else failures_of(self._run.engine)
