"""`numba_function`, also under the name that it had in `experimental`."""

from .._function import numba_function
from . import experimental

__all__ = ["experimental", "numba_function"]
