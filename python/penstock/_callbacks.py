"""Python functions that the engine calls on its workers, and what they raise there."""

import collections
import weakref

from . import _core

_MOST = 8  # exceptions of batches that nobody took


class Callback:
    """Keeps ``function(batch_size, batches) -> batches`` for the engine, which knows it by `number`.

    The engine makes an error of its own of what the function raises: `raised` has it as it was.
    """

    def __init__(self, function):
        raised = self.raised = collections.deque(maxlen=_MOST)

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
