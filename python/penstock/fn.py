"""Operators as functions: ``fn.resize(images, size=224)``. Each takes and gives nodes of a pipeline.

Functions, signatures and documentation are made from the operators' own descriptions when they are first asked for.
"""

import difflib
import sys
import types as _types

from . import _signature
from ._operator import call as _call
from ._schema import public_names as _public_names

# Functions that do more than apply one operator: name -> (module, attribute).
_SPECIAL = {
    "external_source": ("penstock.external_source", "external_source"),
    "python_function": ("penstock.python_function", "python_function"),
    "dl_tensor_python_function": ("penstock.python_function", "dl_tensor_python_function"),
}


def _function(name, module):
    if name in _SPECIAL:
        where, attribute = _SPECIAL[name]
        return getattr(__import__(where, fromlist=[attribute]), attribute)
    schema = _public_names()[name]

    def function(*inputs, **kwargs):
        return _call(schema.name, inputs, kwargs, display=f"fn.{name}")

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__module__ = module
    function.__doc__ = _signature.docstring(schema)
    function.__signature__ = _signature.signature(schema)
    function._schema_name = schema.name
    return function


def _members(prefix):
    """Names one level below `prefix` -> whether they are namespaces themselves."""
    members = {}
    for name in [*_public_names(), *_SPECIAL]:
        if name.startswith(prefix):
            head, dot, _ = name[len(prefix) :].partition(".")
            members[head] = members.get(head, False) or bool(dot)
    return members


def _lookup(module, prefix, name):
    members = _members(prefix)
    if name not in members:
        near = difflib.get_close_matches(name, members, n=1)
        hint = f"; did you mean `{near[0]}`?" if near else ""
        raise AttributeError(
            f"module '{module}' has no attribute '{name}': there is no operator `{prefix}{name}`{hint}"
        )
    if members[name]:
        return sys.modules[f"{module}.{name}"]
    return _function(prefix + name, module)


class _Namespace(_types.ModuleType):
    """`fn.readers`, `fn.decoders`, ...: a module filled on demand."""

    def __init__(self, name, prefix):
        super().__init__(name, f"Operators `{prefix}*`.")
        self.__path__ = []
        self._prefix = prefix

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = _lookup(self.__name__, self._prefix, name)
        setattr(self, name, value)
        return value

    def __dir__(self):
        return sorted(_members(self._prefix))


def _add_namespaces(prefix, module):
    for name, nested in _members(prefix).items():
        if nested:
            path = f"{module}.{name}"
            sys.modules[path] = _Namespace(path, f"{prefix}{name}.")
            _add_namespaces(f"{prefix}{name}.", path)


_add_namespaces("", __name__)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    value = _lookup(__name__, "", name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(_members(""))
