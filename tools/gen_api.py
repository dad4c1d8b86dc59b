"""Writes everything that repeats what the operators' schemas say: Python stubs, reference pages, C++ calls.

usage: schema_dump | gen_api.py CHECKOUT
"""

import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from api import cpp, reference, stubs  # noqa: E402


def outputs(schemas):
    """Relative path -> text of every generated file."""
    public = [schema for schema in schemas if not schema["hidden"]]
    return {
        "python/penstock/fn.pyi": stubs.render(public),
        "include/penstock/fn.h": cpp.render(public),
        **{f"docs/reference/{name}": page for name, page in reference.render(public).items()},
    }


def main():
    root = pathlib.Path(sys.argv[1])
    shutil.rmtree(root / "docs/reference", ignore_errors=True)
    for name, text in outputs(json.load(sys.stdin)).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
