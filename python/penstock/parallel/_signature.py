"""What a call must have in common with another one for the same graph to serve both."""

import operator

import torch

from .. import _core
from ._contents import PLAIN, Contents, Unfit
from ._tree import Sharded, children

_TENSORS = (torch.Tensor, torch.nn.Parameter)
_KIND = operator.attrgetter("dtype", "shape", "requires_grad")
# The older function refuses to tell where a program has set it in the newer way.
_precision = getattr(torch._C, "_get_fp32_precision_getter", lambda *_: torch.get_float32_matmul_precision())


def signature_of(module, inputs, kwargs):
    """A key: structure, shapes, types and values of the arguments, and the modes that PyTorch is in.

    `Unfit` for arguments that nothing is known about, and where something watches what PyTorch does.
    """
    if torch.is_anomaly_enabled():
        raise Unfit("anomaly detection is on")
    if torch._C._len_torch_dispatch_stack() or torch._C._len_torch_function_stack():
        raise Unfit("a dispatch or function mode of PyTorch is active")
    return (
        module.training,
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.is_autocast_enabled("cuda") and torch.get_autocast_dtype("cuda"),
        torch.is_autocast_enabled("cpu") and torch.get_autocast_dtype("cpu"),
        torch.get_default_dtype(),
        torch.are_deterministic_algorithms_enabled(),
        _precision("cuda", "matmul"),
        *map(_of, inputs),
        _of(kwargs) if kwargs else (),
    )


def _of(value):
    kind = type(value)
    if kind in _TENSORS:
        if value.layout != torch.strided:
            raise Unfit(f"an argument is a tensor of layout {value.layout}")
        return kind, value.shape, value.stride(), value.dtype, value.requires_grad
    if kind is Sharded:
        return kind, *map(_of, value)
    if isinstance(value, PLAIN):
        return kind, value
    taken = children(value)
    if taken is None:
        raise Unfit(f"an argument is of type {kind.__name__}, whose contents may change unseen")
    return kind, tuple(value) if isinstance(value, dict) else None, *map(_of, taken[0])


class Facts:
    """What a module was at some time: everything in it but the contents of its tensors."""

    def __init__(self, module):
        self.module, modules = module, list(module.modules())
        self._contents = Contents(modules)
        self._members = [members for one in modules for members in (one._parameters, one._buffers)]
        self._of_members = [tuple(one.values()) for one in self._members]
        self.tensors = list({id(one): one for one in (*module.parameters(), *module.buffers())}.values())
        self._places = self._places_now()

    def hold(self):
        """Whether the module is still what it was."""
        return (
            self._contents.hold()
            and _core.have_values(self._members, self._of_members)
            and self._places_now() == self._places
        )

    def _places_now(self):
        each = self.tensors  # by three functions of C: they are many
        return [list(map(fact, each)) for fact in (torch.Tensor.data_ptr, torch.Tensor.stride, _KIND)]


def check_no_hooks(module):
    """`Unfit` where hooks would have to run in each call."""
    import torch.nn.modules.module as of_all

    names = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    if any(getattr(of_all, f"_global{name}") for name in names):
        raise Unfit("there are hooks on all modules")
    for one in module.modules():
        if any(getattr(one, name) for name in names):
            raise Unfit(f"a {type(one).__name__} has hooks")
