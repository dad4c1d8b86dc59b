"""fn.pyi: what editors and type checkers see of penstock.fn."""

import ast
import textwrap

from .schema import NOTE, ROOT, Leaf, default_of, grouped, shown

_TYPE = {
    "list of int": "_Sequence[int] | int",
    "list of float": "_Sequence[float] | float",
    "list of str": "_Sequence[str] | str",
}
_COMMON = [
    "device: _Literal['cpu', 'gpu', 'mixed'] | None = None",
    "name: str | None = None",
    "preserve: bool = False",
]
_HEAD = f"""# {NOTE}
from collections.abc import Sequence as _Sequence
from typing import Any as _Any
from typing import Literal as _Literal

from numpy.typing import ArrayLike as _ArrayLike

from penstock import types as _types
from penstock.data_node import DataNode as _DataNode
"""


def _type_of(arg):
    name = arg["type"]
    text = f"_types.{name}" if name.startswith("DALI") else _TYPE.get(name, name)
    if arg["per_sample"]:
        text += " | _DataNode | _ArrayLike"
    return text if arg["required"] or arg["default"] is not None else f"{text} | None"


def _keyword(arg):
    if arg["required"]:
        return f"{arg['name']}: {_type_of(arg)}"
    prefix = "_types." if default_of(arg).startswith("DALI") else ""
    return f"{arg['name']}: {_type_of(arg)} = {prefix}{default_of(arg)}"


def _parameters(schema):
    positional, variadic = [], ""
    for one in schema["inputs"]:
        if one["variadic"]:
            variadic = f"*{one['name']}: _DataNode | _ArrayLike"
        else:
            optional = " | None = None" if one["optional"] else ""
            positional.append(f"{one['name']}: _DataNode | _ArrayLike{optional}")
    if positional:
        positional.append("/")
    return [*positional, variadic or "*", *map(_keyword, shown(schema)), *_COMMON]


def _returns(schema):
    if schema["outputs_vary"]:
        return "_Any"
    return {0: "None", 1: "_DataNode"}.get(len(schema["outputs"]), "list[_DataNode]")


def _function(name, schema):
    lines = [f"def {name}(", *(f"    {parameter}," for parameter in _parameters(schema)), f") -> {_returns(schema)}:"]
    raw = "r" if "\\" in schema["doc"] else ""
    lines.append(textwrap.indent(f'{raw}"""{schema["doc"]}"""', "    "))
    return "\n".join(lines) + "\n"


def _static(text):
    return textwrap.indent("@staticmethod\n" + text, "    ")


def _namespace(name, members):
    parts = [
        _static(_function(leaf, entry.schema))
        if isinstance(entry, Leaf)
        else textwrap.indent(_namespace(leaf, entry), "    ")
        for leaf, entry in members.items()
    ]
    return f"class {name}:\n" + "\n".join(parts)


def _special():
    """Functions that fn.py takes from other modules, read out of its table `_SPECIAL`."""
    for node in ast.parse((ROOT / "python/penstock/fn.py").read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "_SPECIAL":
            return ast.literal_eval(node.value)
    raise LookupError("python/penstock/fn.py has no table _SPECIAL")


def render(schemas):
    special = _special()
    imports = "".join(f"from {module} import {name} as {public}\n" for public, (module, name) in special.items())
    tree = {name: entry for name, entry in grouped(schemas).items() if name not in special}
    parts = [_function(name, e.schema) if isinstance(e, Leaf) else _namespace(name, e) for name, e in tree.items()]
    return "\n".join([_HEAD + imports, *parts])
