import pathlib
import subprocess
import sys

import pytest


@pytest.fixture
def new_op(checkout, tmp_path):
    def run(place, kind="elementwise"):
        command = [sys.executable, checkout / "tools" / "new_op.py", "--kind", kind, place, tmp_path]
        return subprocess.run(command, capture_output=True, text=True)

    return run


KINDS = [
    *(
        (kind, "image/posterize_much", "src/ops/image/posterize_much.cc", "ops/test_posterize_much.py")
        for kind in ("elementwise", "separable", "sampled")
    ),
    ("reader", "old_tapes", "src/readers/old_tapes/old_tapes.cc", "ops/test_old_tapes.py"),
    ("codec", "old_film", "src/codec/old_film/old_film.cc", "test_format_old_film.py"),
]


@pytest.mark.parametrize("kind,place,source,test", KINDS)
def test_the_operator_compiles_without_warnings(new_op, checkout, tmp_path, kind, place, source, test):
    assert new_op(place, kind).returncode == 0
    source = tmp_path / source
    includes = [f"-I{tmp_path}/src", f"-I{checkout}/src", f"-I{checkout}/include"]
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", "-fsyntax-only"]
    compiled = subprocess.run(["g++", *flags, *includes, source], capture_output=True, text=True)
    assert compiled.returncode == 0, compiled.stderr


@pytest.mark.parametrize("kind,place,source,test", KINDS)
def test_the_operator_obeys_style_and_format(new_op, tool, checkout, tmp_path, kind, place, source, test):
    new_op(place, kind)
    for path in (source, f"tests/python/{test}"):
        assert list(tool("check_style").faults_of(pathlib.PurePath(path), (tmp_path / path).read_text())) == []
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["format", "--check"], ["check"]):
        done = subprocess.run([*ruff, *command, "--config", checkout / "pyproject.toml", tmp_path], capture_output=True)
        assert done.returncode == 0, done.stdout


def test_an_operator_that_exists_is_not_overwritten(new_op):
    assert new_op("image/posterize").returncode == 0
    again = new_op("image/posterize")
    assert again.returncode != 0
    assert "exists already" in again.stderr


def test_the_build_finds_the_operator_and_forgets_it_when_its_files_are_deleted(new_op, checkout, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        f"""
        cmake_minimum_required(VERSION 3.25)
        project(operators LANGUAGES NONE)
        include({checkout}/cmake/layers.cmake)
        penstock_write_registry(${{PROJECT_BINARY_DIR}}/register_all.cc)
        """
    )

    def registered():
        subprocess.run(["cmake", "--build", tmp_path / "build"], check=True)
        return '{"image", register_posterize},' in (tmp_path / "build/register_all.cc").read_text()

    subprocess.run(["cmake", "-G", "Ninja", "-B", tmp_path / "build", tmp_path], check=True)
    assert not registered()
    made = [tmp_path / line.removeprefix("wrote ") for line in new_op("image/posterize").stdout.splitlines()[:-1]]
    assert registered()
    assert [path.name for path in made] == ["posterize.cc", "test_posterize.py"]
    for path in made:
        path.unlink()
    assert not registered()


@pytest.mark.parametrize(
    "kind,place",
    [("elementwise", place) for place in ("posterize", "image/Posterize", "../posterize", "a/b/c")]
    + [(kind, place) for kind in ("reader", "codec") for place in ("file/tapes", "Tapes", "../tapes")],
)
def test_a_name_that_cannot_be_is_refused(new_op, kind, place, tmp_path):
    assert new_op(place, kind).returncode != 0
    assert list(tmp_path.iterdir()) == []
