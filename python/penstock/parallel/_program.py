"""One call of a module on all devices as one graph for each, forward and backward."""

import contextlib
import warnings
import weakref

import torch

from ._capture import Capture
from ._contents import PLAIN, Unfit
from ._gather import gather
from ._launch_sequence import MOST_GIVEN
from ._reduction import Reduction
from ._stage import Hole, Outbox, as_sent, is_one_block, pieces_of
from ._tree import Sharded, children, leaves, mapped


class Program(Capture):
    """A call: `replay` gives what the module gives for new arguments of the same signature."""

    def __init__(self, engine, parallel, args, kwargs):
        super().__init__(engine, parallel, args, kwargs)
        self._dim, self._outputs = parallel.dim, parallel.outputs
        stage, count = self.stage, self.stage.count
        self._inputs = [[k for k, one in enumerate(own) if one.requires_grad] for own in stage.tensors]
        training = torch.is_grad_enabled() and bool(self.trained or self._inputs[0])
        if training and self._outputs == "sharded":
            raise Unfit('with outputs="sharded" gradients come back to each device by themselves')
        shards = [leaf for leaf in stage.given(args, kwargs) if isinstance(leaf, Sharded)]
        if torch.is_grad_enabled() and any(part.requires_grad for leaf in shards for part in leaf):
            raise Unfit("gradients of a Sharded come back to each device by themselves")
        self._live, self._results = [None] * count, [None] * count
        self._outbox, self._input_grads = Outbox(self.machine, count), Outbox(self.machine, count)
        self._grad_stage = self._needed = None
        self._reduction = Reduction(self.machine, self.leaves, [0]) if training else None
        with self.modes(), self.unharmed():
            self.rehearse([self._rehearsal if training else self._forward] * count)
            forward = [self.machine.record(i, lambda i=i: self._forward(i)) for i in range(count)]
            self._made = [result for _, result in forward]
            self._forward_replays = self.machine.replays([replay for replay, _ in forward])
            self._check_structure()
            if training:
                backward = [self.machine.record(i, lambda i=i: self._backward(i), forward[i][0]) for i in range(count)]
                self._backward_replays = self.machine.replays([replay for replay, _ in backward])
        self._live[:] = self._results[:] = [None] * count
        self._latest, self._awaited = None, False
        self._training = training
        self.ready()
        self._write_ends()

    def _forward(self, i):
        args, kwargs = self.stage.part(i)
        result = self.replicas[i](*args, **kwargs)
        tensors = [leaf for leaf in leaves(result) if isinstance(leaf, torch.Tensor)]
        if any(one.device.type != self.machine.devices[i].type for one in tensors):
            raise Unfit("forward gives tensors that are not on its device")
        self._results[i] = result
        self._live[i] = [one for one in tensors if one.requires_grad]
        return [as_sent(one) for one in tensors] if self._outputs == "sharded" else self._outbox.put(i, tensors)

    def _rehearsal(self, i):
        with self._noting_needed(i):
            self._forward(i)
        self._stage_gradients()
        self._backward(i)

    @contextlib.contextmanager
    def _noting_needed(self, i):
        """Which of the module's tensors a backward pass of the first device reads, as autograd would have kept them."""
        if i > 0 or self._needed is not None:
            yield
            return
        kept = set()

        def note(tensor):
            kept.add(tensor.untyped_storage().data_ptr())
            return tensor if tensor.is_leaf else tensor.detach()  # results that keep themselves would never be freed

        with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
            yield
        self._needed = [one for one in self.facts.tensors if one.untyped_storage().data_ptr() in kept]

    def _stage_gradients(self):
        """Room for the gradients of the results on each device."""
        if self._grad_stage is None or any(own is None for own in self._grad_stage):
            with torch.inference_mode(False), torch.no_grad():
                self._grad_stage = [
                    None if live is None else [torch.zeros_like(one) for one in live] for live in self._live
                ]

    def _backward(self, i):
        inputs = [self.stage.tensors[i][k] for k in self._inputs[i]]
        wanted = [*inputs, *self.leaves[i]]
        with self.plain():  # the graph is kept: a second backward pass must find what the first one found
            made = torch.autograd.grad(self._live[i], wanted, self._grad_stage[i], retain_graph=True, allow_unused=True)
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
        self._all_differentiable = all(self._differentiable)
        self._rows = [
            None if one.dim() == 0 else [own[k].shape[self._dim] for own in self._made]
            for k, one in enumerate(flat)
            if one.requires_grad
        ]
        self._templates = [mapped(_no_data, one) for one in self._results]
        self._is_one_tensor = self._outputs != "sharded" and isinstance(self._results[0], torch.Tensor)

    def _write_ends(self):
        """What is queued around the graphs."""
        machine, dim = self.machine, self._dim
        if self._outputs != "sharded":
            self._gathering = self._outbox.gathering(dim)
            self._end = machine.launch_sequence([machine.first_waits, *self._gathering.launches])
        if self._training:
            columns = list(zip(*self._grad_stage, strict=True))
            by_launch = len(columns) <= MOST_GIVEN and all(is_one_block(one, dim) for own in columns for one in own)
            rows = [row for k, column in enumerate(columns) for row in pieces_of(k + 1, column)] if by_launch else None
            self._begin_back = rows and machine.launch_sequence([machine.first_waits, *machine.handing_out(rows)])
            self._sums = self._reduction.sums_on(0)
            self._input_gathering = self._input_grads.gathering(dim, self._sums.blocks)
            launches = [*self._input_gathering.launches, *self._sums.early, machine.arrive, *self._sums.late]
            self._end_back = machine.launch_sequence([*self._reduction.sending(), machine.first_waits, *launches])

    def busy(self):
        """Whether a backward pass still needs what the last forward pass has left."""
        return self._awaited and self._latest() is not None

    def replay(self, args, kwargs):
        if not self._training:
            with self.machine.lock:
                return self._structure(self._play_forward(args, kwargs))
        given = self.stage.given(args, kwargs) if self._inputs[0] else ()
        inputs = [one for one in given if isinstance(one, torch.Tensor) and one.requires_grad]
        with self.machine.lock:
            made = _Replay.apply(self, args, kwargs, *inputs, *self.trained)
        return self._structure([made])

    def _structure(self, made):
        """Results in the structure that the module gives, of one tensor for each leaf, for each part."""
        if self._is_one_tensor:
            return made[0][0]
        parts = []
        for tensors, template in zip(made, self._templates, strict=False):
            own = iter(tensors)
            parts.append(mapped(lambda leaf, own=own: next(own) if isinstance(leaf, Hole) else leaf, template))
        return Sharded(parts) if self._outputs == "sharded" else parts[0]

    def _play_forward(self, args, kwargs):
        """A list of tensors for each part that is handed out: nothing of it is ever written again."""
        self.begin(args, kwargs)
        self.replay_all(self._forward_replays)
        if self._outputs == "sharded":
            return [[one.clone() for one in own] for own in self._made]
        made = self._gathering.room()
        self._end(made or ())
        return [self._gathering.join() if made is None else made]

    def play_backward(self, grads, streams):
        """(gradients of the inputs, gradients of the parameters) for those of the results. Grad mode is off."""
        with self.machine.playing_on(streams):
            if not self._all_differentiable:
                grads = [grad for grad, yes in zip(grads, self._differentiable, strict=True) if yes]
            if self._begin_back and all(map(_is_as_meant, grads, self._grad_stage[0])):
                self._begin_back(grads)
            else:
                self._take_apart(grads)
            self._backward_replays()
            sums, inputs = self._sums.room(), self._input_gathering.room()
            self._end_back([*sums, *(inputs or ())])
            return self._input_gathering.join() if inputs is None else inputs, self._sums.views(sums)

    def _take_apart(self, grads):
        """As `_begin_back`, for gradients anywhere and cut along any dimension."""
        self.machine.first_waits()
        to, parts = [], []
        for k, (grad, rows) in enumerate(zip(grads, self._rows, strict=True)):
            to += [own[k] for own in self._grad_stage]
            parts += grad.unbind() if rows is None else grad.split(rows, self._dim)
        torch._foreach_copy_(to, parts)
        self.machine.others_wait()


