"""Processes with pipelines in them: how they begin, are interrupted, forked and end."""

import os
import signal
import subprocess
import sys
import time


def test_ctrl_c_ends_the_wait_for_a_batch():
    code = """
import signal
import time
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
from penstock import Pipeline, fn
with Pipeline(batch_size=4) as pipe:
    x = fn.external_source(lambda i: np.zeros((4, 1000)))
    pipe.set_outputs(fn.python_function(x, function=lambda a: time.sleep(0.2) or a + 1))
kept = pipe.run()
print("done")
"""
    )
    assert out == "done\n"


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
