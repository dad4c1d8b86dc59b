"""tools/compare_wheels.py: equal wheels are equal, and of others it says in what they differ."""

import subprocess
import sys
import zipfile

import pytest

FILES = {"penstock/a.py": b"a = 1\n", "penstock/lib.so": b"\x7fELF-0123"}


@pytest.fixture
def compared(checkout, tmp_path):
    """Compares a wheel of FILES with one of other files; its exit status and what it printed."""

    def run(files, date=(2020, 1, 1, 0, 0, 0)):
        paths = []
        for folder, content, at in (("one", FILES, (2020, 1, 1, 0, 0, 0)), ("other", files, date)):
            path = tmp_path / folder / "penstock-0.1.0-py3-none-any.whl"
            path.parent.mkdir(exist_ok=True)
            with zipfile.ZipFile(path, "w") as wheel:
                for name, data in content.items():
                    wheel.writestr(zipfile.ZipInfo(name, at), data)
            paths.append(path)
        command = [sys.executable, checkout / "tools/compare_wheels.py", *paths]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    return run


def test_equal_wheels_are_equal(compared):
    assert compared(FILES) == (0, ["The wheels are equal."])


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (FILES | {"penstock/lib.so": b"\x7fELF-0923"}, "penstock/lib.so: 9 and 9 bytes, first at byte 6"),
        (FILES | {"penstock/a.py": b"a = 1\n\n"}, "penstock/a.py: 6 and 7 bytes, one ends where the other goes on"),
        (FILES | {"penstock/b.py": b""}, "penstock/b.py: in one of them alone"),
        (dict(reversed(FILES.items())), "order of entries"),
    ],
)
def test_what_differs_is_named(compared, files, said):
    assert compared(files) == (1, [said])


def test_times_are_compared(compared):
    assert compared(FILES, (2021, 1, 1, 0, 0, 0)) == (1, [f"{name}: date_time" for name in sorted(FILES)])
