"""A step of training as graphs: forward, loss and backward in one, sum of gradients and optimizer in another."""

import copy
import warnings

import torch

from .. import _core
from ._capture import Capture
from ._contents import Unfit
from ._reduction import Reduction, Sums
from ._stage import Outbox

_STEPS_BEFORE = 2  # with the same settings of the optimizer, before its step is captured
_CAPTURES = 16


class StepProgram(Capture):
    """`play` is one step: each device has the sum of all gradients and an optimizer of its own for its weights.

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
            self._plays = self.machine.plays([self.machine.record(i, work)[0] for i, work in enumerate(works)])
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
        self._meet = self.machine.score([*self._reduction.sending(), *meet, *early, self.machine.arrive])
        self._total_loss = Sums(self.machine, 0, [(self._losses.columns()[0][0], self._losses.columns()[0])])
        self._end = self.machine.score([self.machine.first_waits, *self._total_loss.late])
        self._update = Update(self.machine, optimizer, self.trained, self.leaves)

    def _forward_and_backward(self, i):
        (*args, targets), _ = self.stage.part(i)
        loss = self._loss_fn(self.replicas[i](*args), targets) * self._shares[i]
        with self.plain():
            torch.autograd.grad(loss, self.leaves[i], allow_unused=True)
        return self._losses.put(i, [loss]) + self._reduction.finish(i)

    def busy(self):
        """Never: a step leaves nothing for later."""
        return False

    def play(self, given):
        """One step for the module's arguments and, behind them, targets; the mean loss over all rows."""
        for one, gradient in zip(self.trained, self._gradients[0], strict=True):
            if one.grad is not gradient:
                one.grad = gradient
        with self.machine.lock, torch.no_grad():
            self.begin(given, {})
            self.play_all(self._plays)
            self._meet()
            self._update.play(self._update_of)
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


class Update:
    """The user's optimizer on the first device and twins of it on the others, captured while its settings stay."""

    def __init__(self, machine, optimizer, trained, leaves):
        known = {id(one) for one in trained}
        if any(id(one) not in known for group in optimizer.param_groups for one in group["params"]):
            raise Unfit("the optimizer has parameters that are not the module's, or are frozen")
        if optimizer._optimizer_step_pre_hooks or optimizer._optimizer_step_post_hooks:
            raise Unfit("the optimizer has hooks")
        self._machine, self._optimizer, self._trained = machine, optimizer, trained
        self._twins = [
            copy.deepcopy(optimizer, {id(one): twin for one, twin in zip(trained, own, strict=True)})
            for own in leaves[1:]
        ]
        self._plays, self._seen = {}, {}
        self._last, self._groups, self._state = None, [], None

    def play(self, work):
        """A step on all devices; ``work(i, step)`` does it on device `i`."""
        plays = self._last if self._is_as_last() else self._chosen(work)
        if plays is None:
            for i, optimizer in enumerate([self._optimizer, *self._twins]):
                with self._machine.on(i):
                    work(i, lambda one=optimizer: _step(one))
        else:
            plays()
            torch.autograd.graph.increment_version(self._trained)
        self._optimizer._opt_called = True  # schedulers ask whether there was a step
        self._last, self._state = plays, self._state_now()

    def _is_as_last(self):
        """Whether the last step can be played once more, settings and state being what it left."""
        if self._last is None or self._state != self._state_now():
            return False
        try:
            return _core.have_items(self._optimizer.param_groups, self._groups)
        except RuntimeError:  # tensors took the place of others, and do not compare to one truth value
            return False

    def _chosen(self, work):
        """What plays this step; None where it has to run without."""
        self._groups = [group.copy() for group in self._optimizer.param_groups]
        settings = [{name: value for name, value in group.items() if name != "params"} for group in self._groups]
        self._follow(settings)
        key = repr(settings)
        return self._plays.get(key) or self._captured(key, settings, work)

    def _captured(self, key, settings, work):
        """What plays the step with these settings; None while they have not been seen often, or cannot be captured."""
        self._seen[key] = self._seen.get(key, 0) + 1
        tensors = any(isinstance(value, torch.Tensor) for group in settings for value in group.values())
        if tensors or self._seen[key] <= _STEPS_BEFORE or len(self._seen) > _CAPTURES:
            return None
        if not all(group.get("capturable", True) for group in settings):
            if self._seen[key] == _STEPS_BEFORE + 1:
                warnings.warn("the optimizer's step runs without CUDA graphs; capturable=True lets it", stacklevel=6)
            return None
        self._plays[key] = self._machine.plays(
            [
                self._machine.record(i, lambda i=i, one=one: work(i, lambda: _step(one)) or [])[0]
                for i, one in enumerate([self._optimizer, *self._twins])
            ]
        )
        return self._plays[key]

    def _follow(self, settings):
        """Gives the twins the optimizer's settings, and its state where somebody else has changed that."""
        if self._state != self._state_now():
            for twin in self._twins:
                twin.load_state_dict(copy.deepcopy(self._optimizer.state_dict()))
            self._plays.clear()
        for twin in self._twins:
            for group, own in zip(twin.param_groups, settings, strict=True):
                for name, value in own.items():
                    moved = isinstance(value, torch.Tensor) and value.to(group["params"][0].device)
                    group[name] = moved if isinstance(value, torch.Tensor) else value

    def _state_now(self):
        return [
            (id(one), one._version)
            for values in self._optimizer.state.values()
            for one in values.values()
            if isinstance(one, torch.Tensor)
        ]


def _step(optimizer):
    """The step of its class: schedulers put one into the object, which would follow a twin back to the original."""
    type(optimizer).step(optimizer)