class _Replay(torch.autograd.Function):
    """The graphs of a program as one function of the inputs that need gradients and of the parameters."""

    @staticmethod
    def forward(ctx, program, args, kwargs, *tensors):
        ctx.program = program
        ctx.save_for_backward(*program._needed)  # for autograd to see when they are changed too early
        made = program._play_forward(args, kwargs)[0]
        ctx.homes = [one.device for one in tensors[: len(program._inputs[0])]]
        ctx.streams = program.machine.streams
        if not program._all_differentiable:
            fixed = [one for one, yes in zip(made, program._differentiable, strict=True) if not yes]
            ctx.mark_non_differentiable(*fixed)
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
        _ = ctx.saved_tensors  # raises where weights have been changed
        with program.machine.lock:
            if program._latest() is not ctx.token:
                raise RuntimeError("a later forward pass has overwritten what this backward pass needs")
            inputs, parameters = program.play_backward(grads, ctx.streams)
            program._awaited = False
        inputs = [one.to(home) for one, home in zip(inputs, ctx.homes, strict=True)]
        return None, None, None, *inputs, *parameters


def _is_as_meant(grad, target):
    """Whether the bytes of a gradient are those that the graphs' place for it takes."""
    return grad.is_contiguous() and grad.dtype == target.dtype and grad.device == target.device and not grad.is_neg()


class _Token:
    """Lives as long as the autograd graph of one call."""


def _no_data(leaf):
    return Hole() if isinstance(leaf, torch.Tensor) else leaf


def _empty(leaf):
    return torch.empty_like(leaf, device="cpu") if isinstance(leaf, torch.Tensor) else leaf


def _shape_of(value):
    taken = children(value)
    if taken is None:
        return (torch.Tensor, value.dtype, value.dim()) if isinstance(value, torch.Tensor) else type(value)
    return type(value), tuple(value) if isinstance(value, dict) else None, *map(_shape_of, taken[0])
