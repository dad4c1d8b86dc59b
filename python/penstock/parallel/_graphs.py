"""Which calls are captured, when, and what is said about those that are not."""

import warnings

import torch

from ._contents import Unfit
from ._machine import Machine, why_not
from ._signature import check_no_hooks, signature_of

_CALLS_BEFORE = 3  # of one signature, without a graph
_ALIVE = 8  # graphs that are kept
_CAPTURES = 32  # in all: modules that change all the time are better off without


class Graphs:
    """The programs of one wrapper, or of one train step, by the signature of their calls.

    Args
    ----
    make : callable
        ``make(args, kwargs)`` captures a program.
    """

    def __init__(self, make):
        self._make = make
        self._programs, self._calls, self._refused = {}, {}, {}
        self._captures = 0
        self._told = set()
        self.status = "no call yet"
        self._is_capturing = torch.cuda.is_current_stream_capturing if torch.cuda.is_available() else bool

    def find(self, parallel, args, kwargs):
        """A program that can be replayed for this call; None where it has to run without graphs, and `status` why."""
        module = parallel._modules["module"]  # found by __getattr__ it costs a microsecond
        if self._is_capturing():
            return self._without("another graph is being captured")
        if parallel.buffers_rule == "mean" and module.training:
            return self._without('buffers="mean" averages them after each call')
        try:
            key = parallel._choices(), signature_of(module, args, kwargs)
            program = self._programs.get(key)
            if program is not None and not program.fits(module):
                self._drop(key)
                program = None
            if program is None:
                return self._new(key, module, args, kwargs)
        except Unfit as error:
            return self._without(str(error), tell=True)
        if program.busy():
            return self._without("a backward pass still needs what the graph of its forward pass has left")
        self.status = "graphs"
        return program

    def _new(self, key, module, args, kwargs):
        if key in self._refused:
            return self._without(self._refused[key])
        if len(self._calls) > 8 * _ALIVE:
            self._calls.clear()
        self._calls[key] = self._calls.get(key, 0) + 1
        if self._calls[key] <= _CALLS_BEFORE:
            return self._without(f"the first {_CALLS_BEFORE} calls of a kind run without")
        if self._captures >= _CAPTURES:
            return self._without(f"{_CAPTURES} captures were made for shapes or modules that changed", tell=True)
        check_no_hooks(module)
        if len(self._programs) >= _ALIVE:
            self._drop(next(iter(self._programs)))
        self._captures += 1
        try:
            self._programs[key] = self._make(args, kwargs)
        except Unfit as error:
            self._refused[key] = str(error)
            raise
        except Exception as error:
            self._refused[key] = f"capturing failed with {type(error).__name__}: {error}"
            return self._without(self._refused[key], tell=True)
        self.status = "graphs"
        return self._programs[key]

    def _drop(self, key):
        if torch.cuda.is_available():
            for device in self._programs[key].machine.devices:
                torch.cuda.synchronize(device)  # it may still be replaying
        del self._programs[key]
        self._calls.pop(key, None)

    def _without(self, reason, tell=False):
        self.status = f"no graphs, because {reason}"
        if tell and reason not in self._told:
            self._told.add(reason)
            warnings.warn(
                f"DataParallel runs without CUDA graphs, because {reason}; graphs=False silences this", stacklevel=6
            )
        return


def machine_for(devices):
    """(Machine or None, why there is none)."""
    reason = why_not(devices)
    return (Machine(devices), None) if reason is None else (None, reason)
