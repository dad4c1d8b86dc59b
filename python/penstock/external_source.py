"""Batches and samples from Python: ``fn.external_source``."""

from . import _context, _core, _origin
from . import errors as _errors
from ._operator import make_operator
from ._sources import check_size, make_source

_BATCHES = "a source gives an array whose outermost axis is the batch, or a list of samples of one type and rank"
_KINDS = (_errors.ArgumentTypeError, _errors.ArgumentError, TypeError, ValueError, RuntimeError)
_SAMPLES = "with batch=False a source gives one array a sample, all of a batch of one type and rank"


def external_source(
    source=None,
    num_outputs=None,
    *,
    cycle=None,
    name=None,
    device="cpu",
    layout=None,
    dtype=None,
    ndim=None,
    cuda_stream=None,
    use_copy_kernel=None,
    blocking=None,
    batch=True,
    repeat_last=False,
    parallel=None,
    no_copy=None,
    prefetch_queue_depth=None,
    bytes_per_sample_hint=None,
    batch_info=None,
    preserve=False,
):
    """Data from a Python object, or from `Pipeline.feed_input` when there is no `source`.

    Args
    ----
    source : iterable, generator function or callable
        Gives one batch at a time (an array whose outermost axis is the batch, or a list of samples), or with
        ``batch=False`` one sample at a time. A callable with a parameter gets the number of the batch in its epoch, a
        `types.BatchInfo` (`batch_info=True`) or a `types.SampleInfo` (`batch=False`). `StopIteration` ends the epoch.
        What else it raises comes out in the place of the batch, which it is then asked for again.
    num_outputs : int
        The source gives that many batches at once, and the result is a list of nodes.
    cycle : bool, "quiet" or "raise"
        What happens when an iterable ends: stop for good, begin again silently, or raise `StopIteration` once an epoch.
    dtype, ndim
        What every batch must be; one value for each output where there are several. Where they are not declared, types,
        ranks and layouts may change from batch to batch.
    layout : str
        Axis letters that samples of a source get, in the place of those that they have; one text for each output where
        there are several. Batches that are fed by hand must have them, or none, unless `feed_input` gets them, too.
    name : str
        For `Pipeline.feed_input` and `Pipeline.run`.
    device : "cpu" or "gpu"
        Where the data is wanted. Arrays that lie on a GPU (PyTorch, CuPy, JAX, `TensorListGPU`) stay on that of the
        pipeline; what the host reads is copied there.
    batch : bool
        Whether the source gives batches or samples.
    batch_info : bool
        Whether a callable that gives batches gets a `types.BatchInfo` instead of a number.
    repeat_last : bool
        Without a source: take the last batch again when no new one was fed.
    parallel : bool
        Call the source ahead of time, in threads or in processes (`py_num_workers` and `py_start_method` of the
        pipeline, which says when which is faster). Order is kept; several calls of a callable run at the same time,
        each worker having a copy of its own, made when the pipeline is built: what calls change is changed there alone.
        An iterable is asked by one worker, always the same. In threads variables of modules, read-only arrays and
        memory maps are shared, and what cannot be copied (it holds a lock or a file, or sets `global` variables) is
        itself called, one call at a time. Processes have copies of all. What a source raises comes out as it is; from
        a process with that one's traceback as the cause. When Python exits, calls that have not begun are forgotten,
        and those in progress have a second to return.
    prefetch_queue_depth : int
        With `parallel`: batches prepared ahead, at least 1.
    no_copy : bool
        Use the arrays as they are, instead of copying them. They must not change until the batch was used.
    bytes_per_sample_hint : int
        With `parallel` and processes: bytes of shared memory for a sample to begin with; it grows by itself.
    preserve : bool
        Ask the source, or take what is fed, also where nothing reads it.
    cuda_stream, use_copy_kernel, blocking
        Accepted, without effect.
    """
    if source is None:
        _check_fed(num_outputs, cycle)
    elif repeat_last:
        raise ValueError("[fn.external_source] repeat_last needs data from feed_input, not from a source")
    if num_outputs is not None and name is not None:
        raise ValueError("[fn.external_source] num_outputs and name exclude each other: a name belongs to one output")
    if not parallel and (prefetch_queue_depth is not None or bytes_per_sample_hint is not None):
        raise ValueError(
            "[fn.external_source] prefetch_queue_depth and bytes_per_sample_hint are only valid with parallel=True"
        )
    if parallel and no_copy is False:
        raise ValueError("[fn.external_source] no_copy=False is not valid with parallel=True")
    nodes = [
        make_operator(
            "external_source",
            [],
            {"name": name, "device": device, "preserve": preserve or None, **_declared(i, layout, dtype, ndim)},
        ).outputs[0]
        for i in range(num_outputs or 1)
    ]  # fmt: skip
    feed = _Feed(nodes, repeat_last, copy=not no_copy)
    feed.batch = batch
    feed.bytes_per_sample = bytes_per_sample_hint
    if source is not None:
        feed.source = make_source(
            source, num_outputs, cycle, batch is not False, batch_info, parallel, prefetch_queue_depth or 1
        )
    for node in nodes:
        node.source.attached = feed
    eager = _context.eager()
    if eager is not None:
        nodes = eager.feed_nodes(feed, nodes)
    return nodes if num_outputs is not None else nodes[0]


