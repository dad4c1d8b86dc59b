"""A computer that is gone, with its kernel and its network: nothing closes its connections."""

import json
import pathlib
import subprocess
import sys

import pytest
from jax_processes import ITERATOR, PRELUDE, environment_of

_TWO_COMPUTERS = pathlib.Path(__file__).with_name("two_computers.sh")

CODE = """
import subprocess

it = iterator_of(swapped)
tell(local(next(it)["x"]))
begun = time.monotonic()
if process == 1:  # another one that waits hears as little of the first as the first of it
    subprocess.run(["ip", "link", "set", "end1", "down"], check=True)
tell(attempt(lambda: next(it)))
tell(time.monotonic() - begun)
os._exit(0)
"""


@pytest.fixture
def apart():
    """A command for others to be run apart: what they start ends with them. Skips where there are no such rights."""
    command = ["unshare", "--net", "--pid", "--fork", "--mount-proc", "--kill-child"]
    needed = "ip link add type veth && unshare --net --uts --mount hostname another"
    try:
        done = subprocess.run([*command, "bash", "-c", needed], capture_output=True, text=True, check=False)
    except OSError as error:
        pytest.skip(f"networks between namespaces need unshare: {error}")
    if done.returncode != 0:
        pytest.skip(f"networks between namespaces need root and iproute2: {done.stderr.strip()}")
    return command


def test_a_lost_computer_is_named_on_the_others_within_seconds(apart, jax, numbered, tmp_path):
    del jax
    code, out = tmp_path / "code.py", tmp_path / "out"
    code.write_text(PRELUDE.replace("*map(int, sys.argv[2:])", "int(sys.argv[2]), 2, 7000") + ITERATOR + CODE)
    subprocess.run(
        [*apart, _TWO_COMPUTERS, out, sys.executable, code, numbered(16)],
        env=environment_of(SERVICE="10.0.0.1", HEARTBEAT="100"),
        check=True,
        timeout=90,
    )
    for process, error in ((0, "process 1 died"), (1, "process 0 has ended or died")):
        printed = (tmp_path / f"out{process}").read_text()
        told = [json.loads(line[5:]) for line in printed.splitlines() if line.startswith("told ")]
        assert len(told) == 3, printed
        assert error in told[1], printed
        assert told[2] < 30
