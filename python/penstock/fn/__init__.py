"""Operators as functions: ``fn.resize(images, size=224)``. Each takes and gives nodes of a pipeline.

Functions, signatures and documentation are made from the operators' own descriptions when they are first asked for.
"""

from .. import _signature
from .._call import call as _call
from .._deprecated import warn_of_operator as _warn_of_operator
from .._namespaces import Tree as _Tree
from .._schema import public_names as _public_names
from . import _conditional as _conditional

# Functions that do more than apply one operator: name -> (module, attribute).
_SPECIAL = {
    "follow": ("penstock._follow", "follow"),
    "external_source": ("penstock.external_source", "external_source"),
    "python_function": ("penstock.python_function", "python_function"),
    "dl_tensor_python_function": ("penstock.python_function", "dl_tensor_python_function"),
}


def _applied(name, inputs, kwargs, shown=None):
    """What the function of that name gives; a warning of an older name calls it `shown`."""
    schema = _public_names()[name]
    _warn_of_operator(name, schema, shown or f"fn.{name}")
    return _call(schema.name, inputs, kwargs, display=f"fn.{name}")


def _function(name, module):
    if name in _SPECIAL:
        where, attribute = _SPECIAL[name]
        function = getattr(__import__(where, fromlist=[attribute]), attribute)
        function._schema_name = name
        return function
    schema = _public_names()[name]

    def function(*inputs, **kwargs):
        return _applied(name, inputs, kwargs)

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__module__ = module
    function.__doc__ = _signature.docstring(schema)
    function.__signature__ = _signature.signature(schema)
    function._schema_name = name
    return function


__getattr__, __dir__ = _Tree(__name__, [*_public_names(), *_SPECIAL], _function).of_root()
