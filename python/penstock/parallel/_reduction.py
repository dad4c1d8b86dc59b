"""Gradients of replicas on their way to their sum, while the backward pass still runs."""

import weakref

import torch

from ._machine import can_be_summed, is_dense
from ._score import room_like
from ._signature import Unfit

_BUCKET = 25 << 20  # bytes that travel together, as in DistributedDataParallel
_LARGE = 1 << 20  # bytes of a gradient that copy engines take: kernels would slow the backward pass beside them


class Reduction:
    """Collects the gradients of each device's parameters, and sends them to the devices that sum them.

    Whoever sends writes into memory that is set apart for it, so that it need not wait for the receiver.

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
        this = weakref.ref(self)  # not to live as long as the cycle collector likes
        for i, own in enumerate(parameters):
            # A leaf remembers the stream that is current when somebody first asks for its gradient.
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
        if self._landed[i]:
            self._take(i, grad, [landed[k] for landed in self._landed[i].values()])
        return grad

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
        return [self.gradients[i][k] for k in sorted(self.gradients[i])]

    def sums_on(self, r):
        """What makes the sums on device `r`: see `Sums`."""
        rows = []
        for k, parameter in enumerate(self._parameters[r]):
            addends = [
                self.gradients[i][k] if i == r else self._landed[i][r][k]
                for i in range(len(self._parameters))
                if k in self.gradients[i]
            ]
            rows.append((parameter, addends))
        return Sums(self._machine, r, rows)


class Sums:
    """Sums that are written into one block of memory for each element type: what `room` gives, to `launches`."""

    def __init__(self, machine, r, rows):
        self._views = []
        sizes, plans = {}, {}
        for parameter, addends in rows:
            if not addends:
                self._views.append(None)
                continue
            begin, dtype = sizes.get(parameter.dtype, 0), parameter.dtype
            block = list(plans).index(dtype) if dtype in plans else len(plans)
            self._views.append((block, parameter.shape, parameter.stride(), begin))
            plans.setdefault(dtype, []).append((addends, begin))
            sizes[dtype] = begin + -(-parameter.numel() // 64) * 64  # sums begin where wide loads can
        self._likes = [torch.empty(1, dtype=one, device=rows[0][0].device).expand(n) for one, n in sizes.items()]
        self.launches = [machine.total(r, plan, k + 1) for k, plan in enumerate(plans.values())]

    def room(self):
        """Memory for one set of sums."""
        return [room_like(one) for one in self._likes]

    def views(self, room):
        """A tensor for each parameter; None where no replica had a gradient."""
        return [None if one is None else room[one[0]].as_strided(one[1], one[2], one[3]) for one in self._views]
