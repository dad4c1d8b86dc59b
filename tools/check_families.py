"""Checks that an author of an operator meets few virtual methods: src/ops/base/README.md lists those that each family
of operators leaves open, and this compares the lists with the headers.

usage: check_families.py [CHECKOUT]
"""

import pathlib
import re
import sys

TABLE = "src/ops/base/README.md"
MOST = 6
ROW = re.compile(r"^\| (?P<family>[\w ,-]+) \| (?P<bases>`[^|]+`) \|(?P<methods>[^|]*)\|$", re.MULTILINE)
CLASS = re.compile(r"\bclass (\w+)( final)?\s*(?::\s*([^{;]*?))?\s*\{")
VIRTUAL = re.compile(r"virtual [^;]*?[\s*&](\w+)\s*\(")
FINAL = re.compile(r"[\s*&](\w+)\s*\([^;]*\)\s*(?:const )?(?:noexcept )?final\b")


def block(text, start):
    """The text between the brace before `start` and the one that closes it."""
    depth, end = 1, start
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[start : end - 1]


def without_bodies(text):
    """Declarations alone: what stands in braces gives way to a semicolon."""
    kept, depth = [], 0
    for letter in text:
        depth += letter == "{"
        if depth == 0:
            kept.append(letter)
        depth -= letter == "}"
        if depth == 0 and letter == "}":
            kept.append(";")
    return "".join(kept)


def classes(root):
    """By name: bases, virtual methods that are declared there, and those that are final from there on. Of a class that
    is final itself no other derives: it counts for nothing."""
    found = {}
    for file in sorted((root / "src").rglob("*.h")):
        text = re.sub(r"//[^\n]*", "", file.read_text())
        for match in CLASS.finditer(text):
            body = without_bodies(block(text, match.end()))
            bases = [re.sub(r"<.*", "", base) for base in re.split(r",(?![^<]*>)", match[3] or "") if base.strip()]
            names = [base.split()[-1].rpartition("::")[2] for base in bases]
            found[match[1]] = ([], [], set()) if match[2] else (names, VIRTUAL.findall(body), set(FINAL.findall(body)))
    return found


def left_open(known, name, closed=frozenset()):
    """Virtual methods that a class derived from `name` may override; of two that differ in their parameters, both."""
    bases, virtual, final = known.get(name, ((), (), set()))
    opened = [method for base in bases for method in left_open(known, base, closed | final)]
    return [*opened, *(method for method in virtual if method not in closed)]


def faults(root):
    known = classes(root)
    rows = list(ROW.finditer((root / TABLE).read_text()))
    if not rows:
        yield f"{TABLE} has no table of families"
    for row in rows:
        bases = re.findall(r"`(\w+)`", row["bases"])
        unknown = [base for base in bases if base not in known]
        if unknown:
            yield f"{TABLE}: {row['family']}: no header defines {', '.join(unknown)}"
            continue
        methods = [method for base in bases for method in left_open(known, base)]
        listed = re.findall(r"`(\w+)`", row["methods"])
        if sorted(listed) != sorted(methods):
            names = ", ".join(f"`{method}`" for method in methods)
            yield f"{TABLE}: {row['family']}: the virtual methods are {names}"
        if len(methods) > MOST:
            yield f"{TABLE}: {row['family']}: an author meets {len(methods)} virtual methods, more than {MOST}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    root = root if root.is_dir() else root.parent.parent
    found = list(faults(root))
    print(*found, sep="\n")
    print("the table of families is not true" if found else "authors of operators meet few virtual methods")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
