import importlib.metadata
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from penstock import _core, cli
from penstock.cli import doctor


def test_doctor_says_what_is_there(capsys):
    assert cli.main(["doctor"]) == 0
    said = capsys.readouterr().out
    for part in (
        f"NumPy {np.__version__}",
        "JPEG, JPEG 2000, PNG",
        _core.simd_target(),
        f"{_core.usable_cores()} cores",
    ):
        assert part in said


def test_doctor_says_what_picture_libraries_lack(monkeypatch, capsys):
    found = [
        ("libjpeg-turbo", "2", ["lossless JPEG"], ""),
        ("libtiff", "4.5.0", [], ""),
        ("libheif", "", ["AVIF", "HEIC"], "run: apt-get install libheif1"),
    ]
    monkeypatch.setattr(_core, "picture_libraries", lambda: found)
    assert cli.main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "ok   picture libraries: libjpeg-turbo 2, libtiff 4.5.0" in said
    assert "warn libjpeg-turbo 2 does not read lossless JPEG (version 3 does: " in said
    assert "warn no AVIF and no HEIC: run: apt-get install libheif1" in said


def test_doctor_knows_the_libraries_that_are_loaded():
    versions = {name: version for name, version, _, why in _core.picture_libraries() if not why}
    linked = {"libjpeg-turbo", "libpng", "libtiff", "libwebp", "OpenJPEG", "giflib"}
    assert linked <= set(versions) <= linked | {"libheif"}
    assert all(version[0].isdigit() for version in versions.values())


def test_doctor_knows_the_library_of_sound(capsys, monkeypatch):
    version, why = _core.sound_library()
    assert version[0].isdigit()
    assert why == ""
    assert doctor._sound() == (doctor.OK, f"sound library: libsndfile {version}")
    monkeypatch.setattr(_core, "sound_library", lambda: ("", "run: apt-get install libsndfile1"))
    assert cli.main(["doctor"]) == 0
    assert "warn no sound: run: apt-get install libsndfile1" in capsys.readouterr().out


def test_the_command_is_installed_and_lists_what_it_can_do():
    command = pathlib.Path(sys.executable).with_name("penstock")
    said = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout
    assert all(f"\n    {name} " in said for name in ("doctor", "pack", "view", "bench"))


def test_doctor_imports_no_framework(script):
    code = "import sys; from penstock import cli; cli.main(['doctor']); print({'jax', 'torch'} & set(sys.modules))"
    assert script(code=code).endswith("set()\n")


def test_missing_framework_is_a_warning_with_the_command_that_helps(monkeypatch, capsys):
    def version(package):
        if package == "jax":
            raise importlib.metadata.PackageNotFoundError
        return "2.0"

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert cli.main(["doctor"]) == 0
    assert "warn jax is not installed, which penstock.plugin.jax needs; run: pip install jax" in capsys.readouterr().out


def test_old_numpy_is_a_failure(monkeypatch, capsys):
    monkeypatch.setattr(importlib.metadata, "version", lambda package: "1.21.0")
    assert cli.main(["doctor"]) == 1
    assert "FAIL NumPy 1.21.0" in capsys.readouterr().out


def test_forced_number_of_workers_is_said(script):
    said = script("-m", "penstock.cli", "doctor", PENSTOCK_NUM_THREADS="7")
    assert "7 cores to work with, set by PENSTOCK_NUM_THREADS" in said


@pytest.mark.parametrize(
    ("usable", "allowed", "part"), [(2, 4, "2 cores to work with of 4: the container's CPU quota"), (4, 4, "taskset")]
)
def test_cores_that_are_not_ours_are_a_warning(monkeypatch, usable, allowed, part):
    monkeypatch.delenv("PENSTOCK_NUM_THREADS", raising=False)
    monkeypatch.setattr(_core, "usable_cores", lambda: usable)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: range(allowed))
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    mark, text = doctor._cores()
    assert mark is doctor.WARN
    assert part in text


@pytest.mark.parametrize(("target", "mark"), [("AVX2", doctor.OK), ("NEON", doctor.OK), ("SSE2", doctor.WARN)])
def test_slow_simd_is_a_warning(monkeypatch, target, mark):
    monkeypatch.setattr(_core, "simd_target", lambda: target)
    assert doctor._simd()[0] is mark
    assert target in doctor._simd()[1]


@pytest.mark.parametrize(
    ("gpus", "mark", "part"),
    [
        (None, doctor.OK, "no NVIDIA driver"),
        ([], doctor.WARN, "CUDA_VISIBLE_DEVICES"),
        (["H200", "H200"], doctor.OK, "GPUs: 2 x H200"),
    ],
)
def test_gpus_are_counted(gpus, mark, part):
    found, text = doctor._gpu_findings(gpus)[0]
    assert found is mark
    assert part in text


def test_jax_without_its_gpu_plugin_is_a_warning_where_a_gpu_is(monkeypatch):
    monkeypatch.setattr(doctor, "_version", lambda package: "0.10" if package == "jax" else None)
    assert doctor._framework("jax", "penstock.plugin.jax", None)[0] is doctor.OK
    assert doctor._framework("jax", "penstock.plugin.jax", ["H200"])[0] is doctor.WARN
