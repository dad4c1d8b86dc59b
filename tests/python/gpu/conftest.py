"""Tests that need a GPU: each skips itself, visibly, where Penstock finds none. `make gpu-test` demands one.

There only what the hardware lacks may be skipped: a missing package would hide what was to be tested.
"""

import importlib.util
import os

import pytest

from penstock import _core

_DEMANDED = bool(os.environ.get("PENSTOCK_NEEDS_GPU"))
_LACKING = ("needs two GPUs", "needs a GPU with a JPEG engine")


def pytest_collection_modifyitems(items):
    why = _core.why_no_gpu()
    if not _core.gpu_count():
        if _DEMANDED:
            pytest.exit(f"no GPU: {why}", returncode=1)
        for item in items:
            if "/gpu/" in str(item.path):
                item.add_marker(pytest.mark.skip(reason=f"no GPU: {why}"))


@pytest.fixture(autouse=True)
def on_the_first_gpu():
    """JAX leaves another one current where there are several, and PyTorch takes what is current."""
    if importlib.util.find_spec("torch"):
        import torch

        if torch.cuda.is_available():
            torch.cuda.set_device(0)


def _without_excuses(report):
    if _DEMANDED and report.skipped:
        reason = str(report.longrepr[2]).removeprefix("Skipped: ")
        if not reason.startswith(_LACKING):
            report.outcome, report.longrepr = "failed", f"skipped where a GPU was promised: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return _without_excuses((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return _without_excuses((yield))
