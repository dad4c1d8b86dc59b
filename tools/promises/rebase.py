"""Writes into a TOML file of mutations where their texts and tests are now, and changes nothing else of it."""

import json
import re

from . import anchors, guards

_ENTRY = re.compile(r"^\[\[mutation\]\]\n", re.MULTILINE)


def news(tree, entry):
    """{key: value} of what is no longer as the entry says; {} where all is."""
    place, _ = anchors.find(tree, entry)
    line, _ = guards.find(tree, entry["test"])
    now = {}
    if place:
        text = tree.read(place.file)[place.start : place.end]
        # White space around the text belongs to the entry: it is only looked for where it is as it was.
        if text != entry["old"]:
            now |= {"old": text, "new": anchors.moved_new(tree, entry, place)}
        if place.file != entry["file"]:
            now["file"] = place.file
        if entry.get("symbol") and not tree.occurrences(place.file, text, entry["symbol"]):
            now["symbol"] = anchors.symbol_of(tree, place)
    if line and line != entry["test"]:
        now["test"] = line
    return {key: value for key, value in now.items() if value != entry.get(key)}


def _with(block, key, value):
    """The lines of a mutation with another value for a key, or without the key where the value is None."""
    # A value ends where the next key, an empty line or the next comment begins.
    line = re.compile(rf"^{key} = .*?\n(?=(?:promise|file|symbol|old|new|test) = |\s*\Z|\n|#)", re.M | re.S)
    written = "" if value is None else f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
    return line.sub(lambda _: written, block, count=1)


def rewritten(text, changes):
    """`text` of a TOML file with {index of the mutation: {key: value, or None to drop it}} in it."""
    head, *blocks = _ENTRY.split(text)
    for index, now in changes.items():
        for key, value in now.items():
            blocks[index] = _with(blocks[index], key, value)
    return head + "".join("[[mutation]]\n" + block for block in blocks)
