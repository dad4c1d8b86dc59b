"""Guides tell the truth: programs run in their order, calls in tables exist."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from test_readme import module_of

from penstock._schema import schemas

ROOT = pathlib.Path(__file__).parents[2]
GUIDES = ROOT / "docs"
ON_CPU = {"JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}
ANYWAY = 'on_error="replace"'  # bad_files.md makes a bad file


def programs_of(page):
    return re.findall(r"```python\n(.*?)```", (GUIDES / page).read_text(), re.DOTALL)


def calls_in(text):
    """(operator, names of arguments) of each call in code, innermost ones included."""
    for call in re.finditer(r"\bfn\.([a-z0-9_.]+)\(", text):
        depth, end = 1, call.end()
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        inside = text[call.end() : end - 1]
        while (flat := re.sub(r"\([^()]*\)", "", inside)) != inside:
            inside = flat
        yield call[1], re.findall(r"\b([a-z_]+)=", inside)


def test_calls_are_found():
    text = "`fn.flip(x, horizontal=fn.random.coin_flip(probability=p))`"
    assert list(calls_in(text)) == [("flip", ["horizontal"]), ("random.coin_flip", ["probability"])]


PROGRAMS = ["augmentation.md", "bad_files.md", "exactness.md", "several_gpus.md"]


@pytest.mark.parametrize("page", [*PROGRAMS, "porting.md", "start.md", "jax.md", "pytorch.md", "../README.md"])
def test_operators_and_arguments_that_guides_name_exist(page):
    known, found = schemas(), 0
    for name, arguments in calls_in((GUIDES / page).read_text()):
        if name in ("external_source", "python_function", "jax_function"):
            continue  # of Python, with arguments that no schema has
        assert name in known, name
        taken = {*known[name].args, "device", "name", "seed", *(one["name"] for one in known[name].inputs)}
        if name == "readers.tfrecord":
            taken.add("features")
        assert set(arguments) <= taken, f"{name}: {set(arguments) - taken}"
        found += 1
    assert found >= 3


@pytest.mark.parametrize("page", PROGRAMS)
def test_the_programs_of_a_guide_run(page, tmp_path):
    """Their own assertions hold, and each pipeline that they define makes a batch."""
    pytest.importorskip("torch")
    pytest.importorskip("PIL.Image")
    module_of(ROOT / "examples/scenes.py").write_scenes(tmp_path / "pictures", 8, 64)
    program = "\n".join(programs_of(page))
    defined = re.findall(r"^def (\w+)\(\):", program, re.MULTILINE)
    assert defined
    program += "".join(f"\n{name}({ANYWAY}).run()" for name in defined)
    (tmp_path / "guide.py").write_text(program)
    command = [sys.executable, "-W", "ignore:there is no GPU", "guide.py"]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | ON_CPU, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_programs_of_start_train_a_classifier(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("PIL.Image")
    module_of(ROOT / "examples/scenes.py").write_scenes(tmp_path / "pictures")
    blocks = programs_of("start.md")
    assert len(blocks) == 3
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, env=os.environ | ON_CPU, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    right, total = map(int, re.search(r"(\d+) of (\d+) right", done.stdout).groups())
    assert total == 120 and right > 100
