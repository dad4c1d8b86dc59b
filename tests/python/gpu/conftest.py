"""Tests that need a GPU: each skips itself, visibly, where Penstock finds none. `make gpu-test` demands one."""

import os

import pytest

from penstock import _core


def pytest_collection_modifyitems(items):
    why = _core.why_no_gpu()
    if not _core.gpu_count():
        if os.environ.get("PENSTOCK_NEEDS_GPU"):
            pytest.exit(f"no GPU: {why}", returncode=1)
        for item in items:
            if "/gpu/" in str(item.path):
                item.add_marker(pytest.mark.skip(reason=f"no GPU: {why}"))
