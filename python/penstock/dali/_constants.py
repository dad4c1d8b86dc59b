"""Constants of arguments as DALI takes them: `int()` cuts 1.5, `float()` reads "30", and any text is true."""

import numpy as np

_TAKES = {"int": int, "float": float, "bool": bool}
_OTHERS = (float, str, np.floating)  # what the engine would refuse for some of these


def converted(kind, value):
    """The constant for an argument of the `kind` that its schema says ("int", "list of float"); others as they are."""
    take = _TAKES.get(kind.removeprefix("list of "))
    if take is None or (take is float and not _holds(value, str)) or not _holds(value, _OTHERS):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return [take(one) for one in value]
    return take(value)


def _holds(value, kinds):
    """Whether it is of these kinds, or a list without lists in it that has some."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return any(isinstance(one, kinds) for one in value) and not any(isinstance(one, (list, tuple)) for one in value)
    return isinstance(value, kinds)
