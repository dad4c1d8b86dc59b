"""Operators that call PyTorch."""

import torch

from ... import ops
from ...python_function import _call

__all__ = ["torch_python_function"]


def torch_python_function(*inputs, function, num_outputs=1, batch_processing=False, output_layouts=None, **kwargs):
    """Calls a Python function with torch tensors, as `fn.python_function` does with NumPy arrays.

    Args
    ----
    inputs : DataNode
        What the function gets, in this order: tensors of its own, in host memory, that it may change.
    function : callable
        Takes and gives one tensor per sample, or lists of tensors with `batch_processing`. Tensors that it gives may
        be on any device and may require gradients, which end here.
    num_outputs, batch_processing, output_layouts, kwargs
        As for `fn.python_function`.
    """
    return _call(inputs, function, num_outputs, batch_processing, output_layouts, _to_torch, kwargs, _from_torch)


torch_python_function._schema_name = "torch_python_function"


def _to_torch(sample):
    return torch.from_dlpack(sample).clone()  # functions that work in place must not touch what others read


def _from_torch(value):
    return value.detach().cpu().contiguous() if isinstance(value, torch.Tensor) else value


class TorchPythonFunction(ops._FunctionOperator):
    """`torch_python_function` as a class: ``TorchPythonFunction(function, num_outputs=1)(images)``.

    Args
    ----
    function, kwargs
        As for `torch_python_function`.
    """

    def _function(self):
        return torch_python_function
