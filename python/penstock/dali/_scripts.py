"""The commands that DALI's package installs and that scripts call: `tfrecord2idx`, `wds2idx`, `rec2idx`."""

import contextlib
import os
import pathlib
import shlex
import sys
import tempfile

_NAMES = "tfrecord2idx", "wds2idx", "rec2idx"
_SCRIPT = """#!/bin/sh
exec {python} -m penstock index "$1" ${{2:+--to "$2"}}
"""


@contextlib.contextmanager
def scripts_on_path():
    """Has the processes that are started meanwhile find these commands, behind those that are installed."""
    with tempfile.TemporaryDirectory(prefix="penstock-") as folder:
        for name in _NAMES:
            script = pathlib.Path(folder, name)
            script.write_text(_SCRIPT.format(python=shlex.quote(sys.executable)))
            script.chmod(0o755)
        before = os.environ.get("PATH", os.defpath)
        os.environ["PATH"] = f"{before}{os.pathsep}{folder}"
        try:
            yield
        finally:
            os.environ["PATH"] = before
