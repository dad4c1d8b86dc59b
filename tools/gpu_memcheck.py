#!/usr/bin/env python3
"""Runs GPU tests of operators under memcheck of NVIDIA's compute-sanitizer: an access out of bounds is an error.

usage: gpu_memcheck.py [TEST...]        TEST is what pytest takes; the tests of picture operators unless given

Several processes share the tests. PyTorch and JAX are hidden from them: the sanitizer goes through all kernels that a
library brings, which for these two takes minutes before the first test begins.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent.parent / "tests/python/gpu"
TESTS = [str(FOLDER / f"test_gpu_{part}.py") for part in ("conformance", "pictures", "windows")]
PART, PARTS = "PENSTOCK_MEMCHECK_PART", "PENSTOCK_MEMCHECK_PARTS"
FOUND = 9  # exit status of the sanitizer when it has found an error


class EachNth:
    """A plugin of pytest that keeps the tests of one process."""

    def pytest_collection_modifyitems(self, items):
        items[:] = items[int(os.environ[PART]) :: int(os.environ[PARTS])]


def run_part(tests):
    """The tests of this process, which the sanitizer watches."""
    sys.modules["torch"] = sys.modules["jax"] = None
    import pytest

    status = pytest.main(["-q", "-p", "no:cacheprovider", *tests], plugins=[EachNth()])
    left_over = status == pytest.ExitCode.NO_TESTS_COLLECTED and os.environ[PART] != "0"  # the first has one if any has
    return 0 if left_over else status


def find_sanitizer():
    """Its path: on the PATH, or in CUDA's usual folder."""
    found = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")
    return found or sys.exit("compute-sanitizer is missing; it comes with NVIDIA's CUDA toolkit")


def watched(tests, part, parts):
    """A process with its part of the tests, and the file that it writes to."""
    output = tempfile.TemporaryFile("w+")  # noqa: SIM115 (read after the process has ended)
    command = [find_sanitizer(), "--tool", "memcheck", "--error-exitcode", str(FOUND), sys.executable, __file__, *tests]
    environment = os.environ | {PART: str(part), PARTS: str(parts), "PENSTOCK_NEEDS_GPU": "1"}
    return subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT), output


def main(arguments):
    tests = arguments or TESTS
    if PART in os.environ:
        return run_part(tests)
    parts = max(1, min(12, len(os.sched_getaffinity(0)) - 2))
    failed = False
    for process, output in [watched(tests, part, parts) for part in range(parts)]:
        status = process.wait()
        output.seek(0)
        lines = output.read().splitlines()
        print("\n".join(lines if status else lines[-2:]), flush=True)
        failed |= status != 0
    print("memcheck found errors, or tests failed" if failed else "memcheck found no error")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
