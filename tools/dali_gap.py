#!/usr/bin/env python3
"""Prints which public functions of DALI's `fn` Penstock lacks; `--write` puts that into docs/porting_from_dali.md.

DALI's names are those that tools/dali_names.py keeps, which a test compares with an installed DALI.

usage: tools/dali_gap.py [--write]
"""

import pathlib
import sys
import textwrap

from penstock import fn
from penstock._schema import public_names
from penstock.dali import _absent

PAGE = pathlib.Path(__file__).parents[1] / "docs/porting_from_dali.md"
_FROM, _TO = "<!-- tools/dali_gap.py --write makes this -->\n", "<!-- up to here -->"


def dali_functions():
    """Names below `fn` that are no modules; `hidden` ones are of DALI's own use."""
    found = set()
    for module, names in _absent.names().items():
        if module.split(".")[0] == "fn" and "hidden" not in module.split("."):
            prefix = f"{module}.".removeprefix("fn.")
            found |= {prefix + name for name in names if not _absent.is_module(f"{module}.{name}")}
    return found


def text():
    """The part of the page: how many there are, and the missing ones, a line for each module of `fn`."""
    theirs = dali_functions()
    missing = sorted(theirs - {*public_names(), *fn._SPECIAL})
    count = f"{len(theirs) - len(missing)} of the {len(theirs)}"
    lines = [f"Penstock has {count} public functions in DALI 2.4's `fn`. The others are:\n"]
    for module in sorted({name.rpartition(".")[0] for name in missing}):
        own = [f"`{name}`" for name in missing if name.rpartition(".")[0] == module]
        line = f"- {f'`{module}.*`' if module else '`fn` itself'}: " + ", ".join(own)
        lines.append(textwrap.fill(line, 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))
    return "\n".join(lines) + "\n"


def page():
    """The whole page with that part as it should be."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(_FROM)
    return before + _FROM + "\n" + text() + "\n" + _TO + rest.partition(_TO)[2]


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(text(), end="")
