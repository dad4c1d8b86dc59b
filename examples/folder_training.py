"""Trains a network of torchvision's on a folder of pictures; says how fast, and how busy that keeps the GPUs.

    python examples/folder_training.py FOLDER                         # one process, all GPUs: DataParallel
    torchrun --nproc-per-node 2 examples/folder_training.py FOLDER    # a process a GPU: DistributedDataParallel
    python examples/folder_training.py FOLDER --loader torch          # the same with PyTorch's DataLoader

FOLDER has a folder for each class. Without a GPU it runs on virtual devices of the CPU (--devices cpu:0 cpu:1).
"""

import argparse
import contextlib
import math
import os
import shutil
import subprocess
import threading
import time

import torch
import torch.distributed as dist
import torchvision
from torch import nn
from torchvision.transforms import v2

from penstock.parallel import DataParallel
from penstock.torch import from_torchvision

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def transforms(size):
    """What ImageNet is usually trained with."""
    return v2.Compose(
        [
            v2.RandomResizedCrop(size),
            v2.RandomHorizontalFlip(),
            v2.ToImage(),
            v2.ToDtype(torch.float32, scale=True),
            v2.Normalize(MEAN, STD),
        ]
    )


def make_loader(dataset, options, device):
    """Batches of this process: Penstock finds its rank by itself, PyTorch's loader needs a sampler for that."""
    if options.loader == "penstock":
        kind = "gpu" if device.type == "cuda" else "cpu"
        return from_torchvision(
            dataset, options.batch_size, shuffle=True, drop_last=True, device=kind, device_id=device.index or 0
        )
    sampler = torch.utils.data.DistributedSampler(dataset) if dist.is_initialized() else None
    return torch.utils.data.DataLoader(
        dataset, options.batch_size, shuffle=sampler is None, sampler=sampler, drop_last=True,
        num_workers=os.cpu_count() or 1, persistent_workers=True, pin_memory=device.type == "cuda",
    )  # fmt: skip


def make_model(options, classes, device):
    network = torchvision.models.get_model(options.model, num_classes=classes).to(device)
    if dist.is_initialized():
        return nn.parallel.DistributedDataParallel(network)
    return DataParallel(network, options.devices)


def start(options):
    """The device of this process, which joins the others under torchrun."""
    on_gpu = torch.cuda.is_available() and (options.devices is None or options.devices[0].startswith("cuda"))
    local_rank = int(os.environ.get("LOCAL_RANK", 0))
    if on_gpu and options.devices:
        local_rank = torch.device(options.devices[0]).index or 0  # where the network and the batches are
    if on_gpu:
        torch.cuda.set_device(local_rank)
    if "WORLD_SIZE" in os.environ:
        dist.init_process_group("nccl" if on_gpu else "gloo")
    elif not on_gpu and options.devices is None:
        options.devices = ["cpu:0", "cpu:1"]
    return torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")


def names_of_gpus(device):
    """What nvidia-smi calls the GPUs of this process: its numbers know nothing of CUDA_VISIBLE_DEVICES."""
    if device.type == "cpu":
        return []
    own = [device.index] if dist.is_initialized() else range(torch.cuda.device_count())
    return [f"GPU-{torch.cuda.get_device_properties(i).uuid}" for i in own]


@contextlib.contextmanager
def watch(gpus):
    """A list that grows by a percentage of each GPU ten times a second; it stays empty where nobody tells any.

    They are of the time in which any kernel ran, over up to a second before: let timed steps take several.
    """
    percents = []
    if not gpus or shutil.which("nvidia-smi") is None:
        yield percents
        return
    query = ["--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "--loop-ms=100"]
    with subprocess.Popen(["nvidia-smi", "--id=" + ",".join(gpus), *query], stdout=subprocess.PIPE, text=True) as smi:

        def listen():
            for line in smi.stdout or ():
                percents.append(float(line) if line.strip().isdigit() else math.nan)  # such as [N/A] of a MIG slice

        listener = threading.Thread(target=listen)
        try:
            listener.start()
            yield percents
        finally:
            smi.terminate()
            listener.join()


def utilisation(percents, device):
    """The mean over the GPUs of all processes, in words."""
    mean = torch.tensor(percents, device=device).mean()  # not a number where there are none
    if dist.is_initialized():
        dist.all_reduce(mean)
        mean /= dist.get_world_size()
    if mean.isnan():
        return f"not measured ({'no figures from nvidia-smi' if names_of_gpus(device) else 'no GPU'})"
    return f"{mean:.0f} %"


def train(model, loader, optimizer, device, percents):
    """(mean loss, pictures a second of all processes) of one epoch; the first batch warms up."""
    losses, pictures, begin = [], 0, time.perf_counter()
    for i, (images, labels) in enumerate(loader):
        images, labels = images.to(device, non_blocking=True), labels.to(device, non_blocking=True)
        optimizer.zero_grad()
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
        pictures += len(labels)
        if i == 0:
            losses[0].item()  # waits
            percents.clear()
            pictures, begin = 0, time.perf_counter()
    if not losses:
        raise SystemExit("the folder has fewer pictures than a batch of all processes: give a smaller --batch-size")
    mean = torch.stack(losses).mean().item()
    size = dist.get_world_size() if dist.is_initialized() else 1
    return mean, size * pictures / (time.perf_counter() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--model", default="resnet50")
    parser.add_argument("--loader", choices=["penstock", "torch"], default="penstock")
    parser.add_argument("--batch-size", type=int, default=256, help="of each process")
    parser.add_argument("--size", type=int, default=224, help="of pictures")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument(
        "--devices", nargs="+", help="of DataParallel, such as cuda:0 cuda:1, or cpu:0 cpu:1; all GPUs when not given"
    )
    options = parser.parse_args()
    device = start(options)
    torch.manual_seed(0)  # ranks begin with the same weights
    dataset = torchvision.datasets.ImageFolder(options.folder, transforms(options.size))
    loader = make_loader(dataset, options, device)
    model = make_model(options, len(dataset.classes), device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    with watch(names_of_gpus(device)) as percents:
        for epoch in range(options.epochs):
            sampler = getattr(loader, "sampler", None)
            if isinstance(sampler, torch.utils.data.DistributedSampler):
                sampler.set_epoch(epoch)
            loss, speed = train(model, loader, optimizer, device, percents)
            busy = utilisation(percents, device)
            if not dist.is_initialized() or dist.get_rank() == 0:
                rate = f"{speed:.1f} pictures/s in {len(loader)} steps"
                print(f"epoch {epoch}: loss {loss:.3f}, {rate}, GPU utilisation: {busy}", flush=True)
    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
