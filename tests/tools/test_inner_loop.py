"""What `make check`, `make explain` and `make report-build` find out about an operator and a build."""

import subprocess
import sys

import pytest

RESIZE = "tests/python/test_resize.py"


@pytest.fixture
def places(tool):
    return tool("operator_files").places


@pytest.mark.parametrize(
    "op,layer,source,cpp_test,python_test",
    [
        ("resize", "ops", "src/ops/image/resize.cc", "tests/cpp/ops/image/resize_test.cc", RESIZE),
        ("readers.file", "readers", "src/readers/file/file.cc", "tests/cpp/readers/file_test.cc", None),
        ("random.beta", "ops", "src/ops/random/beta.cc", None, "tests/python/ops/test_random.py"),
    ],
)  # fmt: skip
def test_sources_and_tests_of_an_operator_are_found(places, op, layer, source, cpp_test, python_test):
    found = places(op)
    assert (found.layer, found.source) == (layer, source)
    assert cpp_test is None or cpp_test in found.cpp_tests
    assert python_test is None or python_test in found.python_tests
    assert bool(found.gtest_filter()) == bool(found.cpp_tests)


def test_every_operator_of_the_build_is_found(places):
    from penstock._schema import schemas

    assert [op for op in schemas() if not places(op).source] == []


def test_an_operator_that_does_not_exist_is_refused_with_the_nearest(places):
    with pytest.raises(SystemExit, match="no source registers 'resise'; did you mean resize"):
        places("resise")


def test_the_shell_gets_what_it_has_to_run(checkout):
    code = f'eval "$({sys.executable} tools/operator_files.py resize)"; echo "$layer $cpp_filter ${{whole[*]}}"'
    said = subprocess.run(["bash", "-c", code], cwd=checkout, capture_output=True, text=True, check=True).stdout.split()
    assert said[0] == "ops"
    assert "*Resize.*" in said[1].split(":")
    assert said[2] == "tests/python/test_resize.py"


def collected(checkout, op):
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "--operator", op]
    done = subprocess.run([*command, "tests/python/conformance"], cwd=checkout, capture_output=True, text=True)
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_conformance_tests_of_one_operator_can_be_run_alone(checkout):
    tests = collected(checkout, "resize")
    assert len(tests) > 20
    assert all("[resize" in test or "-resize" in test for test in tests), tests
    assert not any("resize_crop_mirror" in test for test in tests)
    assert {test.split("::")[0].rsplit("/", 1)[-1] for test in tests} >= {"test_results.py", "test_described.py"}
    assert collected(checkout, "no_such_operator") == []


def test_an_operator_is_explained(checkout):
    command = [sys.executable, "tools/explain_operator.py", "resize"]
    said = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True).stdout
    for word in (
        "fn.resize(", "on a GPU: yes", "src/ops/image/resize.cc", "resize_test.cc", RESIZE, "resize.md",
        "src/ops/image/resample_image.h src/ops/image/resample_image.cc", "unlike DALI: ",
    ):  # fmt: skip
        assert word in said


def test_a_build_is_reported_by_the_last_time_of_each_file(tool):
    log = "# ninja log v5\n0\t9000\t1\ta.o\t77\n10\t2510\t2\ta.o\t78\n0\t1000\t1\tb.o\t79\n0\t4000\t1\tlib\t80\n"
    assert tool("build_report").slowest(log) == [(4.0, "lib"), (2.5, "a.o"), (1.0, "b.o")]
