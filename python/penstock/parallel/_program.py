"""One call of a module on all devices as one graph for each, forward and backward."""

import warnings
import weakref

import torch

from ._capture import Capture
from ._devices import memory_of
from ._gather import SCALARS, gather
from ._reduction import Reduction
from ._signature import PLAIN, Unfit
from ._stage import Hole, Outbox
from ._tree import Sharded, children, leaves, mapped


class Program(Capture):
    """A call: `play` gives what the module gives for new arguments of the same signature."""

    def __init__(self, engine, parallel, args, kwargs):
        super().__init__(engine, parallel, args, kwargs)
        self._dim, self._outputs = parallel.dim, parallel.outputs
        stage, count = self.stage, self.stage.count
        self._inputs = [[k for k, one in enumerate(own) if one.requires_grad] for own in stage.tensors]
        training = torch.is_grad_enabled() and bool(self.trained or self._inputs[0])
        if training and self._outputs == "sharded":
            raise Unfit('with outputs="sharded" gradients come back to each device by themselves')
        self._live, self._results = [None] * count, [None] * count
        self._outbox, self._input_grads = Outbox(self.machine, count), Outbox(self.machine, count)
        self._grad_stage = None
        self._reduction = Reduction(self.machine, self.leaves, [0]) if training else None
        with self.modes(), self.unharmed():
            self.rehearse([self._rehearsal if training else self._forward] * count)
            forward = [self.machine.record(i, lambda i=i: self._forward(i)) for i in range(count)]
            self._made = [result for _, result in forward]
            self._forward_plays = [play for play, _ in forward]
            self._check_structure()
            if training:
                backward = [self.machine.record(i, lambda i=i: self._backward(i), forward[i][0]) for i in range(count)]
                self._backward_plays = [play for play, _ in backward]
        self._live[:] = self._results[:] = [None] * count
        self._latest, self._awaited = None, False
        if training:
            self._sums = self._reduction.sums_on(0)
        self._training = training

    def _forward(self, i):
        args, kwargs = self.stage.pull(i)
        result = self.replicas[i](*args, **kwargs)
        tensors = [leaf for leaf in leaves(result) if isinstance(leaf, torch.Tensor)]
        if any(one.device.type != self.machine.devices[i].type for one in tensors):
            raise Unfit("forward gives tensors that are not on its device")
        self._results[i] = result
        self._live[i] = [one for one in tensors if one.requires_grad]
        return self._outbox.put(i, tensors)

    def _rehearsal(self, i):
        self._forward(i)
        self._stage_gradients()
        self._backward(i)

    def _stage_gradients(self):
        """Room for the gradients of the results: on each device, and for others on the first until these fetch it."""
        if self._grad_stage is None or any(own is None for own in self._grad_stage):
            with torch.inference_mode(False), torch.no_grad():
                home = memory_of(self.machine.devices[0])
                self._grad_stage = [
                    None
                    if live is None
                    else [
                        (torch.zeros_like(one, device=one.device if i == 0 else home), torch.zeros_like(one))
                        for one in live
                    ]
                    for i, live in enumerate(self._live)
                ]

    def _backward(self, i):
        staged = self._grad_stage[i]
        if i:
            self.machine.renewal(i, [(waiting, None, [own]) for waiting, own in staged])()
        inputs = [self.stage.tensors[i][k] for k in self._inputs[i]]
        given = [waiting if i == 0 else own for waiting, own in staged]
        wanted = [*inputs, *self.leaves[i]]
        with self.plain():  # the graph is kept: a second backward pass must find what the first one found
            made = torch.autograd.grad(self._live[i], wanted, given, retain_graph=True, allow_unused=True)
        zeros = [torch.zeros_like(one) if grad is None else grad for one, grad in zip(inputs, made, strict=False)]
        return self._input_grads.put(i, zeros) + self._reduction.finish(i)

    def _check_structure(self):
        """What replicas gave can be put together, and has nothing in it that may change."""
        if len({_shape_of(one) for one in self._results}) > 1:
            raise Unfit("replicas give results of different structures")
        for leaf in leaves(self._results[0]):
            if not isinstance(leaf, (torch.Tensor, *PLAIN)):
                raise Unfit(f"forward gives a {type(leaf).__name__}")
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            gather([mapped(_empty, one) for one in self._results], self.machine.devices[0], self._dim)
        flat = [leaf for leaf in leaves(self._results[0]) if isinstance(leaf, torch.Tensor)]
        self._differentiable = [one.requires_grad for one in flat]
        self._rows = [
            None if one.dim() == 0 else [own[k].shape[self._dim] for own in self._made] for k, one in enumerate(flat)
        ]
        self._templates = [mapped(_no_data, one) for one in self._results]

    def busy(self):
        """Whether a backward pass still needs what the last forward pass has left."""
        return self._awaited and self._latest() is not None

    def play(self, args, kwargs):
        if not self._training:
            return self._structure(self._play_forward(args, kwargs))
        inputs = [leaf for leaf in leaves((args, kwargs)) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
        return self._structure([_Replay.apply(self, args, kwargs, *inputs, *self.trained)])

    def _structure(self, made):
        """Results in the structure that the module gives, of one tensor for each leaf, for each part."""
        parts = []
        for tensors, template in zip(made, self._templates, strict=False):
            own = iter(tensors)
            parts.append(mapped(lambda leaf, own=own: next(own) if isinstance(leaf, Hole) else leaf, template))
        return Sharded(parts) if self._outputs == "sharded" else parts[0]

    def _play_forward(self, args, kwargs):
        """A list of tensors for each part that is handed out: nothing of it is ever written again."""
        machine = self.machine
        machine.play()
        machine.first_waits()
        self.stage.fill(args, kwargs)
        self.refresh()
        machine.others_wait()
        for play in self.in_turn(self._forward_plays):
            play()
        if self._outputs == "sharded":
            return [[one.clone() for one in own] for own in self._made]
        machine.first_waits()
        return [[_joined(column, self._dim) for column in self._outbox.columns()]]

    def play_backward(self, grads, streams):
        """(gradients of the inputs, gradients of the parameters) for those of the results."""
        machine = self.machine
        with machine.playing_on(streams), torch.no_grad():
            machine.first_waits()
            to, pieces = [], []
            wanted = [
                (grad, rows) for grad, rows, yes in zip(grads, self._rows, self._differentiable, strict=True) if yes
            ]
            for k, (grad, rows) in enumerate(wanted):
                to += [own[k][0] for own in self._grad_stage]
                pieces += grad.unbind() if rows is None else grad.split(rows, self._dim)
            torch._foreach_copy_(to, pieces)
            machine.others_wait()
            for play in reversed(self._backward_plays):
                play()
            machine.first_waits()
            inputs = [torch.cat(column, self._dim) for column in self._input_grads.columns()]
            room = self._sums.room()
            self._sums.fill(room)
        return inputs, self._sums.views(room)


class _Replay(torch.autograd.Function):
    """The graphs of a program as one function of the inputs that need gradients and of the parameters."""

    @staticmethod
    def forward(ctx, program, args, kwargs, *tensors):
        ctx.program, ctx.weights_then = program, program.weights.changes
        made = program._play_forward(args, kwargs)[0]
        ctx.streams = program.machine.streams
        ctx.mark_non_differentiable(*[one for one, yes in zip(made, program._differentiable, strict=True) if not yes])
        ctx.token = _Token()
        program._latest, program._awaited = weakref.ref(ctx.token), True
        return tuple(made)

    @staticmethod
    def backward(ctx, *grads):
        program = ctx.program
        if torch.is_grad_enabled():
            raise RuntimeError(
                "gradients of gradients do not go through CUDA graphs; make the wrapper with graphs=False"
            )
        if program._latest() is not ctx.token:
            raise RuntimeError("a later forward pass has overwritten what this backward pass needs")
        if program.weights.changes != ctx.weights_then:
            raise RuntimeError(
                "weights needed for gradient computation have been modified between the forward and the backward pass"
            )
        program._awaited = False
        inputs, parameters = program.play_backward(grads, ctx.streams)
        return None, None, None, *inputs, *parameters


class _Token:
    """Lives as long as the autograd graph of one call."""


def _no_data(leaf):
    return Hole() if isinstance(leaf, torch.Tensor) else leaf


def _empty(leaf):
    return torch.empty_like(leaf, device="cpu") if isinstance(leaf, torch.Tensor) else leaf


def _joined(column, dim):
    if column[0].dim():
        return torch.cat(column, dim)
    warnings.warn(SCALARS, stacklevel=6)
    return torch.stack(column)


def _shape_of(value):
    taken = children(value)
    if taken is None:
        return (torch.Tensor, value.dtype, value.dim()) if isinstance(value, torch.Tensor) else type(value)
    return type(value), tuple(value) if isinstance(value, dict) else None, *map(_shape_of, taken[0])
