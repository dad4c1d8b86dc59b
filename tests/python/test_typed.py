"""What type checkers see of the package: factories of pipelines take their arguments, misspelt names are found."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

from penstock import types

SOURCES = pathlib.Path(types.__file__).parents[1]
CHECKOUT = pathlib.Path(__file__).parents[2]
OPTIONAL = "keras", "matplotlib", "ray"  # what examples import and the tests do without
PROGRAM = """
from penstock import Pipeline, fn, pipeline_def, types


@pipeline_def(batch_size=16)
def keyed(files):
    jpegs = fn.readers.file(files=files)[0]
    first, second = fn.flip([jpegs, jpegs], horizontal=1)
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


def test_pyright_finds_nothing_in_the_examples():
    pytest.importorskip("pyright", reason="pip install 'pyright[nodejs]'")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", CHECKOUT]
    told = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    assert told["summary"]["filesAnalyzed"] >= len(list((CHECKOUT / "examples").rglob("*.py"))) > 20
    found = [
        (one["file"], one["range"]["start"]["line"] + 1, one["message"])
        for one in told["generalDiagnostics"]
        if not one["message"].startswith(tuple(f'Import "{name}' for name in OPTIONAL))
    ]
    assert found == []


def test_mypy_finds_nothing_in_the_examples(tmp_path):
    pytest.importorskip("mypy", reason="pip install mypy")
    examples = CHECKOUT / "examples"
    programs = sorted(map(str, examples.rglob("*.py")))
    command = [
        sys.executable, "-m", "mypy", "--cache-dir", tmp_path, "--follow-imports=silent", "--ignore-missing-imports"
    ]  # fmt: skip
    environment = os.environ | {"MYPYPATH": f"{SOURCES}:{examples}"}
    done = subprocess.run([*command, *programs], capture_output=True, text=True, env=environment)
    assert f"no issues found in {len(programs)} source files" in done.stdout, done.stdout + done.stderr
