"""Arguments of a pipeline, checked and with DALI's meaning where that differs from the engine's."""

import operator
import warnings

from . import _origin
from ._enumerations import CPU_ONLY_DEVICE_ID, DALIDataType

START_METHODS = ("thread", "fork", "spawn")
ON_ERROR = ("raise", "replace", "skip", "zero")


def whole(name, value, bits=64):
    """`value` as an int of so many bits. `TypeError` for what is no whole number."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {value!r}") from None
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise ValueError(f"{name} must fit into {bits} bits, got {value!r}")
    return number


def whole_or_none(name, value, bits=64):
    return None if value is None else whole(name, value, bits)


def gpu_number(device_id):
    """A GPU's number, CPU_ONLY_DEVICE_ID, or None where nothing was said. `ValueError` for other negative numbers."""
    number = whole_or_none("device_id", device_id, 32)
    if number is not None and number < 0 and number != CPU_ONLY_DEVICE_ID:
        raise ValueError(
            f"device_id is the number of a GPU, from 0 on, got {number}; types.CPU_ONLY_DEVICE_ID says that none is to "
            "be used"
        )
    return number


def prefetch_queues(depth, exec_async, exec_pipelined):
    """Batches that the host and, where there is one, a GPU make at a time."""
    if isinstance(depth, bool):
        raise TypeError(f"prefetch_queue_depth is an int or a dict of two, got {depth!r}")
    sizes = [depth, depth]
    if isinstance(depth, int) and depth > 1:  # one to copy, one to decode, one to end
        sizes = [depth, depth + 1]
    if isinstance(depth, dict):
        if not exec_async:
            raise ValueError("separate queues (prefetch_queue_depth given as a dict) need exec_async=True")
        if set(depth) not in ({"cpu_size", "gpu_size"}, {"cpu", "gpu"}):
            raise TypeError('prefetch_queue_depth as a dict has the keys "cpu_size" and "gpu_size"')
        sizes = [size for _, size in sorted(depth.items())]
    if not all(isinstance(size, int) for size in sizes):
        raise TypeError(f"prefetch_queue_depth is an int or a dict of two, got {depth!r}")
    if min(sizes) < 1:
        raise ValueError(f"prefetch_queue_depth must be at least 1, got {depth!r}")
    return sizes if exec_pipelined else [1, 1]


def given_seed(seed):
    """The seed as an int; None where there is none, which is what DALI takes a negative one for."""
    seed = whole_or_none("seed", seed)
    if seed is not None and seed < 0:
        warnings.warn(f"a negative seed ({seed}) is taken as none given", stacklevel=_origin.stack_level())
        return None
    return seed


def check_max_batch_size(batch_size):
    size = whole_or_none("batch_size", batch_size, 32)
    if size is None or size <= 0:
        raise ValueError(f"batch_size must be a positive number of samples, got {batch_size}")
    return size


def check_num_threads(num_threads):
    """Workers for this pipeline; 0 stands for all cores of the process."""
    if num_threads is None:
        return 0
    threads = whole("num_threads", num_threads, 32)
    if threads < 1:
        raise ValueError(f"num_threads must be at least 1, got {num_threads}; leave it out to use all cores")
    return threads


def warn_ignored(**given):
    for name, value in given.items():
        if value is not None:
            warnings.warn(
                f"the argument `{name}` of Pipeline is ignored", DeprecationWarning, stacklevel=_origin.stack_level()
            )


def start_method(method, pickler, default):
    """How the threads or processes that call parallel sources are started."""
    method = default if method is None else method
    if method not in START_METHODS:
        raise ValueError(f"py_start_method is one of {START_METHODS}, got {method!r}")
    if method != "spawn" and pickler is not None:
        raise ValueError(
            f'py_callback_pickler cannot be used with py_start_method="{method}": only with "spawn" are sources pickled'
        )
    return method


class OutputContract:
    """What outputs were promised to be: element types, ranks and layouts, each for all outputs or for each one."""

    def __init__(self, dtype, ndim, layout):
        self._fields = [
            ("Data type", "dtype", _checked("output_dtype", dtype, DALIDataType)),
            ("Number of dimensions", "ndim", _checked("output_ndim", ndim, int)),
            ("Layout", "layout", _checked("output_layout", layout, str)),
        ]

    def given(self, name, count):
        value = next(value for _, field, value in self._fields if field == name)
        return list(value) if isinstance(value, list) else [value] * count

    def check_count(self, count):
        for _, name, value in self._fields:
            if isinstance(value, list) and len(value) != count:
                raise RuntimeError(f"Lengths of output_{name} ({len(value)}) and of outputs ({count}) do not match")

    def check(self, outputs):
        for what, name, value in self._fields:
            if value is None:
                continue
            for i, (expected, batch) in enumerate(zip(self.given(name, len(outputs)), outputs, strict=True)):
                received = batch.dtype if name == "dtype" else getattr(batch, name)()
                if expected is not None and received != expected:
                    raise RuntimeError(
                        f"{what} in the output_idx={i} does not match. Expected: {expected}. Received: {received}."
                    )


def _checked(name, value, kind):
    for one in value if isinstance(value, list) else [value]:
        if one is None:
            continue
        if not isinstance(one, kind):
            raise TypeError(f"{name} is of type {kind.__name__}, or a list of it, got {one!r}")
        if one is DALIDataType.NO_TYPE or (kind is int and one < 0):
            raise ValueError(f"{name} cannot be {one!r}")
    return value
