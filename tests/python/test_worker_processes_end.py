"""How processes that call sources end: with their pipeline, by themselves, by Ctrl-C, with their parent. In silence."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from sources import METHODS, pipe_of

from penstock.pipeline.contract import run_of


def children():
    """Processes of this one's that are there, dead ones that nobody waited for among them."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat") as stat, open(f"/proc/{pid}/cmdline") as line:
            if stat.read().rpartition(")")[2].split()[1] == str(os.getpid()) and "resource_tracker" not in line.read():
                found.append(pid)
    return sorted(found)


def numbered(info):
    return np.array([info.idx_in_epoch])


def ends_itself(info):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_is_gone_is_told():
    with pytest.raises(RuntimeError, match=r"worker process \d+ .* was ended by signal 9"):
        pipe_of(ends_itself, workers=1).run()


def sleeps(info):
    if info.idx_in_epoch >= 8:  # asked for ahead by threads
        time.sleep(1000)
    return np.array([info.idx_in_epoch])


@pytest.mark.parametrize("way", ["close", "forget"])
@pytest.mark.parametrize("source", [sleeps, numbered])
def test_no_process_is_left_whatever_it_does(way, source):
    pipe = pipe_of(source)
    pipe.run()
    started = {str(pid) for pid in run_of(pipe).processes.pids()}
    assert len(started) == 2 and started <= set(children())
    begun = time.monotonic()
    if way == "close":
        pipe.close()
    del pipe
    assert not started & set(children())
    assert time.monotonic() - begun < 5


def test_ended_processes_are_told():
    pipe = pipe_of(numbered)
    pipe.start_py_workers()
    run_of(pipe).processes.close()
    with pytest.raises(RuntimeError, match="worker processes of this pipeline were ended"):
        pipe.run()


SCRIPT = """
    import signal, sys, time
    import numpy as np
    from penstock import Pipeline, fn

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job starts with SIGINT ignored

    def source(info):
        if info.iteration == 2 and {stuck}:
            time.sleep(1000)
        return np.array([info.idx_in_epoch])

    if __name__ == "__main__":
        pipe = Pipeline(batch_size=4, py_num_workers=3, py_start_method={method!r})
        with pipe:
            pipe.set_outputs(fn.external_source(source, batch=False, parallel=True))
        print("ready", pipe.run()[0].as_array()[0], flush=True)
        {ending}
"""


def script(tmp_path, **parts):
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(SCRIPT).format(**parts))
    return subprocess.Popen(
        [sys.executable, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stuck", [False, True])
def test_the_program_ends_in_silence(tmp_path, method, stuck):
    with script(tmp_path, method=method, stuck=stuck, ending="") as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "ready [0]\n", "")


@pytest.mark.parametrize("method", METHODS)
def test_ctrl_c_ends_a_wait_for_a_process_with_one_traceback(tmp_path, method):
    with script(tmp_path, method=method, stuck=True, ending="[pipe.run() for _ in range(9)]") as process:
        assert process.stdout.readline() == "ready [0]\n"
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes
        _, err = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT)
    assert err.count("Traceback") == 1 and err.strip().endswith("KeyboardInterrupt") and "worker process" not in err


@pytest.mark.parametrize("method", METHODS)
def test_ctrl_c_is_for_the_parent_alone(method):
    pipe = pipe_of(numbered, method)
    pipe.run()
    for pid in run_of(pipe).processes.pids():
        os.kill(pid, signal.SIGINT)
    assert [pipe.run()[0].as_array()[0, 0] for _ in range(5)] == [4, 8, 12, 16, 20]


def test_processes_end_where_the_parent_was_killed(tmp_path):
    ending = "import penstock.pipeline.contract as c; print(*c.run_of(pipe).processes.pids(), flush=True)"
    ending += "; time.sleep(1000)"
    with script(tmp_path, method="fork", stuck=False, ending=ending) as process:
        process.stdout.readline()
        pids = process.stdout.readline().split()
        assert len(pids) == 3
        process.kill()
        process.wait()
    end = time.monotonic() + 10
    while any(os.path.exists(f"/proc/{pid}") and running(pid) for pid in pids):
        assert time.monotonic() < end
        time.sleep(0.05)


def running(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
