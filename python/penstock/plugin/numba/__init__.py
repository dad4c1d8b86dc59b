"""Functions that Numba compiles, as operators of a pipeline."""

from . import fn
from ._function import numba_function

__all__ = ["NumbaFunction", "fn"]


class NumbaFunction:
    """`fn.numba_function` with its arguments given first: ``NumbaFunction(run_fn, ...)(images)``.

    Args
    ----
    run_fn : callable
        As of `fn.numba_function`.
    options
        The other arguments of `fn.numba_function`.
    """

    def __init__(self, run_fn, **options):
        self._options = {"run_fn": run_fn, **options}

    def __call__(self, *inputs):
        return numba_function(*inputs, **self._options)

    @staticmethod
    def _check_cuda_compatibility(throw=True):
        """DALI's question whether kernels for GPUs are called: they are not. `NotImplementedError` with `throw`."""
        if throw:
            raise NotImplementedError("[numba_function] kernels for GPUs are not called here; use device='cpu'")
        return False

    _check_minimal_numba_version = _check_cuda_compatibility
