"""What the operators of this build are called and take, read from the C++ registry when it is asked for."""

import collections.abc
import functools
import json

from . import _core

# Where DALI's class names are not the function's name in capitals.
_SPELLED = {
    "bb": "Bb", "bbox": "BBox", "coco": "COCO", "mfcc": "MFCC", "mxnet": "MXNet", "rms": "RMS", "roi": "ROI",
    "ssd": "SSD", "tfrecord": "TFRecord", "dl": "DL",
}  # fmt: skip


def class_name(name):
    """`crop_mirror_normalize` -> `CropMirrorNormalize`, `bbox_paste` -> `BBoxPaste`."""
    return "".join(_SPELLED.get(word, word[:1].upper() + word[1:]) for word in name.split("_"))


class Schema:
    """One operator as it describes itself."""

    __slots__ = (
        "aliases", "args", "devices", "differs", "doc", "example", "hidden", "host_only", "inputs", "keep", "kind",
        "name", "outputs", "outputs_by", "outputs_vary", "random", "tolerance",
    )  # fmt: skip

    def __init__(self, described):
        self.name = described["name"]
        self.doc = described["doc"]
        self.kind = described["kind"]
        self.inputs = described["inputs"]
        self.outputs = described["outputs"]
        self.args = {arg["name"]: arg for arg in described["args"]}
        self.aliases = described["aliases"]
        self.devices = described["devices"]
        self.outputs_by = described["outputs_by"]  # the argument whose keys name the outputs, or ""
        self.outputs_vary = described["outputs_vary"]
        self.random = described["random"]
        self.keep = described["keep"]
        self.hidden = described["hidden"]
        self.tolerance = described["tolerance"]  # CPU and GPU agree within this
        self.example = described["example"]  # arguments of a call; {"data": kind} and {"node": operator} among them
        self.host_only = described["host_only"]  # why no GPU does its work; "" where one does
        self.differs = described["differs"]  # how it differs from DALI's

    def input_range(self):
        """Least and most inputs; None where any number goes."""
        least = sum(not one["optional"] for one in self.inputs)
        return least, None if any(one["variadic"] for one in self.inputs) else len(self.inputs)


class Schemas(collections.abc.Mapping):
    """Schemas of `operators`, by the names these have here. They are read one by one: all together take 0.7 MB."""

    def __init__(self, operators):
        self._operators = operators  # name here -> name of the operator

    def __getitem__(self, name):
        return _read(self._operators[name])

    def __iter__(self):
        return iter(self._operators)

    def __len__(self):
        return len(self._operators)


@functools.cache
def _read(op):
    return Schema(json.loads(_core.schema_json(op)))


@functools.cache
def schemas():
    """All operators by name, hidden ones too."""
    return Schemas({name: name for name, _, _ in _core.operators()})


@functools.cache
def public_names():
    """Name in ``fn`` -> schema, with DALI's older names; those with an underscore in front are internal."""
    shown = [(name, aliases) for name, aliases, hidden in _core.operators() if not hidden]
    return Schemas({one: name for name, aliases in shown for one in [name, *aliases] if not one.startswith("_")})
