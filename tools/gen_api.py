"""Writes everything that repeats what the operators' schemas say: Python stubs, reference pages, C++ calls.

usage: schema_dump | gen_api.py CHECKOUT
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from api import cpp, reference, stubs  # noqa: E402

GENERATED = ("python/penstock/fn/**/*.pyi", "include/penstock/fn/**/*.h", "docs/reference/**/*.md")


def outputs(schemas):
    """Relative path -> text of every generated file."""
    public = sorted((schema for schema in schemas if not schema["hidden"]), key=lambda schema: schema["name"])
    return {
        **{f"python/penstock/fn/{name}": stub for name, stub in stubs.render(public).items()},
        **{f"include/penstock/{name}": header for name, header in cpp.render(public).items()},
        **{f"docs/reference/{name}": page for name, page in reference.render(public).items()},
    }


def main():
    root = pathlib.Path(sys.argv[1])
    for pattern in GENERATED:
        for gone in list(root.glob(pattern)):
            gone.unlink()
            if not any(gone.parent.iterdir()):  # no operator of the group is left
                gone.parent.rmdir()
    for name, text in outputs(json.load(sys.stdin)).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
