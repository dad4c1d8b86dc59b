"""Constants as nodes of a graph."""

import numpy as np

from . import types
from ._operator import call


def constant_node(value, dtype=None, shape=None, layout=None, device=None, **kwargs):
    """A node that gives the same value for every sample. `TypeError` for what cannot be an array of numbers."""
    element = _enumeration_of(value)
    array = np.asarray(value)
    if element is not None and dtype is None:
        dtype = element
    if dtype is None:
        dtype = _narrow(types.to_dali_type(array.dtype))
    dtype = types.DALIDataType(dtype)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"a constant holds numbers, got {array.dtype}")
    whole = array.dtype.kind in "biu"
    data = {"idata" if whole else "fdata": [item.item() for item in array.reshape(-1)]}
    return call(
        "constant",
        [],
        {**data, "shape": list(array.shape) if shape is None else shape, "dtype": dtype, "layout": layout or None,
         "device": device, **kwargs},
    )  # fmt: skip


def _narrow(dtype):
    wide = {types.FLOAT64: types.FLOAT, types.INT64: types.INT32, types.UINT64: types.UINT32}
    return wide.get(dtype, dtype)


def _enumeration_of(value):
    """Lists of DALI's enumerations must be of one kind."""
    if not isinstance(value, (list, tuple)):
        return None
    kinds = {type(item) for item in value if isinstance(item, types._Named)}
    if not kinds:
        return None
    if len(kinds) > 1 or not all(isinstance(item, types._Named) for item in value):
        raise TypeError("a constant list of enumeration values must hold values of one enumeration only")
    return types.INT32
