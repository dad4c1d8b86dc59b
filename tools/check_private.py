"""Checks that Python modules outside of `penstock.pipeline` use its contract alone.

They import `penstock.pipeline` and `penstock.pipeline.contract`, none of the modules below whose names begin with an
underscore, and touch no attribute of that kind of a pipeline, a run or a source.

usage: check_private.py [CHECKOUT]
"""

import ast
import pathlib
import sys

PACKAGE = pathlib.PurePath("python/penstock/pipeline")
OWN = {"self", "cls"}  # what a class calls itself


def private(name):
    return name.startswith("_") and not name.startswith("__")


def defined(text):
    """Private attributes that the classes of a source give their objects."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef):
            yield from (one.name for one in node.body if isinstance(one, ast.FunctionDef))
            targets = [target for one in node.body if isinstance(one, ast.Assign) for target in one.targets]
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def touched(text):
    """(line, attribute) of every private attribute that a source reads or writes of other objects, and of its own where
    its class is a kind of pipeline."""
    tree = ast.parse(text)
    pipelines = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("Pipeline") for base in node.bases)
    ]
    inside = {id(node) for kind in pipelines for node in ast.walk(kind)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not private(node.attr):
            continue
        own = isinstance(node.value, ast.Name) and node.value.id in OWN
        if not own or id(node) in inside:
            yield node.lineno, node.attr


def imported(text):
    """(line, module) of every private module of the package that a source imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            parts = [*node.module.split("."), *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Import):
            parts = [part for alias in node.names for part in alias.name.split(".")]
        else:
            continue
        if "pipeline" in parts[:-1]:
            found = [part for part in parts[parts.index("pipeline") + 1 :] if private(part)]
            yield from ((node.lineno, part) for part in found)


def faults(root):
    """One line for each place outside of the package that reaches into it."""
    files = {file.relative_to(root): file.read_text() for file in sorted((root / "python").rglob("*.py"))}
    inner = {path for path in files if PACKAGE in path.parents}
    names = {name for path in inner for name in defined(files[path]) if private(name)}
    for path in files.keys() - inner:
        for line, name in imported(files[path]):
            yield f"{path}:{line}: imports `{name}` of penstock.pipeline; its contract has what others use"
        for line, name in touched(files[path]):
            if name in names:
                yield f"{path}:{line}: touches `{name}`, which belongs to penstock.pipeline; see its contract"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    found = sorted(faults(root))
    print(*found, sep="\n")
    print(f"{len(found)} faults" if found else "no module reaches into penstock.pipeline")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
