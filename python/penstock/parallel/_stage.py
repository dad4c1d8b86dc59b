"""Where the graphs of a program find the arguments of a call, and where they leave tensors for the first device."""

import torch

from ._devices import memory_of
from ._scatter import scatter, sizes_of
from ._signature import Unfit
from ._tree import Sharded, leaves, mapped


class Stage:
    """The arguments of calls of one signature: `fill` puts them in, graph `i` takes its part with `pull`.

    Parts for other devices wait on the first one until these fetch them, so that a call copies to one device only.
    """

    def __init__(self, machine, args, kwargs, dim, split):
        self._machine, self._dim = machine, dim
        parts = scatter(args, kwargs, machine.devices, dim, split)
        self.count = len(parts) if args or kwargs else 1  # a module without inputs runs once
        given = _arrays((args, kwargs))
        with torch.inference_mode(False), torch.no_grad():
            own = [[_like(leaf) for leaf in leaves(part) if isinstance(leaf, torch.Tensor)] for part in parts]
        if any(len(one) != len(given) for one in own):
            raise Unfit("an argument is a Sharded of structures")
        self.tensors = own[: self.count]
        self._sizes = [
            None if isinstance(leaf, Sharded) else sizes_of(leaf.shape[dim], len(machine.devices), split)
            for leaf in given
        ]
        first = memory_of(machine.devices[0])
        self._waiting = [
            [None if self._sizes[k] is None else torch.empty_like(one, device=first) for k, one in enumerate(tensors)]
            for tensors in self.tensors[1:]
        ]
        for tensors, part in zip(self.tensors, parts, strict=False):
            for one, like in zip(tensors, _arrays(part), strict=True):
                one.requires_grad_(like.requires_grad and torch.is_grad_enabled())
        self._parts = [mapped(_no_data, part) for part in parts[: self.count]]
        self.fill(args, kwargs)

    def fill(self, args, kwargs):
        to, pieces = [], []
        for k, leaf in enumerate(_arrays((args, kwargs))):
            if isinstance(leaf, Sharded):
                to += [tensors[k] for tensors in self.tensors]
                pieces += leaf[: self.count]
            else:
                to += [self.tensors[0][k], *(waiting[k] for waiting in self._waiting)]
                pieces += leaf.split(self._sizes[k], self._dim)[: self.count]
        if to:
            with torch.no_grad():
                torch._foreach_copy_(to, pieces, non_blocking=True)

    def pull(self, i):
        """On device `i`: fetches its part, and returns it as ``(args, kwargs)``."""
        if i:
            rows = zip(self._waiting[i - 1], self.tensors[i], strict=True)
            self._machine.renewal(i, [(one, None, [to.detach()]) for one, to in rows if one is not None])()
        own = iter(self.tensors[i])
        return mapped(lambda leaf: next(own) if isinstance(leaf, Hole) else leaf, self._parts[i])


class Hole:
    """Stands for a tensor."""


def _no_data(leaf):
    return Hole() if isinstance(leaf, torch.Tensor) else leaf


def _arrays(value):
    return [leaf for leaf in leaves(value) if isinstance(leaf, (torch.Tensor, Sharded))]


def _like(tensor):
    return torch.empty_like(tensor.detach())


class Outbox:
    """Tensors that the graphs of all devices make, gathered by the first: each of the others writes into its memory."""

    def __init__(self, machine, count):
        self._machine, self._first = machine, memory_of(machine.devices[0])
        self._landed = [None] * count

    def put(self, i, tensors):
        """On device `i`, at the end of its graph. Returns the tensors in the form in which they were sent."""
        tensors = [one.detach() for one in tensors]
        if i == 0:
            self._landed[0] = tensors
            return tensors
        tensors = [one.contiguous() for one in tensors]
        if self._landed[i] is None:
            with torch.inference_mode(False):
                self._landed[i] = [torch.empty_like(one, device=self._first) for one in tensors]
        rows = zip(tensors, self._landed[i], strict=True)
        self._machine.renewal(i, [(one, None, [to]) for one, to in rows])()
        return tensors

    def columns(self):
        """For each tensor what all devices have made of it, on the first one; valid until the next replay."""
        return list(zip(*self._landed, strict=True))
