"""Pages of the Python API, made from docstrings."""

import enum
import importlib
import inspect
import re

MODULES = {
    "Pipelines": [
        "penstock",
        "penstock.types",
        "penstock.math",
        "penstock.tensors",
        "penstock.errors",
        "penstock.memory",
    ],
    "JAX": ["penstock.plugin.jax", "penstock.plugin.jax.fn", "penstock.plugin.jax.orbax", "penstock.plugin.jax.clu"],
    "PyTorch": ["penstock.torch", "penstock.plugin.pytorch", "penstock.parallel"],
    "Data sets": ["penstock.bucketing", "penstock.huggingface", "penstock.packing", "penstock.tfrecord"],
}


def _is_ours(value):
    module = getattr(value, "__module__", None) or ""
    return (inspect.isroutine(value) or inspect.isclass(value)) and module.split(".")[0] == "penstock"


def _members(module):
    names = getattr(module, "__all__", None)
    if names is None:
        own = module.__name__
        names = [n for n, v in vars(module).items() if not n.startswith("_") and getattr(v, "__module__", None) == own]
    return [(name, getattr(module, name)) for name in sorted(names) if _is_ours(getattr(module, name, None))]


def _signature(name, value):
    """(call, docstring without the signature that nanobind puts first)."""
    text = inspect.getdoc(value) or ""
    first, _, rest = text.partition("\n")
    if re.match(r"\w*\(.*\) -> ", first):
        return first.replace("self, ", "").replace("(self)", "()"), rest.strip()
    if isinstance(value, property) or not callable(value):
        return name, text
    try:
        given = re.sub(r" at 0x[0-9a-f]+", "", str(inspect.signature(value)))
    except (TypeError, ValueError):
        given = "(...)"
    return f"{name}{given.replace('(self, ', '(').replace('(self)', '()')}", text


def _literal(text):
    """A docstring as Markdown: lists of arguments become definitions, the rest stays."""
    text = text.replace("``", "`").replace("<", "&lt;")
    lines, arguments = [], False
    for line in text.splitlines():
        if re.fullmatch(r"-{3,}|={3,}", line.strip()):
            lines[-1] = f"**{lines[-1].strip()}**"
            lines.append("")
            arguments = True
        elif arguments and line and not line.startswith(" "):
            name, colon, kind = line.partition(" : ")
            lines += ["", f"- `{name}`" + (f" ({kind})" if colon else "")]
        elif arguments and line.startswith("    "):
            lines.append("  " + line.strip())
        else:
            lines.append(line)
    return "\n".join(lines)


def _described(name, value, level):
    call, text = _signature(name, value)
    yield f"{'#' * level} {name}\n\n```python\n{call}\n```\n\n{_literal(text)}\n"


def _class(name, value):
    yield from _described(name, value, 2)
    if isinstance(value, enum.EnumMeta):
        yield ", ".join(f"`{one}`" for one in value.__members__) + "\n"
        return
    seen = {}
    for owner in value.__mro__:
        if _is_ours(owner):
            seen.update({k: v for k, v in vars(owner).items() if not k.startswith("_") and k not in seen})
    for attribute, static in sorted(seen.items()):
        found = getattr(value, attribute)
        if isinstance(static, property) or callable(found):
            yield from _described(attribute, found, 3)


def pages():
    """File name -> text: a page for each module, and their list."""
    made, index = {}, ["# Python API\n", "Operators have [pages of their own](../reference/README.md).\n"]
    for group, names in MODULES.items():
        rows = []
        for name in names:
            module = importlib.import_module(name)
            parts = [f"# {name}\n", _literal(inspect.getdoc(module) or "") + "\n"]
            for member, value in _members(module):
                parts += _class(member, value) if inspect.isclass(value) else _described(member, value, 2)
            made[f"{name}.md"] = "\n".join(parts)
            rows.append(f"| [{name}]({name}.md) | {(module.__doc__ or '').strip().splitlines()[0]} |")
        index += [f"## {group}\n", "| module | what it holds |\n| --- | --- |", *rows, ""]
    hidden = "\n".join(f"{name} <{name}>" for names in MODULES.values() for name in names)
    made["index.md"] = "\n".join([*index, "```{toctree}\n:hidden:\n\n" + hidden + "\n```\n"])
    return made
