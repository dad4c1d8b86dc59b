"""What every program of graphs has: replicas with leaves of their own, and how a device's work is rehearsed."""

from contextlib import ExitStack, contextmanager

import torch

from ._replicas import Replicas
from ._scatter import rows_of
from ._signature import Facts
from ._stage import Stage
from ._watch import Watch

_REHEARSALS = 2  # libraries choose algorithms and take memory in the first calls


class Capture:
    """What every program has: the module's facts, its replicas with leaves of their own, and how a device is recorded.

    Args
    ----
    engine
        With `machine` and `weights`.
    parallel : DataParallel
    args, kwargs
        What the stage is made for.
    """

    def __init__(self, engine, parallel, args, kwargs):
        module, self._balance, self._split = parallel.module, parallel._balance, parallel.split_now
        self.machine, self.weights = engine.machine, engine.weights
        self.stage = stage = Stage(engine.machine, args, kwargs, parallel.dim, self._split)
        self.rows = rows_of(stage.tensors, parallel.dim)
        self.facts = Facts(module)
        self.weights.prepare(self.facts.tensors)
        self._generation = self.weights.generation
        self._parameters = list(module.parameters())
        trained = [one for one in self._parameters if one.requires_grad]
        self.trained = trained if torch.is_grad_enabled() else []
        self._buffers = list({id(one): one for one in module.buffers()}.values())
        self.replicas, self.leaves = [], []
        replicas = Replicas(stage.count)  # of its own: others are bound to other tensors in each call
        replicas.refresh(module)
        with torch.inference_mode(False):
            for i in range(stage.count):
                own = self.weights.aliases(i)
                for one in self.trained:
                    own[id(one)].requires_grad_()
                self.leaves.append([own[id(one)] for one in self.trained])
                self.replicas.append(replicas.bound(i, own))
        self._changed = None

    def fits(self, module):
        """Whether what was captured is still true, and of this module."""
        moved = self._balance is not None and self._balance.weights is not self._split
        same = module is self.facts.module and self._generation == self.weights.generation
        return same and not moved and self.facts.hold()

    def ready(self, before=()):
        """After all devices are recorded: writes down what `begin` queues; `before`: what other devices do first."""
        machine, rows = self.machine, self.stage.rows()
        after = [self._changed] if self._changed else []
        self._leaves = [*before, *after]  # for the next comparison: the graphs change the copies
        self._begin_by_launch = None
        if rows is not None:
            handing_out = machine.handing_out(rows + self.weights.rows, before, after)
            self._begin_by_launch = machine.launch_sequence([machine.first_waits, *handing_out])
        self._begin = machine.launch_sequence(machine.handing_out(self.weights.rows, before, after))

    def begin(self, args, kwargs):
        """The graphs find new arguments and, on the other devices, weights that have changed."""
        self.machine.replay()
        self.weights.settle(self._leaves)
        given = self.stage.given(args, kwargs)
        if self._begin_by_launch and self.stage.takes(given):
            self._begin_by_launch(given)
        else:
            self.machine.first_waits()
            self.stage.fill(given)
            self._begin()
        self.weights.leave(self._leaves)

    def replay_all(self, replays):
        """The graphs of all devices, timed where speeds decide about rows."""
        if self._balance is None:
            replays()
        else:
            for replay in reversed(self._balance.timed(replays.recordings, self.rows)):
                replay()

    @contextmanager
    def unharmed(self):
        """Afterwards the module's buffers and the random generators are as they were before."""
        kept = [buffer.detach().clone() for buffer in self._buffers]
        states = self.machine.random_states()
        try:
            yield
        finally:
            self.machine.restore(states)
            for buffer, contents in zip(self._buffers, kept, strict=True):
                buffer.data.copy_(contents)  # through .data: no version moves, for nothing has happened

    def rehearse(self, functions):
        """Calls ``functions[i]`` on each device as often as it takes. `Unfit` for what a graph would not repeat."""
        # Contents, too: kernels of batch normalisation move no version counter.
        kept = [[(one._version, one.detach().clone()) for one in replica.buffers()] for replica in self.replicas]
        for i, function in enumerate(functions):
            with self.machine.rehearsing(i):
                with Watch(self.replicas[i], self.machine.devices[i], self.stage.tensors[i]) as watch:
                    function(i)
                watch.check()
                for _ in range(_REHEARSALS - 1):
                    function(i)
        touched = {
            id(buffer)
            for before, replica in zip(kept, self.replicas, strict=True)
            for buffer, (version, old), now in zip(self._buffers, before, replica.buffers(), strict=True)
            if now._version != version or not torch.equal(old, now)
        }
        if touched:
            self._changed = self.weights.forcing([one for one in self._buffers if id(one) in touched])

    @staticmethod
    def plain():
        """Without autocast: a backward pass knows its types."""
        stack = ExitStack()
        for kind in ("cuda", "cpu"):
            if torch.is_autocast_enabled(kind):
                stack.enter_context(torch.autocast(kind, enabled=False))
        return stack

    @staticmethod
    def modes():
        """Autocast as it is, but without its cache: what was cast before would be missing in the graph."""
        stack = ExitStack()
        for kind in ("cuda", "cpu"):
            if torch.is_autocast_enabled(kind):
                stack.enter_context(torch.autocast(kind, torch.get_autocast_dtype(kind), cache_enabled=False))
        return stack
