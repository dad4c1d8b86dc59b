#!/usr/bin/env python3
"""Writes a new operator that compiles, and a test that passes: change both.

usage: tools/new_op.py [--kind KIND] NAME

Of the first three kinds NAME is FOLDER/NAME, such as image/posterize; FOLDER is one of src/ops. They run on GPUs.
--kind elementwise (the usual): each element follows from that at its place.
--kind separable: each pixel follows from a window of weights an axis.
--kind sampled: each pixel is looked up at a place that a formula gives.
--kind reader: NAME such as tapes makes readers.tapes.
--kind codec: NAME such as qoi makes a format that decoders.image reads.
"""

import argparse
import pathlib
import re

ROOT = pathlib.Path(__file__).parent.parent
TEMPLATES = pathlib.Path(__file__).parent / "templates"
# Where the source and the test go, by kind.
_OPERATOR = ("src/ops/{folder}/{name}.cc", "tests/python/ops/test_{name}.py")
PLACES = {
    "elementwise": _OPERATOR,
    "separable": _OPERATOR,
    "sampled": _OPERATOR,
    "reader": ("src/readers/{name}/{name}.cc", "tests/python/ops/test_{name}.py"),
    "codec": ("src/codec/{name}/{name}.h", "src/codec/{name}/{name}.cc", "tests/python/test_format_{name}.py"),
}


def files(kind, place):
    """Path -> text of the files of `place`, such as "image/posterize", or "tapes" for a reader or a codec."""
    pattern, wanted = (
        (r"([a-z][a-z0-9_]*)/([a-z][a-z0-9_]*)", "FOLDER/NAME in small letters, such as image/posterize")
        if PLACES[kind] is _OPERATOR
        else (r"()([a-z][a-z0-9_]*)", "a name in small letters, such as tapes")
    )
    match = re.fullmatch(pattern, place)
    if not match:
        raise SystemExit(f"{place}: write {wanted}")
    folder, name = match.groups()
    made = "".join(word.capitalize() for word in name.split("_"))
    paths = [path.format(folder=folder, name=name) for path in PLACES[kind]]
    ends = ["_test.py" if path.endswith(".py") else pathlib.Path(path).suffix for path in paths]
    texts = [(TEMPLATES / f"{kind}{end}.txt").read_text() for end in ends]
    return {path: text.replace("@Type@", made).replace("@name@", name) for path, text in zip(paths, texts, strict=True)}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS
    )
    parser.add_argument("--kind", choices=PLACES, default="elementwise", help=argparse.SUPPRESS)
    parser.add_argument("place", metavar="NAME", help=argparse.SUPPRESS)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args()
    root, made = options.root, files(options.kind, options.place)
    taken = [path for path in made if (root / path).exists()]
    if taken:
        raise SystemExit(f"{taken[0]} exists already")
    for path, text in made.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
        print("wrote", path)
    checked = {"reader": f"readers.{options.place}", "codec": "decoders.image"}
    print("now: make generated, then make check OP=" + checked.get(options.kind, options.place.rpartition("/")[2]))


if __name__ == "__main__":
    main()
