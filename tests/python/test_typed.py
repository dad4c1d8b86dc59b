"""What type checkers see of the package: factories of pipelines take their arguments, misspelt names are found."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

from penstock import types

SOURCES = pathlib.Path(types.__file__).parents[1]
PROGRAM = """
from penstock import Pipeline, fn, pipeline_def, types


@pipeline_def(batch_size=16)
def keyed(files):
    jpegs = fn.readers.file(files=files)[0]
    return fn.cast(fn.decoders.image(jpegs, output_type=types.RGB), dtype=types.FLOAT)


@pipeline_def
def bare(files):
    return fn.readers.file(files=files)


one: Pipeline = keyed([])
two: Pipeline = bare([], batch_size=2, num_threads=1, device_id=None)
one.build()
types.FLOATT
three: str = keyed([])
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def lines_with(word):
    return [number for number, line in enumerate(PROGRAM.splitlines(), 1) if word in line]


def test_types_declares_each_member():
    assert list(types.__annotations__) == [*types._MEMBERS]
    for name, declared in types.__annotations__.items():
        assert type(getattr(types, name)) is declared


def test_mypy_finds_mistakes_and_nothing_else(program):
    pytest.importorskip("mypy", reason="pip install mypy")
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--ignore-missing-imports", program.name]
    done = subprocess.run(
        command, cwd=program.parent, capture_output=True, text=True, env=os.environ | {"MYPYPATH": str(SOURCES)}
    )
    found = [int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line]
    assert found == [*lines_with("FLOATT"), *lines_with("three")], done.stdout + done.stderr


def test_pyright_finds_mistakes_and_nothing_else(program):
    pytest.importorskip("pyright", reason="pip install pyright, which also gets Node")
    settings = {"include": [program.name], "extraPaths": [str(SOURCES)], "reportUnusedExpression": False}
    (program.parent / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=program.parent, capture_output=True, text=True)
    told = json.loads(done.stdout)["generalDiagnostics"]
    found = [one["range"]["start"]["line"] + 1 for one in told if one["severity"] == "error"]
    assert found == [*lines_with("FLOATT"), *lines_with("three")], told
