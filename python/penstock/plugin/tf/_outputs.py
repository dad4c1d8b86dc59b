"""Batches as TensorFlow was promised them: element types and shapes."""

import itertools

import numpy as np
import tensorflow as tf


def checked_dtypes(dtypes):
    """One type for each output. `TypeError` for what is neither a type nor a tuple of types."""
    given = dtypes if isinstance(dtypes, tuple) else (dtypes,)
    if not all(isinstance(one, tf.DType) for one in given):
        raise TypeError(
            "`output_dtypes` should be provided as single tf.DType value or a tuple of tf.DType values. Got value "
            f"`{dtypes}` of the type `{type(dtypes)}`."
        )
    return given


def checked_shapes(dtypes, shapes):
    """One shape for each output. `ValueError` for another number of them."""
    if not isinstance(dtypes, tuple):
        return (tf.TensorShape(shapes),)
    if shapes is None:
        return (tf.TensorShape(None),) * len(dtypes)
    if not isinstance(shapes, (tuple, list)) or len(shapes) != len(dtypes):
        raise ValueError(
            f"The two structures don't have the same sequence length. There are {len(dtypes)} `output_dtypes`, and "
            f"`output_shapes` is {shapes}."
        )
    return tuple(tf.TensorShape(one) for one in shapes)


class Outputs:
    """What was said of a pipeline's outputs."""

    def __init__(self, dtypes, shapes):
        self.dtypes, self.shapes = dtypes, shapes

    def arrays(self, batches, array_of):
        """The batches as arrays of these types and shapes. `ValueError` for others.

        `array_of`, called with the number of an output and its batch, gives an array, or None for a batch without
        samples of which no more is known.
        """
        if len(batches) != len(self.dtypes):
            raise ValueError(f"the pipeline has {len(batches)} outputs, {len(self.dtypes)} types were given")
        wanted = zip(batches, self.dtypes, self.shapes, strict=True)
        return [self._array(number, array_of, *one) for number, one in enumerate(wanted)]

    def _array(self, number, array_of, batch, dtype, shape):
        batch = batch.as_cpu()
        if not batch.is_dense_tensor():
            raise RuntimeError(
                f"Batch output at index {number} from DALI pipeline is not uniform - individual samples have different "
                "dimensions: pad or resize them"
            )
        array = array_of(number, batch)
        if array is None:
            extents = () if shape.rank is None else shape.as_list()[1:]
            array = np.empty((0, *(extent or 0 for extent in extents)), dtype.as_numpy_dtype)
        if array.dtype != dtype.as_numpy_dtype:
            raise ValueError(
                f"The type provided for output `{number}` is not compatible with the type returned by DALI Pipeline: "
                f"{dtype.name} was expected, {array.dtype} came"
            )
        fitting = _fitted(array.shape, shape)
        if fitting is None:
            raise ValueError(
                f"The shape provided for output `{number}` is not compatible with the shape returned by DALI Pipeline: "
                f"{shape} was expected, {array.shape} came"
            )
        return array.reshape(fitting)

    def none(self):
        """Values in the place of a batch that is not there."""
        return [np.zeros((), dtype.as_numpy_dtype) for dtype in self.dtypes]

    def shaped(self, tensors):
        """The tensors, with what is known of their shapes."""
        return tuple(tf.ensure_shape(one, shape) for one, shape in zip(tensors, self.shapes, strict=True))


def _fitted(came, wanted):
    """The shape less axes of extent 1, the first ones where there is a choice, as `wanted`. None where it cannot be."""
    if wanted.rank is None:
        return came
    ones = [axis for axis, extent in enumerate(came) if extent == 1]
    for gone in itertools.combinations(ones, max(len(came) - wanted.rank, 0)):
        left = [extent for axis, extent in enumerate(came) if axis not in gone]
        if wanted.is_compatible_with(left):
            return left
    return None
