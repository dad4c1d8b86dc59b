"""Checks that includes point down the layers only, and that public headers know nothing of src/.

usage: check_layers.py [CHECKOUT]
"""

import pathlib
import re
import sys

# Lowest first; layers of one row are siblings, which do not know each other.
ROWS = [["core"], ["order"], ["schema"], ["codec", "device", "kernels"], ["readers", "ops", "cuda"], ["pipeline"]]
HEIGHT = {layer: row for row, layers in enumerate(ROWS) for layer in layers}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<](([a-z_]+)/[^">]+)[">]')


def layer_of(path):
    """The layer that a source belongs to: "core", ..., "public" for include/, "bindings" for the Python module."""
    if path.parts[0] == "include":
        return "public"
    if path.parts[0] == "python":
        return "bindings"
    return path.parts[2] if path.parts[:2] == ("tests", "cpp") else path.parts[1]


def allowed(layer, target):
    """Whether a source of `layer` may include a header of `target`."""
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
                if include and not allowed(layer, include[2]):
                    yield f"{path}:{number}: {layer} may not include {include[1]}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    found = list(faults(root if root.is_dir() else root.parent.parent))
    print(*found, sep="\n")
    print(f"{len(found)} includes point the wrong way" if found else "all includes point down")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
