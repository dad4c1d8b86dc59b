"""Operators as classes: ``ops.Resize(size=224)(images)``. Arguments go to the constructor or to the call."""

import sys
import types as _types

from . import fn as _fn
from ._schema import public_names as _public_names

# Where DALI's class names are not the function's name in capitals.
_SPELLED = {
    "bb": "Bb", "bbox": "BBox", "coco": "COCO", "mfcc": "MFCC", "mxnet": "MXNet", "rms": "RMS", "roi": "ROI",
    "ssd": "SSD", "tfrecord": "TFRecord", "dl": "DL",
}  # fmt: skip


def class_name(name):
    """`crop_mirror_normalize` -> `CropMirrorNormalize`, `bbox_paste` -> `BBoxPaste`."""
    return "".join(_SPELLED.get(word, word[:1].upper() + word[1:]) for word in name.split("_"))


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

    def __init__(self, **kwargs):
        self._given = {key: value for key, value in kwargs.items() if value is not None}
        self._given.setdefault("device", "cpu")

    @property
    def device(self):
        return self._given["device"]

    def __call__(self, *inputs, **kwargs):
        kwargs = {key: value for key, value in kwargs.items() if value is not None}
        twice = sorted(self._given.keys() & kwargs.keys())
        if twice:
            raise ValueError(
                f"[ops.{type(self).__name__}] argument `{twice[0]}` is given to the constructor and to the call"
            )
        return self._function()(*inputs, **self._given, **kwargs)

    def _function(self):
        function = _fn
        for part in self._function_name.split("."):
            function = getattr(function, part)
        return function


class _FunctionOperator(_Operator):
    """Operators whose function comes first: ``ops.PythonFunction(function, num_outputs=1)``."""

    def __init__(self, function, **kwargs):
        super().__init__(function=function, **kwargs)


class _SourceOperator(_Operator):
    """``ops.ExternalSource(source=None, num_outputs=None, ...)``."""

    def __init__(self, source=None, num_outputs=None, **kwargs):
        super().__init__(source=source, num_outputs=num_outputs, **kwargs)


_BASES = {
    "external_source": _SourceOperator,
    "python_function": _FunctionOperator,
    "dl_tensor_python_function": _FunctionOperator,
}


def _lookup(module, prefix, name):
    full = prefix + name
    if full in _NAMES:
        function = _NAMES[full]
        schema = _public_names().get(function)
        body = {"_function_name": function, "__module__": module, "__doc__": schema.doc if schema else None}
        return type(name, (_BASES.get(function, _Operator),), body)
    if f"{module}.{name}" in sys.modules:
        return sys.modules[f"{module}.{name}"]
    raise AttributeError(f"module '{module}' has no attribute '{name}': there is no operator `{full}`")


class _Namespace(_types.ModuleType):
    """`ops.readers`, `ops.decoders`, ...: a module filled on demand."""

    def __init__(self, name, prefix):
        super().__init__(name, f"Operators `{prefix}*` as classes.")
        self.__path__ = []
        self._prefix = prefix

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = _lookup(self.__name__, self._prefix, name)
        setattr(self, name, value)
        return value

    def __dir__(self):
        return sorted(name[len(self._prefix) :] for name in _NAMES if name.startswith(self._prefix))


for _prefix in {name.rpartition(".")[0] for name in _NAMES} - {""}:
    _path = f"{__name__}.{_prefix}"
    sys.modules[_path] = _Namespace(_path, f"{_prefix}.")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    value = _lookup(__name__, "", name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(name for name in _NAMES if "." not in name)
