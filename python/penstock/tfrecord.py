"""What to take out of TFRecord files: the values of ``fn.readers.tfrecord(features={...})``."""

__all__ = ["Feature", "FixedLenFeature", "VarLenFeature", "float32", "int64", "string"]

int64, string, float32 = range(3)  # DALI's numbers

_NAMES = {int64: "int64", string: "string", float32: "float32"}
_DEFAULTS = {int64: int, string: (str, bytes), float32: (int, float)}


class Feature:
    """A feature that is wanted. The reader is told it in words, such as ``int64[2, 3]``, which ``str`` gives.

    Parameters
    ----------
    extents : list of int
        Shape of the output; "..." in front stands for any number of rows.
    dtype : int64, string or float32
    default : int, float or str
        What a record has that lacks the feature, if the shape is that of one number.

    Raises
    ------
    ValueError, TypeError
        For a type that TFRecords do not have, and a default that is not of the type.
    """

    __slots__ = ("_text",)

    def __init__(self, extents, dtype, default):
        if dtype not in _NAMES:
            raise ValueError(f"the type of a feature is tfrecord.int64, .string or .float32, got {dtype!r}")
        if not isinstance(default, _DEFAULTS[dtype]):
            raise TypeError(f"the default of a feature of {_NAMES[dtype]} cannot be {default!r}")
        self._text = f"{_NAMES[dtype]}[{', '.join(map(str, extents))}]"
        if dtype != string:
            self._text += f"={default}"

    def __str__(self):
        return self._text

    __repr__ = __str__


def FixedLenFeature(shape, dtype, default_value):  # noqa: N802 - DALI's name
    """A feature with as many values in each record.

    Parameters
    ----------
    shape : list of int
        Shape of the output; empty for one number, or for a string.
    dtype : int64, string or float32
        Strings are outputs of uint8.
    default_value : int, float or str
        What a record has that lacks the feature, if the shape is that of one number. Otherwise the output is empty.

    Raises
    ------
    ValueError, TypeError
        For a type that TFRecords do not have, and a default that is not of the type.
    """
    return Feature(list(shape), dtype, default_value)


def VarLenFeature(*args):  # noqa: N802 - DALI's name
    """A feature with any number of values: ``VarLenFeature(dtype, default)``, ``VarLenFeature(partial_shape, ...)``.

    Parameters
    ----------
    args
        In front, and optional, a list of int: the shape of a row of the output, which has as many rows as the record
        has values for. Then the type, int64 or float32, and a default, which has no meaning: a record that lacks the
        feature has no rows.

    Raises
    ------
    ValueError, TypeError
        As `FixedLenFeature`, and for another number of arguments.
    """
    if len(args) not in (2, 3):
        raise TypeError(
            f"VarLenFeature takes (dtype, default) or (partial_shape, dtype, default), got {len(args)} values"
        )
    *partial, dtype, default = args
    return Feature(["...", *(partial[0] if partial else ())], dtype, default)
