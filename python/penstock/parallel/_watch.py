"""Watches a rehearsal of `forward` for what a graph would not repeat."""

import random
import sys

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ._contents import Unfit
from ._signature import Facts

_TAGS = (torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape)


class Watch(TorchDispatchMode):
    """Raises `Unfit` within, or at the end, when the code does something that depends on, or changes, what is no tensor
    of its device: values read by the host, work of the CPU, random numbers of Python, NumPy or the CPU, attributes,
    `arguments` changed in place.
    """

    def __init__(self, module, device, arguments=()):
        super().__init__()
        self._device = device
        self._facts = Facts(module)
        self._arguments, self._weights = arguments, list(module.parameters())
        self._versions = self._versions_now()
        self._random = _random_states()

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        if any(tag in operator.tags for tag in _TAGS):
            raise Unfit(f"forward depends on values of tensors ({operator})")
        result = operator(*args, **(kwargs or {}))
        if device := self._other_device(result if isinstance(result, (tuple, list)) else (result,)):
            raise Unfit(f"forward computes on {device} ({operator})")
        if device := self._other_device(args):  # one element there is what a kernel gets as a number
            raise Unfit(f"forward reads a tensor on {device} ({operator})")
        return result

    def _other_device(self, values):
        tensors = (one for one in values if isinstance(one, torch.Tensor))
        return next((one.device for one in tensors if one.device.type != self._device.type), None)

    def check(self):
        """After the rehearsal."""
        if _random_states() != self._random:
            raise Unfit("forward draws random numbers of Python, NumPy or the CPU")
        if not self._facts.hold():
            raise Unfit("forward changes attributes of the module")
        arguments, weights = self._versions_now()
        if weights != self._versions[1]:
            raise Unfit("forward changes parameters")
        if arguments != self._versions[0]:
            raise Unfit("forward changes its arguments, which are the caller's, in place")

    def _versions_now(self):
        return [[one._version for one in own] for own in (self._arguments, self._weights)]


def _random_states():
    numpy = sys.modules.get("numpy")
    drawn = None
    if numpy is not None:
        _, keys, *rest = numpy.random.get_state()
        drawn = keys.tobytes(), *rest
    return random.getstate(), drawn, torch.get_rng_state().tolist()
