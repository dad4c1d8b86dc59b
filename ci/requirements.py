"""Prints what pyproject.toml asks for, so that packages are installed without building Penstock.

usage: requirements.py [EXTRA...]
"""

import pathlib
import sys
import tomllib

settings = tomllib.loads((pathlib.Path(__file__).parent.parent / "pyproject.toml").read_text())
project = settings["project"]
extras = project["optional-dependencies"]


def expand(extra):
    for requirement in extras[extra]:
        if requirement.startswith(f"{project['name']}["):
            yield from expand(requirement.partition("[")[2].rstrip("]"))
        else:
            yield requirement


print(*settings["build-system"]["requires"], *project["dependencies"], sep="\n")
for wanted in sys.argv[1:]:
    print(*expand(wanted), sep="\n")
