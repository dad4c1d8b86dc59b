"""The interface of the two halves: its version follows from the headers that both include."""

import shutil
import subprocess

import pytest

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(interface LANGUAGES NONE)
include(interface.cmake)
penstock_interface(version)
file(WRITE version.txt "${version}")
"""


@pytest.fixture
def tree(checkout, tmp_path):
    """The sources, with a function that says which version they have."""
    for folder in ("src/device", "src/kernels", "src/codec", "src/core", "include"):
        shutil.copytree(checkout / folder, tmp_path / folder)
    shutil.copy(checkout / "cmake/interface.cmake", tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    return tmp_path


def version(tree):
    subprocess.run(["cmake", "-S", tree, "-B", tree / "build"], check=True, capture_output=True)
    return (tree / "version.txt").read_text()


def changed(file):
    file.write_text(file.read_text() + "\n// changed\n")


@pytest.mark.parametrize(
    "header",
    [
        "src/device/runtime.h",
        "src/device/kernel.h",
        "src/kernels/resample/job.h",
        "src/codec/jpeg/frame.h",  # by way of kernels/jpeg/job.h and codec/jpeg/scan_job.h
        "include/penstock/dtype.h",
    ],
)
def test_version_changes_with_each_header_that_both_halves_include(tree, header):
    before = version(tree)
    assert len(before) == 64
    changed(tree / header)
    assert version(tree) != before


def test_version_changes_with_a_new_kernel_family(tree):
    before = version(tree)
    (tree / "src/kernels/another").mkdir()
    (tree / "src/kernels/another/job.h").write_text('#include "device/kernel.h"\n')
    assert version(tree) != before


def test_version_stays_where_only_one_half_changes(tree):
    before = version(tree)
    changed(tree / "src/kernels/resample/resample.cc")
    changed(tree / "src/device/device.h")
    assert version(tree) == before
