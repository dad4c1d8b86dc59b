"""The page of error messages, collected from the sources: each says what is wrong and what to do."""

import ast
import html
import re

KINDS = "ArgumentError|DataError|IndexError|KeyError|TypeError|InternalError|OutOfMemory|EndOfData|GpuError"
CXX = re.compile(rf'\b(?:PENSTOCK_CHECK\(|fail<)[^;]*?\b({KINDS})\b>?\(?[,\s]\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', re.DOTALL)
CXX_FAIL = re.compile(rf'\bfail<({KINDS})>\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
PYTHON = re.compile(r"Error$|Exception$|StopIteration$")
AREAS = {
    "codec": "Files: decoding", "readers": "Files: data sets", "ops": "Operators", "schema": "Arguments",
    "pipeline": "Pipelines", "order": "Order and shards", "device": "GPUs", "cuda": "GPUs", "core": "Memory",
    "parallel": "Several devices", "kernels": "Operators",
}  # fmt: skip


def _cxx(text):
    found = []
    for pattern in (CXX, CXX_FAIL):
        for kind, literals in pattern.findall(text):
            words = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))
            found.append((kind, words.replace('\\"', '"').replace("\\n", " ")))
    return found


def _text_of(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(one.value if isinstance(one, ast.Constant) else "{}" for one in node.values)
    return None


def _python(text):
    for node in ast.walk(ast.parse(text)):
        call = node.exc if isinstance(node, ast.Raise) else None
        if isinstance(call, ast.Call) and call.args and isinstance(call.func, (ast.Name, ast.Attribute)):
            kind = getattr(call.func, "id", getattr(call.func, "attr", ""))
            words = _text_of(call.args[0])
            if words and PYTHON.search(kind):
                yield kind, words


def page(root):
    """The text of the page."""
    areas = {}
    for path in sorted((root / "src").rglob("*.cc")) + sorted((root / "src").rglob("*.h")):
        layer = path.relative_to(root / "src").parts[0]
        areas.setdefault(AREAS.get(layer, "Others"), set()).update(_cxx(path.read_text()))
    for path in sorted((root / "python/penstock").rglob("*.py")):
        part = path.relative_to(root / "python/penstock").parts[0]
        if part not in ("bench", "demo", "dali"):
            areas.setdefault("Python: " + part.removesuffix(".py").lstrip("_"), set()).update(_python(path.read_text()))
    parts = [
        "# Errors\n",
        "What Penstock's errors say, collected from the sources. `{}` stands for a value. An error also names the "
        "operator, the argument, the sample, the file and your line, as far as these are known. Each is an exception "
        "of Python's fitting kind and of DALI's ([penstock.errors](api/penstock.errors.md)).\n",
    ]
    for area in sorted(areas):
        rows = sorted(areas[area], key=lambda one: one[1].lower())
        if rows:
            cells = [f"| {kind} | {_cell(words)} |" for kind, words in rows]
            parts += [f"## {area}\n", "| kind | message |\n| --- | --- |", *cells, ""]
    return "\n".join(parts)


def _cell(words):
    text = html.escape(re.sub(r"\{[^}]*\}", "{}", " ".join(words.split())), quote=False)
    for mark in "\\`*_|[]$~":
        text = text.replace(mark, "\\" + mark)
    return text
