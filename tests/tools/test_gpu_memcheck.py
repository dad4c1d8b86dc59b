"""tools/gpu_memcheck.py with a stand-in for compute-sanitizer: each test runs once, and what fails is told."""

import os
import pathlib
import runpy
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).parents[2] / "tools/gpu_memcheck.py"
FIVE = """
import pathlib, sys, pytest

@pytest.mark.parametrize("number", range(5))
def test_number(number):
    assert sys.modules["torch"] is None and sys.modules["jax"] is None
    (pathlib.Path(__file__).parent / f"{number}.seen").open("a").write("x")
    assert number != FAILS
"""


@pytest.fixture
def memcheck(tmp_path):
    """Runs the tool on five tests, of which one may fail; `status` is the sanitizer's own where all pass."""

    def run(fails=None, status=0):
        (tmp_path / "test_five.py").write_text(FIVE.replace("FAILS", str(fails)))
        sanitizer = tmp_path / "compute-sanitizer"
        sanitizer.write_text(f'#!/bin/sh\nshift 4\n"$@" || exit 1\necho "ERROR SUMMARY"\nexit {status}\n')
        sanitizer.chmod(0o755)
        path = f"{tmp_path}:{os.environ['PATH']}"
        command = [sys.executable, TOOL, tmp_path / "test_five.py"]
        return subprocess.run(command, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=100)

    return run


def test_each_test_runs_once(memcheck, tmp_path):
    done = memcheck()
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("ERROR SUMMARY\nmemcheck found no error\n")
    seen = {path.stem: path.read_text() for path in tmp_path.glob("*.seen")}
    assert seen == dict.fromkeys("01234", "x")


def test_a_test_that_fails_is_shown(memcheck):
    done = memcheck(fails=3)
    assert done.returncode == 1
    assert "test_number[3]" in done.stdout
    assert done.stdout.endswith("memcheck found errors, or tests failed\n")


def test_what_the_sanitizer_finds_fails(memcheck):
    assert memcheck(status=9).returncode == 1


@pytest.mark.parametrize("part,tests,status", [(0, "five", 0), (7, "five", 0), (0, "none", 5)])
def test_processes_beyond_the_last_test_have_none(part, tests, status, tmp_path):
    (tmp_path / "test_five.py").write_text(FIVE.replace("FAILS", "None"))
    (tmp_path / "test_none.py").write_text("")
    environment = os.environ | {"PENSTOCK_MEMCHECK_PART": str(part), "PENSTOCK_MEMCHECK_PARTS": "12"}
    command = [sys.executable, TOOL, tmp_path / f"test_{tests}.py"]
    assert subprocess.run(command, env=environment, capture_output=True, timeout=100).returncode == status


def test_a_missing_sanitizer_is_named(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)  # as on a host without CUDA's toolkit
    find_sanitizer = runpy.run_path(str(TOOL))["find_sanitizer"]
    with pytest.raises(SystemExit, match="compute-sanitizer is missing; it comes with NVIDIA's CUDA toolkit"):
        find_sanitizer()
