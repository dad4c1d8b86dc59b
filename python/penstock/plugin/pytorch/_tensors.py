"""From batches of the engine to tensors of PyTorch."""

import numpy as np
import torch

from ..._enumerations import NUMPY_NAMES
from ...tensors import TensorListCPU, TensorListGPU
from .._empty import Empty

__all__ = ["Dense", "feed_ndarray", "tensor_of", "tensors_of", "to_torch_type"]

to_torch_type = {dtype: getattr(torch, name) for dtype, name in NUMPY_NAMES.items()}


def tensor_of(output, kept=None, name="output"):
    """One tensor for one output, or for a mask in NumPy; it shares the memory.

    Args
    ----
    output : TensorListCPU, TensorListGPU or numpy.ndarray
        Samples of one shape: `RuntimeError` that names the output otherwise.
    kept : int
        How many samples belong to the batch; all when not given.
    name : int or str
        Of the output, for the error.
    """
    if isinstance(output, np.ndarray):
        return torch.from_numpy(output)[:kept]
    try:
        dense = output.as_tensor()
    except (RuntimeError, ValueError) as e:
        raise RuntimeError(
            f"the samples of output {name!r} are no single tensor ({e}); resize or pad them, or take them as a list of "
            "tensors (ragged outputs)"
        ) from e
    tensor = torch.from_dlpack(dense)
    return tensor if kept is None else tensor[:kept]


class Dense:
    """`tensor_of` for batch after batch of `pipe`: those without samples have the type and extents of others."""

    def __init__(self, pipe):
        self._empty = Empty(pipe, lambda outputs: map(tensor_of, outputs))

    def __call__(self, number, output, kept, name):
        """The tensor of output `number`, called `name`; `kept` of its samples belong to the batch."""
        tensor = tensor_of(output, kept, name)
        if len(output):
            self._empty.note(number, tensor)
        elif like := self._empty(number):
            extents, dtype, device = like
            return torch.empty(0, *extents, dtype=dtype, device=device)
        return tensor

    def note(self, number, samples):
        """Remembers the type of output `number`, whose `samples` are no single tensor."""
        self._empty.note(number, samples[0][None])


def tensors_of(output, kept=None):
    """A list of tensors, one a sample; they share the memory. Arguments as of `tensor_of`."""
    return [torch.from_dlpack(sample) for sample in output][:kept]


def feed_ndarray(dali_tensor, arr, cuda_stream=None):
    """Copies a tensor into an existing torch tensor and returns that.

    Args
    ----
    dali_tensor : TensorCPU, TensorGPU, TensorListCPU or TensorListGPU
        What to copy; a batch must be of one shape.
    arr : torch.Tensor
        Where to copy it, on any device: of the same shape and element type, `AssertionError` otherwise.
    cuda_stream : torch.cuda.Stream or int
        Stream that the copy is queued on, where `arr` is on a GPU; PyTorch's current one when not given.
    """
    tensor = dali_tensor.as_tensor() if isinstance(dali_tensor, (TensorListCPU, TensorListGPU)) else dali_tensor
    expected = to_torch_type[tensor.dtype]
    assert arr.dtype == expected, (
        f"The element type of DALI Tensor/TensorList doesn't match the element type of the target: {expected} vs "
        f"{arr.dtype}"
    )
    assert list(arr.shape) == tensor.shape(), (
        f"Shapes do not match: DALI tensor has shape {tensor.shape()}, the target {list(arr.shape)}"
    )
    if not arr.is_cuda:
        return arr.copy_(torch.from_dlpack(tensor))
    if isinstance(cuda_stream, int):
        cuda_stream = torch.cuda.ExternalStream(cuda_stream, device=arr.device)
    with torch.cuda.stream(cuda_stream or torch.cuda.current_stream(arr.device)):
        return arr.copy_(torch.from_dlpack(tensor), non_blocking=True)
