"""Milliseconds of a step on all GPUs: `penstock.parallel.DataParallel` beside PyTorch's wrappers and one GPU.

    python -m penstock.bench.parallel [--jobs seed mlp ...] [--ways ours step ...] [--devices 0 1] [--json FILE]

A step is forward, mean of squares, backward and SGD; "forward" is inference alone. One GPU gets its share of the batch.
Without GPUs, virtual devices show that it runs. DistributedDataParallel has a process a device, each with its share.
"""

import argparse
import json
import os
import statistics
import sys
import time
from contextlib import nullcontext

import torch
from torch import nn

from ..parallel import DataParallel
from . import machine


class Encoder(nn.Module):
    """Twelve layers of 768 channels."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 12, enable_nested_tensor=False)

    def forward(self, x):
        return self.layers(x)


def _seed():
    return nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64))


def _mlp():
    return nn.Sequential(*[layer for _ in range(4) for layer in (nn.Linear(4096, 4096), nn.ReLU())])


def _resnet():
    import torchvision

    return torchvision.models.resnet50()


# How to make the module, shape of the batch, whether it runs in bfloat16, and steps that count.
JOBS = {
    "seed": (_seed, (3, 32), False, 300),
    "mlp": (_mlp, (8192, 4096), True, 40),
    "resnet64": (_resnet, (64, 3, 224, 224), True, 30),
    "resnet256": (_resnet, (256, 3, 224, 224), True, 15),
    "encoder": (Encoder, (32, 128, 768), True, 30),
    "tiny": (_seed, (6, 32), False, 5),  # for tests
}
WAYS = ("one", "torch", "ours", "eager", "step", "ddp")


def mean_of_squares(out, _=None):
    return out.float().square().mean()


def _milliseconds(step, count, devices):
    """Median over five runs of `count` steps, after a warm-up."""

    def finish():
        for device in devices:
            if device.type == "cuda":
                torch.cuda.synchronize(device)

    for _ in range(10):
        step()
    times = []
    for _ in range(5):
        finish()
        begun = time.perf_counter()
        for _ in range(-(-count // 5)):
            step()
        finish()
        times.append((time.perf_counter() - begun) / -(-count // 5) * 1e3)
    return statistics.median(times)


def _train_step(model, optimizer, x):
    def step():
        optimizer.zero_grad()
        mean_of_squares(model(x)).backward()
        optimizer.step()

    return step


def _autocast(wanted, device):
    return torch.autocast(device.type, torch.bfloat16) if wanted else nullcontext()


def measure(way, job, devices):
    """(milliseconds of a training step or None, of inference or None) in this process.

    Args
    ----
    way : str
        Of `WAYS`, but not "ddp".
    job : str
        Of `JOBS`.
    devices : list of torch.device
    """
    make, shape, low, count = JOBS[job]
    torch.manual_seed(0)
    first = devices[0] if devices[0].type == "cuda" else torch.device("cpu")
    module = make().to(first)
    x = torch.randn(shape, device=first)
    optimizer = torch.optim.SGD(module.parameters(), 0.01)
    if way == "one":
        model, x = module, x[: -(-len(x) // len(devices))]
    elif way == "torch":
        model = nn.DataParallel(module, devices) if first.type == "cuda" else module
    else:
        model = DataParallel(module, devices, graphs="auto" if way in ("ours", "step") else False)
    with _autocast(low, first):
        if way == "step":
            step, targets = model.train_step(mean_of_squares, optimizer), torch.zeros(len(x), device=first)
            return _milliseconds(lambda: step(x, targets), count, devices), None
        train = _milliseconds(_train_step(model, optimizer, x), count, devices)
        with torch.no_grad():
            return train, _milliseconds(lambda: model(x), count, devices)


def _distributed(rank, job, world, port, found):
    """One process of DistributedDataParallel."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    make, shape, low, count = JOBS[job]
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", rank) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    torch.distributed.init_process_group("nccl" if cuda else "gloo", rank=rank, world_size=world)
    torch.manual_seed(0)
    module = make().to(device)
    model = nn.parallel.DistributedDataParallel(module, [rank] if cuda else None)
    x = torch.randn(shape)[rank::world].to(device)
    optimizer = torch.optim.SGD(module.parameters(), 0.01)
    with _autocast(low, device):
        train = _milliseconds(_train_step(model, optimizer, x), count, [device])
    if rank == 0:
        found.put(train)
    torch.distributed.destroy_process_group()


def distributed(job, world):
    """Milliseconds of a training step of DistributedDataParallel, one process a device."""
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    found = torch.multiprocessing.get_context("spawn").SimpleQueue()
    torch.multiprocessing.spawn(_distributed, (job, world, port, found), nprocs=world)
    return found.get()


def _devices(given):
    if given:
        return [torch.device(f"cuda:{one}" if one.isdigit() else one) for one in given]
    if torch.cuda.device_count() > 1:
        return [torch.device("cuda", i) for i in range(torch.cuda.device_count())]
    return [torch.device("cpu", i) for i in range(2)]


def _shown(value):
    return "" if value is None else f"{value:.3f}"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=[job for job in JOBS if job != "tiny"])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--devices", nargs="+")
    parser.add_argument("--json")
    options = parser.parse_args(arguments)
    devices, results = _devices(options.devices), {}
    print(f"| job, train / forward on {len(devices)} devices | {' | '.join(options.ways)} |")
    print("| --- " * (1 + len(options.ways)) + "|", flush=True)
    for job in options.jobs:
        row = results[job] = {}
        for way in options.ways:
            row[way] = (distributed(job, len(devices)), None) if way == "ddp" else measure(way, job, devices)
            if devices[0].type == "cuda":
                torch.cuda.empty_cache()
        cells = [_shown(train) + (f" / {_shown(forward)}" if forward else "") for train, forward in row.values()]
        print(f"| {job} | {' | '.join(cells)} |", flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"results": results, "devices": list(map(str, devices)), **machine.facts()}, file, indent=1)


if __name__ == "__main__":
    sys.exit(main())
