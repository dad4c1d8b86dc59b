"""Putting the results of all replicas together."""

import warnings
from collections.abc import Mapping

import torch

from ._devices import memory_of
from ._tree import children

SCALARS = (
    "Was asked to gather along dimension 0, but all input tensors were scalars; will instead unsqueeze and return a "
    "vector."
)


def gather(outputs, device, dim=0):
    """One value of the structure of each of `outputs`, its tensors concatenated along `dim` on `device`.

    Tensors without dimensions become a vector, with torch's warning. None, numbers, strings and other values stay
    where all replicas gave equal ones. Gradients flow back. `ValueError` for values that differ, and for structures
    that do.
    """
    return _gathered(outputs, memory_of(device), dim, "the output")


def _gathered(outputs, device, dim, where):
    first = outputs[0]
    if isinstance(first, torch.Tensor):
        _check_alike(outputs, where)
        return _tensor([one.to(device, non_blocking=device.type != "cpu") for one in outputs], dim)
    taken = children(first)
    if taken is None:
        return _one_of(outputs, where)
    _check_alike(outputs, where)
    columns = [children(one)[0] for one in outputs]
    if isinstance(first, Mapping):
        if any(len(one) != len(first) for one in outputs):
            raise ValueError("All dicts must have the same number of keys")
        if any(one.keys() != first.keys() for one in outputs):
            raise ValueError(f"{where} has other keys from replica to replica: {[list(one) for one in outputs]}")
        columns = [[one[key] for key in first] for one in outputs]
    if len({len(column) for column in columns}) > 1:
        raise ValueError(f"{where} has parts of different lengths: {[len(column) for column in columns]}")
    names = list(first) if isinstance(first, Mapping) else range(len(columns[0]))
    return taken[1](
        [
            _gathered(list(parts), device, dim, f"{where}[{name!r}]")
            for name, parts in zip(names, zip(*columns, strict=True), strict=True)
        ]
    )


def _tensor(tensors, dim):
    if dim == 0 and all(tensor.dim() == 0 for tensor in tensors):
        warnings.warn(SCALARS, stacklevel=5)
        tensors = [tensor.reshape(1) for tensor in tensors]
    return torch.cat(tensors, dim)


def _check_alike(outputs, where):
    kinds = {type(one) for one in outputs}
    if len(kinds) > 1 and not all(isinstance(one, torch.Tensor) for one in outputs):
        raise ValueError(f"{where} differs in type from replica to replica: {[type(one).__name__ for one in outputs]}")


def _one_of(values, where):
    first = values[0]
    if all(_are_equal(value, first) for value in values):
        return first
    raise ValueError(
        f"{where} differs from replica to replica and is no tensor: {values}; return a tensor of it, or use "
        'outputs="sharded"'
    )


def _are_equal(a, b):
    """Whether two values are one, of one type and equal, or both NaN; arrays where all elements are equal."""
    if a is b:
        return True
    if type(a) is not type(b) or getattr(a, "shape", None) != getattr(b, "shape", None):
        return False
    try:
        same = (a == b) | ((a != a) & (b != b))
        return bool(same.all() if hasattr(same, "all") else same)
    except Exception:  # of types that compare in ways of their own
        return False
