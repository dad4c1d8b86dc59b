"""Every operator, argument, input and output is described wherever people look: help, stubs, reference."""

import ast
import functools
import pathlib
import re

import cases
import pytest

from penstock._schema import public_names, schemas

ROOT = pathlib.Path(__file__).parents[3]


each_public_name = pytest.mark.parametrize("name", public_names())


@pytest.mark.parametrize("op", schemas())
def test_everything_is_documented(op):
    schema = schemas()[op]
    assert len(schema.doc) > 10
    for one in [*schema.inputs, *schema.outputs]:
        assert one["name"].isidentifier()
        assert one["doc"].strip(), one["name"]
    for arg in schema.args.values():
        assert arg["doc"].strip(), arg["name"]
        assert arg["type"], arg["name"]


def test_every_operator_is_tested_without_being_named():
    assert {*cases.all_operators(), *cases.LEFT_OUT} == set(schemas())


@functools.cache
def stubs():
    """Qualified name in fn -> parameters, from the stub files."""
    root, defined, imported = ROOT / "python/penstock/fn", {}, {}
    for file in root.rglob("*.pyi"):
        space = ".".join(part for part in file.relative_to(root).with_suffix("").parts if part != "__init__")
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                defined[f"{space}.{node.name}".lstrip(".")] = {one.arg: one for one in node.args.kwonlyargs}
            elif isinstance(node, ast.ImportFrom) and node.module.startswith("penstock.fn"):
                origin = node.module.removeprefix("penstock.fn").lstrip(".")
                for one in node.names:
                    imported[f"{space}.{one.asname}".lstrip(".")] = f"{origin}.{one.name}".lstrip(".")
    return defined | {name: defined[origin] for name, origin in imported.items() if origin in defined}


@each_public_name
def test_stubs_show_every_argument(name):
    assert name in stubs(), f"fn.{name} has no stub: make generated writes it"
    parameters = stubs()[name]
    for arg in public_names()[name].args.values():
        assert arg["hidden"] or parameters[arg["name"]].annotation, arg["name"]


@pytest.mark.parametrize("op", sorted({schema.name for schema in public_names().values()}))
def test_reference_pages_tell_every_argument(op):
    folder = ROOT / "docs/reference"
    line = re.search(rf"\[{re.escape(op)}\]\(([\w./]+)\)", (folder / "README.md").read_text())
    assert line, f"fn.{op} has no line in {folder}/README.md: make generated writes it"
    page = (folder / line[1]).read_text()
    for arg in schemas()[op].args.values():
        assert arg["hidden"] or f"| `{arg['name']}` |" in page, arg["name"]
