"""Modules and calls that the tests of `DataParallel` share."""

import threading

import torch
from torch import nn

from penstock.parallel import DataParallel

TWO = ["cpu:1", "cpu:3"]


class Net(nn.Module):
    """The network of the seed: 32 to 64 with one layer between; notes what each replica sees."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(32, 16), nn.Linear(16, 64)
        self.seen = []  # shared by replicas: list.append is atomic

    def forward(self, x):
        self.seen.append((threading.current_thread().name, tuple(x.shape)))
        return self.second(torch.relu(self.first(x)))


class Calls(nn.Module):
    """Whatever function one likes, with one weight."""

    def __init__(self, function):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(self, *args, **kwargs)


def spread(function, devices=TWO, **options):
    return DataParallel(Calls(function), devices, **options)


def net(seed=0, make=Net):
    torch.manual_seed(seed)
    return make()


def parts(sizes, module, x):
    return torch.cat([module(part) for part in x.split(sizes)])
