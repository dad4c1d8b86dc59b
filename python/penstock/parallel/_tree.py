"""Structured values: tuples, lists, dicts, named tuples and dataclasses with leaves in them."""

import dataclasses
from collections.abc import Mapping

import torch


class Sharded(list):
    """A batch in parts, one for each device in order, that `DataParallel` hands to its replicas as they are.

    What a wrapper with ``outputs="sharded"`` gives is one, and so can be what an iterator over several GPUs gives:
    ``dp(Sharded(part["images"] for part in batch))``. Each part is moved to its device where it is not there yet.

    Args
    ----
    iterable
        The parts: tensors, or structures of them.
    """


def children(value):
    """(children in order, function that makes such a value of others), or None for a leaf.

    Types are kept: mappings, subclasses of dict among them (also those with a default factory), named tuples,
    dataclasses. What a dataclass's `__post_init__` has made, and is no tensor, is made anew.
    """
    if isinstance(value, (torch.Tensor, Sharded)):
        return None
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return list(value), lambda parts: type(value)(*parts)
    if isinstance(value, (tuple, list)):
        return list(value), type(value)
    if isinstance(value, Mapping):
        keys = list(value)
        return [value[key] for key in keys], lambda parts: _mapping(value, zip(keys, parts, strict=True))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init or _is_carried(value, field.name)]
        return [getattr(value, name) for name in names], lambda parts: _replaced(value, zip(names, parts, strict=True))
    return None


def leaves(value):
    """All leaves, depth first."""
    taken = children(value)
    if taken is None:
        yield value
        return
    for part in taken[0]:
        yield from leaves(part)


def named_leaves(value, name=""):
    """All leaves in the same order, each with where it is: `name` and what leads from there to it."""
    taken = children(value)
    if taken is None:
        yield name, value
        return
    keys = list(value) if isinstance(value, Mapping) else range(len(taken[0]))
    for key, part in zip(keys, taken[0], strict=True):
        yield from named_leaves(part, f"{name}[{key!r}]")


def mapped(function, value):
    """The same structure with other leaves."""
    taken = children(value)
    if taken is None:
        return function(value)
    parts, make = taken
    return make([mapped(function, part) for part in parts])


def _mapping(like, items):
    items = dict(items)  # views of mappings take nothing else
    if hasattr(like, "default_factory"):
        return type(like)(like.default_factory, items)
    return type(like)(items)


def _is_carried(value, name):
    """Whether this field, which the dataclass's `__init__` does not take, is carried over to others."""
    if not hasattr(value, name):
        return False
    return not hasattr(value, "__post_init__") or any(
        isinstance(leaf, (torch.Tensor, Sharded)) for leaf in leaves(getattr(value, name))
    )


def _replaced(value, items):
    """The same dataclass with these fields."""
    taken = {field.name for field in dataclasses.fields(value) if field.init}
    items = dict(items)
    made = dataclasses.replace(value, **{name: one for name, one in items.items() if name in taken})
    for name in items.keys() - taken:
        object.__setattr__(made, name, items[name])  # frozen ones, too
    return made
