"""Functions of JAX arrays that need this process alone."""

import numpy as np

from ... import _core
from ..._callbacks import Callback


class Converted:
    """A function of arrays, and how batches become its arguments and its results batches."""

    def __init__(self, function, num_outputs, output_layouts):
        self._function = function
        self.name = getattr(function, "__name__", type(function).__name__)
        self._num_outputs = num_outputs
        self._layouts = _one_each(output_layouts, num_outputs)

    def results(self, arguments):
        """What the function gives for the arguments: a list of as many arrays as were said, else `ValueError`."""
        made = self._function(*arguments)
        several = made if isinstance(made, (tuple, list)) else [] if made is None else [made]
        if len(several) != self._num_outputs:
            raise ValueError(f"the function gave {len(several)} outputs, num_outputs={self._num_outputs} was said")
        return list(several)

    def batches(self, results, inputs):
        """Batches of arrays in host memory; layouts as given, or as the inputs have them."""
        return [
            _core.batch_of(np.asarray(array), self._layout(i, array.ndim - 1, inputs), False)
            for i, array in enumerate(results)
        ]

    def _layout(self, i, ndim, inputs):
        if self._layouts[i] is not None or i >= len(inputs):
            return self._layouts[i]
        layout = inputs[i].layout()
        return layout if len(layout) == ndim else None


class LocalFunction(Converted):
    """Runs on a worker, one batch after the other."""

    operator = "callback"

    def __init__(self, function, num_outputs, output_layouts):
        super().__init__(function, num_outputs, output_layouts)
        # The engine holds the function for as long as an operator does; it must not hold the operator's own object.
        run = Converted(function, num_outputs, output_layouts)
        self._kept = Callback(lambda size, inputs: _run(run, inputs))
        self.number, self.raised = self._kept.number, self._kept.raised


def _run(converted, inputs):
    import jax

    arguments = [jax.numpy.asarray(batch.as_tensor()) for batch in inputs]
    return converted.batches(converted.results(arguments), inputs)


def _one_each(given, count):
    if given is None or isinstance(given, str):
        return [given] * count
    return [*given, *[None] * (count - len(given))]
