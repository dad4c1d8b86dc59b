#!/usr/bin/env python3
"""Breaks the project on purpose, one line at a time, and sees whether the tests that guard the line notice.

usage: tools/mutate.py [--check | --show] [FILE.toml | WORD]...

The mutations stand in tests/mutations/, each with the promise that it breaks, the text that it changes and the test
that must fail then. Files and words choose among them (a word is looked for in the promise); without any, all are
tried, which takes hours: everything that a changed header is part of is built anew. --check only looks whether each
text still stands in its file, once; --show prints the end of what each failing test says.
"""

import argparse
import contextlib
import pathlib
import shlex
import signal
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).parent.parent
KEYS = {"promise", "file", "old", "new", "test"}
PATIENCE = 300  # s: a broken executor may never end


def mutations(wanted):
    for path in sorted((ROOT / "tests/mutations").glob("*.toml")):
        for entry in tomllib.loads(path.read_text())["mutation"]:
            if set(entry) != KEYS:
                sys.exit(f"{path.name}: {entry.get('promise')!r} needs the keys {sorted(KEYS)}, and no others")
            if not wanted or path.name in wanted or any(word in entry["promise"] for word in wanted):
                yield entry


def faults(entry):
    """What keeps a mutation from being tried: a sentence, or nothing."""
    path = ROOT / entry["file"]
    times = path.read_text().count(entry["old"]) if path.exists() else 0
    if times != 1:
        return f"{entry['promise']!r}: {entry['file']} holds its text {times} times; it must be there once"
    return None


def run(command):
    """Whether a command succeeds, and the end of what it says."""
    process = subprocess.Popen(
        command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        said, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        subprocess.run(["kill", "-KILL", "--", f"-{process.pid}"], check=False)
        return False, f"not ended after {PATIENCE} s"
    return process.returncode == 0, said


def built(file):
    """Builds what a change of `file` is part of; Python sources are used where they lie."""
    if pathlib.Path(file).suffix == ".py":
        return True, ""
    return run(["ci/build.sh", "tests"])


def whole():
    """Builds the sources as they stand; a run that was stopped may have left programs of a broken one."""
    builds, said = built("src")
    if not builds:
        sys.exit(f"the project does not build:\n{said[-3000:]}")


def test(line):
    """Runs `test_order --gtest_filter=X`, `pytest FILE -k X` or a script of the project."""
    program, *rest = shlex.split(line)
    if program == "pytest":
        return run([".venv/bin/python", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *rest])
    return run([f"build/{program}" if program.startswith("test_") else program, *rest])


@contextlib.contextmanager
def broken(entry):
    path = ROOT / entry["file"]
    whole = path.read_text()
    path.write_text(whole.replace(entry["old"], entry["new"]))
    try:
        yield
    finally:
        path.write_text(whole)


def verdict(entry):
    """("noticed" or what else came of it, the end of what the test, or the compiler, says)"""
    with broken(entry):
        builds, said = built(entry["file"])
        if not builds:
            return "does not build", said[-1500:]
        passes, said = test(entry["test"])
    return "NOT NOTICED" if passes else "noticed", said[-1500:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only look whether each text still stands in its file")
    parser.add_argument("--show", action="store_true", help="print the end of what each failing test says")
    parser.add_argument("wanted", nargs="*", metavar="FILE.toml|WORD")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the broken file is put right again
    chosen = list(mutations(options.wanted))
    missing = [fault for fault in map(faults, chosen) if fault]
    if missing or not chosen:
        sys.exit("\n".join(missing) or "no mutation has such a file or word")
    if options.check:
        return
    whole()
    for line in sorted({entry["test"] for entry in chosen}):
        passes, said = test(line)
        if not passes:
            sys.exit(f"{line} fails before anything is broken:\n{said[-3000:]}")
    unnoticed = 0
    for entry in chosen:
        answer, said = verdict(entry)
        unnoticed += answer != "noticed"
        print(f"{answer:14} {entry['promise']}  [{entry['file']}; {entry['test']}]", flush=True)
        if options.show or answer == "does not build":
            print(said, flush=True)
    whole()
    sys.exit(f"{unnoticed} of {len(chosen)} were not noticed" if unnoticed else None)


if __name__ == "__main__":
    main()
