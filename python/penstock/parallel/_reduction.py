"""Gradients of replicas on their way to their sum, while the backward pass still runs."""

import weakref

import torch

from ._contents import Unfit
from ._launch_sequence import room_like
from ._machine import can_be_summed, is_dense

_BUCKET = 25 << 20  # bytes that travel together, as in DistributedDataParallel
_LARGE = 1 << 20  # bytes of a gradient that copy engines take: kernels would slow the backward pass beside them
_LATE = 16 << 20  # bytes of a gradient that comes at the end: while it travels, the others are summed


class Reduction:
    """Collects the gradients of each device's parameters, and sends them to the devices that sum them.

    A sender writes into memory that is set apart for it, so that it need not wait for the receiver.

    Args
    ----
    machine : Machine
    parameters : list of list of torch.Tensor
        The leaves of each device.
    receivers : list of int
        Devices that need the sum.
    """

    def __init__(self, machine, parameters, receivers):
        for one in parameters[0]:
            if not (is_dense(one) and can_be_summed(one)):
                raise Unfit(f"gradients of type {one.dtype} or of tensors with gaps cannot be summed by the kernel")
        self._machine, self._parameters = machine, parameters
        self.gradients = [{} for _ in parameters]  # of each device, by the number of the parameter
        self._landed = [
            {r: [torch.empty_like(one, device=parameters[r][0].device) for one in own] for r in receivers if r != i}
            if own
            else {}
            for i, own in enumerate(parameters)
        ]
        self._bucket, self._bytes, self._sent = [], 0, False
        self._order = []  # in which gradients come
        self._late = {}  # of each device that sends: the parameter whose gradient travels after the graph, or None
        this = weakref.ref(self)  # not to live as long as the cycle collector likes
        for i, own in enumerate(parameters):
            # A leaf remembers the stream that is current when its gradient is first asked for.
            with machine.rehearsing(i):
                self._hook(this, i, own)

    @staticmethod
    def _hook(this, i, own):
        for k, one in enumerate(own):
            one.register_hook(lambda grad, k=k: this()._came(i, k, grad))

    def _came(self, i, k, grad):
        parameter = self._parameters[i][k]
        if grad.stride() != parameter.stride() or grad.dtype != parameter.dtype:
            grad = torch.empty_like(parameter).copy_(grad)
        grad = grad.detach()
        self.gradients[i][k] = grad
        self._order.append(k)
        if self._landed[i] and self._late.get(i) != k:
            self._take(i, grad, self._copies(i, k))
        return grad

    def _copies(self, i, k):
        return [landed[k] for landed in self._landed[i].values()]

    def _take(self, i, grad, copies):
        if grad.nbytes >= _LARGE:
            with self._machine.aside(i):
                self._machine.send(i, grad, copies)
            self._sent = True
            return
        self._bucket.append((grad, None, copies))
        self._bytes += grad.nbytes
        if self._bytes >= _BUCKET:
            self._send(i)

    def _send(self, i):
        with self._machine.aside(i):
            self._machine.renewal(i, self._bucket, beside=True)()
        self._bucket, self._bytes, self._sent = [], 0, True

    def finish(self, i):
        """After the backward pass of device `i`: what is left is sent. Returns the gradients in order."""
        if self._bucket:
            self._send(i)
        if self._sent:
            self._machine.join(i)
        self._sent = False
        if self._landed[i] and i not in self._late:
            self._late[i] = self._latest(i)
        self._order = []
        return [self.gradients[i][k] for k in sorted(self.gradients[i])]

    def _latest(self, i):
        """In the first rehearsal the last gradient, or the one before: a bias comes with its weights. None if small."""
        large = [k for k in self._order[-2:] if self.gradients[i][k].nbytes >= _LATE]
        return large[-1] if large else None

    def sending(self):
        """What is queued behind the graphs: launches for launch sequences."""
        return [
            launch
            for i, k in self._late.items()
            if k is not None
            for launch in self._machine.sending(i, [(self.gradients[i][k], self._copies(i, k))])
        ]

    def sums_on(self, r, fixed=False):
        """What makes the sums on device `r`: see `Sums`."""
        rows = []
        for k, parameter in enumerate(self._parameters[r]):
            addends = [
                self.gradients[i][k] if i == r else self._landed[i][r][k]
                for i in range(len(self._parameters))
                if k in self.gradients[i]
            ]
            rows.append((parameter, addends))
        return Sums(self._machine, r, rows, {k for k in self._late.values() if k is not None}, fixed)


class Sums:
    """Sums that are written into one block of memory for each element type: what `room` gives, to the launches.

    Args
    ----
    rows : list of (parameter, addends)
    late : set of int
        Rows that are summed behind `arrive`, by the launches of `late`; those of `early` have the others. Without such
        rows all are late: they may as well be captured with what follows.
    fixed : bool
        Whether all sets of sums go into the same room, which the launches know.
    """

    def __init__(self, machine, r, rows, late=(), fixed=False):
        self._views = []
        sizes, plans = {}, {}
        for k, (parameter, addends) in enumerate(rows):
            if not addends:
                self._views.append(None)
                continue
            begin, dtype = sizes.get(parameter.dtype, 0), parameter.dtype
            block = list(plans).index(dtype) if dtype in plans else len(plans)
            self._views.append((block, parameter.shape, parameter.stride(), begin))
            plans.setdefault(dtype, ([], []))[k in late or not late].append((addends, begin))
            sizes[dtype] = begin + -(-parameter.numel() // 64) * 64  # sums begin where wide loads can
        self.blocks = len(sizes)
        self._likes = [torch.empty(1, dtype=one, device=rows[0][0].device).expand(n) for one, n in sizes.items()]
        self._room = [room_like(one) for one in self._likes] if fixed else None
        places = self._room or range(1, self.blocks + 1)
        self.early, self.late = (
            [machine.total(r, plan[part], to) for plan, to in zip(plans.values(), places, strict=True) if plan[part]]
            for part in (0, 1)
        )

    def room(self):
        """Memory for one set of sums."""
        return self._room or [room_like(one) for one in self._likes]

    def views(self, room):
        """A tensor for each parameter; None where no replica had a gradient."""
        return [None if one is None else room[one[0]].as_strided(one[1], one[2], one[3]) for one in self._views]
