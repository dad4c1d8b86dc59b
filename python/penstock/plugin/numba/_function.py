"""Calls of what Numba compiled, with the arrays of a batch."""

import os

import numba
import numpy as np

from ..._enumerations import DALIDataType, to_numpy_type
from ..._threads import Threads
from ...pipeline import Pipeline
from ...python_function import python_function


def numba_function(*inputs, run_fn, out_types, in_types, outs_ndim, ins_ndim, setup_fn=None, device="cpu",
                   batch_processing=False, blocks=None, threads_per_block=None, **kwargs):  # fmt: skip
    """Applies a function that Numba compiles when it is given here. Threads share the samples of a batch.

    Args
    ----
    inputs : DataNode
        As many as `in_types` says.
    run_fn : callable
        Gets the outputs, then the inputs, as arrays of a sample each, and fills the outputs; with `batch_processing`
        as lists of all samples' arrays. What Numba cannot compile is its error, raised here.
    out_types, in_types : DALIDataType or list of them
        Element types of outputs and inputs. `RuntimeError` for FLOAT16.
    outs_ndim, ins_ndim : int or list of int
        Their numbers of axes; as many as types, or `AssertionError`.
    setup_fn : callable, default = None
        Fills in the outputs' shapes: ``setup_fn(outs, ins)`` gets for each output and input a list of one shape a
        sample, as an array that it may write to. Not compiled. Without it outputs have the shapes of the inputs of the
        same number.
    device : "cpu"
        `NotImplementedError` for "gpu": kernels of numba-cuda are not called here.
    batch_processing : bool, default = False
        Whether the function gets whole batches.
    blocks, threads_per_block
        For "gpu" only.
    kwargs
        `name` and `preserve`, as for every operator.
    """
    del blocks, threads_per_block
    if device != "cpu":
        raise NotImplementedError(
            "[numba_function] kernels for GPUs are not called here; use device='cpu', or fn.python_function with a "
            "kernel of numba-cuda on arrays of fn.dl_tensor_python_function"
        )
    outs, ins = _Kinds("out", out_types, outs_ndim), _Kinds("in", in_types, ins_ndim)
    compiled = _compiled(run_fn, outs.numba(batch_processing) + ins.numba(batch_processing))
    pipeline = Pipeline.current()
    count = (pipeline.num_threads if pipeline is not None else None) or os.cpu_count()
    threads = Threads(count, "penstock-numba") if not batch_processing and count > 1 else None

    def run(*batches):
        ins.check(batches)
        made = outs.empty(_shapes(outs, batches, setup_fn))
        if batch_processing:
            compiled(*(numba.typed.List(one) for one in (*made, *batches)))
        else:
            _for_each(compiled, list(zip(*made, *batches, strict=True)), threads, count)
        return tuple(made)

    return python_function(*inputs, function=run, num_outputs=len(outs.types), batch_processing=True, **kwargs)


numba_function._schema_name = "numba_function"


def _compiled(function, arguments):
    plain = getattr(function, "py_func", function)  # compiled by the user already
    return numba.njit(numba.types.void(*arguments), nogil=True)(plain)


def _for_each(compiled, samples, threads, count):
    if threads is None:
        for one in samples:
            compiled(*one)
        return

    def work(first):
        for one in samples[first::count]:
            compiled(*one)

    for future in [threads.submit(work, first) for first in range(min(count, len(samples)))]:
        future.result()


def _shapes(outs, batches, setup_fn):
    """For each output one shape a sample."""
    shapes = [[np.array(sample.shape, np.int64) for sample in batch] for batch in batches]
    if setup_fn is None:
        return shapes[: len(outs.types)]
    made = [[np.zeros(ndim, np.int64) for _ in batches[0]] for ndim in outs.ndims]
    setup_fn(made, shapes)
    return made


class _Kinds:
    """Element types and ranks of all outputs, or of all inputs."""

    def __init__(self, what, types, ndims):
        self.types = types if isinstance(types, (list, tuple)) else [types]
        self.ndims = ndims if isinstance(ndims, (list, tuple)) else [ndims]
        assert len(self.types) == len(self.ndims), f"Number of {what}put types and {what}put dimensions should match."
        if DALIDataType.FLOAT16 in self.types:
            raise RuntimeError("[numba_function] Numba does not support float16 on CPUs")
        self._what = what
        self._dtypes = [np.dtype(to_numpy_type(one)) for one in self.types]

    def numba(self, lists):
        """The types of arguments that Numba compiles for."""
        arrays = [
            numba.types.Array(numba.from_dtype(dtype), ndim, "C")
            for dtype, ndim in zip(self._dtypes, self.ndims, strict=True)
        ]
        return [numba.types.ListType(one) for one in arrays] if lists else arrays

    def check(self, batches):
        """`TypeError` where batches are others than was said."""
        said = list(zip(self._dtypes, self.ndims, strict=True))
        came = [(batch[0].dtype, batch[0].ndim) for batch in batches if batch]
        if came and came != said:
            raise TypeError(f"[numba_function] inputs of type and rank {came} came, {said} was said")

    def empty(self, shapes):
        """Arrays to be filled."""
        return [
            [np.empty(tuple(shape), dtype) for shape in of_samples]
            for of_samples, dtype in zip(shapes, self._dtypes, strict=True)
        ]
