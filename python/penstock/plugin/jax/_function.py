"""Functions of JAX arrays that need this process alone."""

import numpy as np

from ... import _core
from ..._callbacks import Callback
from ._settings import Settings, unwatched


class Converted:
    """A function of arrays, and how batches become its arguments and its results batches."""

    def __init__(self, function, num_outputs, output_layouts):
        self._function = function
        self.name = getattr(function, "__name__", type(function).__name__)
        self._num_outputs = num_outputs
        self._settings = Settings(watched=True)
        self._layouts = _one_each(output_layouts, num_outputs)

    def results(self, arguments, rows):
        """What the function gives for the arguments: a list of as many arrays of so many `rows` as were said."""
        made = self._function(*arguments)
        several = made if isinstance(made, (tuple, list)) else [] if made is None else [made]
        if len(several) != self._num_outputs:
            raise ValueError(f"the function gave {len(several)} outputs, num_outputs={self._num_outputs} was said")
        arrays = [self._array(i, one) for i, one in enumerate(several)]
        for i, array in enumerate(arrays):
            if array.shape[:1] != (rows,):
                raise ValueError(
                    f"output {i} of the function {self.name} has shape {array.shape}, the batch has {rows} rows: the "
                    "first axis must be as long as the batch size"
                )
        return arrays

    def _array(self, i, made):
        import jax

        if isinstance(made, jax.Array):
            return made
        array = np.array(made)  # a copy: the function may write its own again
        if array.dtype.hasobject:
            raise TypeError(f"output {i} of the function {self.name} is of type {type(made).__name__}, and no array")
        return array

    def batches(self, results, inputs):
        """Batches of arrays in host memory; layouts as given, or as the inputs have them."""
        return [
            _core.batch_of(np.asarray(array), self._layout(i, array.ndim - 1, inputs), False)
            for i, array in enumerate(results)
        ]

    def on_batch(self, size, inputs):
        """Batches of what the function gives for batches of `size` samples."""
        import jax

        with self._settings.applied():
            with unwatched():
                arguments = [jax.numpy.asarray(batch.as_tensor()) for batch in inputs]
            results = self.results(arguments, size)
            with unwatched():
                return self.batches(results, inputs)

    def _layout(self, i, ndim, inputs):
        if self._layouts[i] is not None or i >= len(inputs):
            return self._layouts[i]
        layout = inputs[i].layout()
        return layout if len(layout) == ndim else None


class LocalFunction(Callback):
    """Runs on a worker, one batch after the other."""

    operator = "callback"

    def __init__(self, function, num_outputs, output_layouts):
        # The engine holds what it calls for as long as an operator does; it must not hold the operator's own object.
        super().__init__(Converted(function, num_outputs, output_layouts).on_batch)


def _one_each(given, count):
    if given is None or isinstance(given, str):
        return [given] * count
    if len(given) != count:
        raise ValueError(f"output_layouts has {len(given)} layouts, num_outputs={count} was said")
    return list(given)
