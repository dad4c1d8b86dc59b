"""One training, to be followed in several ways of spreading it: each gives the loss of every step."""

import os

import torch
from torch import nn

STEPS, ROWS = 200, 16
loss_of = nn.functional.cross_entropy


def network():
    """With a batch norm, which sees the rows of its part only, and without dropout."""
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(8 * 36, 32),
        nn.GELU(),
        nn.Linear(32, 5),
    )


def batches(steps=STEPS):
    """Eight of them over and over: noise with the labels of another network, which is learned by heart."""
    draw = torch.Generator().manual_seed(1)
    x, teacher = torch.randn(8, ROWS, 3, 8, 8, generator=draw), torch.randn(3 * 64, 5, generator=draw)
    y = (x.flatten(2) @ teacher).argmax(2)
    for step in range(steps):
        yield x[step % 8], y[step % 8]


def optimizer_of(module):
    return torch.optim.SGD(module.parameters(), lr=0.02, momentum=0.9)


def curve(model, module, part=slice(None), steps=STEPS):
    """Losses of the usual loop over `model`; the optimizer is one of `module`."""
    optimizer, losses = optimizer_of(module), []
    for x, y in batches(steps):
        optimizer.zero_grad()
        loss = loss_of(model(x[part]), y[part])
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


def _rank(rank, world, folder):
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", f"file://{folder}/meeting", rank=rank, world_size=world)
    module = network()
    each = ROWS // world
    losses = curve(nn.parallel.DistributedDataParallel(module), module, part=slice(rank * each, (rank + 1) * each))
    torch.distributed.all_reduce(losses)
    if rank == 0:
        torch.save(losses / world, f"{folder}/losses.pt")
    torch.distributed.destroy_process_group()
    os._exit(0)  # one in many processes ended with "terminate called without an active exception" in PyTorch's own end


def distributed_curve(world, folder):
    """Starts DistributedDataParallel with that many processes on the CPU, each with its part of every batch.

    Returns a function that waits for the losses.
    """
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    processes = torch.multiprocessing.spawn(_rank, (world, str(folder)), nprocs=world, join=False)

    def wait():
        while not processes.join():
            pass
        return torch.load(folder / "losses.pt")

    return wait
