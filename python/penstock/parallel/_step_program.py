"""A step of training as graphs: forward, loss and backward in one, sum of gradients and optimizer in another."""

import torch

from ._capture import Capture
from ._contents import Unfit
from ._reduction import Reduction, Sums
from ._stage import Outbox
from ._update import Update


class StepProgram(Capture):
    """`replay` is one step: each device has the sum of all gradients and an optimizer of its own for its weights.

    Replicas' weights stay equal bit for bit, since the same sums go through the same operations. The first device's
    are the user's own parameters and the user's own optimizer.
    """

    def __init__(self, engine, parallel, loss_fn, optimizer, given):
        super().__init__(engine, parallel, given, {})
        count = self.stage.count
        if count < len(self.machine.devices) or 0 in self.rows:
            raise Unfit("there are fewer rows than devices")
        self._shares = [one / sum(self.rows) for one in self.rows]
        self._loss_fn = loss_fn
        self._losses = Outbox(self.machine, count)
        self._reduction = Reduction(self.machine, self.leaves, range(count))
        with self.modes(), self.unharmed():
            self.rehearse([self._forward_and_backward] * count)
            works = [lambda i=i: self._forward_and_backward(i) for i in range(count)]
            self._replays = self.machine.replays([self.machine.record(i, work)[0] for i, work in enumerate(works)])
        # What the others' weights are is noted before they are compared: beside the arguments' travel it takes no time.
        shares = enumerate(_shared_out(self.trained, count - 1), 1) if count > 1 else []
        self.ready([self.weights.noting(part, i) for i, part in shares])
        self._sums = [self._reduction.sums_on(i, fixed=True) for i in range(count)]
        self._gradients = [sums.views(sums.room()) for sums in self._sums]
        for own, gradients in zip(self.leaves[1:], self._gradients[1:], strict=True):
            for one, gradient in zip(own, gradients, strict=True):
                one.grad = gradient
        early = [launch for sums in self._sums for launch in sums.early]
        meet = [self.machine.first_waits, self.machine.others_wait]
        self._meet = self.machine.launch_sequence([*self._reduction.sending(), *meet, *early, self.machine.arrive])
        self._total_loss = Sums(self.machine, 0, [(self._losses.columns()[0][0], self._losses.columns()[0])])
        self._end = self.machine.launch_sequence([self.machine.first_waits, *self._total_loss.late])
        self._update = Update(self.machine, optimizer, self.trained, self.leaves)

    def fits(self, module):
        """As for every program, and of the optimizer's parameters. `Unfit` where hooks would have to run."""
        return super().fits(module) and self._update.fits()

    def _forward_and_backward(self, i):
        (*args, targets), _ = self.stage.part(i)
        loss = self._loss_fn(self.replicas[i](*args), targets) * self._shares[i]
        with self.plain():
            torch.autograd.grad(loss, self.leaves[i], allow_unused=True)
        return self._losses.put(i, [loss]) + self._reduction.finish(i)

    def busy(self):
        """Never: a step leaves nothing for later."""
        return False

    def replay(self, given):
        """One step for the module's arguments and, behind them, targets; the mean loss over all rows."""
        for one, gradient in zip(self.trained, self._gradients[0], strict=True):
            if one.grad is not gradient:
                one.grad = gradient
        with self.machine.lock, torch.no_grad():
            self.begin(given, {})
            self.replay_all(self._replays)
            self._meet()
            self._update.replay(self._update_of)
            room = self._total_loss.room()
            self._end(room)
            return self._total_loss.views(room)[0]

    def _update_of(self, i, step):
        """On device `i`."""
        for launch in self._sums[i].late:
            launch()
        step()


def _shared_out(tensors, count):
    """In that many lists of about as many bytes."""
    parts, sizes = [[] for _ in range(count)], [0] * count
    for one in sorted(tensors, key=lambda one: one.nbytes, reverse=True):
        least = sizes.index(min(sizes))
        parts[least].append(one)
        sizes[least] += one.nbytes
    return parts
