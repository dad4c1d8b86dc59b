#!/usr/bin/env python3
"""Prints every public name of the installed DALI, a module a line; `--write` keeps them for `penstock.dali`.

usage: tools/dali_names.py [--write]
"""

import ast
import importlib
import importlib.util
import pathlib
import pkgutil
import sys
import textwrap
import types
import warnings

KEPT = pathlib.Path(__file__).parents[1] / "python/penstock/dali/names.txt"
_ROOT = "nvidia.dali"
# What a module that cannot be imported without its framework adds to a module while it runs.
_ADDED = {f"{_ROOT}.plugin.tf": {"experimental"}, f"{_ROOT}.plugin.tf.experimental": {"DALIDatasetWithInputs", "Input"}}
# Frameworks that the list does without, so that it is the same on every machine.
_HIDDEN = ("numba", "paddle", "tensorflow")
_MEMBERS = ("int", "str", "bool", "float", "tuple", "dict", "TypeVar")  # plain values: constants of the module


def _is_public(name):
    return not any(part.startswith("_") for part in name.split("."))


def _belongs(value):
    """Whether a module's value is DALI's own, and not something that it imported."""
    if isinstance(value, types.ModuleType):
        return value.__name__.startswith(_ROOT)
    module = getattr(value, "__module__", None)
    if isinstance(module, types.ModuleType):
        module = module.__name__
    if module is None:
        return type(value).__name__ in _MEMBERS or type(value).__module__.startswith(_ROOT)
    return module.startswith(_ROOT)


def _written(name):
    """Public functions and classes by the source of a module that cannot be imported here."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    found, todo = set(), ast.parse(pathlib.Path(spec.origin).read_text(encoding="utf-8")).body
    for node in todo:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and _is_public(node.name):
            found.add(node.name)
        elif isinstance(node, (ast.If, ast.Try)):
            todo += [*node.body, *node.orelse]
    return found


def names():
    """Module -> set of its public names, modules below it among them."""
    warnings.simplefilter("ignore")
    sys.modules.update(dict.fromkeys(_HIDDEN))  # None: it cannot be imported
    root, found = importlib.import_module(_ROOT), {}
    for one in pkgutil.walk_packages(root.__path__, _ROOT + "."):
        if not _is_public(one.name):
            continue
        try:
            importlib.import_module(one.name)
        except ImportError:  # a framework that is not there, or a library that is no module
            written = _written(one.name)
            if written is not None:
                found[one.name] = written | _ADDED.get(one.name, set())
    for name, module in list(sys.modules.items()):
        if (name == _ROOT or name.startswith(_ROOT + ".")) and _is_public(name) and name not in found:
            found[name] = {key for key in dir(module) if not key.startswith("_") and _belongs(getattr(module, key))}
    for name, added in _ADDED.items():
        found.setdefault(name, added)
    for name in list(found):
        parent, _, child = name.rpartition(".")
        found.get(parent, set()).add(child)
    return found


def text(found):
    """What is kept: `module: name name ...`, modules without their root."""
    lines = []
    for module in sorted(found):
        line = f"{module.removeprefix(_ROOT).lstrip('.')}: {' '.join(sorted(found[module]))}".strip()
        lines += textwrap.wrap(line, 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    made = text(names())
    if "--write" in sys.argv[1:]:
        KEPT.write_text(made, encoding="utf-8")
    else:
        print(made, end="")
