#!/usr/bin/env python3
"""Where an operator lies: its sources, its tests, and what is generated of it.

usage: operator_files.py OPERATOR [--shell]      such as resize or readers.file

--shell prints variables for ci/inner.sh: which layer to build, and which tests to run.
"""

import dataclasses
import difflib
import pathlib
import re
import shlex
import sys

ROOT = pathlib.Path(__file__).parent.parent
_REGISTERS = re.compile(r"^(?:\[\[gnu::cold\]\] )?void register_\w+\(Registry& \w+\)", re.MULTILINE)
# The names that a source registers: r.add<Op>("crop"), add_draw<Beta>(r, "random.beta", ...), name + "_like".
_NAMED = re.compile(r'\b(?:add|add_\w+|describe)(?:<[^;{}()]*>)?\((?:\s*r, )?"([a-z_][a-z0-9_.]*)"')
_SUITE = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),", re.MULTILINE)


@dataclasses.dataclass
class Places:
    op: str
    source: str
    cpp_tests: list
    python_tests: list
    generated: list
    root: pathlib.Path

    @property
    def stem(self):
        return self.op.rpartition(".")[2]

    @property
    def layer(self):
        return pathlib.PurePath(self.source).parts[1]

    def gtest_filter(self):
        suites = {suite for name in self.cpp_tests for suite in _SUITE.findall((self.root / name).read_text())}
        return ":".join(f"*{suite}.*" for suite in sorted(suites))


def _registered(root):
    """Operator -> the source that registers it."""
    found = {}
    for folder in ("src/ops", "src/readers"):
        for path in sorted((root / folder).rglob("*.cc")):
            text = path.read_text()
            if _REGISTERS.search(text):
                for name in _NAMED.findall(text):
                    found[name] = path.relative_to(root).as_posix()
    return found


def _python_tests(root, op, stems):
    """Files of the operators' stems, those in ops/ that name it, and others with a test function of the stem."""
    function = re.compile(rf"^\s*def test_\w*({'|'.join(sorted(stems))})", re.MULTILINE)
    for path in sorted((root / "tests/python").rglob("test_*.py")):
        name, text = path.relative_to(root).as_posix(), path.read_text()
        named = re.search(rf"\b{re.escape(op if 'ops' not in path.parts else op.rpartition('.')[2])}\b", text)
        if path.stem.removeprefix("test_") in stems or named and ("/ops/" in name or function.search(text)):
            yield name


def places(op, root=ROOT):
    registered = _registered(root)
    base = op if op in registered else op.removesuffix("_like")
    if base not in registered:
        near = difflib.get_close_matches(op, registered, n=3, cutoff=0.4)
        raise SystemExit(f"no source registers {op!r}" + (f"; did you mean {', '.join(near)}?" if near else ""))
    source = registered[base]
    stems = {op.rpartition(".")[2], pathlib.PurePath(source).stem}
    cpp = [
        path.relative_to(root).as_posix()
        for path in sorted((root / "tests/cpp").rglob("*_test.cc"))
        if path.stem.removesuffix("_test") in stems
    ]
    parts = pathlib.PurePath(source).parts
    group = parts[2] if parts[1] == "ops" else parts[1]
    own = f"{group}/{op.removeprefix(f'{group}.')}"
    made = [f"docs/reference/{own}.md", f"include/penstock/fn/{own}.h"]
    generated = [name for name in made if (root / name).exists()]
    python = list(_python_tests(root, op, stems))
    return Places(op, source, cpp, python, generated, root)


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    found = places(sys.argv[1])
    whole = [name for name in found.python_tests if pathlib.PurePath(name).stem == f"test_{found.stem}"]
    away = ("/gpu/", "/bench/", "/cli/", "/conformance/")
    parts = [name for name in found.python_tests if name not in whole and not any(folder in name for folder in away)]
    values = {
        "stem": found.stem,
        "layer": found.layer,
        "cpp_filter": found.gtest_filter(),
        "every_filter": f"Operators/EveryOperator.*/{found.op.replace('.', '_')}",
        "whole": whole,
        "parts": parts,
    }
    for name, value in values.items():
        quoted = f"({' '.join(map(shlex.quote, value))})" if isinstance(value, list) else shlex.quote(value)
        print(f"{name}={quoted}")


if __name__ == "__main__":
    main()
