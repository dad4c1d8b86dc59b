#!/usr/bin/env python3
"""Says what an operator is and where all of it lies: schema, sources, tests, page.

usage: explain_operator.py OPERATOR        such as resize or readers.file
"""

import pathlib
import re
import sys
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from operator_files import ROOT, places  # noqa: E402

_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def included(source, root=ROOT):
    """Headers of the project that a source includes, or that theirs of ops and readers do, with the sources behind."""
    seen, left = {source}, [source]
    while left:
        for name in _INCLUDE.findall((root / left.pop()).read_text()):
            body = f"src/{name}"
            if body in seen or name.startswith(("core/", "schema/")):
                continue
            seen.add(body)
            behind = [
                path for path in (body.removesuffix(".h") + end for end in (".cc", ".cu")) if (root / path).exists()
            ]
            yield " ".join([body, *(path for path in behind if path != source)])
            if name.startswith(("ops/", "readers/")):
                left.append(body)


def promises(files, root=ROOT):
    """Promises whose text is in one of the files."""
    for path in sorted((root / "tests/mutations").glob("*.toml")):
        yield from (one["promise"] for one in tomllib.loads(path.read_text())["mutation"] if one["file"] in files)


def schema_lines(op):
    from penstock import _signature
    from penstock._schema import schemas

    schema = schemas()[op]
    yield f"fn.{op}{_signature.signature(schema)}"
    yield f"    {schema.doc}"
    yield "on a GPU: " + (f"no, {schema.host_only}" if schema.host_only else "yes")
    if schema.aliases:
        yield "older names: " + ", ".join(schema.aliases)
    yield f"tested with: {schema.example or 'its defaults'}"
    yield from (f"unlike DALI: {how}" for how in schema.differs)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    found = places(sys.argv[1])
    print(*schema_lines(found.op), "", sep="\n")
    for title, names in {
        "described in": [found.source],
        "which includes": included(found.source),
        "C++ tests": found.cpp_tests,
        "Python tests": [*found.python_tests, f"tests/python/conformance --operator {found.op}"],
        "written from the schema": found.generated,
        "promises (tests/mutations)": promises({found.source}),
    }.items():
        print(title, *(f"    {name}" for name in names), sep="\n")


if __name__ == "__main__":
    main()
