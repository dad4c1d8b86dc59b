"""Indexing of nodes: ``node[...]`` becomes a subscript and, with new axes, `expand_dims`."""

from ._call import call
from .data_node import DataNode


class _NewAxis:
    """A new axis of extent 1 in a subscript: ``node[newaxis]``, with a letter ``node[newaxis("C")]``."""

    def __init__(self, name=None):
        if name is not None and (not isinstance(name, str) or len(name) != 1):
            raise ValueError(f"an axis has a name of one letter, got {name!r}")
        self.name = name

    def __call__(self, name=None):
        return _NewAxis(name)

    def __repr__(self):
        return "newaxis" if self.name is None else f'newaxis("{self.name}")'


newaxis = _NewAxis()


def subscripted(node, subscript):
    """The node cut as NumPy would cut each sample; bounds, steps and indices may be nodes, one number a sample."""
    items = subscript if isinstance(subscript, tuple) else (subscript,)
    axes = [item for item in items if not isinstance(item, _NewAxis)]
    new = [(position, item.name) for position, item in enumerate(items) if isinstance(item, _NewAxis)]
    arguments = {}
    for axis, item in enumerate(axes):
        arguments |= _arguments(axis, item)
    if axes:
        op = "_tensor_subscript" if arguments else "_subscript_dim_check"
        node = call(op, [node], {**arguments, "num_subscripts": len(axes)}, display="subscript")
    return _with_new_axes(node, items, new) if new else node


def _arguments(axis, item):
    if item is Ellipsis:
        raise NotImplementedError("an ellipsis in the subscript of a node is not supported; write the colons out")
    if item is None:
        return {}
    if isinstance(item, slice):
        bounds = {f"lo_{axis}": item.start, f"hi_{axis}": item.stop, f"step_{axis}": item.step}
        return {name: _index(value) for name, value in bounds.items() if value is not None}
    return {f"at_{axis}": _index(item)}


def _index(value):
    if isinstance(value, DataNode):
        return value
    try:
        return value.__index__()
    except AttributeError:
        raise TypeError(
            f"a subscript of a node is an integer, a slice, None, newaxis or a node, not {type(value).__name__}"
        ) from None


def _with_new_axes(node, items, new):
    names = [name for _, name in new]
    if any(names) and not all(names):
        raise ValueError("either all new axes of a subscript have names, or none")
    kept = [not isinstance(item, _NewAxis) and not (item is not None and not isinstance(item, slice)) for item in items]
    positions = [sum(kept[:position]) + count for count, (position, _) in enumerate(new)]
    names = "".join(names) if all(names) else None
    return call("expand_dims", [node], {"axes": positions, "new_axis_names": names})
