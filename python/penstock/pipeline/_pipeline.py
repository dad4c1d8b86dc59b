"""Pipelines: a graph of operators that gives batches."""

import atexit
import contextlib
import weakref

from .. import _branch, _context, _core, _options
from .._copied import copied
from .._operator import refuse_foreign
from ..data_node import DataNode
from . import _build
from ._decorator import definer
from ._facts import Facts
from ._policy import Policy
from ._run import Run
from ._running import Running
from ._state import Saved

_live = weakref.WeakSet()


@atexit.register
def _close_all():
    """Workers that call Python must be gone before the interpreter is, unless the user does not want to wait."""
    for pipeline in list(_live):
        with contextlib.suppress(KeyboardInterrupt):
            pipeline.close()


class Pipeline(Facts, Running, Saved):
    """A graph at work: ``with Pipeline(batch_size=8) as pipe: ...; pipe.set_outputs(...)``, then ``pipe.run()``.

    Used by one thread at a time; several pipelines may be used by several threads.

    Args
    ----
    batch_size : int
        Samples per batch, at most. Required to build.
    num_threads : int
        Workers that may make samples of this pipeline at a time; all cores of the process when not given.
    device_id : int
        GPU to use. When not given: PyTorch's current device, the rank that torchrun, MPI or Slurm gave this process on
        its host, or 0. With `types.CPU_ONLY_DEVICE_ID` the CPU serves, and where there is no GPU, which a warning says
        once; see `strict_device`. `ValueError` for other negative numbers.
    seed : int
        Of all random numbers; a constant when not given, so that ranks agree and a run can be repeated.
    prefetch_queue_depth : int or dict
        Batches in the making at a time, 2 when not given. With a GPU, n above 1 means n by the host and n + 1 on the
        GPU, so there are five when nothing is given; "cpu_size" and "gpu_size" of a dict say both. 1 means one in all.
    exec_pipelined : bool
        Whether batches are made, and sources asked for them, before they are wanted.
    enable_checkpointing : bool
        Whether framework iterators give `checkpoints()`. `checkpoint` and `state_dict` work in any case.
    checkpoint : bytes
        What `checkpoint()` gave: the pipeline goes on from there. `ValueError` at `build` for another pipeline's.
    py_num_workers : int
        Threads or processes that call parallel external sources, 1 when not given.
    py_start_method : "thread", "fork" or "spawn"
        What calls parallel external sources. Threads, when not given: they copy nothing and start at once, but share
        Python's lock, so that a source which works in Python is called by one at a time. Processes do not share it;
        their arrays come in shared memory. With "fork" they start within milliseconds and have all that the program
        has, but a fork in a program with threads or a GPU in use may stand still, so call `build` or
        `start_py_workers` early; with "spawn" they start a Python of their own, which imports the main module again (it
        needs its ``if __name__ == "__main__":``), and sources are pickled. `explain` says what threads wait for.
    py_callback_pickler : object, or tuple of it, a dict for `dumps` and a dict for `loads`
        With "spawn": has `dumps` and `loads` for sources, such as the module `cloudpickle`. When not given lambdas and
        functions within functions go by value, all others by name, unless `pickle_by_value` marks them.
    output_dtype, output_ndim, output_layout
        What outputs must be, checked on every batch: one value for all, or a list.
    on_error : "raise", "replace", "skip" or "zero"
        What happens to a sample that cannot be made. `failures()` names them all. "replace" tries up to 16 others, and
        none behind an operator that takes whole batches; "zero" needs a sample of the batch that is fine: otherwise
        there is an error that says so. What a Python function raises ends the batch in any case. Iterators that count
        the samples of an epoch (of a reader without `epoch_end`, or by `size`) refuse "skip".
    strict_device : bool
        An error instead of a warning when the CPU would have to serve what a GPU was asked for.
    multiprocessors : int
        How many of the GPU's multiprocessors (SMs) kernels may run on, so that training keeps the others to itself; all
        when not given. Rounded up to what the GPU can divide: a multiple of 8 on an H100. Copies and the JPEG engine
        take none. Needs a driver of CUDA 12.5 or newer; without effect on a CPU.
    shuffle_seed : int
        Of the order in which readers give their samples. It must be equal on all ranks, while `seed` often is not, so
        it does not follow `seed`.
    exec_async, exec_dynamic, set_affinity, stream_policy, concurrency, enable_memory_stats
        Kept for `Pipeline`'s properties of these names, without effect: batches are always made by other threads, and
        outputs always belong to their holder.
    bytes_per_sample
        Accepted, without effect.
    max_streams, default_cuda_stream_priority, experimental_exec_dynamic
        Accepted with a `DeprecationWarning`, without effect.
    """

    def __init__(
        self, batch_size=None, num_threads=None, device_id=None, seed=None, exec_pipelined=True, prefetch_queue_depth=2,
        exec_async=True, bytes_per_sample=0, set_affinity=False, max_streams=None, default_cuda_stream_priority=None, *,
        enable_memory_stats=False, enable_checkpointing=False, checkpoint=None, py_num_workers=1,
        py_start_method=None, py_callback_pickler=None, output_dtype=None, output_ndim=None, output_layout=None,
        exec_dynamic=None, experimental_exec_dynamic=None, stream_policy=None, concurrency=None, on_error="raise",
        strict_device=False, shuffle_seed=0, multiprocessors=0,
    ):  # fmt: skip
        _options.warn_ignored(
            max_streams=max_streams,
            default_cuda_stream_priority=default_cuda_stream_priority,
            experimental_exec_dynamic=experimental_exec_dynamic,
        )
        py_start_method = _options.start_method(py_start_method, py_callback_pickler, self._chosen_policy.start_method)
        self._pickler = py_callback_pickler
        self._queues = _options.prefetch_queues(prefetch_queue_depth, exec_async, exec_pipelined)
        output_dtype, output_ndim, output_layout = copied((output_dtype, output_ndim, output_layout))
        whole, whole_or_none = _options.whole, _options.whole_or_none
        self._given = {
            "batch_size": batch_size, "num_threads": num_threads,
            "device_id": _options.gpu_number(device_id), "bytes_per_sample": bytes_per_sample,
            "exec_pipelined": exec_pipelined, "exec_async": exec_async, "set_affinity": set_affinity,
            "prefetch_queue_depth": copied(prefetch_queue_depth), "enable_memory_stats": enable_memory_stats,
            "enable_checkpointing": enable_checkpointing,
            "py_num_workers": whole_or_none("py_num_workers", py_num_workers, 32),
            "py_start_method": py_start_method, "stream_policy": stream_policy, "concurrency": concurrency,
            "exec_dynamic": exec_dynamic is not False, "on_error": on_error, "strict_device": strict_device,
            "shuffle_seed": whole_or_none("shuffle_seed", shuffle_seed),
            "multiprocessors": whole("multiprocessors", multiprocessors, 32),
            "seed": _options.given_seed(seed),
            "output_dtype": output_dtype, "output_ndim": output_ndim, "output_layout": output_layout,
        }  # fmt: skip
        self._contract = _options.OutputContract(output_dtype, output_ndim, output_layout)
        self._checkpoint = checkpoint
        self._seed = self._chosen_policy.seed(checkpoint) if self._given["seed"] is None else self._given["seed"]
        late = [] if self._chosen_policy.refuses_when_built else None
        self._written = _context.Definition(self._chosen_policy, late)
        self._nodes = None  # outputs, when set
        self._graph = None
        self._feed_names = {}  # by operator
        self._run = Run(self, self._given, self._chosen_policy, self._written.consumer_steps, self._contract.check)

    _chosen_policy = Policy()

    def __init_subclass__(cls, *, policy=None, **kwargs):
        super().__init_subclass__(**kwargs)
        if policy is not None:
            cls._chosen_policy = policy

    def __reduce_ex__(self, protocol):
        raise TypeError(
            "a pipeline cannot be copied or pickled, for its threads and open files are its own: make one in each "
            "process, by the function that made this one, or send `serialize()` there"
        )

    def __enter__(self):
        _context.push(self, self._written)
        return self

    def __exit__(self, *_exception):
        _context.pop()

    current = staticmethod(_context.current)

    @staticmethod
    def push_current(pipeline):
        """Makes `pipeline` the one that operators of this thread belong to, as ``with pipeline:`` does."""
        _context.push(pipeline, pipeline._written)

    @staticmethod
    def pop_current():
        """Ends what `push_current` began."""
        _context.pop()

    def define_graph(self):
        """What subclasses override: returns the outputs."""
        raise NotImplementedError(
            "the pipeline has no outputs: return them from its definition, call set_outputs, or override define_graph"
        )

    def set_outputs(self, *outputs):
        """What `run` gives: `outputs` are nodes, or values that become constants. `TypeError` for others.

        `ValueError` for nodes of another pipeline. With `penstock.dali` both come from `build`.
        """
        given = [value for value in outputs if isinstance(value, DataNode)]
        refuse_foreign(_build.reachable(given, []), _context.mark(self), "[set_outputs]", self._written)
        _branch.refuse_hidden(given, None, "[set_outputs]")
        try:
            self._nodes = _build.normalised_outputs(outputs)
        except TypeError as error:
            self._nodes = []
            self._written.refuse(error)

    def add_sink(self, node):
        """Keeps the operator of `node` although no output needs it. `ValueError` for a node of another pipeline."""
        refuse_foreign(_build.reachable([node], []), _context.mark(self), "[add_sink]", self._written)
        self._written.sinks.append(node.source)

    def build(self):
        """Plans the graph and opens its data. Called by itself when needed; a second call does nothing."""
        if self._run.engine is not None:
            return
        try:
            self._build()
        except RuntimeError as error:
            self._chosen_policy.explain(error, self._written_operators(), "when building")
            raise

    def _build(self):
        batch_size = _options.check_max_batch_size(self.max_batch_size)
        num_threads = _options.check_num_threads(self._given["num_threads"])
        graph = self._definition()
        self.start_py_workers()
        if self._given["enable_checkpointing"]:
            for feeder in self._run.feeders:
                feeder.warn_of_lost_state(self._chosen_policy.lost_state)
        asked = [device for _, _, device, _ in graph.nodes] + ["gpu"] * any(graph.outputs_on_gpu)
        gpu = _build.chosen_gpu(asked, self._given["device_id"], self._given["strict_device"])
        host, device = self._queues
        if gpu is None and self.exec_separated and self._chosen_policy.takes_longer_queue:
            host = max(host, device)
        engine = _core.Pipeline(
            graph, batch_size, num_threads=num_threads, seed=self._seed, prefetch=host, prefetch_gpu=device,
            on_error=self._given["on_error"], shuffle_seed=self._given["shuffle_seed"],
            multiprocessors=self._given["multiprocessors"], device_id=-1 if gpu is None else gpu,
        )  # fmt: skip
        self._run.begin(engine, self._written_operators())
        self._contract.check_count(self.num_outputs)
        _live.add(self)
        if self._checkpoint is not None:
            self._refuse_disabled("restore")
            self._restore(self._checkpoint)

    def _definition(self):
        """The graph, made from the nodes when it was not read from a file."""
        if self._graph is None:
            self._graph, self._feed_names = _build.to_graph(self._needed_operators(), self._nodes, self._seed)
        return self._graph

    def _needed_operators(self):
        """The operators that outputs and sinks need, as they were written down: open to changes until `build`."""
        if self._nodes is None:
            with self:
                made = self.define_graph()
            self.set_outputs(*(made if isinstance(made, (tuple, list)) else [made]))
        if self._written.late:
            raise self._written.late[0]
        return self._written_operators()

    def _written_operators(self):
        """Likewise, none where the outputs were not set, or the graph was read from a file."""
        return [] if self._nodes is None else _build.reachable(self._nodes, self._written.sinks)


pipeline_def = definer(Pipeline)
