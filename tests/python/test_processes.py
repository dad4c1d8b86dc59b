"""Processes with pipelines in them: how they begin, are interrupted, forked and end."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from penstock import Pipeline, fn


def test_ctrl_c_ends_the_wait_for_a_batch():
    code = """
import signal
import time

import numpy as np
import pytest

from penstock import Pipeline, fn
import numpy as np
from penstock import Pipeline, fn
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job starts with SIGINT ignored
with Pipeline(batch_size=1) as pipe:
    pipe.set_outputs(fn.python_function(function=lambda: time.sleep(3) or np.zeros(1)))
pipe.build()
print("ready", flush=True)
try:
    pipe.run()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=_environment())
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    assert time.monotonic() - begun < 1.5
    process.wait(timeout=20)
    assert process.returncode == 0


def _environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def test_interpreters_end_with_pipelines_at_work(script):
    out = script(
        code="""
import time

import numpy as np
import pytest

from penstock import Pipeline, fn
import numpy as np
from penstock import Pipeline, fn
with Pipeline(batch_size=4) as pipe:
    x = fn.external_source(lambda i: np.zeros((4, 1000)))
    pipe.set_outputs(fn.python_function(x, function=lambda a: time.sleep(0.2) or a + 1))
kept = pipe.run()
print("done")
"""
    )
    assert out == "done\n"


def test_calls_of_a_parallel_source_that_nobody_waits_for_do_not_keep_the_process(script):
    """Of 96 calls asked ahead, 32 have come; and one that never returns is left behind."""
    code = """
import sys, threading, time
import numpy as np
from penstock import Pipeline, fn
sys.stderr = sys.stdout

def sample(info):
    if info.idx_in_epoch >= 32:
        begun.set()
        {call}
    return np.zeros(1)

begun = threading.Event()
with Pipeline(batch_size=32, prefetch_queue_depth=1, py_num_workers=2) as pipe:
    pipe.set_outputs(fn.external_source(sample, batch=False, parallel=True, prefetch_queue_depth=2))
pipe.run()
begun.wait()
"""
    ended = script(code=code.format(call='time.sleep(0.5), print("ended\\n", end="", flush=True)'), timeout=60).split()
    assert 1 <= len(ended) <= 4  # those in progress
    assert set(ended) == {"ended"}
    begun = time.monotonic()
    assert script(code=code.format(call="threading.Event().wait()"), timeout=60) == ""
    assert time.monotonic() - begun < 20  # 1.3 s when nothing else runs


def test_importing_is_quick_and_leaves_frameworks_alone(script):
    out = script(
        code="""
import numpy, sys, time
begun = time.perf_counter()
import penstock.plugin.jax
print(time.perf_counter() - begun)
print([name for name in ("jax", "torch", "PIL") if name in sys.modules])
"""
    )
    seconds, frameworks = out.splitlines()
    assert float(seconds) < 0.5  # 0.1 when nothing else runs
    assert frameworks == "[]"


def test_a_forked_process_makes_pipelines_of_its_own(tmp_path):
    """As the workers of a PyTorch DataLoader do, which are forked while the parent's pipelines live."""
    code = """
import os
import numpy as np
from penstock import Pipeline, fn

def made():
    with Pipeline(batch_size=2) as pipe:
        pipe.set_outputs(fn.cast(fn.external_source(source=lambda: np.ones((2, 3), np.uint8)), dtype=9))
    return pipe

mine = made()
mine.run()
if os.fork() == 0:
    own = made()
    assert own.run()[0].as_array().sum() == 6
    del own
    mine.close()
    os._exit(0)
print(os.waitstatus_to_exitcode(os.wait()[1]), mine.run()[0].as_array().sum())
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["0", "6.0"], done.stderr


def test_a_forked_process_ends_though_a_thread_waited_for_a_pipeline():
    code = """
import os, threading, time
import numpy as np
from penstock import Pipeline, fn

go = threading.Event()

def slow(x):
    go.wait()
    return x

with Pipeline(batch_size=1, prefetch_queue_depth=1) as pipe:
    pipe.set_outputs(fn.python_function(fn.external_source(source=lambda: np.ones((1, 3), np.uint8)), function=slow))
waiting = threading.Thread(target=pipe.run)
waiting.start()
time.sleep(0.3)
child = os.fork()
if child:
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
    go.set()
    waiting.join()
else:
    import signal
    signal.alarm(20)  # a hang ends as a failure
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["0"], done.stderr


def test_threads_that_the_system_does_not_start_are_an_error():
    code = """
import resource
import numpy as np
from penstock import Pipeline, fn

def run():
    with Pipeline(batch_size=2) as pipe:
        pipe.set_outputs(fn.cast(fn.external_source(source=lambda: np.ones((2, 3), np.uint8)), dtype=9))
    return pipe.run()[0].as_array().sum()

soft, hard = resource.getrlimit(resource.RLIMIT_AS)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (100 << 20), hard))
try:
    run()
except RuntimeError as e:
    print(e)
resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
print(run())
"""
    environment = os.environ | {"PENSTOCK_NUM_THREADS": "100"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60, env=environment
    )
    message, total = done.stdout.splitlines()
    assert "of 100 threads could be started" in message and "PENSTOCK_NUM_THREADS" in message
    assert total == "6.0"


