"""The notebooks of docs/gallery run on a CPU, and the executed ones have the same cells."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import pytest
from test_readme import module_of

ROOT = pathlib.Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "docs/gallery").glob("[0-9]*.py"))
NEEDS = {"1": ["torch"], "3": ["jax"], "4": ["jax"], "5": ["torch"], "8": ["torch"], "11": ["jax"]}
run_notebooks = module_of(ROOT / "tools/run_notebooks.py")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_notebook_runs(script):
    """Their own assertions say whether what the text states is so."""
    for package in ["PIL.Image", *NEEDS.get(script.stem.partition("_")[0], [])]:
        pytest.importorskip(package)
    done = subprocess.run(
        [sys.executable, script.name], cwd=script.parent, env=os.environ | run_notebooks.ENVIRONMENT,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_executed_notebook_has_the_same_cells(script):
    text = script.with_suffix(".ipynb").read_text()
    cells = json.loads(text)["cells"]
    kept = [(cell["cell_type"], "".join(cell["source"])) for cell in cells]
    assert kept == run_notebooks.cells_of(script.read_text()), "make it again: tools/run_notebooks.py"
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    assert outputs and not any(output["output_type"] == "error" for output in outputs)
    assert not any(str(place) in text for place in (tempfile.gettempdir(), pathlib.Path.home(), ROOT))
    assert len(text) < 600_000


def test_cells_are_found():
    text = '"""Nothing."""\n# %% [markdown]\n# # Title\n#\n# Text.\n\n# %%\nx = 1\n\n\n# %%\nx\n'
    assert run_notebooks.cells_of(text) == [("markdown", "# Title\n\nText."), ("code", "x = 1"), ("code", "x")]
