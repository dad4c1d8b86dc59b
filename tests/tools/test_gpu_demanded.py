"""`make gpu-test` lets no test excuse itself: tests/python/gpu/conftest.py with a GPU pretended."""

import os
import shutil
import subprocess
import sys

TESTS = """
import pytest

def test_imports():
    pytest.importorskip("a_package_that_nobody_has")

@pytest.mark.skipif(True, reason="needs two GPUs that PyTorch can use")
def test_needs_more():
    pass

def test_passes():
    pass
"""


def outcome(checkout, folder, **environment):
    (folder / "penstock").mkdir(exist_ok=True)
    (folder / "penstock" / "__init__.py").touch()
    (folder / "penstock" / "_core.py").write_text("gpu_count = lambda: 1\nwhy_no_gpu = lambda: ''\n")
    tests = folder / "gpu"
    tests.mkdir(exist_ok=True)
    shutil.copy(checkout / "tests/python/gpu/conftest.py", tests)
    (tests / "test_each.py").write_text(TESTS)
    (tests / "test_module.py").write_text('import pytest\npytest.importorskip("another_that_nobody_has")\n')
    (folder / "pytest.ini").touch()
    code = (
        "import sys; sys.meta_path[:] = [f for f in sys.meta_path if '_editable' not in type(f).__module__]; "
        f"sys.path.insert(0, {str(folder)!r}); "
        "import pytest; sys.exit(pytest.main(['-q', '-rfs', '--continue-on-collection-errors']))"
    )
    full = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=full, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_only_what_the_hardware_lacks_is_skipped_where_a_gpu_is_demanded(checkout, tmp_path):
    status, out = outcome(checkout, tmp_path, PENSTOCK_NEEDS_GPU="1")
    assert status
    assert "skipped where a GPU was promised: could not import 'a_package_that_nobody_has'" in out
    assert "skipped where a GPU was promised: could not import 'another_that_nobody_has'" in out
    assert "1 failed, 1 passed, 1 skipped, 1 error" in out


def test_elsewhere_every_skip_is_shown(checkout, tmp_path):
    status, out = outcome(checkout, tmp_path, PENSTOCK_NEEDS_GPU="")
    assert status == 0, out
    assert "1 passed, 3 skipped" in out
