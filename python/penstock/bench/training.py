"""What a loader takes from a training step: ResNet-50 on GPU 0, alone and with a loader beside it.

    python -m penstock.bench.training [--steps 40] [--rounds 2] [--photos FOLDER] [--json FILE]

The job is `train` at 4:4:4 (see pipelines.py), a batch for each step. The network trains on pixels that are there, in
bfloat16 by autocast, so what a loader takes is the difference. Penstock runs with each of its decoders and, in later
epochs, with checkpoints, DALI, where it is installed, with several shares of its JPEG engine. They take turns, each in
a process of its own. Without a GPU it shows that it runs.
"""

import argparse
import json
import os
import statistics
import sys
import time

from .. import _core
from . import contest, data, machine
from .process import measured

_FILES = 1000
_WARM_STEPS = 10
_STEPS_IN_A_BLOCK = 10


def ways(cores, gpu):
    """name -> settings of a loader (see block.py)."""
    found = {"Penstock": {"library": "penstock"}}
    if gpu:
        found |= {f"Penstock, {name}": {"library": "penstock", "decoder": name} for name in ("hardware", "cpu")}
        found["Penstock, checkpoints"] = {"library": "penstock", "job": "again"}
    if contest.installed("dali"):
        loads = (0.75, 0.9, 1.0) if gpu else (0.0,)
        found |= {f"DALI, load {load}": {"library": "dali", "hw_decoder_load": load} for load in loads}
    return {name: settings | {"threads": cores} for name, settings in found.items()}


def _trainer(model, batch, size, device):
    """A function that trains one step and returns before the GPU is done."""
    import torch
    import torchvision

    network = torchvision.models.get_model(model).to(device, memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(network.parameters(), 0.01, momentum=0.9)
    images = torch.randn(batch, 3, size, size, device=device).to(memory_format=torch.channels_last)
    labels = torch.randint(1000, (batch,), device=device)

    def step():
        optimizer.zero_grad()
        with torch.autocast(device, torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(network(images), labels)
        loss.backward()
        optimizer.step()

    return step


def _timed(step, wait, steps):
    """(milliseconds, CPU milliseconds) of a step: the median of blocks of steps, and the mean."""
    for _ in range(_WARM_STEPS):
        step()
    wait()
    times, cpu = [], time.process_time()
    for _ in range(max(1, steps // _STEPS_IN_A_BLOCK)):
        start = time.perf_counter()
        for _ in range(_STEPS_IN_A_BLOCK):
            step()
        wait()
        times.append((time.perf_counter() - start) / _STEPS_IN_A_BLOCK)
    cpu = (time.process_time() - cpu) / (len(times) * _STEPS_IN_A_BLOCK)
    return 1e3 * statistics.median(times), 1e3 * cpu


def measure(model, batch, size, steps, **loader):
    """Steps alone and beside the loader, in this process: milliseconds of each, and what the loader takes."""
    import torch

    from .block import batches_of

    gpu = torch.cuda.is_available()
    wait = torch.cuda.synchronize if gpu else lambda: None
    step = _trainer(model, batch, size, "cuda" if gpu else "cpu")
    alone_ms, alone_cpu = _timed(step, wait, steps)
    batches = batches_of({"job": "train", "batch": batch} | loader | ({"gpu": True} if gpu else {}))

    def step_with_batch():
        next(batches)
        step()

    beside_ms, beside_cpu = _timed(step_with_batch, wait, steps)
    return {"alone_ms": alone_ms, "beside_ms": beside_ms, "cpu_ms": (beside_cpu - alone_cpu) / batch}


def table(found):
    """Lines of Markdown."""
    yield "| loader | a step alone, ms | beside it | more | CPU seconds for 1,000 pictures |"
    yield "| --- " * 5 + "|"
    for name, rounds in found.items():
        alone, beside, cpu = (
            statistics.median(each[key] for each in rounds) for key in ("alone_ms", "beside_ms", "cpu_ms")
        )
        more = statistics.median(each["beside_ms"] - each["alone_ms"] for each in rounds)
        yield f"| {name} | {alone:.2f} | {beside:.2f} | {more:.2f} | {cpu:.3f} |"


def main(arguments=None):
    gpu = _core.gpu_count() > 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="resnet50", help="of torchvision's (default: %(default)s)")
    parser.add_argument("--batch", type=int, default=256 if gpu else 4)
    parser.add_argument("--size", type=int, default=224, help="pixels, each way, on which the network trains")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=2)
    data.add_arguments(parser)
    parser.add_argument("--block", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.block:
        print(json.dumps(measure(**options.block)), flush=True)
        os._exit(0)  # the loader may be in the middle of a batch
    common = {key: getattr(options, key) for key in ("model", "batch", "size", "steps")}
    common["root"] = str(data.picture_set(options.data, "444", _FILES if gpu else 4 * options.batch, options.photos))
    loaders = ways(_core.usable_cores(), gpu)
    found = {name: [] for name in loaders}
    for turn in range(options.rounds):
        for name, settings in loaders.items() if turn % 2 == 0 else reversed(loaders.items()):
            found[name].append(measured(["-m", __spec__.name, "--block"], common | settings, f"{name} failed"))
            print(f"  {name}: {found[name][-1]['beside_ms']:.2f} ms a step", file=sys.stderr, flush=True)
    print("\n".join(table(found)))
    if options.json:
        options.json.write_text(json.dumps({"loaders": found, "machine": machine.facts()}, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
