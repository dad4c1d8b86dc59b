"""Batches as tensors of a TensorFlow graph."""

import numpy as np
import tensorflow as tf

from ._inputs import check_inputs
from ._runner import Runner


def DALIIterator():  # noqa: N802 - DALI's name
    """`DALIIteratorWrapper`."""
    return DALIIteratorWrapper


def DALIIteratorWrapper(pipeline=None, serialized_pipeline=None, sparse=(), shapes=(), dtypes=(), batch_size=-1,
                        prefetch_queue_depth=2, exec_dynamic=None, **options):  # fmt: skip # noqa: N802 - DALI's name
    """Tensors of the pipeline's next batch: each run of the graph gives another one, one call in eager mode the first.

    Args
    ----
    pipeline : Pipeline
        Without Python functions and external sources.
    serialized_pipeline : bytes
        What `Pipeline.serialize` gave, instead of a pipeline.
    sparse : list of bool
        Outputs that become a `tf.SparseTensor`: each sample is a row.
    shapes : list of shapes
        Of batches. An empty one stands for any shape.
    dtypes : list of tf.DType
        One for each output, which is cast to it.
    batch_size : int
        The first extent of the first shape when not given. `ValueError` where both are missing.
    prefetch_queue_depth : int or dict
        As of `Pipeline`.
    exec_dynamic
        Accepted, without effect.
    options
        `num_threads` and `device_id` of `Pipeline`; others are accepted, without effect.
    """
    del exec_dynamic
    if batch_size == -1:
        if not shapes:
            raise ValueError(
                "shapes and batch_size arguments cannot be empty, please provide at least one shape argument element "
                "with the BATCH size or set batch_size"
            )
        batch_size = shapes[0][0] if isinstance(shapes[0], (tuple, list)) else shapes[0]
    own = {name: options[name] for name in ("num_threads", "device_id") if name in options}
    own |= {"batch_size": batch_size, "prefetch_queue_depth": prefetch_queue_depth}
    if pipeline is None:
        from ...pipeline import Pipeline

        pipeline = Pipeline.deserialize(serialized_pipeline, **own)
    check_inputs(pipeline, {}, False)
    runner = Runner.maker(pipeline, own, {})()
    is_sparse = [*sparse, *[False] * len(dtypes)][: len(dtypes)]
    kinds = [[tf.int64, dtype, tf.int64] if one else [dtype] for one, dtype in zip(is_sparse, dtypes, strict=True)]

    def step():
        made = runner.next({})
        wanted = enumerate(zip(made, is_sparse, dtypes, strict=True))
        parts = [_parts(runner, number, *one) for number, one in wanted]
        return [array for part in parts for array in part]

    tensors = iter(tf.nest.flatten(tf.numpy_function(step, [], sum(kinds, []))))
    return [
        tf.SparseTensor(*(next(tensors) for _ in range(3))) if one else _shaped(next(tensors), shapes[i : i + 1])
        for i, one in enumerate(is_sparse)
    ]


def _parts(runner, number, batch, sparse, dtype):
    batch = batch.as_cpu()
    if not sparse:
        array = runner.array(number, batch)
        return [np.zeros(0, dtype.as_numpy_dtype) if array is None else array.astype(dtype.as_numpy_dtype)]
    rows = [np.asarray(batch[i]).ravel() for i in range(len(batch))]
    places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    values = np.concatenate(rows).astype(dtype.as_numpy_dtype)
    return [np.array(places, np.int64), values, np.array([len(rows), max(map(len, rows))], np.int64)]


def _shaped(tensor, shape):
    if shape and shape[0] != ():
        tensor.set_shape(shape[0])
    return tensor
