"""README's programs run as they stand, and its pictures are what their commands draw."""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PROGRAMS = re.findall(r"^## (\w+)\n\n```python\n(.*?)```", README, re.MULTILINE | re.DOTALL)
LAST = 'print("steps", len(steps), "rows", {len(a) for a, b in steps} | {len(b) for a, b in steps})'


def module_of(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def scenes(tmp_path_factory):
    pytest.importorskip("PIL.Image")
    folder = tmp_path_factory.mktemp("readme")
    module_of(ROOT / "examples/scenes.py").write_scenes(folder / "pictures", 50, 60)
    return folder


@pytest.mark.parametrize("name", ["JAX", "PyTorch"])
def test_the_program_runs_as_it_stands(name, scenes):
    pytest.importorskip({"JAX": "jax", "PyTorch": "torch"}[name])
    program = dict(PROGRAMS)[name]
    assert len([line for line in program.splitlines() if line.strip()]) <= 14
    source = f"steps = []\ntrain_step = lambda *batch: steps.append(batch)\n{program}\n{LAST}\n"
    devices = {"JAX_PLATFORMS": "cpu", "JAX_NUM_CPU_DEVICES": "2", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=scenes, env=os.environ | devices, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "steps 2 rows {64}"  # of 150 pictures, the rest dropped


def test_two_screens():
    assert len(README.splitlines()) <= 110


def test_the_chart_is_drawn_from_the_figures_of_the_table(tmp_path):
    draw = module_of(ROOT / "tools/draw_rates.py")
    charts = draw.charts_of(json.loads((ROOT / "docs/pictures/rates.json").read_text()))
    assert draw.svg(charts) == (ROOT / "docs/pictures/rates.svg").read_text()
    rates = [rate for _, jobs in charts for loaders in jobs.values() for rate in loaders.values()]
    table = README.partition("## Try it")[0]
    tables = table + (ROOT / "docs/performance.md").read_text()
    assert len(rates) >= 15
    for rate in rates:
        assert f"| {rate:,.0f} |" in tables


def test_the_chart_takes_what_the_benchmark_writes(tmp_path):
    contest = {"job": "train", "data": "444", "rival": "dali", "penstock": [{"rate": 30}, {"rate": 50}]}
    result = {"contests": [contest | {"rival_blocks": [{"rate": 10}]}]}
    (tmp_path / "one.json").write_text(json.dumps(result))
    command = [sys.executable, ROOT / "tools/draw_rates.py", "one.json", "--out", "chart.svg"]
    assert "1 jobs" in subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    drawn = (tmp_path / "chart.svg").read_text()
    assert "40  (4.0 x)" in drawn and "train 444" in drawn
    widths = [float(width) for width in re.findall(r'<rect x="150" y="\d+" width="([0-9.]+)" height="11"', drawn)]
    assert widths[0] == pytest.approx(4 * widths[1], rel=0.01)


def test_the_contact_sheet_is_drawn_by_its_command(tmp_path):
    pytest.importorskip("PIL.Image")
    command = [sys.executable, ROOT / "tools/draw_sheet.py", "--out", tmp_path / "sheet.png"]
    subprocess.run(command, check=True, capture_output=True)
    assert (tmp_path / "sheet.png").read_bytes()[:4] == b"\x89PNG"
