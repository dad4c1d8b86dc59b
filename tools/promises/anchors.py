"""Finds the text that a mutation changes, though its file was laid out anew, moved or renamed."""

import dataclasses
import functools
import pathlib
import re
import subprocess

from . import scopes

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
# What repeats the sources' texts: a text of one of these moved to another of them, and no other's came here.
_GENERATED = ("docs/reference/", "python/penstock/fn/", "include/penstock/fn")


@dataclasses.dataclass(frozen=True)
class Place:
    file: str
    start: int
    end: int


@functools.cache
def pattern(old):
    """`old` with any white space between its tokens, and with or without a comma before a closing bracket."""
    parts, space, pending = [], "", ""
    for token in _TOKEN.findall(old.strip()):
        if token.isspace():
            space = r"\s+"
            continue
        if pending and token not in ")]}":
            parts.append(pending)
        pending = ""
        words = parts and re.match(r"\w", token) and re.search(r"\w$", parts[-1])
        between = (space if words else r"\s*") if parts else ""
        if token in ")]}" and parts:
            parts.append(r"\s*,?\s*" + re.escape(token))
        elif token == ",":
            pending = between + ","
        else:
            parts.append(between + re.escape(token))
        space = r"\s*"
    return re.compile("".join(parts) + pending)


class Tree:
    """Texts of a checkout, each read once."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.read = functools.cache(self._read)

    def _read(self, name):
        path = self.root / name
        try:
            return path.read_text() if path.is_file() else None
        except UnicodeDecodeError:
            return None

    @functools.cached_property
    def files(self):
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=self.root, check=True, capture_output=True, text=True).stdout.splitlines()
        return [name for name in listed if not name.startswith("tests/mutations/") and (self.root / name).is_file()]

    def occurrences(self, name, old, symbol=None, loose=False):
        """Where `old` stands in a file, or within `symbol` there."""
        text = self.read(name)
        if text is None:
            return []
        within = scopes.spans(pathlib.Path(name).suffix, text, symbol) if symbol else [(0, len(text))]
        sought = pattern(old) if loose else re.compile(re.escape(old))
        hits = {hit.span() for start, end in within for hit in sought.finditer(text, start, end)}
        return [Place(name, *hit) for hit in sorted(hits)]


def _family(suffix):
    return {".py", ".pyi"} if suffix in {".py", ".pyi"} else {".cc", ".h", ".cu", ".cuh"}


def _searches(tree, entry):
    """Lists of places, the likeliest first; the first list that holds one place alone is the answer."""
    file, old, symbol = entry["file"], entry["old"], entry.get("symbol")
    path = pathlib.PurePath(file)
    code = path.suffix in {".py", ".pyi", ".cc", ".h", ".cu", ".cuh"}
    family = _family(path.suffix) if code else {path.suffix}
    made = file.startswith(_GENERATED)
    kin = [
        name for name in tree.files if pathlib.PurePath(name).suffix in family and name.startswith(_GENERATED) == made
    ]
    named = [name for name in kin if pathlib.PurePath(name).name == path.name and name != file]
    stem = [name for name in kin if pathlib.PurePath(name).stem == path.stem and name != file]
    for symbols in [symbol, None] if symbol else [None]:
        for files in ([file], named, stem, kin):
            for loose in (False, True):
                yield [place for name in files for place in tree.occurrences(name, old, symbols, loose)]


def find(tree, entry):
    """(the place of a mutation's text, or None; what is wrong where there is none)"""
    most = 0
    for places in _searches(tree, entry):
        if len(places) == 1:
            return places[0], None
        most = max(most, len(places))
        if most and places and places[0].file == entry["file"]:
            break  # its own file holds it more than once: no other place is meant
    if most:
        return None, f'{entry["file"]} or its like hold its text {most} times; `symbol = "..."` tells which is meant'
    return None, f"its text is nowhere: {' '.join(entry['old'].split())[:90]!r} was in {entry['file']}"


def symbol_of(tree, place):
    """The innermost function or class around a place, qualified by what it is a member of; None outside of all."""
    found = scopes.scopes(pathlib.Path(place.file).suffix, tree.read(place.file))
    around = [(end - start, name) for name, start, end in found if start <= place.start and place.end <= end]
    return min(around)[1] if around else None


def changed(tree, entry, place):
    """The text of the place's file with the mutation in it; lines of `new` are indented as those they replace."""
    text = tree.read(place.file)
    return text[: place.start] + moved_new(tree, entry, place) + text[place.end :]


def moved_new(tree, entry, place):
    """`new`, its later lines indented as far as the later lines of the text that stands there now."""
    old, new, now = entry["old"], entry["new"], tree.read(place.file)[place.start : place.end]
    if now == old or "\n" not in old.strip() or "\n" not in now:
        return new if now == old or old == old.strip() else new.strip()
    shift = _indentation(now.splitlines()[-1]) - _indentation(old.strip().splitlines()[-1])
    first, *rest = new.strip().split("\n")
    return "\n".join([first, *(" " * max(0, _indentation(line) + shift) + line.lstrip() for line in rest)])


def _indentation(line):
    return len(line) - len(line.lstrip())
