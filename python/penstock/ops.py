"""Operators as classes: ``ops.Resize(size=224)(images)``. Arguments go to the constructor or to the call."""

from . import fn as _fn
from ._copied import copied_arguments as _copied_arguments
from ._namespaces import Tree as _Tree
from ._schema import class_name
from ._schema import public_names as _public_names
from .data_node import DataNode as _DataNode  # noqa: F401, users of DALI take it from here, too


def _function_names():
    """`readers.COCO` -> `readers.coco` for everything that `fn` has."""
    names = {}
    for name in [*_public_names(), *_fn._SPECIAL]:
        prefix, dot, stem = name.rpartition(".")
        names[prefix + dot + class_name(stem)] = name
    return names


_NAMES = _function_names()


class _Operator:
    """Base of all classes of `ops`."""

    _function_name = None
    _shown = None

    def __init__(self, *args, **kwargs):
        self._given = _copied_arguments(self._named(args, kwargs), but=("source", "function"))
        self._given.setdefault("device", "cpu")

    def _named(self, args, kwargs):
        """Arguments with those that stand without a name: from the first to the last required one, as in DALI."""
        schema = _public_names().get(self._function_name)
        described = schema.args.values() if schema else ()
        last = max((i for i, arg in enumerate(described, 1) if arg["required"]), default=0)
        names = [arg["name"] for arg in described][:last]
        twice = [name for name in names[: len(args)] if name in kwargs]
        if len(args) > last or twice:
            what = f"several values for `{twice[0]}`" if twice else f"{len(args)} arguments without a name"
            raise TypeError(f"[ops.{type(self).__name__}] got {what}; it takes at most {last} without one")
        return {**dict(zip(names, args, strict=False)), **kwargs}

    @property
    def device(self):
        """Where the operator runs: "cpu", "gpu" or "mixed"."""
        return self._given["device"]

    def __call__(self, *inputs, **kwargs):
        kwargs = {key: value for key, value in kwargs.items() if value is not None}
        twice = sorted(self._given.keys() & kwargs.keys())
        if twice:
            raise ValueError(
                f"[ops.{type(self).__name__}] argument `{twice[0]}` is given to the constructor and to the call"
            )
        if self._function_name not in _public_names():
            return self._function()(*inputs, **self._given, **kwargs)
        return _fn._applied(self._function_name, inputs, {**self._given, **kwargs}, self._shown)

    def _function(self):
        function = _fn
        for part in self._function_name.split("."):
            function = getattr(function, part)
        return function


class _FunctionOperator(_Operator):
    """Operators whose function comes first: ``ops.PythonFunction(function, num_outputs=1)``."""

    def __init__(self, function, **kwargs):
        super().__init__(function=function, **kwargs)


class _Chain:
    """What `Compose` gives."""

    def __init__(self, op_list):
        self._operators = []
        for one in op_list:
            self._operators += one._operators if isinstance(one, _Chain) else [one]

    def __call__(self, *inputs, **kwargs):
        for operator in self._operators:
            made = operator(*inputs, **kwargs)
            inputs, kwargs = made if isinstance(made, (list, tuple)) else [made], {}
        return inputs[0] if len(inputs) == 1 else list(inputs)


def Compose(op_list):  # noqa: N802 - DALI's name
    """Operators one behind the other: ``ops.Compose([ops.decoders.Image(), ops.Resize(size=224)])(files)``.

    Each gets all outputs of the one before, on the device where it needs them.

    Args
    ----
    op_list : list
        Operators, callables from nodes to nodes, and what `Compose` gave. `ValueError` for an empty list.
    """
    if not op_list:
        raise ValueError("[ops.Compose] op_list holds one operator at least")
    return op_list[0] if len(op_list) == 1 else _Chain(op_list)


class _SourceOperator(_Operator):
    """``ops.ExternalSource(source=None, num_outputs=None, ...)``."""

    def __init__(self, source=None, num_outputs=None, **kwargs):
        super().__init__(source=source, num_outputs=num_outputs, **kwargs)

    def __call__(self, **kwargs):
        if self._given.get("source") is not None or self._given.get("num_outputs") is None:
            return super().__call__(**kwargs)
        given = {name: value for name, value in self._given.items() if name != "num_outputs"}
        return [self._function()(**given, **kwargs) for _ in range(self._given["num_outputs"])]  # fed node by node


_BASES = {
    "external_source": _SourceOperator,
    "python_function": _FunctionOperator,
    "dl_tensor_python_function": _FunctionOperator,
}


def _class(name, module):
    function = _NAMES[name]
    schema = _public_names().get(function)
    body = {
        "_function_name": function,
        "_shown": f"ops.{name}",
        "__module__": module,
        "__doc__": schema.doc if schema else None,
    }
    return type(name.rpartition(".")[2], (_BASES.get(function, _Operator),), body)


__getattr__, __dir__ = _Tree(__name__, _NAMES, _class).of_root()
