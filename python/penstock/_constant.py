"""Constants as nodes of a graph."""

import numpy as np

from . import _context
from ._enumerations import DALIDataType, Named, element_type, to_dali_type
from ._operator import make_operator
from ._scalar import ScalarConstant
from .data_node import DataNode, holds_nodes

_NARROWED = {
    DALIDataType.FLOAT64: DALIDataType.FLOAT,
    DALIDataType.INT64: DALIDataType.INT32,
    DALIDataType.UINT64: DALIDataType.UINT32,
}


def constant_node(value, dtype=None, shape=None, layout=None, device=None, **kwargs):
    """A node that gives the same value for every sample. `TypeError` for what cannot be an array of numbers."""
    if holds_nodes(value):
        raise TypeError("a constant holds numbers, not a DataNode: its value is known only when the pipeline runs")
    element = _enumeration_of(value)
    array = np.asarray(value)
    if element is not None and dtype is None:
        dtype = element
    if dtype is None:
        dtype = to_dali_type(array.dtype)
        dtype = _NARROWED.get(dtype, dtype)
    dtype = element_type(dtype)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"a constant holds numbers, got {array.dtype}")
    whole = array.dtype.kind in "biu"
    data = {"idata" if whole else "fdata": [item.item() for item in array.reshape(-1)]}
    shape = list(array.shape) if shape is None else shape
    kwargs |= {**data, "shape": shape, "dtype": dtype, "layout": layout or None, "device": device}
    return make_operator("constant", [], kwargs).outputs[0]


def _enumeration_of(value):
    """Lists of DALI's enumerations must be of one kind."""
    if not isinstance(value, (list, tuple)):
        return None
    kinds = {type(item) for item in value if isinstance(item, Named)}
    if not kinds:
        return None
    if len(kinds) > 1 or not all(isinstance(item, Named) for item in value):
        raise TypeError("a constant list of enumeration values must hold values of one enumeration only")
    return DALIDataType.INT32


def as_node(value, what):
    """The value itself where it is a node, a constant otherwise. `TypeError` names `what` that cannot be one."""
    eager = _context.eager()
    value = value if eager is None else eager.seen(value)
    if isinstance(value, DataNode):
        return value
    if holds_nodes(value):
        raise TypeError(
            f"{what} must be a DataNode, a list of DataNodes or a constant. Got a `{type(value).__name__}` with nested "
            "DataNode"
        )
    try:
        if isinstance(value, ScalarConstant):
            return constant_node(value.value, dtype=value.dtype)
        return constant_node(value)
    except (TypeError, ValueError) as e:
        raise TypeError(f"{what} cannot be made a constant of the graph: {e}") from e
