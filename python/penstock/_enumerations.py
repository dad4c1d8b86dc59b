"""DALI's enumerations, by name and number, and what its element types are to NumPy and the frameworks."""

import enum
import re
import warnings

import numpy as np


class Named(enum.IntEnum):
    """An integer that prints as DALI's enumerations do: ``DALIDataType.FLOAT``."""

    __str__ = enum.Enum.__str__


CPU_ONLY_DEVICE_ID = -99999  # no GPU


_LETTERS = "BHIQbhiqefd?"  # of Python's buffers, by number of the type


class DALIDataType(Named):
    """Types of elements."""

    NO_TYPE = -1
    UINT8 = 0
    UINT16 = 1
    UINT32 = 2
    UINT64 = 3
    INT8 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    FLOAT16 = 8
    FLOAT = 9
    FLOAT64 = 10
    BOOL = 11
    STRING = 12
    FEATURE = 17
    IMAGE_TYPE = 20
    DATA_TYPE = 21
    INTERP_TYPE = 22
    TENSOR_LAYOUT = 23
    PYTHON_OBJECT = 24
    BFLOAT16 = 32

    def __call__(self):
        """The type as Python's buffers spell it, such as "=f": what DALI's ``tensor.dtype()`` gives.

        `TypeError` for types that they have no letter for. A `DeprecationWarning` says to leave the call away.
        """
        warnings.warn("Calling '.dtype()' is deprecated, please use '.dtype' instead", DeprecationWarning, stacklevel=2)
        if not 0 <= self < len(_LETTERS):
            raise TypeError(f"buffers have no type for {self}")
        return "=" + _LETTERS[self]


class DALIImageType(Named):
    """Colours that decoders give."""

    RGB = 0
    BGR = 1
    GRAY = 2
    YCbCr = 3
    ANY_DATA = 4


class DALIInterpType(Named):
    """Filters for resampling."""

    INTERP_NN = 0
    INTERP_LINEAR = 1
    INTERP_CUBIC = 2
    INTERP_LANCZOS3 = 3
    INTERP_TRIANGULAR = 4
    INTERP_GAUSSIAN = 5


class PipelineAPIType(Named):
    """Styles of using a pipeline, which do not mix."""

    BASIC = 0
    ITERATOR = 1
    SCHEDULED = 2


NUMPY_NAMES = {
    DALIDataType.UINT8: "uint8",
    DALIDataType.UINT16: "uint16",
    DALIDataType.UINT32: "uint32",
    DALIDataType.UINT64: "uint64",
    DALIDataType.INT8: "int8",
    DALIDataType.INT16: "int16",
    DALIDataType.INT32: "int32",
    DALIDataType.INT64: "int64",
    DALIDataType.FLOAT16: "float16",
    DALIDataType.FLOAT: "float32",
    DALIDataType.FLOAT64: "float64",
    DALIDataType.BOOL: "bool",
    DALIDataType.BFLOAT16: "bfloat16",
}
_BY_NAME = {name: dtype for dtype, name in NUMPY_NAMES.items()} | {
    "half": DALIDataType.FLOAT16,
    "float": DALIDataType.FLOAT,
    "double": DALIDataType.FLOAT64,
    "char": DALIDataType.INT8,
    "short": DALIDataType.INT16,
    "int": DALIDataType.INT32,
    "long": DALIDataType.INT64,
}


_OF_ENUMERATIONS = (DALIDataType.IMAGE_TYPE, DALIDataType.DATA_TYPE, DALIDataType.INTERP_TYPE)


def element_type(dtype):
    """`dtype` as a `DALIDataType`; the types of DALI's enumerations, whose values are integers, become INT32."""
    dtype = DALIDataType(dtype)
    return DALIDataType.INT32 if dtype in _OF_ENUMERATIONS else dtype


def to_numpy_type(dtype):
    """The NumPy type for `dtype`, a `DALIDataType`; `TypeError` where NumPy has none."""
    name = NUMPY_NAMES.get(DALIDataType(dtype))
    if name is None:
        raise TypeError(f"NumPy has no type for {DALIDataType(dtype)}")
    if name == "bfloat16":
        import ml_dtypes

        return ml_dtypes.bfloat16
    return np.bool_ if name == "bool" else getattr(np, name)


def to_dali_type(framework_type):
    """The `DALIDataType` for `framework_type`, a type of NumPy, JAX or torch, or its name; `TypeError` for others."""
    if isinstance(framework_type, DALIDataType):
        return framework_type
    name = framework_type if isinstance(framework_type, str) else getattr(framework_type, "name", None)
    if name is None:
        try:
            name = np.dtype(framework_type).name
        except TypeError:
            name = re.sub(r"^torch\.", "", str(framework_type))
    if name not in _BY_NAME:
        raise TypeError(f"there is no type of Penstock for {framework_type!r}")
    return _BY_NAME[name]
