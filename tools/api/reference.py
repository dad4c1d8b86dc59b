"""docs/reference/<group>/<operator>.md: one page each, a list of all, and a list of what differs from DALI."""

import re
import textwrap

from .schema import NOTE, by_group, default_of, path_of, shown

_WIDTH = 88  # characters of a line of code
_COMMENT = f"<!-- {NOTE} -->\n"


def _cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def _table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join([*lines, *("| " + " | ".join(map(_cell, row)) + " |" for row in rows)]) + "\n"


def _call(schema, words):
    """A call, laid out as a formatter of Python would where one line is wider than a page."""
    line = f"fn.{schema['name']}({', '.join(words)})"
    if len(line) <= _WIDTH:
        return line
    kept = ", ".join(word.replace(" ", "\0") for word in words)
    lines = textwrap.wrap(kept, _WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    return "\n".join([f"fn.{schema['name']}(", *("    " + one.replace("\0", " ") for one in lines), ")"])


def _value(arg):
    """The default as a user writes it: `types.INTERP_LINEAR`."""
    return re.sub(r"\bDALI\w+\.", "types.", default_of(arg))


def _signature(schema):
    inputs = [("*" if one["variadic"] else "") + one["name"] for one in schema["inputs"]]
    active = [arg for arg in shown(schema) if not arg["ignored"]]
    keywords = [arg["name"] if arg["required"] else f"{arg['name']}={_value(arg)}" for arg in active]
    return _call(schema, inputs + keywords)


def _kind(arg):
    return arg["type"] + (" or node" if arg["per_sample"] else "")


def _default(arg):
    if arg["required"]:
        return "required"
    return "" if arg["default"] is None else f"`{_value(arg)}`"


def _facts(schema):
    if schema["host_only"]:
        copied = ' With `device="gpu"` the host copies its outputs to the GPU.' if "gpu" in schema["devices"] else ""
        yield f"For the host alone: {schema['host_only']}.{copied}"
    if schema["aliases"]:
        yield "Also called " + ", ".join(f"`fn.{name}`" for name in schema["aliases"]) + "."
    if schema["random"]:
        yield "Random: its numbers depend on the seed, the epoch and the sample alone."
    if schema["tolerance"]:
        yield f"CPU and GPU agree within {schema['tolerance']:g}."


def _example(schema):
    """The call that the schema shows, as Python source; empty where it says nothing that the signature does not."""
    given = [one for one in schema["inputs"] if one["holds"] != "nothing" and not one["optional"]]
    types = {arg["name"]: arg for arg in schema["args"]}
    words = [one["name"] for one in given]
    for name, value in schema["example"].items():
        if isinstance(value, dict):
            word = '"/data"' if "data" in value else f"fn.{value['node']}()"
        else:
            word = _value(types[name] | {"default": value})
        words.append(f"{name}={word}")
    return _call(schema, words) if schema["example"] else ""


def _page(schema):
    code = [_signature(schema), *([f"\n# for example\n{_example(schema)}"] if schema["example"] else [])]
    parts = [_COMMENT, f"# {schema['name']}\n", schema["doc"].strip() + "\n", "```python", *code, "```\n"]
    if schema["inputs"]:
        rows = [
            (
                f"`{one['name']}`" + (" (optional)" if one["optional"] else ""),
                ", ".join(one["layouts"]) or "any",
                one["doc"],
            )
            for one in schema["inputs"]
        ]
        parts += ["## Inputs\n", _table(("input", "layouts", ""), rows)]
    if schema["outputs"]:
        rows = [(f"`{one['name']}`", one["doc"]) for one in schema["outputs"]]
        parts += ["## Outputs\n", _table(("output", ""), rows)]
    active = [arg for arg in shown(schema) if not arg["ignored"]]
    if active:
        rows = [(f"`{arg['name']}`", _kind(arg), _default(arg), arg["doc"]) for arg in active]
        parts += ["## Arguments\n", _table(("argument", "type", "default", ""), rows)]
    ignored = [arg for arg in shown(schema) if arg["ignored"]]
    if ignored:
        rows = [(f"`{arg['name']}`", arg["doc"]) for arg in ignored]
        parts += ["## Accepted and ignored\n", _table(("argument", "why"), rows)]
    if schema["differs"]:
        parts += ["## Unlike DALI\n", "".join(f"- {how}\n" for how in schema["differs"])]
    facts = list(_facts(schema))
    return "\n".join(parts + (["\n".join(facts) + "\n"] if facts else []))


def _differences(schemas):
    lines = [f"- [`{one['name']}`]({path_of(one)}.md): {how}" for one in schemas for how in one["differs"]]
    return "\n".join([_COMMENT, "# Operators whose results differ from DALI's\n", *lines]) + "\n"


def _first_sentence(text):
    return text.strip().split("\n\n")[0].split(". ")[0].rstrip(".") + "."


def render(schemas):
    """File name -> text."""
    parts = [_COMMENT, f"# Operators\n\n{len(schemas)} operators, by the folders of their sources.\n"]
    for group, members in by_group(schemas).items():
        rows = [(f"[{one['name']}]({path_of(one)}.md)", _first_sentence(one["doc"])) for one in members]
        parts += [f"## {group}\n", _table(("operator", "what it does"), rows)]
    pages = {f"{path_of(one)}.md": _page(one) for one in schemas}
    return {"README.md": "\n".join(parts), "differences.md": _differences(schemas), **pages}
