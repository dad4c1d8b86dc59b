"""Facts without which no figure may be quoted."""

import importlib.metadata
import os
import platform
import sys
import time

from .. import __version__, _core

_PACKAGES = ("numpy", "jax", "torch", "torchvision", "nvidia-dali-cuda130", "nvidia-dali-cuda120")


def _cpu_model():
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def _versions():
    found = {"penstock": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def facts():
    """What was measured where: CPU, cores, load, versions, date, command."""
    return {
        "cpu": _cpu_model(),
        "cores": _core.usable_cores(),
        "simd": _core.simd_target(),
        "load_before": os.getloadavg()[0],
        "kernel": platform.release(),
        "versions": _versions(),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "command": " ".join(["penstock bench", *sys.argv[1:]]),
    }
