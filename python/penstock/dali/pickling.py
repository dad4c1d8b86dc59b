"""What scripts take from ``nvidia.dali.pickling``. Penstock pickles no sources: threads call them."""

import inspect

__all__ = ["pickle_by_value"]


def pickle_by_value(fun):
    """Returns the function `fun`. `TypeError` for what is none."""
    if not inspect.isfunction(fun):
        raise TypeError("Only functions can be explicitly set to be pickled by value")
    return fun
