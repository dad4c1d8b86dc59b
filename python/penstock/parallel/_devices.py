"""Which devices a module is spread over, and whether they are alike.

A virtual device is a CPU device with a number: ``"cpu:0"``, ``"cpu:1"``. Each has a replica and a worker of its own, so
that the same code runs on hosts without GPUs; PyTorch itself keeps their tensors in one memory and calls it ``cpu``.
"""

import warnings

import torch

_IMBALANCE = """
    There is an imbalance between your GPUs. You may want to exclude GPU {} which
    has less than 75% of the memory or cores of GPU {}. You can do so by setting
    the device_ids argument to DataParallel, or by setting the CUDA_VISIBLE_DEVICES
    environment variable."""


def chosen(device_ids):
    """The devices to use: a list of `torch.device`, empty where there is no GPU and no virtual device was named.

    Args
    ----
    device_ids : list of int, str or torch.device, or None
        Numbers are GPUs; all GPUs when None. `RuntimeError` where there should be some and are none.
    """
    if device_ids is None:
        if not torch.cuda.is_available():
            return []
        device_ids = range(torch.cuda.device_count())
    devices = [one_device(one) for one in device_ids]
    if any(device.type == "cuda" for device in devices) and not torch.cuda.is_available():
        return []  # as torch.nn.DataParallel: without an accelerator the module runs as it is
    if not devices:
        raise RuntimeError("no available devices were found")
    if len({device.type for device in devices}) > 1:
        raise ValueError(f"device_ids must be devices of one kind, got {[str(device) for device in devices]}")
    if len(set(devices)) < len(devices):
        raise ValueError(f"device_ids must differ, got {[str(device) for device in devices]}")
    _warn_of_imbalance([device.index for device in devices if device.type == "cuda"])
    return devices


def one_device(given):
    """A `torch.device` with its number: 1 is cuda:1, "cpu" stays as it is."""
    device = torch.device("cuda", given) if isinstance(given, int) else torch.device(given)
    if device.type == "cuda" and device.index is None:
        return torch.device("cuda", torch.cuda.current_device())
    return device


def same_place(tensor_device, device):
    """Whether a tensor that says `tensor_device` lies on `device`: all virtual devices share the CPU's memory."""
    return tensor_device.type == device.type and (device.type == "cpu" or tensor_device == device)


def memory_of(device):
    """The device as tensors on it are told: without the number of a virtual one."""
    return torch.device("cpu") if device.type == "cpu" else device


def _warn_of_imbalance(gpus):
    properties = [torch.cuda.get_device_properties(gpu) for gpu in gpus]
    for fact in ("total_memory", "multi_processor_count"):
        values = [getattr(one, fact) for one in properties]
        if values and min(values) < 0.75 * max(values):
            least, most = gpus[values.index(min(values))], gpus[values.index(max(values))]
            warnings.warn(_IMBALANCE.format(least, most), stacklevel=5)
            return
