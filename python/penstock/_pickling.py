"""How sources get into the processes that call them: functions that no import finds go by value."""

import importlib
import io
import marshal
import pickle
import sys
import types

_BY_VALUE = "_penstock_pickle_by_value"


def pickle_by_value(fun):
    """Marks a function of a module: parallel sources send its code, so that their processes need not import it.

    Args
    ----
    fun : function
        Returned. `TypeError` for what is none.
    """
    if not isinstance(fun, types.FunctionType):
        raise TypeError("Only functions can be explicitly set to be pickled by value")
    setattr(fun, _BY_VALUE, True)
    return fun


def dumps(value, protocol=None, **kwargs):
    """As `pickle.dumps`; lambdas, functions within functions and those marked by `pickle_by_value` go by value.

    Such a function takes its code, defaults, closure and the global names that the code uses with it.
    """
    file = io.BytesIO()
    _Pickler(file, protocol, **kwargs).dump(value)
    return file.getvalue()


loads = pickle.loads


class UserPickler:
    """The `py_callback_pickler` of a pipeline: an object with `dumps` and `loads`, or a tuple of that and keywords.

    `ValueError` for others.
    """

    def __init__(self, given):
        parts = (*given, None, None) if isinstance(given, (tuple, list)) else (given, None, None)
        self._pickler = sys.modules[__name__] if parts[0] is None else parts[0]
        if len(parts) > 5 or not (hasattr(self._pickler, "dumps") and hasattr(self._pickler, "loads")):
            raise ValueError(
                "Unsupported py_callback_pickler: it is an object with `dumps` and `loads`, such as a module, or a "
                f"tuple of one, keywords of dumps and keywords of loads, got {given!r}"
            )
        self._dumps_kwargs, self._loads_kwargs = parts[1] or {}, parts[2] or {}

    def dumps(self, value):
        """`value` as bytes, and what makes the value of them: (bytes, (module or object, keywords))."""
        name = self._pickler.__name__ if isinstance(self._pickler, types.ModuleType) else None
        return self._pickler.dumps(value, **self._dumps_kwargs), (name or self._pickler, self._loads_kwargs)

    @staticmethod
    def loads(data, how):
        """The value that `dumps` wrote, in another process."""
        pickler, kwargs = how
        module = importlib.import_module(pickler) if isinstance(pickler, str) else pickler
        return module.loads(data, **kwargs)


class _Pickler(pickle.Pickler):
    def reducer_override(self, value):
        if isinstance(value, types.ModuleType):
            return importlib.import_module, (value.__name__,)
        if isinstance(value, types.CellType):
            return reduced_cell(value)
        if isinstance(value, types.FunctionType) and _goes_by_value(value):
            code = marshal.dumps(value.__code__)
            made = code, value.__module__, value.__name__, value.__closure__
            rest = _used_globals(value), value.__defaults__, value.__kwdefaults__, value.__qualname__, vars(value)
            return _function, made, rest, None, None, _complete
        return NotImplemented


def _goes_by_value(function):
    return function.__name__ == "<lambda>" or "<locals>" in function.__qualname__ or hasattr(function, _BY_VALUE)


def _used_globals(function):
    return {name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__}


def _names(code):
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


def _function(code, module, name, closure):
    return types.FunctionType(
        marshal.loads(code), {"__name__": module, "__builtins__": __builtins__}, name, None, closure
    )


def _complete(function, rest):
    used, function.__defaults__, function.__kwdefaults__, function.__qualname__, attributes = rest
    function.__globals__.update(used)
    vars(function).update(attributes)


def reduced_cell(cell):
    """What a pickler makes of a variable around a function. It may hold the function itself."""
    return _cell, (), _contents(cell), None, None, _fill


def _cell():
    return types.CellType()  # which pickle does not find by its name


def _contents(cell):
    try:
        return (cell.cell_contents,)
    except ValueError:  # nothing yet
        return ()


def _fill(cell, contents):
    for one in contents:
        cell.cell_contents = one