def test_a_function_of_a_pipeline_cannot_run_another_one():
    def constant():
        with Pipeline(batch_size=1) as pipe:
            pipe.set_outputs(fn.cast(fn.external_source(source=lambda: np.ones((1, 3), np.uint8)), dtype=9))
        return pipe

    inner = constant()
    with Pipeline(batch_size=1) as outer:
        source = fn.external_source(source=lambda: np.ones((1, 3), np.uint8))
        outer.set_outputs(fn.python_function(source, function=lambda x: inner.run()[0].as_array()[0]))
    with pytest.raises(RuntimeError, match="cannot run another pipeline"):
        outer.run()
    assert inner.run()[0].as_array().sum() == 3


def test_a_function_that_never_returns_does_not_keep_the_process():
    code = """
import queue, signal
from penstock import Pipeline, fn
signal.signal(signal.SIGINT, signal.default_int_handler)
never = queue.Queue()
with Pipeline(batch_size=2) as pipe:
    pipe.set_outputs(fn.python_function(fn.random.uniform(shape=[2]), function=lambda x: never.get()))
print("ready", flush=True)
try:
    pipe.run()
except KeyboardInterrupt:
    print("leaving", flush=True)
"""
    program = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        for expected in ("ready", "leaving"):
            assert program.stdout.readline().strip() == expected
            time.sleep(1)  # for the batch in the making, then for the end of the interpreter
            program.send_signal(signal.SIGINT)
        assert program.communicate(timeout=20) == ("", "")
    finally:
        program.kill()
    assert program.returncode == 0


def test_closing_waits_for_one_call_of_a_function():
    calls = []

    def slow(x):
        calls.append(x)
        time.sleep(0.1)
        return x

    with Pipeline(batch_size=20) as pipe:
        pipe.set_outputs(fn.python_function(fn.random.uniform(shape=[2]), function=slow))
    pipe.run()
    before = len(calls)
    pipe.close()
    assert len(calls) <= before + 1


def test_waiting_for_a_batch_that_another_thread_drops_is_an_error():
    go = threading.Event()
    with Pipeline(batch_size=1) as pipe:
        pipe.set_outputs(fn.python_function(fn.random.uniform(shape=[2]), function=lambda x: go.wait() and x))
    pipe.schedule_run()
    threading.Timer(0.5, go.set).start()
    closing = threading.Timer(0.2, pipe.close)
    closing.start()
    with pytest.raises(RuntimeError, match="closed"):
        pipe.share_outputs()
    closing.join()


def test_what_a_signals_handler_raises_in_a_wait_says_where():
    code = """
import signal, time, traceback
from penstock import Pipeline, fn

def late(number, frame):
    raise TimeoutError("late")

signal.signal(signal.SIGALRM, late)
with Pipeline(batch_size=1) as pipe:
    pipe.set_outputs(fn.python_function(function=lambda: time.sleep(2) or 1))
pipe.build()
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    pipe.run()
except TimeoutError as error:
    print([frame.name for frame in traceback.extract_tb(error.__traceback__)][-1])
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["late"], done.stderr


def test_a_failed_batch_that_goes_on_waits_with_the_lock_of_python_free(tmp_path):
    code = """
import pathlib, sys, time
from penstock import _core

files = [pathlib.Path(sys.argv[1], f"{i}.bin") for i in range(8)]
for file in files:
    file.write_bytes(b"ten bytes.")

def slow(count, inputs):  # the only worker waits here for Python's lock
    time.sleep(0.05)
    return list(inputs)

graph = _core.Graph()
add = lambda op, inputs, args: graph.add(op, inputs, args, {}, "r" if not inputs else "", "cpu", "", False)
node = add("readers.file", [], {"files": [str(file) for file in files], "labels": list(range(8))})[1]
node = add("callback", [node], {"id": _core.keep_callback(slow)})[0]
for stop in range(2):
    node = add("consumer_step", [node], {"id": stop})[0]
    node = add("pad", [node], {})[0]
graph.set_outputs([node], [False])
pipe = _core.Pipeline(graph, batch_size=2, prefetch=4)
for _ in range(4):
    while pipe.in_flight() < 4:
        pipe.schedule()
    pipe.consumer_step()
    pipe.give_up("the function raised")
    try:
        pipe.wait()
    except Exception as error:
        print("the function raised" in str(error))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(tmp_path)],
        env=os.environ | {"PENSTOCK_NUM_THREADS": "1"}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.split() == ["True"] * 4, done.stderr
