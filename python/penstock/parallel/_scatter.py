"""Cutting the inputs of one call into one part a device."""

import torch

from .. import _core
from ._devices import memory_of
from ._tree import Sharded, leaves, mapped


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
    reference. Gradients flow back. `ValueError` for tensors that cannot be cut into as many parts as the others.
    """
    tensors = [leaf for leaf in leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    shards = [leaf for leaf in leaves((args, kwargs)) if isinstance(leaf, Sharded)]
    for tensor in tensors:
        if tensor.dim() <= (dim if dim >= 0 else -dim - 1):
            raise ValueError(
                f"a tensor of shape {tuple(tensor.shape)} cannot be scattered along dimension {dim}; give scalars as "
                "Python numbers, which go to every replica"
            )
    counts = {len(sizes_of(tensor.shape[dim], len(devices), split)) for tensor in tensors} | {*map(len, shards)}
    if max(counts, default=0) > len(devices):
        raise ValueError(f"there are {max(counts)} shards for {len(devices)} devices")
    if len(counts) > 1:
        lengths = sorted({tensor.shape[dim] for tensor in tensors})
        told = f" beside {len(shards[0])} shards" if shards else ""
        raise ValueError(f"inputs differ in length along dimension {dim}: {lengths}{told}; rows would be lost")
    count = counts.pop() if counts else len(devices)
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


def _placed(leaf, device):
    """The leaf on that device, where it is a tensor."""
    return leaf.to(memory_of(device), non_blocking=True) if isinstance(leaf, torch.Tensor) else leaf
