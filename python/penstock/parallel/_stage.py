"""Where the graphs of a program find the arguments of a call, and where they leave tensors for the first device."""

import warnings

import torch

from ._contents import Unfit
from ._devices import memory_of
from ._gather import SCALARS
from ._launch_sequence import MOST_GIVEN, Given, room_like
from ._scatter import scatter, sizes_of
from ._tree import Sharded, leaves, mapped


class Stage:
    """The arguments of calls of one signature: `fill`, or the launch of `rows`, puts them in for all devices."""

    def __init__(self, machine, args, kwargs, dim, split):
        self._dim = dim
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
        for tensors, part in zip(self.tensors, parts, strict=False):
            for one, like in zip(tensors, _arrays(part), strict=True):
                one.requires_grad_(like.requires_grad and torch.is_grad_enabled())
        self._parts = [mapped(_no_data, part) for part in parts[: self.count]]
        self._home = memory_of(machine.devices[0])
        self._copied_as_bytes = len(given) <= MOST_GIVEN and all(
            not isinstance(leaf, Sharded) and is_one_block(leaf, dim) for leaf in given
        )
        self.fill(given)

    @staticmethod
    def given(args, kwargs):
        """The arguments that are tensors, or shards."""
        if not kwargs and all(type(one) is torch.Tensor for one in args):
            return args
        return _arrays((args, kwargs))

    def rows(self):
        """For a `renewal` on the first device that does what `fill` does, where `takes`; None where none can."""
        if not self._copied_as_bytes:
            return None
        rows = []
        for k in range(len(self._sizes)):
            rows += pieces_of(k + 1, [own[k].detach() for own in self.tensors])
        return rows

    def takes(self, given):
        """Whether these arguments lie where a kernel of the first device reads what is meant."""
        return all(one.device == self._home and not one.is_neg() for one in given)

    def fill(self, given):
        to, parts = [], []
        for k, leaf in enumerate(given):
            cut = leaf if isinstance(leaf, Sharded) else leaf.split(self._sizes[k], self._dim)
            to += [own[k] for own in self.tensors]
            parts += cut[: self.count]
        if to:
            with torch.no_grad():
                torch._foreach_copy_(to, parts, non_blocking=True)

    def part(self, i):
        """What device `i` works on, as ``(args, kwargs)``."""
        own = iter(self.tensors[i])
        return mapped(lambda leaf: next(own) if isinstance(leaf, Hole) else leaf, self._parts[i])


def pieces_of(number, parts, back=False):
    """Rows of a `renewal`: what is given with that number is cut into `parts`, or put together from them."""
    begin, rows = 0, []
    for one in parts:
        piece = Given(number, begin, one.numel(), one.itemsize)
        rows.append((one, None, [piece]) if back else (piece, None, [one]))
        begin += one.numel()
    return rows


def is_one_block(tensor, dim):
    """Whether pieces along `dim` follow each other in memory, and bytes are all there is to them."""
    first = tensor.dim() > 0 and dim % tensor.dim() == 0
    return first and tensor.is_contiguous() and not tensor.is_complex()


class Hole:
    """Stands for a tensor."""


def _no_data(leaf):
    return Hole() if isinstance(leaf, torch.Tensor) else leaf


def _arrays(value):
    return [leaf for leaf in leaves(value) if isinstance(leaf, (torch.Tensor, Sharded))]


def _like(tensor):
    return torch.empty_like(tensor.detach())


def as_sent(tensor):
    """The tensor in the form in which a device makes it for others: alone, and its bytes as they are."""
    return tensor.detach().resolve_conj().resolve_neg()


class Outbox:
    """Tensors that the graphs of all devices make, gathered by the first: each of the others writes into its memory."""

    def __init__(self, machine, count):
        self._machine, self._first = machine, memory_of(machine.devices[0])
        self._landed = [None] * count

    def put(self, i, tensors):
        """On device `i`, at the end of its graph. Returns the tensors in the form in which they were sent."""
        tensors = [as_sent(one) for one in tensors]
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

    def gathering(self, dim, before=0):
        """See `Gathering`; `before`: how many other tensors are given before its own."""
        return Gathering(self._machine, self.columns(), dim, before)


class Gathering:
    """Puts what all devices have made of each tensor together, on the first one.

    Bytes follow each other where results are cut along their first dimension; then `launches` write them into what
    `room` gives. Without room it is for PyTorch: `join`.
    """

    def __init__(self, machine, columns, dim, before):
        self._columns, self._dim = columns, dim
        self._likes, self.launches = None, []  # tensors of one element in memory, in the shapes of the results
        whole = all(is_one_block(one, dim) for column in columns for one in column)
        if whole and before + len(columns) <= MOST_GIVEN:
            rows, self._likes = [], []
            for k, column in enumerate(columns):
                rows += pieces_of(before + k + 1, column, back=True)
                shape = sum(len(one) for one in column), *column[0].shape[1:]
                self._likes.append(column[0].new_empty(1).expand(shape))
            self.launches = [machine.renewal(0, rows)]

    def room(self):
        """Memory for one set of results; None where there is no launch to write it."""
        return None if self._likes is None else [room_like(one) for one in self._likes]

    def join(self):
        return [_joined(column, self._dim) for column in self._columns]


def _joined(column, dim):
    if column[0].dim():
        return torch.cat(column, dim)
    warnings.warn(SCALARS, stacklevel=7)
    return torch.stack(column)
