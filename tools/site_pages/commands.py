"""The page of the command line: what --help prints."""

import os
import subprocess
import sys

COMMANDS = ["", "doctor", "pack", "index", "inspect", "view", "bench"]


def page():
    parts = ["# Command line\n", "Each command prints this with `--help`.\n"]
    for command in COMMANDS:
        words = [word for word in (command, "--help") if word]
        done = subprocess.run(
            [sys.executable, "-m", "penstock", *words], capture_output=True, text=True, check=True,
            env=os.environ | {"COLUMNS": "100"},
        )  # fmt: skip
        parts += [f"## penstock {command}".rstrip() + "\n", f"```text\n{done.stdout.rstrip()}\n```\n"]
    return "\n".join(parts)
