"""The C++ library as it is installed, and the C++ programs of examples/ built against it."""

import os
import pathlib
import re
import subprocess
import textwrap

import pytest
from test_readme import module_of

import penstock

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
GUIDE = re.findall(r"^```cpp\n(.*?)^```", (ROOT / "docs/cpp.md").read_text(), re.MULTILINE | re.DOTALL)


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
    assert "data_parallel and mnist are left out" in said
    done = subprocess.run([tmp_path / "multi_gpu", pictures], capture_output=True, text=True, check=False)
    assert done.stdout == script(EXAMPLES / "multi_gpu.py", pictures), done.stderr


# About 25 s of one core for each of the three: LibTorch's headers are large. ccache makes later runs quick.
@pytest.fixture(scope="module")
def with_libtorch(installed, tmp_path_factory):
    """The folder of the examples built with LibTorch."""
    torch = pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("with_libtorch")
    built(EXAMPLES / "cpp", folder, installed, f"-DTORCH_ROOT={torch.__path__[0]}")
    return folder


@pytest.mark.timeout(1200)
def test_data_parallel_of_libtorch_gives_what_python_gives(with_libtorch, script):
    done = subprocess.run([with_libtorch / "data_parallel", "cpu:1", "cpu:3"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    python = script(EXAMPLES / "data_parallel.py", "--devices", "cpu:1", "cpu:3", OMP_NUM_THREADS="1")
    # Replicas speak in any order; the headings of Python's lines tell more.
    ours, theirs = (sorted(line for line in out.splitlines() if line[:2] == "  ") for out in (done.stdout, python))
    assert ours == [line for line in theirs if "must have its parameters" not in line]
    assert len(ours) == 8


@pytest.mark.timeout(1200)
def test_a_network_of_libtorch_learns_digits_from_lmdb(with_libtorch, digits):
    command, environment = [with_libtorch / "mnist", digits, "4"], os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    right = [
        int(number) for number in re.findall(r"^epoch \d: loss [0-9.]+, (\d+) of 297 right$", done.stdout, re.MULTILINE)
    ]
    assert len(right) == 4, done.stdout
    assert right[-1] > max(220, right[0])  # of 1,500 digits, seen four times
    done = subprocess.run([with_libtorch / "mnist", digits / "training"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "readers.caffe2" in done.stderr


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


def test_the_guide_quotes_the_examples():
    quoted = [block.partition("\n") for block in GUIDE if block.startswith("// examples/cpp/")]
    assert len(quoted) == 3
    for name, _, text in quoted:
        example = (ROOT / name.removeprefix("// ")).read_text()
        lines = "\n".join(line.strip() for line in example.splitlines())
        assert "\n".join(line.strip() for line in text.strip().splitlines()) in lines, name


def guide_program():
    """The blocks of the guide as one program: those that begin with #include or a comment for Doxygen, then main()."""
    own = [block for block in GUIDE if not block.startswith("// examples/")]
    outer = [block for block in own if block.startswith(("#include", "///"))]
    inner = textwrap.indent("\n".join(block for block in own if block not in outer), "  ")
    return "\n".join(outer) + f"\nint main() {{\n{inner}}}\n"


CMAKE = re.search(r"```cmake\n(.*?)```", (ROOT / "docs/cpp.md").read_text(), re.DOTALL)[1]
SAID = r"""(sample \d+: \(64, 96, 3\)
){4}batch 1: \d
batch 2: \d
\(64, 96, 3\) of \(4, 64, 96, 3\)
kept \(64, 96, 3\)
(batch [0-2]: \d
){6}corners \(4,\)
the same samples: 1
sums 6 and 15
readers.file: .*no such folder.*
(.*
)*batch 0: \d
"""


@pytest.fixture(scope="module")
def beside_pictures(tmp_path_factory):
    """A folder with pictures/ and training.cc, the guide's blocks as a program."""
    pytest.importorskip("PIL.Image")
    folder = tmp_path_factory.mktemp("guide")
    module_of(ROOT / "examples/scenes.py").write_scenes(folder / "pictures", 4, 100)
    (folder / "training.cc").write_text(guide_program())
    return folder


def test_the_blocks_of_the_guide_are_a_program_that_runs(installed, beside_pictures, tmp_path):
    (beside_pictures / "CMakeLists.txt").write_text(CMAKE)
    built(beside_pictures, tmp_path, installed)
    done = subprocess.run([tmp_path / "training"], cwd=beside_pictures, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(SAID, done.stdout), done.stdout


def test_pkg_config_says_how_to_build(installed, beside_pictures):
    lines = re.search(
        r"^export PKG_CONFIG_PATH.*?^c\+\+ .*?$", (ROOT / "docs/cpp.md").read_text(), re.MULTILINE | re.DOTALL
    )[0]
    command = lines.replace("$HOME/penstock", str(installed)).replace("training.cc", "least.cc")
    (beside_pictures / "least.cc").write_text("#include <penstock/pipeline.h>\nint main() { penstock::Graph graph; }\n")
    subprocess.run(["sh", "-ec", f"{command} && ./training"], cwd=beside_pictures, check=True)
