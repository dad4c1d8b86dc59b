"""include/penstock/fn/<group>/<operator>.h: one typed C++ call each; fn/<group>.h and fn.h include them all."""

import json
import re

from .schema import NOTE, ROOT, by_group, path_of, shown

_TYPE = {
    "bool": "bool",
    "int": "int64_t",
    "float": "double",
    "str": "std::string",
    "list of int": "Ints",
    "list of float": "Floats",
    "list of str": "Strings",
    "dict of str": "Dict",
    "DALIDataType": "DType",
    "DALIImageType": "ImageType",
    "DALIInterpType": "InterpType",
}
_RESERVED = {"and", "or", "not", "xor", "default", "case", "switch", "union", "register", "template", "float", "int"}
_ALL = f"""// {NOTE}
// fn::resize(graph, images, {{.mode = "stretch", .size = {{224, 224}}}}): arguments are named, in alphabetical
// order; what is left out has the default that docs/reference gives.
#pragma once

"""
_GROUP = f"// {NOTE}\n#pragma once\n\n"
_OPERATOR = f"""// {NOTE}
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {{

"""


def _identifier(name):
    return name + "_" if name in _RESERVED else name


def _struct_name(leaf):
    return "".join(word.capitalize() for word in leaf.split("_")) + "Args"


def _field(arg):
    kind = _TYPE[arg["type"]]
    kind = f"Arg<{kind}>" if arg["per_sample"] else f"Constant<{kind}>"
    lines = _comment(f"{' '.join(arg['doc'].split())}{_default(arg)}")
    return "\n".join([*lines, f"{kind} {_identifier(arg['name'])} = {{}};"])


def _enumerators():
    """{name of an enumeration: {number: "DType::kFloat"}}, as the public headers have them."""
    found = {}
    for header in ("dtype.h", "types.h"):
        text = (ROOT / "include/penstock" / header).read_text()
        for name, body in re.findall(r"enum class (\w+)[^{]*\{(.*?)\};", text, re.DOTALL):
            found[name] = {int(number): f"{name}::{one}" for one, number in re.findall(r"(k\w+) = (-?\d+)", body)}
    return found


_ENUMERATORS = _enumerators()


def _written(value, kind):
    """The value as C++ source."""
    if isinstance(value, list):
        return "{" + ", ".join(_written(one, kind) for one in value) + "}"
    return _ENUMERATORS.get(kind, {}).get(value) or json.dumps(value)


def _default(arg):
    if arg["required"]:
        return " Required."
    return "" if arg["default"] is None else f" Default: `{_written(arg['default'], _TYPE[arg['type']])}`."


def _comment(text):
    """Lines of a comment for Doxygen, which takes <, @, \\ and * outside of `code` for marks of its own."""
    words = text.strip().split("`")
    words[::2] = [re.sub(r"[<>@\\]|\*(?! )", r"\\\g<0>", one) for one in words[::2]]
    return [f"/// {line}".rstrip() for line in "`".join(words).splitlines()]


def _described(schema):
    """What the operator does, takes and gives."""
    yield from _comment(schema["doc"])
    for one in schema["inputs"]:
        layouts = f" Layouts: {', '.join(one['layouts'])}." if one["layouts"] else ""
        left_out = " May be left out: `{}`." if one["optional"] and not one["variadic"] else ""
        [line] = _comment(" ".join(f"{one['doc']}{layouts}{left_out}".split()))
        yield line.replace("/// ", f"/// @param {_identifier(one['name'])}  ", 1)
    listed = len(schema["outputs"]) > 1 or schema["outputs_vary"]
    if listed:
        yield "/// @return in this order:"
    for one in schema["outputs"]:
        [line] = _comment(" ".join((f"- `{one['name']}`: " * listed + one["doc"]).split()))
        yield line if listed else line.replace("/// ", "/// @return ", 1)


def _result(schema):
    count = len(schema["outputs"])
    if schema["outputs_vary"]:
        return "std::vector<Node>", ".add(graph)"
    if count == 0:
        return "void", ".add(graph)"
    if count == 1:
        return "Node", ".add(graph).front()"
    return f"std::array<Node, {count}>", f".add<{count}>(graph)"


def _parameters(schema):
    for one in schema["inputs"]:
        if one["variadic"]:
            yield f"std::vector<Node> {_identifier(one['name'])}"
        elif one["optional"]:
            yield f"std::optional<Node> {_identifier(one['name'])}"
        else:
            yield f"Node {_identifier(one['name'])}"


def _inputs(schema):
    """The initial list of inputs, and what is appended to it when given."""
    variadic = [_identifier(one["name"]) for one in schema["inputs"] if one["variadic"]]
    fixed = [_identifier(one["name"]) for one in schema["inputs"] if not one["optional"]]
    single = [one for one in schema["inputs"] if one["optional"] and not one["variadic"]]
    extra = "".join(f".input({_identifier(one['name'])})" for one in single)
    return (f"std::move({variadic[0]})" if variadic else "{" + ", ".join(fixed) + "}"), extra


def _call(leaf, schema):
    args = sorted((arg for arg in shown(schema) if not arg["ignored"]), key=lambda arg: arg["name"])
    struct = _struct_name(leaf)
    result, end = _result(schema)
    first, extra = _inputs(schema)
    set_args = "".join(f'.arg("{arg["name"]}", args.{_identifier(arg["name"])})' for arg in args)
    back = "" if result == "void" else "return "
    return "\n".join(
        [
            f"/// Arguments of {_identifier(leaf)}().",
            f"struct {struct} {{",
            *map(_field, args),
            "/// Name, device and whether it stays unread.",
            "CommonArgs common = {};",
            "};",
            *_described(schema),
            f"inline {result} {_identifier(leaf)}("
            + ", ".join(["Graph& graph", *_parameters(schema), f"const {struct}& args = {{}}"])
            + ") {",
            f'  {back}Call("{schema["name"]}", {first}, args.common){extra}{set_args}{end};',
            "}\n",
        ]
    )


def _header(schema):
    *spaces, leaf = schema["name"].split(".")
    text = _call(leaf, schema)
    for space in reversed(spaces):
        text = f"namespace {space} {{\n\n{text}\n}}  // namespace {space}\n"
    return _OPERATOR + text + "\n}  // namespace penstock::fn\n"


def _includes(paths):
    return "".join(f"#include <penstock/fn/{path}.h>\n" for path in paths)


def render(schemas):
    """File name below include/penstock -> text."""
    groups = by_group(schemas)
    return {
        "fn.h": _ALL + _includes(groups),
        **{f"fn/{group}.h": _GROUP + _includes(map(path_of, members)) for group, members in groups.items()},
        **{f"fn/{path_of(schema)}.h": _header(schema) for schema in schemas},
    }
