"""Numbers with an element type, as operands of expressions."""

import numpy as np

from ._enumerations import NUMPY_NAMES, DALIDataType, Named, element_type, to_dali_type


class ScalarConstant:
    """A number that takes part in expressions with nodes, of a fixed element type.

    ``types.Constant(3).uint8()`` fixes the type; without it, Python's integers count as INT32, floats as FLOAT, and
    NumPy's numbers have their own type. Values of enumerations count as INT32.

    Args
    ----
    value : bool, int or float
        The number, of Python or NumPy. `TypeError` for anything else.
    dtype : DALIDataType
        The element type.
    """

    _KINDS = (bool, int, float)

    def __init__(self, value, dtype=None):
        if isinstance(value, (np.bool_, np.integer, np.floating)):
            if dtype is None and not isinstance(value, float):  # NumPy's float64 is Python's float, too
                dtype = to_dali_type(value.dtype)
            value = value.item()
        if not isinstance(value, self._KINDS):
            raise TypeError(f"a scalar constant is a bool, int or float, got {type(value).__name__}")
        self.shape = []
        self.value = value
        if dtype is None:
            kind = 1 if isinstance(value, Named) else self._KINDS.index(type(value))
            dtype = (DALIDataType.BOOL, DALIDataType.INT32, DALIDataType.FLOAT)[kind]
        self.dtype = element_type(dtype)

    def __eq__(self, other):
        if isinstance(other, ScalarConstant):
            return self.value == other.value and self.dtype == other.dtype
        return self.value == other if isinstance(other, self._KINDS) else NotImplemented

    __hash__ = None

    def _as(self, kind):
        if not isinstance(self.value, kind):
            raise TypeError(f"a constant of type {self.dtype} is no {kind.__name__}")
        return self.value

    def __bool__(self):
        return self._as(bool)

    def __int__(self):
        return self._as(int)

    def __float__(self):
        return self._as(float)

    def __repr__(self):
        return repr(self.value)

    def __str__(self):
        return f"{self.value}:{self.dtype}"


def _add_converters():
    """ScalarConstant.uint8(), .float16(), ...: the same value with another type."""

    def converter(dtype, name):
        def convert(self):
            return ScalarConstant(self.value, dtype)

        convert.__name__ = name
        convert.__doc__ = f"The same value as {dtype.name}."
        return convert

    for dtype, name in NUMPY_NAMES.items():
        setattr(ScalarConstant, name, converter(dtype, name))
    ScalarConstant.float = ScalarConstant.float32
    ScalarConstant.double = ScalarConstant.float64


_add_converters()
