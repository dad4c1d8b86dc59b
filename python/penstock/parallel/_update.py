"""The optimizer's step on all devices: which optimizers can be captured, and when."""

import copy
import warnings

import torch
from torch.optim import optimizer as of_all
from torch.utils.hooks import RemovableHandle

from .. import _core
from ._contents import Unfit

_STEPS_BEFORE = 2  # with the same settings and state of the optimizer, before its step is captured
_CAPTURES = 16


class Update:
    """The user's optimizer on the first device and twins of it on the others, captured while its settings stay."""

    def __init__(self, machine, optimizer, trained, leaves):
        self._machine, self._optimizer, self._trained = machine, optimizer, trained
        known = {id(one) for one in trained}
        if any(id(one) not in known for own in self._parameters() for one in own):
            raise Unfit("the optimizer has parameters that are not the module's, or are frozen")
        self._check_no_hooks()
        self._parameters_then = [list(own) for own in self._parameters()]
        self._twins = [
            copy.deepcopy(optimizer, {id(one): twin for one, twin in zip(trained, own, strict=True)})
            for own in leaves[1:]
        ]
        self._replays, self._captures = {}, 0
        self._key, self._steps = None, 0  # the last settings, and how many steps they were in a row
        self._why_not = _why_not(optimizer)
        self._last, self._groups, self._state = None, [], None

    def fits(self):
        """Whether the optimizer still has the same parameters. `Unfit` where hooks would have to run."""
        if self._handles != _handles() or self._step != self._optimizer.step:
            self._check_no_hooks()
        try:
            return self._parameters() == self._parameters_then
        except RuntimeError:  # others took their place: tensors do not compare to one truth value
            return False

    def _parameters(self):
        return [group["params"] for group in self._optimizer.param_groups]

    def _check_no_hooks(self):
        optimizer, handles = self._optimizer, _handles()
        if any(one._backward_hooks or one._post_accumulate_grad_hooks for one in self._trained):
            raise Unfit("parameters have hooks")
        if optimizer._optimizer_step_pre_hooks or optimizer._optimizer_step_post_hooks:
            raise Unfit("the optimizer has hooks")
        if of_all._global_optimizer_pre_hooks or of_all._global_optimizer_post_hooks:
            raise Unfit("there are hooks on all optimizers")
        own = vars(optimizer).get("step")  # schedulers put one there, around that of the class
        if own is not None and getattr(own, "__wrapped__", None) is not type(optimizer).step:
            raise Unfit("the optimizer has a step of its own")
        self._handles, self._step = handles, optimizer.step

    def replay(self, work):
        """A step on all devices; ``work(i, step)`` does it on device `i`."""
        replays = self._last if self._is_as_last() else self._chosen(work)
        if replays is None:
            for i, optimizer in enumerate([self._optimizer, *self._twins]):
                with self._machine.on(i):
                    work(i, lambda one=optimizer: _step(one))
        else:
            replays()
            torch.autograd.graph.increment_version(self._trained)
        self._optimizer._opt_called = True  # schedulers ask whether there was a step
        self._last, self._state = replays, self._state_now()

    def _is_as_last(self):
        """Whether the last step can be replayed once more, settings and state being what it left."""
        if self._last is None or self._state != self._state_now():
            return False
        try:
            return _core.have_items(self._optimizer.param_groups, self._groups)
        except RuntimeError:  # tensors took the place of others, and do not compare to one truth value
            return False

    def _chosen(self, work):
        """What replays this step; None where it has to run without."""
        self._groups = [group.copy() for group in self._optimizer.param_groups]
        settings = [{name: value for name, value in group.items() if name != "params"} for group in self._groups]
        self._follow(settings)
        key = repr(settings)
        self._steps = self._steps + 1 if key == self._key else 1
        self._key = key
        return self._replays.get(key) or self._captured(settings, work)

    def _captured(self, settings, work):
        """What replays the step with these settings; None before they have been seen often, and where capture fails."""
        tensors = any(isinstance(value, torch.Tensor) for group in settings for value in group.values())
        if tensors or self._steps <= _STEPS_BEFORE or self._captures >= _CAPTURES or self._why_not == "":
            return None
        if self._why_not is None:
            self._captures += 1
            try:
                self._replays[self._key] = self._recorded(work)
                return self._replays[self._key]
            except Exception as error:
                self._why_not = f"capturing it failed with {type(error).__name__}: {error}"
        warnings.warn(f"the optimizer's step runs without CUDA graphs, because {self._why_not}", stacklevel=6)
        self._why_not = ""
        return None

    def _recorded(self, work):
        return self._machine.replays(
            [
                self._machine.record(i, lambda i=i, one=one: work(i, lambda: _step(one)) or [])[0]
                for i, one in enumerate([self._optimizer, *self._twins])
            ]
        )

    def _follow(self, settings):
        """Gives the twins the optimizer's settings, and its state where the user has changed that."""
        if self._state != self._state_now():
            for twin in self._twins:
                twin.load_state_dict(copy.deepcopy(self._optimizer.state_dict()))
            self._replays.clear()
            self._key = None  # the next steps may make state anew
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


def _handles():
    """How many hooks anything has got so far: where none has come, none needs to be looked for."""
    return RemovableHandle.next_id


def _why_not(optimizer):
    """Why a graph would not repeat its step; None where it does: most read numbers of the host that change."""
    if type(optimizer) is torch.optim.SGD or all(group.get("capturable") is True for group in optimizer.param_groups):
        return None
    if all("capturable" in group for group in optimizer.param_groups):
        return "it has no capturable=True"
    return f"a {type(optimizer).__name__} may depend on numbers of the host"


def _step(optimizer):
    """The step of its class: schedulers put one into the object, which would follow a twin back to the original."""
    type(optimizer).step(optimizer)
