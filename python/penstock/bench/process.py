"""Measurements in processes of their own, so that thread pools never meet."""

import json
import subprocess
import sys

_LIMIT_S = 900
_LINES = 15  # of what a process that fails has said


def measured(program, settings, complaint, env=None):
    """What a program's last line says, as JSON.

    Args
    ----
    program : list of str
        Arguments of Python, to which the settings are added, as JSON.
    complaint : str
        Begins the `RuntimeError` where the program fails; the end of what it said follows.
    """
    command = [sys.executable, "-W", "ignore", *program, json.dumps(settings)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=_LIMIT_S)
    if done.returncode:
        said = "\n".join(done.stderr.strip().splitlines()[-_LINES:])
        raise RuntimeError(f"{complaint}:\n{said}")
    return json.loads(done.stdout.splitlines()[-1])
