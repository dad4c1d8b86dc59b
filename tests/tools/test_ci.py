"""What `.ci/run`, `make test` and `make lint` run, and that each check ends them where there is a fault."""

import os
import shutil
import subprocess
import sys

import pytest

CHECKS = ("test", "docs", "new-op", "sanitize", "fuzz", "wheel")


@pytest.fixture
def noted(checkout, tmp_path):
    """Runs a script in a folder where programs only note how they are called, and one may fail.

    Returns (status, calls).
    """

    def run(script, *programs, fails="none"):
        for name in (script, "ci/lib.sh"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            shutil.copy(checkout / name, tmp_path / name)
        for name in programs:
            program = tmp_path / name
            program.parent.mkdir(parents=True, exist_ok=True)
            program.write_text(
                f'#!/bin/sh\necho "{program.name} $*" >>{tmp_path}/noted\ncase "$0 $*" in *"$FAILS"*) exit 1 ;; esac\n'
            )
            program.chmod(0o755)
        environment = os.environ | {
            "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "PENSTOCK_VENV": f"{tmp_path}/venv", "FAILS": fails
        }  # fmt: skip
        done = subprocess.run([tmp_path / script], env=environment, capture_output=True)
        return done.returncode, (tmp_path / "noted").read_text().splitlines()

    return run


def test_all_checks_are_run(noted):
    assert noted(".ci/run", "bin/make") == (0, [f"make {check}" for check in CHECKS])


@pytest.mark.parametrize("check", CHECKS)
def test_the_first_check_that_fails_ends_the_run(noted, check):
    status, calls = noted(".ci/run", "bin/make", fails=f"make {check}")
    assert status
    assert calls[-1] == f"make {check}"


def test_tests_are_those_in_cpp_and_those_in_python(noted):
    status, calls = noted("ci/test.sh", "bin/ctest", "venv/bin/python")
    assert (status, [call.split()[:3] for call in calls]) == (
        0, [["ctest", "--test-dir", "build"], ["python", "-m", "pytest"]]
    )  # fmt: skip
    assert noted("ci/test.sh", "bin/ctest", "venv/bin/python", fails="ctest")[0]
    assert noted("ci/test.sh", "bin/ctest", "venv/bin/python", fails="pytest")[0]


def test_cpp_tests_run_under_three_sanitizers(noted):
    status, calls = noted("ci/sanitize.sh", "bin/cmake", "bin/ctest")
    assert status == 0
    for name, sanitizers in (("address", "address,undefined"), ("thread", "thread")):
        [made] = [call for call in calls if f"-B build-{name} " in call]
        assert "-DCMAKE_CXX_COMPILER=clang++" in made
        assert f"-DPENSTOCK_SANITIZE={sanitizers} " in made
        assert any(call.startswith(f"ctest --test-dir build-{name} ") for call in calls)
    assert noted("ci/sanitize.sh", "bin/cmake", "bin/ctest", fails="--test-dir build-address")[0]


def test_every_fuzz_target_is_run_for_a_while(noted, tmp_path):
    (tmp_path / "tests/fuzz/corpus/fuzz_a").mkdir(parents=True)
    for name in ("fuzz_a", "fuzz_b"):
        (tmp_path / f"tests/fuzz/{name}.cc").touch()
    programs = ["bin/cmake", "build-address/tests/fuzz/fuzz_a", "build-address/tests/fuzz/fuzz_b"]
    status, calls = noted("ci/fuzz.sh", *programs)
    assert status == 0
    assert calls[0].endswith("-DPENSTOCK_SANITIZE=address,undefined -DPENSTOCK_FUZZ=ON")
    ran = sorted(call for call in calls if call[:4] == "fuzz")  # several at a time
    assert [call.split()[:2] for call in ran] == [[name, "-max_total_time=20"] for name in ("fuzz_a", "fuzz_b")]
    assert "tests/fuzz/corpus/fuzz_a" in ran[0]
    assert noted("ci/fuzz.sh", *programs, fails="/fuzz_b ")[0]


@pytest.mark.parametrize(
    ("target", "scripts"),
    [
        ("demo", ["install_system.sh build", "venv.sh demo", "build.sh"]),
        ("test", ["install_system.sh test", "venv.sh test", "format.sh", "lint.sh", "build.sh tests", "test.sh",
                  "generated.sh"]),
        ("lint", ["install_system.sh test", "venv.sh test", "format.sh", "lint.sh"]),
        ("bench", ["install_system.sh test", "install_system.sh build", "venv.sh demo", "build.sh", "bench.sh"]),
        ("check", ['inner.sh check ""']),
        ("cpp", ["inner.sh cpp"]),
        ("py", ["inner.sh py"]),
        ("sanitize", ["sanitize.sh"]),
        ("fuzz", ["fuzz.sh"]),
        ("wheel", ["install_system.sh test", "venv.sh test", "cross.sh", "wheel.sh", "check_wheel.sh"]),
    ],
)  # fmt: skip
def test_what_a_target_of_make_runs(checkout, target, scripts):
    done = subprocess.run(["make", "-n", target], cwd=checkout, capture_output=True, text=True, check=True)
    lines = [line.rpartition("|| ")[2].strip() for line in done.stdout.splitlines()]
    assert [line for line in lines if line.startswith("ci/")] == [f"ci/{script}" for script in scripts]


@pytest.fixture
def checked(checkout, tmp_path):
    """Runs a script of ci/ over a small checkout with one more file. Returns what it said; None when it passed."""
    shutil.copytree(checkout / "ci", tmp_path / "ci")
    checks = [
        f"tools/{tool}.py" for tool in ("check_families", "check_layers", "check_private", "check_style", "mutate")
    ]
    for name in (".clang-format", "pyproject.toml", *checks):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(checkout / name, tmp_path / name)
    shutil.copytree(checkout / "tools/promises", tmp_path / "tools/promises")
    kept = {
        "tests/mutations/some.toml": '[[mutation]]\npromise = "p"\nfile = "src/core/ok.cc"\n'
        'old = "int a"\nnew = "int b"\ntest = "t"\n',
        "src/core/ok.cc": "int a;\n",
        "src/ops/base/README.md": "| host | `Host` | `run` |\n",
        "src/ops/base/host.h": "#pragma once\nclass Host {\n  virtual void run() const;\n};\n",
    }

    def run(script, name=None, text="", **environment):
        for path, content in (kept | ({name: text} if name else {})).items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(content)
        subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
        subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
        environment = os.environ | {"PENSTOCK_VENV": sys.prefix, "PENSTOCK_STRICT": "1"} | environment
        done = subprocess.run([tmp_path / "ci" / script], env=environment, capture_output=True, text=True)
        return done.stdout + done.stderr if done.returncode else None

    return run


@pytest.mark.parametrize("script", ["format.sh", "lint.sh"])
def test_what_is_in_order_passes(checked, script):
    assert checked(script) is None


@pytest.mark.parametrize(
    ("script", "name", "text", "message"),
    [
        ("format.sh", "src/a.cc", "int  a;\n", "src/a.cc:1:4"),
        ("format.sh", "tools/a.py", "a  = 1\n", "1 file would be reformatted"),
        ("format.sh", "tools/a.py", "import os\n", "F401"),
        ("lint.sh", "src/core/a.cc", '#include "pipeline/plan.h"\n', "core may not include pipeline/plan.h"),
        ("lint.sh", "src/core/a.cc", "\tint a;\n", "src/core/a.cc:1: a tab"),
        ("lint.sh", "src/ops/base/README.md", "| host | `Host` | none |\n", "host: the virtual methods are `run`"),
        ("lint.sh", "src/core/ok.cc", "int c;\n", "its text is nowhere"),
    ],
)
def test_a_fault_ends_the_check_and_is_shown(checked, script, name, text, message):
    assert message in checked(script, name, text)


def test_a_mutation_whose_text_is_gone_ends_no_check_in_the_middle_of_a_change(checked):
    assert checked("lint.sh", "src/core/ok.cc", "int c;\n", PENSTOCK_STRICT="") is None
