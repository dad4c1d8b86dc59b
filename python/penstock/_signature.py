"""Signatures and docstrings of operators, made from their schemas."""

import inspect
import textwrap

from ._enumerations import DALIDataType, DALIImageType, DALIInterpType

_ENUMERATIONS = {one.__name__: one for one in (DALIDataType, DALIImageType, DALIInterpType)}
_GENERIC = (
    ("device", None, "cpu, gpu or mixed; where the first input is when not given."),
    ("name", None, "A name of the operator that is unique in its pipeline."),
    ("preserve", False, "Run the operator although nothing uses its outputs."),
)


def default_of(arg):
    """The default as Python writes it: enumerations as such, everything else as in the schema."""
    value, enumeration = arg["default"], _ENUMERATIONS.get(arg["type"])
    return enumeration(value) if enumeration and value is not None else value


def _shown(schema):
    return [arg for arg in schema.args.values() if not arg["hidden"]]


def signature(schema):
    """Positional inputs, then keyword-only arguments in alphabetical order, as DALI shows them."""
    kind = inspect.Parameter
    parameters = []
    for one in schema.inputs:
        name = one["name"] + ("_input" if one["name"] in schema.args else "")
        if one["variadic"]:
            parameters.append(kind(name, kind.VAR_POSITIONAL))
            break
        default = None if one["optional"] else kind.empty
        parameters.append(kind(name, kind.POSITIONAL_ONLY, default=default))
    keywords = {name: kind(name, kind.KEYWORD_ONLY, default=default) for name, default, _ in _GENERIC}
    for arg in _shown(schema):
        default = kind.empty if arg["required"] else default_of(arg)
        keywords[arg["name"]] = kind(arg["name"], kind.KEYWORD_ONLY, default=default)
    if schema.random:
        keywords.setdefault("seed", kind("seed", kind.KEYWORD_ONLY, default=None))
    return inspect.Signature(parameters + [keywords[name] for name in sorted(keywords)])


def _entry(name, kind, doc):
    return f"{name} : {kind}\n{textwrap.indent(doc, '    ')}"


def _copied(schema, argument):
    """What to add where the host alone does the work of an operator that users may ask a GPU for."""
    if argument != "device" or not schema.host_only or "gpu" not in schema.devices:
        return ""
    return " The host does the work all the same, and copies the outputs to the GPU."


def docstring(schema):
    """NumPy-style documentation of one operator."""
    parts = [schema.doc]
    if schema.inputs:
        entries = []
        for one in schema.inputs:
            layouts = f" ({', '.join(repr(layout) for layout in one['layouts'])})" if one["layouts"] else ""
            entries.append(_entry(("*" if one["variadic"] else "") + one["name"], f"TensorList{layouts}", one["doc"]))
        parts.append("Args\n----\n" + "\n".join(entries))
    entries = []
    for arg in _shown(schema):
        kind = arg["type"] + (" or TensorList of it" if arg["per_sample"] else "")
        if arg["required"]:
            kind += ", required"
        elif arg["default"] is not None:
            kind += f", default {default_of(arg)!s}"
        entries.append(_entry(arg["name"], kind, ("Ignored: " if arg["ignored"] else "") + arg["doc"]))
    entries += [_entry(name, "optional", doc + _copied(schema, name)) for name, _, doc in _GENERIC]
    parts.append("Keyword args\n------------\n" + "\n".join(entries))
    if schema.outputs:
        parts.append(
            "Returns\n-------\n" + "\n".join(_entry(o["name"], "TensorList", o["doc"]) for o in schema.outputs)
        )
    return "\n\n".join(parts)
