"""The C++ library as it is installed, and the C++ programs of examples/ built against it."""

import pathlib
import subprocess

import pytest

import penstock

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The C++ library as `cmake --install` puts it into a folder."""
    build = ROOT / "build"
    if not (build / "cmake_install.cmake").exists() or ROOT not in pathlib.Path(penstock.__file__).parents:
        pytest.skip(f"no C++ library was built in {build}")
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, capture_output=True)
    return prefix


def built(source, folder, installed, *options):
    """What CMake says while it configures and builds a program against the installed library."""
    configure = ["cmake", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={installed}", *options]
    said = ""
    for command in (configure, ["cmake", "--build", folder]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        said += done.stdout
    return said


@pytest.fixture
def libtorch(torch):
    """The option that says where the LibTorch of Python's package is."""
    return f"-DTORCH_ROOT={torch.__path__[0]}"


def test_cpp_gives_what_python_gives(installed, pictures, script, tmp_path):
    said = built(EXAMPLES / "cpp", tmp_path, installed)
    assert "data_parallel is left out" in said
    done = subprocess.run([tmp_path / "multi_gpu", pictures], capture_output=True, text=True, check=False)
    assert done.stdout == script(EXAMPLES / "multi_gpu.py", pictures), done.stderr


# About 25 s of one core for each of the two: LibTorch's headers are large. ccache makes later runs quick.
@pytest.mark.timeout(1200)
def test_data_parallel_of_libtorch_gives_what_python_gives(installed, libtorch, script, tmp_path):
    built(EXAMPLES / "cpp", tmp_path, installed, libtorch)
    done = subprocess.run([tmp_path / "data_parallel", "cpu:1", "cpu:3"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    python = script(EXAMPLES / "data_parallel.py", "--devices", "cpu:1", "cpu:3", OMP_NUM_THREADS="1")
    # Replicas speak in any order; the headings of Python's lines tell more.
    ours, theirs = (sorted(line for line in out.splitlines() if line[:2] == "  ") for out in (done.stdout, python))
    assert ours == [line for line in theirs if "must have its parameters" not in line]
    assert len(ours) == 8


@pytest.mark.timeout(1200)
def test_modules_of_libtorch(installed, libtorch, tmp_path):
    built(ROOT / "tests" / "libtorch", tmp_path, installed, libtorch)
    done = subprocess.run([tmp_path / "data_parallel_test"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[  PASSED  ] 15 tests." in done.stdout


def test_the_installed_library_shows_its_own_names_only(installed):
    [library] = installed.glob("lib*/**/libpenstock.so")
    shown = subprocess.run(["nm", "--dynamic", "--defined-only", "--demangle", library], capture_output=True, text=True)
    names = [line.split(" ", 2)[2] for line in shown.stdout.splitlines()]
    assert any(name.startswith("penstock::Pipeline::run") for name in names)
    assert [name for name in names if "penstock::" not in name.split("(")[0]] == []


def test_what_is_installed_is_what_cpp_programs_need(installed):
    files = {path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()}
    headers = {path.relative_to(ROOT).as_posix() for path in (ROOT / "include").rglob("*.h")}
    assert headers <= files
    others = {pathlib.PurePath(name).name.split(".so")[0] for name in files - headers}
    expected = {f"penstock{part}.cmake" for part in ("Config", "ConfigVersion", "Targets", "Torch")}
    assert expected | {"libpenstock"} <= others
    assert all("penstock" in name for name in others)
    assert not any(name.endswith(".py") or "_core" in name for name in files)
