"""Watches a rehearsal of `forward` for what a graph would not repeat."""

import random
import sys

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ._signature import Facts, Unfit

_TAGS = (torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape)


class Watch(TorchDispatchMode):
    """Raises `Unfit` within, or at the end, when the code does something that depends on, or changes, what is no tensor
    of its device: values read by the host, work of the CPU, random numbers of Python, NumPy or the CPU, attributes.
    """

    def __init__(self, module, device):
        super().__init__()
        self._device = device
        self._facts = Facts(module)
        self._weights = [one._version for one in module.parameters()]
        self._module = module
        self._random = _random_states()

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        if any(tag in operator.tags for tag in _TAGS):
            raise Unfit(f"forward depends on values of tensors ({operator})")
        result = operator(*args, **(kwargs or {}))
        for one in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(one, torch.Tensor) and one.device.type != self._device.type:
                raise Unfit(f"forward computes on {one.device} ({operator})")
        return result

    def check(self):
        """After the rehearsal."""
        if _random_states() != self._random:
            raise Unfit("forward draws random numbers of Python, NumPy or the CPU")
        if not self._facts.hold():
            raise Unfit("forward changes attributes of the module")
        if [one._version for one in self._module.parameters()] != self._weights:
            raise Unfit("forward changes parameters")


def _random_states():
    numpy = sys.modules.get("numpy")
    drawn = None
    if numpy is not None:
        _, keys, *rest = numpy.random.get_state()
        drawn = keys.tobytes(), *rest
    return random.getstate(), drawn, torch.get_rng_state().tolist()
