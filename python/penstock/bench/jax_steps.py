"""Measures what a batch costs a JAX program: `next` of the iterator, and training in a loop against one `lax.scan`.

    python -m penstock.bench.jax_steps [--devices 1 8] [--steps N] [--rest MILLISECONDS]

Devices are virtual ones of the CPU. `next` is timed when the batch is ready, as in a program whose steps take longer;
DALI's stands beside it where it is installed. After a rest everything takes longer, so two things are timed in turns
with it: as many calls of Python functions as `next` makes, which do nothing, and the waking of a thread, which any
reading ahead needs once for each batch. The loop and the scan train one linear layer on digits.
"""

import argparse
import itertools
import json
import os
import queue
import statistics
import subprocess
import sys
import threading
import time
import types

from . import data
from .contest import installed


def _rest(seconds):
    """Lets other threads work for a while, without going to sleep: a core that wakes takes longer for everything."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        time.sleep(0)


def _timed(call):
    """Microseconds of a call: by the clock, and of the thread's own time."""
    begun, worked = time.perf_counter(), time.thread_time()
    given = call()
    own, clock = time.thread_time() - worked, time.perf_counter() - begun
    del given
    return clock * 1e6, own * 1e6


def _graph(library, root, shards=1, shard=0):
    """(pipeline, its reader's name) of labels and raw files: as little work as there can be."""
    module = __import__("nvidia.dali" if library == "dali" else "penstock", fromlist=["fn"])
    pipe = module.pipeline.Pipeline(batch_size=32, num_threads=2, device_id=None)
    with pipe:
        images, labels = module.fn.readers.caffe2(path=root, num_shards=shards, shard_id=shard, name="digits")
        images = module.fn.decoders.image(images, output_type=module.types.GRAY)
        pipe.set_outputs(images, labels)
    return pipe


def _calls(count):
    """A function that calls so many others, each with an object of its own, to no end."""
    lines = [f"def f{i}():\n    objects[{i}].count += 1\n    f{i + 1}()" for i in range(count)]
    names = {"objects": [types.SimpleNamespace(count=0) for _ in range(count)]}
    exec("\n".join([*lines, f"def f{count}(): pass"]), names)  # noqa: S102 - functions alike, but not one function
    return names["f0"]


def next_cost(library, root, devices, steps, rest):
    """Median microseconds of `next` and of what it is measured by, each by the clock and of the thread's own time."""
    import jax
    import numpy as np

    plugin = __import__("nvidia.dali.plugin.jax" if library == "dali" else "penstock.plugin.jax", fromlist=["jax"])
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("batch",))
    spread = {"sharding": jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("batch"))} if devices > 1 else {}
    pipes = [_graph(library, root, devices, shard) for shard in range(devices)]
    iterator = plugin.DALIGenericIterator(pipes, ["images", "labels"], reader_name="digits", auto_reset=True, **spread)
    waited_for = queue.SimpleQueue()
    threading.Thread(target=lambda: all(iter(waited_for.get, None)), daemon=True).start()
    calls = {
        "next": lambda: next(iterator, None),
        "ten calls": _calls(10),
        "waking": lambda: waited_for.put(True),
    }
    found = {name: [] for name in calls}
    for _ in range(steps):
        for name, call in calls.items():
            _rest(rest / 1e3)
            found[name].append(_timed(call))
    return {
        name: [statistics.median(column) for column in zip(*values[10:], strict=True)] for name, values in found.items()
    }


def loop_and_scan(library, root, devices, steps, rest):
    """Median microseconds of a training step: pulled by a Python loop, within one `lax.scan`, and its two parts."""
    del library, devices, rest
    import jax
    import numpy as np

    from ..plugin.jax import DALIGenericIterator, source

    weights = np.random.default_rng(0).normal(size=(784, 10)).astype(np.float32) * 0.1

    def update(model, batch):
        def loss(model):
            images = batch["images"].reshape(-1, 784).astype(np.float32) / 255
            scores = jax.nn.log_softmax(images @ model)
            return -jax.numpy.take_along_axis(scores, batch["labels"].astype(np.int32), axis=1).mean()

        return model - 0.01 * jax.grad(loss)(model)

    def step(carry, _):
        batch, ticket = made.next(carry[1])
        return (update(carry[0], batch), ticket), None

    def pulled_by_loop(batches):
        model = weights
        for _ in range(steps):
            model = jitted(model, next(batches))
        return model

    def made_only():
        for _ in range(steps):
            pipe.run()

    made = source(_graph("penstock", root), ["images", "labels"])
    scan = jax.jit(lambda model, ticket: jax.lax.scan(step, (model, ticket), length=steps)[0])
    iterator = DALIGenericIterator(_graph("penstock", root), ["images", "labels"], size=-1)
    pipe = _graph("penstock", root)
    jitted = jax.jit(update)
    one = itertools.repeat(next(iterator))
    ways = {
        "in a loop": lambda: pulled_by_loop(iterator),
        "in a scan": lambda: scan(weights, made.ticket()),
        "of one batch, in a loop": lambda: pulled_by_loop(one),
        "without training, run()": made_only,
    }
    times = {name: [] for name in ways}
    for _ in range(6):
        for name, way in ways.items():
            begun = time.perf_counter()
            jax.block_until_ready(way())
            times[name].append((time.perf_counter() - begun) / steps * 1e6)
    return {name: statistics.median(values[1:]) for name, values in times.items()}


_MEASURES = {"next": next_cost, "steps": loop_and_scan}


def _measured(measure, library, root, devices, options):
    """Runs one measurement in a process with so many devices; None where the library cannot do it."""
    settings = map(str, (root, devices, options.steps, options.rest))
    command = [sys.executable, "-W", "ignore", "-m", __spec__.name, measure, library, *settings]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "JAX_NUM_CPU_DEVICES": str(devices)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"  {measure} {library}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def main():
    if len(sys.argv) > 1 and sys.argv[1] in _MEASURES:
        measure, library, root, devices, steps, rest = sys.argv[1:]
        print(json.dumps(_MEASURES[measure](library, root, int(devices), int(steps), float(rest))), flush=True)
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--rest", type=float, default=3, help="milliseconds between two batches")
    options = parser.parse_args()
    root = data.digit_set(data.KEPT, None)
    for devices in options.devices:
        for library in ("penstock", "dali") if installed("dali") else ("penstock",):
            for name, (clock, own) in (_measured("next", library, root, devices, options) or {}).items():
                print(f"{name}, {devices} devices, {library}: {clock:.0f} us, own {own:.0f} us", flush=True)
    for name, took in (_measured("steps", "penstock", root, 1, options) or {}).items():
        print(f"training step {name}: {took:.0f} us")


if __name__ == "__main__":
    main()
