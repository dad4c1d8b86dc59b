"""Runs and trains a small network on two devices at once: the story of PyTorch's DataParallel, also without GPUs.

    python examples/data_parallel.py [--devices 1 3]

DEVICES are numbers of GPUs or virtual devices of the CPU such as cpu:1; where there are no four GPUs, cpu:1 and cpu:3.
"""

import argparse
import threading

import torch
from torch import nn

from penstock.parallel import DataParallel


class Network(nn.Module):
    """Two layers, from 32 channels to 64; says what each replica gets."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(32, 48), nn.Linear(48, 64)

    def forward(self, x):
        out = self.second(torch.relu(self.first(x)))
        print(f"  {threading.current_thread().name}: input {tuple(x.shape)}, output {tuple(out.shape)}", flush=True)
        return out


def chosen(given):
    """Numbers become GPUs; by default GPUs 1 and 3, or virtual devices of these numbers."""
    if given is None:
        return [1, 3] if torch.cuda.device_count() > 3 else ["cpu:1", "cpu:3"]
    return [int(one) if one.isdigit() else one for one in given]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", nargs="+")
    devices = chosen(parser.parse_args().devices)
    torch.manual_seed(0)
    model = DataParallel(Network(), devices)
    model.to(devices[0])  # the module lives on the first device

    print(f"inference on {devices}")
    out = model(torch.randn(3, 32))  # from host memory; an input may lie anywhere
    print(f"  gathered on {model.output_device}: {tuple(out.shape)}")

    print("a step of training")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(3, 32), torch.randn(3, 64).to(out.device)
    before = nn.functional.mse_loss(model(x), y)
    before.backward()  # gradients arrive at the module's own parameters
    optimizer.step()
    after = nn.functional.mse_loss(model(x), y)  # replicas got the new weights by themselves
    print(f"  loss {before.item():.4f}, then {after.item():.4f}")

    print("a module that lies elsewhere")
    try:
        DataParallel(Network().to("meta"), devices)(x)
    except RuntimeError as error:
        print(f"  {error}")


if __name__ == "__main__":
    main()
