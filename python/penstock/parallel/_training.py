"""A whole step of training in one call."""

import inspect

from ._graphs import Graphs
from ._scatter import rows_of, scatter
from ._step_program import StepProgram


class TrainStep:
    """What `DataParallel.train_step` gives: ``step(inputs, targets)``."""

    def __init__(self, parallel, loss_fn, optimizer):
        _check_needs_no_closure(optimizer)
        self._parallel = parallel
        self._loss_fn = loss_fn
        self._optimizer = optimizer
        self._engine = self._graphs = None

    @property
    def graph_status(self):
        """How the last step ran, as `DataParallel.graph_status`."""
        return "no step yet, or no graphs on these devices" if self._graphs is None else self._graphs.status

    def _program(self, args, targets):
        """What replays this step as graphs; None where it has to run without."""
        parallel = self._parallel
        if not parallel.graphs or not parallel._devices:
            return None
        engine = parallel._running()
        if engine.machine is None:
            return None
        if self._engine is not engine:
            loss_fn, optimizer = self._loss_fn, self._optimizer
            self._engine = engine
            self._graphs = Graphs(lambda given, _: StepProgram(engine, parallel, loss_fn, optimizer, given))
        return self._graphs.find(parallel, (*args, targets), {})

    def __call__(self, inputs, targets):
        """One step of the optimizer; the mean loss over all rows, detached.

        Args
        ----
        inputs : tensor, or tuple of the module's arguments
            Cut along the wrapper's `dim`, like `targets`.
        targets
            What the loss function takes beside the module's result.
        """
        args = inputs if isinstance(inputs, tuple) else (inputs,)
        with self._parallel._lock:
            program = self._program(args, targets)
            if program is not None:
                return program.replay((*args, targets))
        losses, rows = self._losses(args, targets)
        total = sum(rows)
        # A part without rows has no mean: its loss is no number, which a share of 0 would not undo.
        shares = [(one, count / total) for one, count in zip(losses, rows, strict=True) if count]
        loss = sum(one.to(losses[0].device) * share for one, share in shares)
        self._optimizer.zero_grad()
        loss.backward()
        self._optimizer.step()
        return loss.detach()

    def _losses(self, args, targets):
        """The loss of each part, and how many rows it has."""
        parallel = self._parallel
        if not parallel._devices:
            return [self._loss_fn(parallel.module(*args), targets)], [1]
        parallel._check_placement()
        parts = scatter(args, {"targets": targets}, parallel._devices, parallel.dim, parallel.split_now)

        def loss_of(module, args, beside):
            return self._loss_fn(module(*args), beside["targets"])

        rows = rows_of(parts, parallel.dim)
        if len(parallel._devices) == 1:
            return [loss_of(parallel.module, *parts[0])], rows
        return parallel._on_replicas(parts, loss_of), rows


def _check_needs_no_closure(optimizer):
    closure = inspect.signature(type(optimizer).step).parameters.get("closure")
    if closure is not None and closure.default is closure.empty:
        raise ValueError(
            f"{type(optimizer).__name__}.step needs a closure, which train_step has not: it computes the loss once a "
            "step; call the wrapper in a closure of your own"
        )
