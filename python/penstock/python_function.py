"""Python functions as operators: ``fn.python_function``."""

import threading

import numpy as np

from . import _core
from ._call import applied
from ._callbacks import Callback, check_callable, check_num_outputs
from .tensors import TensorListCPU


def python_function(*inputs, function, num_outputs=1, batch_processing=False, output_layouts=None, **kwargs):
    """Calls a Python function with NumPy arrays. Calls come one batch at a time, in order, on a worker thread.

    The operator stays in the pipeline although nothing reads its outputs.

    What the function raises ends its batch, whatever `on_error` says, and is not among `Pipeline.failures()`: the
    engine cannot tell which sample it was. The consumer of the batch gets a `RuntimeError` with the function's
    traceback, and its exception as `__cause__`, also where that is a `MemoryError`, `SystemExit` or
    `KeyboardInterrupt`; `StopIteration` comes out as it is. Ctrl-C itself is raised on the main thread, never in
    the function.

    Args
    ----
    inputs : DataNode
        What the function gets, in this order: copies that it may change.
    function : callable
        Takes one array per input, or one list of arrays per input with `batch_processing`.
    num_outputs : int, default 1
        Arrays that the function gives; a tuple when more than one. Another number counts as a `ValueError` in it.
    batch_processing : bool, default False
        Whether the function takes and gives whole batches, as lists of arrays.
    output_layouts : str or list of str
        Axis letters of the outputs, one text for all or one for each.
    kwargs
        `device`, `name` and `preserve`, as for every operator.
    """

    def convert(tensor):
        return np.array(tensor)  # a copy: functions that work in place must not touch what others read

    return _call(inputs, function, num_outputs, batch_processing, output_layouts, convert, kwargs)


def dl_tensor_python_function(*inputs, function, num_outputs=1, batch_processing=True, output_layouts=None, **kwargs):
    """As `python_function`, with DLPack capsules in and out, a batch at a time by default.

    Args
    ----
    inputs, function, num_outputs, output_layouts, kwargs
        As for `python_function`; the capsules share memory with the batch, which must not be changed.
    batch_processing : bool, default True
        Whether the function takes and gives whole batches, as lists of capsules.
    """

    def convert(tensor):
        return tensor.__dlpack__()

    return _call(inputs, function, num_outputs, batch_processing, output_layouts, convert, kwargs)


def _call(inputs, function, num_outputs, batch_processing, output_layouts, convert, kwargs, convert_back=None):
    """The operator behind all kinds of Python functions: arguments as of `python_function`, and `convert` and
    `convert_back`, which turn a sample of the engine's into what the function takes, and what it gives into an array.
    """
    check_callable("fn.python_function", function)
    check_num_outputs("fn.python_function", num_outputs)
    layouts, stopped = _layouts(output_layouts, num_outputs), threading.Event()

    def run(batch_size, batches):
        columns = [[convert(sample) for sample in batch] for batch in batches]
        if batch_processing:
            made = _several(function(*columns), num_outputs)
        else:
            rows = zip(*columns, strict=True) if columns else [()] * batch_size
            results = [_several(function(*row), num_outputs) for row in _until(stopped, rows)]
            made = [list(column) for column in zip(*results, strict=True)]
        if convert_back is not None:
            made = [[convert_back(sample) for sample in one] for one in made]
        return [_core.batch_of(_as_list(one), layout, True) for one, layout in zip(made, layouts, strict=True)]

    kept = Callback(run, stopped)
    made = applied(
        "callback", inputs, {"id": kept.number, "num_outputs": num_outputs, **kwargs}, "fn.python_function", kept
    )
    if not made.outputs:
        return None
    return made.outputs[0] if num_outputs == 1 else made.outputs


def _until(stopped, rows):
    for row in rows:
        if stopped.is_set():
            raise RuntimeError("the pipeline was closed")
        yield row


def _layouts(given, num_outputs):
    if given is None or isinstance(given, str):
        return [given] * num_outputs
    return [*given, *[None] * (num_outputs - len(given))]


def _several(result, num_outputs):
    """What a function gave, as a list of `num_outputs` values."""
    if num_outputs == 0:
        return []
    # With one output a list is its value (a batch of samples), so only a tuple is taken apart.
    apart = isinstance(result, tuple) or (num_outputs > 1 and isinstance(result, list))
    values = list(result) if apart else [result]
    if len(values) != num_outputs:
        raise ValueError(f"the function gave {len(values)} outputs, num_outputs={num_outputs} was said")
    return values


def _as_list(batch):
    return batch if isinstance(batch, (list, TensorListCPU)) else list(batch)
