"""Consumers that lag 50 ms a step behind the loader, while memory is overwritten as soon as the last reader is done.

    PENSTOCK_POISON=1 python handoff_stress.py torch|jax STEPS [KIND...]

Every batch is a constant of its own. What consumers see of another is counted on the GPU; the host waits for nothing.
Prints the number of GPUs, of batches and of elements that were wrong. JAX gets batches as copies and in arrays that
pipelines write, as they do behind a decoder; it keeps them or donates them, on one GPU and sharded over all: kinds are
the names in KINDS, all when none is given.
"""

import functools
import io
import itertools
import os
import sys
import time

import numpy as np

from penstock import Pipeline, fn, types

SHAPE = (16, 64, 64, 3)
DELAY = 0.05


def values():
    return (step % 251 for step in itertools.count())


def graph(ahead):
    data = fn.external_source(source=lambda: np.full(SHAPE, next(ahead), np.uint8), layout="HWC")
    return fn.crop_mirror_normalize(data, device="gpu", dtype=types.FLOAT)


def decoding_graph(ahead):
    files = fn.external_source(source=lambda: [gray_file(next(ahead))] * SHAPE[0], batch=True)
    return fn.crop_mirror_normalize(
        fn.decoders.image(files, device="mixed", decoder="cuda"), device="gpu", dtype=types.FLOAT
    )


@functools.cache
def gray_file(value):
    """A JPEG file all of whose samples are decoded to that value."""
    import PIL.Image

    file = io.BytesIO()
    PIL.Image.new("RGB", SHAPE[1:3], (value,) * 3).save(file, "JPEG", quality=100)
    return np.frombuffer(file.getvalue(), np.uint8)


KINDS = {
    "copied": (graph, False), "copied-donated": (graph, True),
    "written": (decoding_graph, False), "written-donated": (decoding_graph, True),
}  # fmt: skip


def with_torch(steps, _):
    import torch

    gpus = range(torch.cuda.device_count())
    pipes, streams, wrong = [], [], []
    for gpu in gpus:
        with Pipeline(batch_size=SHAPE[0], device_id=gpu, prefetch_queue_depth=3) as pipe:
            pipe.set_outputs(graph(values()))
        pipes.append(pipe)
        streams.append(torch.cuda.Stream(gpu))
        wrong.append(torch.zeros((), dtype=torch.int64, device=f"cuda:{gpu}"))
    cycles = int(DELAY * cycles_per_second(torch))
    for _, expected in zip(range(steps), values(), strict=False):
        for gpu in gpus:
            with torch.cuda.stream(streams[gpu]):
                (batch,) = pipes[gpu].run()
                tensor = torch.from_dlpack(batch.as_tensor())
                torch.cuda._sleep(cycles)
                wrong[gpu] += (tensor != expected).sum()
                del tensor, batch
    return len(gpus), steps * len(gpus), sum(int(one) for one in wrong)


def cycles_per_second(torch):
    torch.cuda._sleep(1_000_000)
    torch.cuda.synchronize()
    begun = time.monotonic()
    torch.cuda._sleep(200_000_000)
    torch.cuda.synchronize()
    return 200_000_000 / (time.monotonic() - begun)


def with_jax(steps, kinds):
    import jax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    from penstock.plugin.jax import data_iterator

    gpus = jax.devices("gpu")
    rows = NamedSharding(Mesh(np.array(gpus), ("batch",)), PartitionSpec("batch"))
    cases = [(KINDS[kind], sharding) for kind in kinds or KINDS for sharding in (None, rows)]

    def add(wrong, x, expected):
        # A result for x's own place, so that a donated x is really written over.
        return wrong + (x != expected).sum(axis=(1, 2, 3)), x * 0 - 1

    iterators, adds, wrong = [], [], []
    for (made, donated), sharding in cases:
        samples = SHAPE[0] * (len(gpus) if sharding else 1)
        # Each pipeline counts for itself.
        make = data_iterator(lambda made=made: made(values()), output_map=["x"], sharding=sharding)
        iterators.append(make(batch_size=samples, prefetch_queue_depth=3))
        adds.append(jax.jit(add, donate_argnums=1 if donated else ()))
        wrong.append(jax.device_put(np.zeros(samples, np.int32), sharding or gpus[0]))
    delay, state = delay_on(jax, rows, len(gpus))
    for _, expected in zip(range(steps), values(), strict=False):
        batches = [next(it)["x"] for it in iterators]
        state = delay(state)
        for i, batch in enumerate(batches):
            wrong[i], _ = adds[i](wrong[i], batch, np.float32(expected))
        del batch, batches
    return len(gpus), steps * len(iterators), sum(int(one.sum()) for one in wrong)


def delay_on(jax, rows, count):
    """A program that keeps each GPU busy for DELAY, and its argument."""
    state = jax.device_put(np.full((count, 4096, 4096), 1e-4, np.float32), rows)

    def made(rounds):
        return jax.jit(
            jax.shard_map(
                lambda x: jax.lax.fori_loop(0, rounds, lambda _, y: y @ x, x),
                mesh=rows.mesh, in_specs=rows.spec, out_specs=rows.spec,
            )
        )  # fmt: skip

    trial = made(20)
    jax.block_until_ready(trial(state))
    begun = time.monotonic()
    jax.block_until_ready(trial(state))
    delay = made(max(1, round(20 * DELAY / (time.monotonic() - begun))))
    jax.block_until_ready(delay(state))
    return delay, state


if __name__ == "__main__":
    assert os.environ.get("PENSTOCK_POISON"), "without PENSTOCK_POISON=1 a late read may see the right values by luck"
    begun = time.monotonic()
    found = {"torch": with_torch, "jax": with_jax}[sys.argv[1]](int(sys.argv[2]), sys.argv[3:])
    print(*found, f"{time.monotonic() - begun:.0f} s", flush=True)
