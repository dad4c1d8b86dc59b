"""Trains on MNIST with PyTorch in any number of processes, each on a GPU of its own, or on the CPU where there is none.

    torchrun --nproc-per-node 2 examples/pytorch_training.py FOLDER [--epochs N] [--batch-size N]

FOLDER holds MNIST's four files, or databases training/ and testing/ as `penstock.packing` makes them. Without torchrun
one process does it all.
"""

import argparse
import os
import pathlib
import tempfile

import torch
import torch.distributed as dist
from mnist import databases
from torch import nn

from penstock import fn, pipeline_def, types
from penstock.torch import Loader

STEP_SIZE = 0.05


@pipeline_def
def digits(path, training):
    """All pictures and labels; the loader sees to it that this rank gets its shard."""
    jpegs, labels = fn.readers.caffe2(path=path, random_shuffle=training)
    images = fn.decoders.image(jpegs, device="mixed", output_type=types.GRAY)
    return fn.crop_mirror_normalize(images, dtype=types.FLOAT, std=[255.0]), labels


def loader(path, training, batch_size, device_id):
    """All ranks train for the same number of steps, and test with every sample once."""
    pipe = digits(path, training, batch_size=batch_size, device_id=device_id)
    return Loader(pipe, epoch_end="drop" if training else "pad")


def network():
    """The network of DALI's JAX tutorial."""
    return nn.Sequential(
        nn.Flatten(), nn.Linear(784, 1024), nn.Tanh(), nn.Linear(1024, 1024), nn.Tanh(), nn.Linear(1024, 10)
    )


def train(model, batches, device):
    optimizer = torch.optim.SGD(model.parameters(), lr=STEP_SIZE)
    for images, labels in batches:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images.to(device)), labels.to(device).reshape(-1).long()).backward()
        optimizer.step()


@torch.no_grad()
def test(model, batches, device):
    """(right answers, samples) over all ranks; what pads the last batch does not count."""
    counts = torch.zeros(2, dtype=torch.int64, device=device)
    for images, labels, valid in batches:
        valid = valid.to(device)
        right = model(images.to(device)).argmax(1) == labels.to(device).reshape(-1)
        counts += torch.stack([(right & valid).sum(), valid.sum()])
    dist.all_reduce(counts)
    return counts.tolist()


def start():
    """Joins the other processes; the device of this one, and its number."""
    os.environ.setdefault("MASTER_ADDR", "localhost")
    os.environ.setdefault("MASTER_PORT", "0")
    local_rank = int(os.environ.get("LOCAL_RANK", 0))
    on_gpu = torch.cuda.is_available()
    rank, size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    dist.init_process_group("nccl" if on_gpu else "gloo", rank=rank, world_size=size)
    return (torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")), local_rank


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=100, help="of each process")
    options = parser.parse_args()
    device, local_rank = start()
    torch.manual_seed(0)  # ranks begin with the same weights
    with tempfile.TemporaryDirectory() as cache:
        training, testing = databases(options.folder, pathlib.Path(cache))
        to_train = loader(training, True, options.batch_size, local_rank)
        to_test = loader(testing, False, options.batch_size, local_rank)
        model = nn.parallel.DistributedDataParallel(network().to(device))
        for epoch in range(options.epochs):
            train(model, to_train, device)
            right, samples = test(model, to_test, device)
            if dist.get_rank() == 0:
                print(
                    f"Epoch {epoch}: {len(to_train)} steps of {dist.get_world_size()} x {options.batch_size} samples, "
                    f"test set accuracy {right / samples:.4f} of {samples}",
                    flush=True,
                )
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
