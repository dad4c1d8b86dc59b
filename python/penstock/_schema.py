"""What the operators of this build are called and take, read once from the C++ registry."""

import functools
import json

from . import _core


class Schema:
    """One operator as it describes itself."""

    __slots__ = (
        "aliases", "args", "devices", "doc", "hidden", "inputs", "keep", "kind", "name", "outputs", "random",
        "tolerance",
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
        self.random = described["random"]
        self.keep = described["keep"]
        self.hidden = described["hidden"]
        self.tolerance = described["tolerance"]  # CPU and GPU agree within this

    def input_range(self):
        """Least and most inputs; None where any number goes."""
        least = sum(not one["optional"] for one in self.inputs)
        return least, None if any(one["variadic"] for one in self.inputs) else len(self.inputs)


@functools.cache
def schemas():
    """All operators by name, hidden ones too."""
    return {one["name"]: Schema(one) for one in json.loads(_core.schema_json())}


@functools.cache
def public_names():
    """Name in ``fn`` -> schema, with DALI's older names; those with an underscore in front are nobody's business."""
    shown = (schema for schema in schemas().values() if not schema.hidden)
    return {name: schema for schema in shown for name in [schema.name, *schema.aliases] if not name.startswith("_")}
