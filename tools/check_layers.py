"""Checks that includes and forward declarations point down the layers only, that public headers know nothing of src/,
and that no Python modules import each other in a circle, be it inside functions.

usage: check_layers.py [CHECKOUT]
"""

import ast
import graphlib
import pathlib
import re
import sys

# Lowest first; layers of one row are siblings, which do not know each other.
ROWS = [
    ["core"],
    ["order"],
    ["schema"],
    ["codec", "device"],
    ["kernels"],
    ["readers", "ops", "parallel", "cuda"],
    ["pipeline"],
]
HEIGHT = {layer: row for row, layers in enumerate(ROWS) for layer in layers}
# Forward declarations of other layers' types that are still there. No line may be added, and one that is no longer
# needed is a fault: the list can only become shorter.
DECLARED = {("src/schema/sample.h", "Pinnable")}
COMPILED = {("penstock", "_core")}  # modules without a Python source
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
_ATTRIBUTE = r"(?:\[\[.*?\]\]\s*)?"
DECLARATION = re.compile(rf"^\s*(?:class|struct|enum(?: class| struct)?)\s+{_ATTRIBUTE}(\w+)(?:\s*:\s*[\w:]+)?\s*;")
DEFINITION = re.compile(
    rf"^\s*(?:template <.*> )?(?:class|struct|enum(?: class)?)\s+{_ATTRIBUTE}(?:\w+::)*(\w+)\b[^;()]*?(?:\{{|$)",
    re.MULTILINE,
)
# The only layer that may include what others wrote for Python or CUDA.
HOME = {
    "bindings": re.compile(r"Python\.h|nanobind/"),
    "cuda": re.compile(r"cu(da|da_.*)\.h|cuda/std/|cub/|nccl|nvjpeg"),
}


def layer_of(path):
    """The layer that a source belongs to: "core", ..., "public" for include/, "bindings" for the Python module."""
    if path.parts[0] == "include":
        return "public"
    if path.parts[0] == "python":
        return "bindings"
    return path.parts[2] if path.parts[:2] == ("tests", "cpp") else path.parts[1]


def allowed(layer, header):
    """Whether a source of `layer` may include `header`."""
    target = header.partition("/")[0]
    for home, pattern in HOME.items():
        if pattern.match(header):
            return layer == home
    if layer == "public" or target not in HEIGHT:
        return target not in HEIGHT
    return layer == "bindings" or layer == target or HEIGHT[target] < HEIGHT[layer]


def faults(root):
    for folder in ("include", "src", "python/bindings", "tests/cpp"):
        for file in sorted((root / folder).rglob("*.[hc]*")):
            path = file.relative_to(root)
            layer = layer_of(path)
            if layer not in {"public", "bindings"} | set(HEIGHT):
                if folder == "src":
                    yield f"{path}: the folder {layer} is no layer; name it in tools/check_layers.py"
                continue
            for number, line in enumerate(file.read_text().splitlines(), 1):
                include = INCLUDE.match(line)
                if include and include[1].startswith("cuda/") and folder == "tests/cpp":
                    continue  # kernels that the host's threads play
                if include and not allowed(layer, include[1]):
                    yield f"{path}:{number}: {layer} may not include {include[1]}"


def declared_faults(root, known=frozenset(DECLARED)):
    """Forward declarations of types that only layers define whose headers may not be included; `known` are let pass."""
    texts = {file.relative_to(root): file.read_text() for file in sorted((root / "src").rglob("*.[hc]*"))}
    homes, found = {}, set()
    for path, text in texts.items():
        for name in DEFINITION.findall(text):
            homes.setdefault(name, set()).add(layer_of(path))
    for path, text in texts.items():
        layer = layer_of(path)
        for number, line in enumerate(text.splitlines(), 1):
            declaration = DECLARATION.match(line)
            of = homes.get(declaration[1], set()) if declaration else set()
            if not of or any(allowed(layer, f"{home}/") for home in of):
                continue
            one = (path.as_posix(), declaration[1])
            found.add(one)
            if one not in known:
                yield f"{path}:{number}: {layer} may not declare {one[1]} of {', '.join(sorted(of))}"
    for path, name in sorted(known - found):
        if pathlib.Path(path) not in texts:
            continue
        yield f"tools/check_layers.py: {path} no longer declares {name}; take it out of DECLARED"


def module_of(path):
    """("penstock", "plugin", "jax") for penstock/plugin/jax/__init__.py."""
    return path.with_suffix("").parts if path.stem != "__init__" else path.parent.parts


def imported(text, name, is_package):
    """Modules that a Python source imports anywhere, and names in them, each of which may be a module itself."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = node.level - is_package
            start = name[: len(name) - above] if node.level else ()
            base = start + tuple((node.module or "").split(".") if node.module else ())
            yield from (base + (alias.name,) for alias in node.names)


def python_circle(root):
    """Modules of the package that import each other, first and last the same; empty where there is no circle."""
    files = {module_of(file.relative_to(root)): file for file in root.rglob("*.py")}
    graph = {}
    for name, file in files.items():
        found = imported(file.read_text(), name, file.stem == "__init__")
        targets = {target if target in files else target[:-1] for target in set(found) - COMPILED}
        graph[name] = targets & files.keys() - {name}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as e:
        return [".".join(name) for name in e.args[1]]
    return []


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    root = root if root.is_dir() else root.parent.parent
    found = [*faults(root), *declared_faults(root)]
    circle = python_circle(root / "python")
    if circle:
        found.append("these import each other: " + ", ".join(circle))
    print(*found, sep="\n")
    print("imports must not point up" if found else "all includes and imports point down")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
