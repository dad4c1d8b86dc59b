"""``python -m penstock.dali script.py arguments...``: the script's `nvidia.dali` is served by Penstock."""

import os
import runpy
import sys

from ._hook import install
from ._removed import hints
from ._scripts import scripts_on_path

_USAGE = (
    "usage: python -m penstock.dali script.py [arguments...]   or   python -m penstock.dali -m module [arguments...]"
)


def main():
    """Hands over to the script, as ``python script.py`` would have started it."""
    arguments = sys.argv[1:]
    if arguments[:1] in (["-h"], ["--help"]):
        print(_USAGE)
        return
    module = arguments[:1] == ["-m"]
    if len(arguments) < 1 + module:
        sys.exit(_USAGE)
    if not module and not os.path.exists(arguments[0]):
        sys.exit(f"there is no script {arguments[0]}\n{_USAGE}")
    install()
    sys.argv = arguments[module:]
    with hints(), scripts_on_path():
        if module:
            sys.path[0] = os.getcwd()
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
            runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
