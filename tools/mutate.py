#!/usr/bin/env python3
"""Breaks the project on purpose, one line at a time, and sees whether the tests that guard the line notice.

usage: tools/mutate.py [--check [--lenient] | --rebase | --show] [FILE.toml | WORD]...

The mutations stand in tests/mutations/, each with the promise that it breaks, the text that it changes (`old`, `new`)
and the test that must fail then. White space in the text does not count, nor where its `file` went: a text that left
its file is looked for in files of the same name, then in all. `symbol`, which may be left out, is the function or class
that holds the text, for one that stands in several places.

Files and words choose among the mutations (a word is looked for in the promise); without any, all are tried, which
takes hours: everything that a changed header is part of is built anew. --check only looks whether each text is in the
tree and each test exists; with --lenient it warns of those that are gone and succeeds, which is for the middle of a
change. --rebase writes into the TOML files where texts and tests are now. --show prints the end of what each failing
test says.
"""

import argparse
import contextlib
import difflib
import pathlib
import shlex
import signal
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).parent.parent
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from promises import anchors, guards, rebase  # noqa: E402

KEYS = {"promise", "file", "old", "new", "test"}
MAY_HAVE = {"symbol"}
PATIENCE = 300  # s: a broken executor may never end


def files(root):
    """(path, mutations) of each TOML file."""
    for path in sorted((root / "tests/mutations").glob("*.toml")):
        entries = tomllib.loads(path.read_text())["mutation"]
        for entry in entries:
            if not KEYS <= set(entry) <= KEYS | MAY_HAVE:
                keys = f"{sorted(KEYS)}, may have {sorted(MAY_HAVE)}, and no others"
                sys.exit(f"{path.name}: {entry.get('promise')!r} needs the keys {keys}")
        yield path, entries


def mutations(root, wanted):
    for path, entries in files(root):
        for entry in entries:
            if not wanted or path.name in wanted or any(word in entry["promise"] for word in wanted):
                yield entry


def faults(tree, entry):
    """What keeps a mutation from being tried: sentences, or none."""
    wrong = [anchors.find(tree, entry)[1], guards.find(tree, entry["test"])[1]]
    return [f"{entry['promise']!r}: {fault}" for fault in wrong if fault]


def nearest(tree, entry):
    """The line of the file, if that is there, which is most like the first one of a text that is gone."""
    first = entry["old"].strip().splitlines()[0].strip()
    lines = [line.strip() for line in (tree.read(entry["file"]) or "").splitlines()]
    like = difflib.get_close_matches(first, lines, n=1, cutoff=0.5)
    return f"{entry['file']}:{lines.index(like[0]) + 1}: {like[0]}" if like else None


def rebased(root):
    """Says what moved and writes it into the TOML files; what is gone is said, with the line most like it."""
    tree, gone = anchors.Tree(root), 0
    for path, entries in files(root):
        changes = {index: now for index, entry in enumerate(entries) if (now := rebase.news(tree, entry))}
        for index, now in changes.items():
            said = {key: value if key in {"file", "symbol", "test"} else "laid out anew" for key, value in now.items()}
            said.pop("new", None)
            print(f"{path.name}: {entries[index]['promise']}: {', '.join(f'{k} {v}' for k, v in said.items())}")
        if changes:
            path.write_text(rebase.rewritten(path.read_text(), changes))
        for entry in entries:
            for fault in faults(tree, entry):
                gone += 1
                like = nearest(tree, entry)
                print(f"{path.name}: {fault}" + (f"\n    like it: {like}" if like else ""))
    return f"{gone} are to be mended by hand" if gone else None


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
    """Yields the file that the mutation is in while it is."""
    tree = anchors.Tree(ROOT)
    place, fault = anchors.find(tree, entry)
    if fault:
        sys.exit(fault)
    path = ROOT / place.file
    whole = path.read_text()
    path.write_text(anchors.changed(tree, entry, place))
    try:
        yield place.file
    finally:
        path.write_text(whole)


def verdict(entry):
    """("noticed" or what else came of it, the end of what the test, or the compiler, says)"""
    with broken(entry) as file:
        builds, said = built(file)
        if not builds:
            return "does not build", said[-1500:]
        passes, said = test(guards.find(anchors.Tree(ROOT), entry["test"])[0])
    return "NOT NOTICED" if passes else "noticed", said[-1500:]


def checked(tree, chosen, lenient):
    """What main() ends with: None, or what is wrong with the mutations."""
    missing = [fault for entry in chosen for fault in faults(tree, entry)]
    print(*missing, sep="\n", end="\n" if missing else "")
    if missing:
        count = f"{len(missing)} of {len(chosen)} mutations cannot be tried: mend them, tools/mutate.py --rebase helps"
        print(f"warning: {count}" if lenient else count)
    return 1 if missing and not lenient else None


def tried(chosen):
    """Breaks one promise after the other; says how many went unnoticed."""
    whole()
    tree = anchors.Tree(ROOT)
    for line in sorted({guards.find(tree, entry["test"])[0] for entry in chosen}):
        passes, said = test(line)
        if not passes:
            sys.exit(f"{line} fails before anything is broken:\n{said[-3000:]}")
    unnoticed = 0
    for entry in chosen:
        answer, said = verdict(entry)
        unnoticed += answer != "noticed"
        yield answer, entry, said
    whole()
    if unnoticed:
        sys.exit(f"{unnoticed} of {len(chosen)} were not noticed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only look whether texts and tests are there")
    parser.add_argument("--lenient", action="store_true", help="with --check: warn of what is gone, and succeed")
    parser.add_argument("--rebase", action="store_true", help="write into the TOML files where texts and tests are now")
    parser.add_argument("--show", action="store_true", help="print the end of what each failing test says")
    parser.add_argument(
        "--root", type=pathlib.Path, default=ROOT, help="another checkout than this (with --check, --rebase)"
    )
    parser.add_argument("wanted", nargs="*", metavar="FILE.toml|WORD")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the broken file is put right again
    if options.rebase:
        sys.exit(rebased(options.root))
    chosen = list(mutations(options.root, options.wanted))
    if not chosen:
        sys.exit("no mutation has such a file or word")
    wrong = checked(anchors.Tree(options.root), chosen, options.lenient)
    if wrong or options.check:
        sys.exit(wrong)
    for answer, entry, said in tried(chosen):
        print(f"{answer:14} {entry['promise']}  [{entry['file']}; {entry['test']}]", flush=True)
        if options.show or answer == "does not build":
            print(said, flush=True)


if __name__ == "__main__":
    main()
