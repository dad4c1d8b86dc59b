"""What may be written with nodes: arithmetic, comparisons, indexing, facts about samples.

All of it makes operators, which are made of nodes. So `DataNode` knows nothing of it, and gets it here.
"""

from ._arithmetic import apply, takes_part
from ._call import call
from ._subscript import subscripted
from .data_node import DataNode

_BOTH_SIDES = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "fdiv", "floordiv": "div", "mod": "mod", "pow": "pow",
    "and": "bitand", "or": "bitor", "xor": "bitxor", "lshift": "lshift", "rshift": "rshift",
}  # fmt: skip
_COMPARISONS = {"eq": "eq", "ne": "neq", "lt": "lt", "le": "leq", "gt": "gt", "ge": "geq"}
_UNARY = {"neg": "minus", "invert": "bitnot", "abs": "abs", "pos": "plus"}


def _shape(self, *, dtype=None, device="cpu"):
    """Extents of each sample, as a 1-D tensor (INT64 unless `dtype` says otherwise) on `device`."""
    return call("shapes", [self], {"dtype": dtype, "device": device})


def _property(self, key, *, device="cpu"):
    """What `key` names, "source_info" or "layout", of each sample, as 1-D uint8 text on `device`."""
    return call("get_property", [self], {"key": key, "device": device})


def _source_info(self, *, device="cpu"):
    """File or key each sample was read from, as 1-D uint8 text on `device`."""
    return self.property("source_info", device=device)


def _from_left(function):
    return lambda self, other: apply(function, self, other) if takes_part(other) else NotImplemented


def _from_right(function):
    return lambda self, other: apply(function, other, self) if takes_part(other) else NotImplemented


def _alone(function):
    return lambda self: apply(function, self)


def _methods():
    yield from {"shape": _shape, "property": _property, "source_info": _source_info}.items()
    yield "__getitem__", subscripted
    for python, function in (_BOTH_SIDES | _COMPARISONS).items():
        yield f"__{python}__", _from_left(function)
    for python, function in _BOTH_SIDES.items():
        yield f"__r{python}__", _from_right(function)
    for python, function in _UNARY.items():
        yield f"__{python}__", _alone(function)


for _name, _method in _methods():
    setattr(DataNode, _name, _method)
