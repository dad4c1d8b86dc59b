"""What tests share: data that lies beside the checkout, and small pictures made on the spot."""

import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(pathlib.Path(__file__).parent))  # for `import oracle`
# A shell's background job ignores SIGINT, and programs that tests start and interrupt would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
SHARED = pathlib.Path(os.environ.get("PENSTOCK_SHARED", ROOT.parent / "shared"))


def pytest_addoption(parser):
    parser.addoption("--operator", help="conformance tests of this operator alone, such as readers.file")


def pytest_collection_modifyitems(config, items):
    op = config.getoption("--operator")
    if op is None:
        return
    chosen = [item for item in items if _operator_of(item) == op]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


def _operator_of(item):
    """The operator that a conformance test is run with, from its parameters."""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    case = parameters.get("case")
    return case.op if case is not None and hasattr(case, "op") else parameters.get("op", parameters.get("name"))


@pytest.fixture(scope="session")
def shared():
    """The folder of real data beside the checkout; skips where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"no data in {SHARED} (PENSTOCK_SHARED names another folder)")
    return SHARED / "data"


@pytest.fixture(scope="session")
def digits(tmp_path_factory):
    """A folder with scikit-learn's digits, 28 x 28, as databases: 1,500 in training/, 297 in testing/."""
    pytest.importorskip("sklearn")
    pytest.importorskip("PIL.Image")
    from penstock.demo.data import scikit_digits

    return scikit_digits(tmp_path_factory.mktemp("digits")).training.parent


@pytest.fixture(scope="session")
def torch():
    return pytest.importorskip("torch")


@pytest.fixture(scope="session")
def torchvision(torch):
    del torch
    return pytest.importorskip("torchvision")


@pytest.fixture(scope="session")
def jax():
    return pytest.importorskip("jax")


@pytest.fixture(scope="session")
def numbered(tmp_path_factory):
    """Makes a folder of `count` files of one class whose only byte is their number."""

    def make(count):
        folder = tmp_path_factory.mktemp("numbered") / "class"
        folder.mkdir()
        for i in range(count):
            (folder / f"{i:04}.jpg").write_bytes(bytes([i]))
        return str(folder.parent)

    return make


@pytest.fixture(scope="session")
def pictures(tmp_path_factory):
    """A folder with two classes of six JPEGs of one size."""
    image = pytest.importorskip("PIL.Image")
    root = tmp_path_factory.mktemp("pictures")
    random = np.random.default_rng(7)
    for label in ("cat", "dog"):
        (root / label).mkdir()
        for i in range(6):
            pixels = np.kron(random.integers(0, 255, (6, 8, 3), np.uint8), np.ones((8, 8, 1), np.uint8))
            image.fromarray(pixels).save(root / label / f"{i}.jpg", quality=95)
    return root


@pytest.fixture
def script():
    """Runs Python code, or a file with arguments, in a process of its own and returns what it printed."""

    def run(*arguments, code=None, timeout=240, **environment):
        command = [sys.executable, "-c", code] if code is not None else [sys.executable, *map(str, arguments)]
        paths = [path for path in sys.path if path]
        full = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **environment}
        done = subprocess.run(command, env=full, capture_output=True, text=True, timeout=timeout, check=False)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    return run


@pytest.fixture
def on_four_devices(script, tmp_path, jax):
    """Runs code on so many virtual devices of JAX (four) and returns what it told; see jax_code.py."""
    del jax
    import jax_code

    return jax_code.runner(script, tmp_path)


@pytest.fixture
def run_in_processes(tmp_path, jax):
    """Runs code after a prelude in processes that JAX joins; how each of them ended. See jax_processes.py."""
    del jax
    import jax_processes

    def run(code, root, processes=2, devices=1, **options):
        path = tmp_path / "code.py"
        path.write_text(jax_processes.PRELUDE + code)
        return jax_processes.run(path, root, processes, devices, **options)

    return run


@pytest.fixture
def in_processes(run_in_processes):
    """Likewise; all of them must have come to a good end, and what each told is returned."""
    import jax_processes

    return lambda *arguments, **options: jax_processes.told_by(run_in_processes(*arguments, **options))


@pytest.fixture
def bucket_cache(monkeypatch, tmp_path):
    """The folder of an empty cache; no credentials and no proxy."""
    for name in list(os.environ):
        if name.startswith(("AWS_", "PENSTOCK_CACHE")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    folder = tmp_path / "cache"
    monkeypatch.setenv("PENSTOCK_CACHE_DIR", str(folder))
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "1G")
    return folder


@pytest.fixture(scope="module")
def coco_set(tmp_path_factory):
    """(file_root, annotations_file) of 13 images."""
    import coco

    return coco.write(tmp_path_factory.mktemp("coco"), coco.annotations(13), lambda i: b"picture %d" % i)
