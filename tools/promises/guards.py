"""Whether the test that guards a promise exists, and where it lies now."""

import fnmatch
import pathlib
import re
import shlex

_GTEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.MULTILINE)
_PYTEST = re.compile(r"^\s*(?:async )?def (test_\w+)|^class (Test\w+)", re.MULTILINE)


def _gtests(tree):
    """{"Suite.Name": the layers whose test program holds it}"""
    found = {}
    for name in tree.files:
        if name.startswith("tests/cpp/") and name.endswith(".cc"):
            for suite, test in _GTEST.findall(tree.read(name)):
                found.setdefault(f"{suite}.{test}", set()).add(name.split("/")[2])
    return found


def _plain(pattern):
    """A filter without what a parametrised test adds: All/Files.Pixels/png -> Files.Pixels."""
    suite, dot, test = pattern.partition(".")
    parts = suite.split("/")
    return (parts[-1] if not parts[-1].isdigit() else parts[-2]) + dot + test.split("/")[0]


def _gtest(tree, program, arguments):
    wanted = [a.removeprefix("--gtest_filter=").split("-")[0] for a in arguments if a.startswith("--gtest_filter=")]
    tests = _gtests(tree)
    if not wanted and program.removeprefix("test_") not in set().union(*tests.values()):
        return None, f"{program} has no tests"
    for pattern in (p for line in wanted for p in line.split(":")):
        layers = {at for test, of in tests.items() if fnmatch.fnmatchcase(test, _plain(pattern)) for at in of}
        if not layers:
            return None, f"no test of {program} is called {pattern}"
        if program.removeprefix("test_") not in layers:
            return [f"test_{min(layers)}", *arguments], None
    return [program, *arguments], None


def _holds(tree, name, words):
    """Whether a file of tests has one whose name holds one of the words."""
    names = [a or b for a, b in _PYTEST.findall(tree.read(name) or "")]
    return bool(names) and (not words or any(word in test for word in words for test in names))


def _pytest(tree, arguments):
    target, *rest = arguments
    file, colons, test = target.partition("::")
    words = [test.partition("[")[0].split("::")[-1]] if test else []
    if "-k" in rest:  # a word without "_" may be a parameter's, which only pytest knows; so is an operator's name
        operators = {
            pathlib.PurePath(name).stem for name in tree.files if name.startswith(("src/ops/", "src/readers/"))
        }
        words = re.findall(r"[^\s()]+", rest[rest.index("-k") + 1])
        words = [word for word in words if re.fullmatch(r"\w+_\w+", word) and word not in operators]
    if _holds(tree, file, words):
        return arguments, None
    homes = [name for name in tree.files if name.startswith("tests/") and re.search(r"/test_[^/]*\.py$", name)]
    same = [name for name in homes if pathlib.PurePath(name).name == pathlib.PurePath(file).name]
    for choice in (same, homes if words else []):
        holding = [name for name in choice if _holds(tree, name, words)]
        if len(holding) == 1:
            return [holding[0] + colons + test, *rest], None
    return None, f"{file} holds no such test: {' '.join(words) or 'the file is gone'}"


def find(tree, line):
    """(the line that runs a test, as it must be now, or None; what is wrong where there is none)"""
    program, *arguments = shlex.split(line)
    if program == "pytest":
        now, wrong = _pytest(tree, arguments)
        now = now and ["pytest", *now]
    elif program.startswith("test_"):
        now, wrong = _gtest(tree, program, arguments)
    else:
        scripts = [a for a in [program, *arguments] if re.fullmatch(r"(ci|tools)/[\w/]+\.(sh|py)", a)]
        gone = [script for script in scripts if tree.read(script) is None]
        now, wrong = (None, f"{gone[0]} is gone") if gone else ([program, *arguments], None)
    if now == [program, *arguments]:
        return line, None
    return now and " ".join(shlex.quote(part) if re.search(r"\s", part) else part for part in now), wrong
