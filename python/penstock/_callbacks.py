"""Python functions that the engine calls on its workers, and what they raise there."""

import collections
import threading
import weakref

from . import _core
from ._options import whole

_MOST = 8  # exceptions of batches that were not taken


def check_callable(operator, function):
    """`TypeError` for a function that is none."""
    if not callable(function):
        raise TypeError(f"[{operator}] function must be callable, got {function!r}")


def check_num_outputs(operator, num_outputs):
    """`TypeError` for what is no whole number, `ValueError` for a negative one."""
    if whole(f"[{operator}] num_outputs", num_outputs, 32) < 0:
        raise ValueError(f"[{operator}] num_outputs must be 0 or more, got {num_outputs}")


class Callback:
    """Keeps ``function(batch_size, batches) -> batches`` for the engine, which knows it by `number`.

    The engine makes an error of its own of what the function raises: `raised` has it as it was. `stopped` is an event
    that is set when the function's result is no longer needed.
    """

    def __init__(self, function, stopped=None):
        raised = self.raised = collections.deque(maxlen=_MOST)
        self.stopped = stopped or threading.Event()

        def called(batch_size, batches):
            try:
                return function(batch_size, batches)
            except StopIteration:
                raise
            except BaseException as error:
                raised.append(error)
                raise

        self.number = _core.keep_callback(called)
        weakref.finalize(self, _core.release_callback, self.number)


def stop(operators):
    """Tells the functions of these operators that their results are no longer needed."""
    for operator in operators:
        if isinstance(operator.attached, Callback):
            operator.attached.stopped.set()


def explained(error, operators):
    """The engine's `error` under the name that the user knows, with what the function raised as its cause."""
    text = str(error)
    if not text.startswith("[callback]"):
        return error
    for operator in operators:
        raised = getattr(operator.attached, "raised", ())
        for i, one in enumerate(raised):
            if type(one).__name__ in text and str(one) in text:
                del raised[i]
                error.args = (text.replace("[callback]", f"[{operator.display}]", 1),)
                error.__cause__ = one
                return error
    return error
