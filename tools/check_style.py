"""Checks the rules of docs/contributing.md that neither compiler nor formatter knows.

usage: check_style.py [CHECKOUT]
"""

import pathlib
import re
import subprocess
import sys

MAX_LINES = 600
MAX_COLUMNS = 120
CODE = {".cc", ".h", ".cu", ".cuh", ".py", ".pyi", ".sh"}
PROSE = {".md", ".toml"}
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
# Comments name what acts: the worker, the consumer thread, the caller, the GPU, the user.
NAMELESS = re.compile(r"\b([Ww]ho(ever|m)?|[Ss]omebody|[Nn]obody)\b")
PRODUCT = {"src", "include", "python"}
REGISTERS = re.compile(r"^(?:\[\[gnu::cold\]\] )?void register_([a-z0-9_]+)\(Registry& ", re.MULTILINE)


def faults_of(path, text):
    """Says what is wrong with the source `text` at `path`, one line a fault."""
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        yield f"{path}: {len(lines)} lines; {MAX_LINES} are the limit"
    if path.suffix in PROSE:
        return
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            yield f"{path}:{number}: a tab"
        if len(line) > MAX_COLUMNS and path.suffix != ".pyi":  # docstrings there are paragraphs of schemas
            yield f"{path}:{number}: {len(line)} columns; {MAX_COLUMNS} are the limit"
        if UNFINISHED.search(line):
            yield f"{path}:{number}: unfinished work belongs into an issue: {line.strip()}"
        if path.parts[0] in PRODUCT and (nameless := NAMELESS.search(line)):
            yield f'{path}:{number}: "{nameless[0]}" names no actor; say worker, caller, consumer thread, user, ...'
        if path.suffix not in {".py", ".pyi"} and not line.isascii():
            yield f"{path}:{number}: not ASCII"
    if text and not text.endswith("\n"):
        yield f"{path}: the last line has no end"
    if path.suffix in {".h", ".cuh"} and "#pragma once" not in text:
        yield f"{path}: no #pragma once"
    stems = REGISTERS.findall(text)
    if (
        stems
        and path.parts[:2] in {("src", "ops"), ("src", "readers")}
        and not any(f"_{path.stem}_" in f"_{stem}_" for stem in stems)
    ):
        yield f"{path}: named after none of its operators: {', '.join(stems)}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    listed = subprocess.run(["git", "ls-files"], cwd=root, check=True, capture_output=True, text=True).stdout
    paths = [pathlib.PurePath(name) for name in listed.splitlines()]
    found = [
        fault
        for p in paths
        if p.suffix in CODE | PROSE and (root / p).exists()
        for fault in faults_of(p, (root / p).read_text())
    ]
    print(*found, sep="\n")
    print(f"{len(found)} faults" if found else f"{len(paths)} files in order")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