def _check_fed(num_outputs, cycle):
    if num_outputs is not None:
        raise ValueError(
            "[fn.external_source] The parameter ``num_outputs`` is only valid when using ``source`` to provide data: "
            "num_outputs needs a source"
        )
    if cycle is not None:
        raise ValueError("[fn.external_source] cycle needs a source")


def _declared(i, layout, dtype, ndim):
    """What output `i` must be; lists that are too short leave the rest undeclared."""

    def one(value):
        if isinstance(value, (list, tuple)):
            return value[i] if i < len(value) else None
        return value

    return {"layout": one(layout), "dtype": one(dtype), "ndim": one(ndim)}


class _Feed:
    """The external sources that one call made, and where their batches come from."""

    def __init__(self, nodes, repeat_last, copy):
        self.nodes = nodes
        self.repeat_last = repeat_last
        self.copy = copy
        self.source = None
        self.pending = 0  # batches that were fed and not yet used
        self.last = None
        self.batch = True  # as it was said, also where there is no source
        self.bytes_per_sample = None  # of shared memory with processes, where the user said it

    def batches(self, data, most):
        """What a source gave, one batch of at most so many samples for each output."""
        return self.explained(lambda: self._batches(data, most), f"; {_BATCHES if self.source.batch else _SAMPLES}")

    def explained(self, work, advice=""):
        """What `work` gives. Its errors name the operator and the user's line, and end with the `advice`."""
        try:
            return work()
        except (TypeError, ValueError, RuntimeError) as error:
            kind = next(one for one in _KINDS if isinstance(error, one))
            lines = _origin.text(self.nodes[0].source.origin)
            said = f"[external_source] {error}{advice}"
            raise kind(f"{said}\n  used in the pipeline definition at\n{lines}") from error

    def _batches(self, data, most):
        if data is None:
            raise _errors.ArgumentTypeError("the source gave None")
        if len(self.nodes) == 1 and not self.source.several:
            data = [data]
        if len(data) != len(self.nodes):
            raise RuntimeError(f"the source gave {len(data)} batches, num_outputs={len(self.nodes)} was said")
        layouts = [node.source.args.get("layout") or None for node in self.nodes]  # what is declared, data takes on
        made = [self.convert(one, layout) for one, layout in zip(data, layouts, strict=True)]
        for node, batch in zip(self.nodes, made, strict=True):
            check_size(node.source.name, batch, most)
        return made

    def convert(self, data, layout=None):
        if data is None:
            raise _errors.ArgumentTypeError("None is no batch")
        return _core.batch_of(data, layout, self.copy)
