"""python/penstock/fn/*.pyi: what editors and type checkers see of penstock.fn.

A namespace (`fn.readers`) is a stub file. Operators that are in none have one file a folder of their sources, and `fn`
itself only names them all. Older names of operators are imports under another name.
"""

import ast
import textwrap

from .schema import NOTE, ROOT, default_of, shown

_TYPE = {
    "list of int": "_Ints",
    "list of float": "_Floats",
    "list of str": "_Strings",
    "dict of str": "_Mapping[str, object]",
}
_COMMON = [
    "device: _Literal['cpu', 'gpu', 'mixed'] | None = None",
    "name: str | None = None",
    "preserve: bool = False",
]
_HEAD = f"""# {NOTE}
from collections.abc import Mapping as _Mapping
from collections.abc import Sequence as _Sequence
from typing import Any as _Any
from typing import Literal as _Literal

from numpy.typing import ArrayLike as _ArrayLike

from penstock import types as _types
from penstock._sets import takes_sets as _takes_sets
from penstock.data_node import DataNode as _DataNode

_Ints = _Sequence[int] | int
_Floats = _Sequence[float] | float
_Strings = _Sequence[str] | str
_Tensor = _DataNode | _ArrayLike
"""


def _type_of(arg):
    name = arg["type"]
    text = f"_types.{name}" if name.startswith("DALI") else _TYPE.get(name, name)
    if arg["per_sample"]:
        text += " | _Tensor"
    return text if arg["required"] or arg["default"] is not None else f"{text} | None"


def _keyword(arg):
    if arg["required"]:
        return f"{arg['name']}: {_type_of(arg)}"
    prefix = "_types." if default_of(arg).startswith("DALI") else ""
    return f"{arg['name']}: {_type_of(arg)} = {prefix}{default_of(arg)}"


def _parameters(schema):
    positional, variadic = [], ""
    keywords = {arg["name"] for arg in shown(schema)}
    for one in schema["inputs"]:
        name = one["name"] + ("_input" if one["name"] in keywords else "")  # two of one name are no Python
        if one["variadic"]:
            variadic = f"*{name}: _Tensor"
        else:
            optional = " | None = None" if one["optional"] else ""
            positional.append(f"{name}: _Tensor{optional}")
    if positional:
        positional.append("/")
    return [*positional, variadic or "*", *map(_keyword, shown(schema)), *_COMMON]


def _returns(schema):
    if schema["outputs_by"]:
        return "dict[str, _DataNode]"
    if schema["outputs_vary"]:
        return "_Any"
    return {0: "None", 1: "_DataNode"}.get(len(schema["outputs"]), "list[_DataNode]")


def _filled(parameters, columns=120):
    """As many parameters a line as there is room for: a line each would be 600 lines for a dozen readers."""
    lines = [""]
    for parameter in parameters:
        if lines[-1] and len(lines[-1]) + len(parameter) + 6 > columns:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + parameter + ","
    return [f"    {line}" for line in lines]


def _function(name, schema):
    lines = [f"def {name}(", *_filled(_parameters(schema)), f") -> {_returns(schema)}:"]
    raw = "r" if "\\" in schema["doc"] else ""
    lines.append(textwrap.indent(f'{raw}"""{schema["doc"]}"""', "    "))
    if _takes_sets(schema):
        lines.insert(0, "@_takes_sets")
    return "\n".join(lines) + "\n"


def _takes_sets(schema):
    """Whether a list of nodes in the place of the first input gives a list of outputs, one for each."""
    first = next(iter(schema["inputs"]), {"variadic": True})
    return not first["variadic"] and _returns(schema) == "_DataNode"


def _special():
    """Functions that fn/__init__.py takes from other modules, read out of its table `_SPECIAL`."""
    for node in ast.parse((ROOT / "python/penstock/fn/__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "_SPECIAL":
            return ast.literal_eval(node.value)
    raise LookupError("python/penstock/fn/__init__.py has no table _SPECIAL")


def _home(schema):
    """(namespace, stem of the stub file) of an operator."""
    space = schema["name"].rpartition(".")[0]
    return (space, "__init__") if space else ("", f"_{schema['group']}")


def _dotted(*parts):
    return ".".join(part for part in parts if part)


def _imports(schemas):
    """Namespace -> {what is called so there but defined in another file: (module, name in it)}."""
    found = {}
    for schema in schemas:
        space, stem = _home(schema)
        defined = _dotted("penstock.fn", space, stem.removeprefix("__init__")), schema["name"].rpartition(".")[2]
        for name in schema["aliases"] if space else [schema["name"], *schema["aliases"]]:
            where, _, public = name.rpartition(".")
            if not public.startswith("_"):
                found.setdefault(where, {})[public] = defined
    found.setdefault("", {}).update(_special())
    for space in _spaces(schemas):
        if space:
            around, _, name = space.rpartition(".")
            found.setdefault(around, {})[name] = (_dotted("penstock.fn", around), name)
    return found


def _import(public, origin):
    module, name = origin
    return f"from {module} import {name} as {public}\n"


def _all(names):
    """What the file offers: imports under another name are private without it."""
    quoted = ", ".join(f'"{name}"' for name in sorted(names))
    return f"__all__ = [\n{textwrap.fill(quoted, 120, initial_indent='    ', subsequent_indent='    ')},\n]\n"


def _spaces(schemas):
    """All namespaces, those around others too."""
    names = [name for schema in schemas for name in [schema["name"], *schema["aliases"]]]
    parts = [name.split(".")[:-1] for name in names]
    return sorted({_dotted(*one[:depth]) for one in parts for depth in range(len(one) + 1)})


def render(schemas):
    """File name below python/penstock/fn -> text."""
    schemas = [schema for schema in schemas if schema["name"] not in _special()]
    functions = {(space, "__init__"): {} for space in _spaces(schemas)}  # by file and name
    for schema in schemas:
        leaf = schema["name"].rpartition(".")[2]
        functions.setdefault(_home(schema), {})[leaf] = _function(leaf, schema)
    files = {}
    for (space, stem), own in sorted(functions.items()):
        imports = _imports(schemas).get(space, {}) if stem == "__init__" else {}
        lines = "".join(sorted(_import(public, origin) for public, origin in imports.items()))
        names = _all([*imports, *own]) if imports else ""
        files[_dotted(space, stem).replace(".", "/") + ".pyi"] = "\n".join(
            part for part in (_HEAD if own else f"# {NOTE}\n", lines, names, *own.values()) if part
        )
    return files
