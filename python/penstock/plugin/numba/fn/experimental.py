"""The name that `numba_function` had first."""

from .._function import numba_function

__all__ = ["numba_function"]
