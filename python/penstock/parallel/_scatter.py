"""Cutting the inputs of one call into one part a device."""

import torch

from .. import _core
from ._devices import memory_of
from ._tree import Sharded, leaves, mapped, named_leaves

_REMEDY = (
    "every tensor is cut into parts of rows that belong together: give them the same length, or what goes to every "
    "replica in an attribute of the module, or as a list of numbers"
)


def sizes_of(rows, devices, split):
    """Rows of each part, as a list; there can be fewer parts than devices.

    Args
    ----
    rows : int
        To be split.
    devices : int
        Number of devices.
    split : "chunk", "even" or list of numbers
        As `torch.chunk` (parts of ceil(rows / devices), the last one smaller), as equal as can be (9 over 8 is
        2, 1, 1, 1, 1, 1, 1, 1), or in proportion to a weight for each device, at least a row where there are enough.
        `ValueError` for other texts, and for weights that are not one finite, non-negative number a device.
    """
    return _core.split_sizes(rows, devices, split)


def rows_of(parts, dim):
    """Rows of each part, a list: the length of its first tensor along `dim`, None where there is none."""
    first = [next((leaf for leaf in leaves(part) if isinstance(leaf, torch.Tensor)), None) for part in parts]
    return [None if one is None or not -one.dim() <= dim < one.dim() else one.shape[dim] for one in first]


def scatter(args, kwargs, devices, dim=0, split="chunk"):
    """One ``(args, kwargs)`` a device, on that device; fewer where there are fewer rows than devices.

    Tensors are cut along `dim`, `Sharded` values are in parts already, everything else goes to every part by
    reference. Gradients flow back. `ValueError` for tensors that cannot be cut, or differ in length along `dim`, and
    for shards that are not as many as the parts of the tensors beside them.
    """
    count = _count_of_parts(_named(args, kwargs), len(devices), dim, split)
    cut = {}

    def part(leaf, i):
        if isinstance(leaf, Sharded):
            return mapped(lambda own: _placed(own, devices[i]), leaf[i])
        if not isinstance(leaf, torch.Tensor):
            return leaf
        if id(leaf) not in cut:
            cut[id(leaf)] = leaf.split(sizes_of(leaf.shape[dim], len(devices), split), dim)
        return _placed(cut[id(leaf)][i], devices[i])

    return [mapped(lambda leaf, i=i: part(leaf, i), (args, kwargs)) for i in range(count)]


def _named(args, kwargs):
    """Each leaf of the arguments with its name: `argument 0`, `x['a'][1]`."""
    for i, value in enumerate(args):
        yield from named_leaves(value, f"argument {i}")
    for name, value in kwargs.items():
        yield from named_leaves(value, name)


def _count_of_parts(named, devices, dim, split):
    """Into how many parts these arguments fall. `ValueError` for what does not come apart into the same ones."""
    named = list(named)
    lengths = {name: _length(name, leaf, dim) for name, leaf in named if isinstance(leaf, torch.Tensor)}
    shards = {name: len(leaf) for name, leaf in named if isinstance(leaf, Sharded)}
    if devices > 1:  # one device gets them whole
        _check_equal(lengths, f"rows (the length along dimension {dim})", _REMEDY)
    cuts = {name: len(sizes_of(rows, devices, split)) for name, rows in lengths.items()}
    counts = {**shards, **cuts}
    most = max(counts, key=counts.get, default=None)
    if most is not None and counts[most] > devices:
        raise ValueError(f"{most} has {counts[most]} shards for {devices} devices")
    _check_equal(counts, "parts", "shards and tensors must make as many")
    return next(iter(counts.values()), devices)


def _length(name, tensor, dim):
    if tensor.dim() <= (dim if dim >= 0 else -dim - 1):
        raise ValueError(
            f"{name} is a tensor of shape {tuple(tensor.shape)}, which cannot be scattered along dimension {dim}; give "
            "scalars as Python numbers, which go to every replica"
        )
    return tensor.shape[dim]


def _check_equal(numbers, what, remedy):
    """`ValueError` that names the first two that differ."""
    first = next(iter(numbers), None)
    other = next((name for name, number in numbers.items() if number != numbers[first]), None)
    if other is not None:
        raise ValueError(f"{first} has {numbers[first]} {what}, {other} has {numbers[other]}; {remedy}")


def _placed(leaf, device):
    """The leaf on that device, where it is a tensor."""
    return leaf.to(memory_of(device), non_blocking=True) if isinstance(leaf, torch.Tensor) else leaf
