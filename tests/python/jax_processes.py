"""Runs code in several processes that JAX joins to one program, each with virtual devices, within a time limit."""

import json
import os
import socket
import subprocess
import sys
import time

import pytest

PRELUDE = """
import json, os, sys
import jax
root, process, count, port = sys.argv[1], *map(int, sys.argv[2:])
service = f"{os.environ.get('SERVICE', '127.0.0.1')}:{port}"
jax.distributed.initialize(service, count, process, cluster_detection_method="deactivate",
                           coordinator_bind_address=service, initialization_timeout=60,
                           heartbeat_timeout_seconds=int(os.environ.get("HEARTBEAT", 10)), shutdown_timeout_seconds=15)
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from penstock import Pipeline, fn, types
from penstock.plugin.jax import DALIGenericIterator, LastBatchPolicy, data_iterator, peekable_data_iterator
from penstock.plugin.jax.fn import jax_function

def numbers(array):
    return [int(v) for v in np.asarray(array).ravel()]

def local(array):
    return {shard.index[0].start or 0: numbers(shard.data) for shard in array.addressable_shards}

def tell(value):
    print("told " + json.dumps(value), flush=True)

def attempt(call):
    try:
        return call()
    except Exception as e:
        return f"{type(e).__name__}: {e}"
"""

GRAPH = """
def graph(num_shards, shard_id):
    data, labels = fn.readers.file(
        file_root=root, name="Reader", num_shards=num_shards, shard_id=shard_id, epoch_end="pad")
    return fn.reshape(data, shape=[1]), labels

names = dict(output_map=["x", "y"], reader_name="Reader")
devices = np.array(jax.devices())
"""

SWAPPED = """
from functools import partial
mesh = Mesh(devices, ("batch",))
sharding = NamedSharding(mesh, P("batch"))

@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=P("batch"), out_specs=P("batch"))
def swapped(x):
    return jax.lax.ppermute(x, "batch", [(i, (i + 1) % len(devices)) for i in range(len(devices))])
"""

ITERATOR = (
    GRAPH
    + SWAPPED
    + """
import time

def iterator_of(function):
    def with_function(num_shards, shard_id):
        x, y = graph(num_shards, shard_id)
        return jax_function(function, sharding=sharding)(x), y
    return data_iterator(with_function, sharding=sharding, **names)(batch_size=2 * len(devices))
"""
)

TWO_STEPS = """
it = iterator_of(function)
tell(local(next(it)["x"]))
tell(attempt(lambda: next(it)))
time.sleep(float(os.environ.get("STAY", 0)) * process)
os._exit(0)
"""


class Ended:
    """A process that has come to its end: what it told, its exit status, all of its output.

    It tells by its standard output alone: what libraries log would come between.
    """

    def __init__(self, process, out, log):
        self.status = process.returncode
        self.out = out + log
        self.told = [json.loads(line[5:]) for line in out.splitlines() if line.startswith("told ")]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run(path, root, processes, devices=1, limit=120, **environment):
    """Starts the script once for each process; a list of `Ended`. The test fails when they take longer than `limit`."""
    port = free_port()
    return run_all([[path, root, i, processes, port] for i in range(processes)], devices, limit, **environment)


def environment_of(devices=1, **settings):
    """The environment of processes with so many virtual devices, which reach each other without proxies."""
    proxies = {name for name in os.environ if name.lower().endswith("_proxy")}
    return {name: value for name, value in os.environ.items() if name not in proxies} | {
        "PYTHONPATH": os.pathsep.join(one for one in sys.path if one),
        "JAX_NUM_CPU_DEVICES": str(devices),
        "JAX_PLATFORMS": "cpu",
        "OMP_NUM_THREADS": "1",
        **settings,
    }


def run_all(commands, devices=1, limit=120, each=None, **environment):
    """As `run`, for arguments of Python of each process; `each` are settings of the environment for one process."""
    full = environment_of(devices, **environment)
    started = [
        subprocess.Popen(
            [sys.executable, *map(str, command)],
            env=full | own,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for command, own in zip(commands, each or [{}] * len(commands), strict=True)
    ]
    end = time.monotonic() + limit
    try:
        return [Ended(process, *process.communicate(timeout=max(0.1, end - time.monotonic()))) for process in started]
    except subprocess.TimeoutExpired:
        for process in started:
            process.kill()
        pytest.fail("a process hangs:\n" + "\n----\n".join("".join(process.communicate()) for process in started))


def told(path, *arguments, **options):
    """What each process told; all of them must have come to a good end."""
    return told_by(run(path, *arguments, **options))


def told_by(ended):
    """Likewise, of processes that have ended."""
    assert [one.status for one in ended] == [0] * len(ended), "\n----\n".join(one.out for one in ended)
    return [one.told for one in ended]
