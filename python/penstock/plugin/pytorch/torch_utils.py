"""From tensors of pipelines to tensors of PyTorch."""

import torch

from ._tensors import feed_ndarray, to_torch_type

__all__ = ["feed_ndarray", "to_torch_tensor", "to_torch_type"]


def to_torch_tensor(dali_tensor, copy):
    """A torch tensor of the same contents, on the same device.

    Args
    ----
    dali_tensor : TensorCPU or TensorGPU
        What to convert.
    copy : bool
        Whether it gets memory of its own; otherwise both share one.
    """
    shared = torch.from_dlpack(dali_tensor)
    return shared.clone() if copy else shared
