"""Copies of what a user gives for an argument, so that it may be changed afterwards without changing a pipeline."""

import numpy as np

_DEEPEST = 40  # more than operators take: what is nested deeper, or in itself, is left for them to refuse


def copied(value, depth=0):
    """The value itself where it cannot change; lists, tuples, dicts and arrays as they are now, however nested."""
    if isinstance(value, (list, tuple)):
        kind = list if isinstance(value, list) else tuple
        return value if depth > _DEEPEST else kind(copied(item, depth + 1) for item in value)
    if isinstance(value, dict):
        return value if depth > _DEEPEST else {key: copied(item, depth + 1) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, (np.generic, type)) or not hasattr(value, "tolist"):
        return value
    return value.tolist()  # array.array, torch.Tensor, jax.Array: what the operator makes of them


def copied_arguments(kwargs, *, but=()):
    """Copies of all that were given (not None), `but` for Python objects that are asked while the pipeline runs."""
    return {name: value if name in but else copied(value) for name, value in kwargs.items() if value is not None}
