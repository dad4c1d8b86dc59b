"""`tf.data` datasets of pipelines."""

import contextlib
import itertools
import warnings

import tensorflow as tf

from ... import _origin
from ._inputs import check_inputs, sample_arrays, with_batches
from ._outputs import Outputs, checked_dtypes, checked_shapes
from ._runner import Runner

_DEPTHS = ("prefetch_queue_depth", "cpu_prefetch_queue_depth", "gpu_prefetch_queue_depth")
_OPTIONS = {"batch_size": 1, "num_threads": 4, "device_id": 0, "exec_separated": False, "exec_dynamic": False,
            **dict.fromkeys(_DEPTHS, 2), "dtypes": None, "shapes": None}  # fmt: skip
_keys = itertools.count()
_runners = {}  # by key: those of all iterators that are under way


def DALIDataset(  # noqa: N802 - DALI's name
    pipeline, output_dtypes=None, output_shapes=None, fail_on_device_mismatch=True, **options
):
    """A `tf.data.Dataset` of the batches that a pipeline like `pipeline` gives: tuples of tensors in host memory.

    Each iterator has a pipeline of its own, which begins with the first sample. It ends with the pipeline's sources;
    one that reads goes on for ever.

    Args
    ----
    pipeline : Pipeline
        Python functions in it are a `RuntimeError`, external sources a `ValueError`; those are for
        `experimental.DALIDatasetWithInputs`.
    output_dtypes : tf.DType or tuple of tf.DType
        One for each output. `TypeError` for other things.
    output_shapes : shape or tuple of shapes
        Of batches, where they are known; None stands for any extent or shape. Axes of extent 1 may be left out. A batch
        that does not fit is a `tf.errors.InvalidArgumentError`.
    fail_on_device_mismatch : bool
        Accepted, without effect: tensors are in host memory.
    options
        `batch_size` (1 when not given), `num_threads` (4) and `device_id` (0) of the iterators' pipelines, and
        `prefetch_queue_depth` (2), of batches made ahead. `exec_separated`, `exec_dynamic`, `cpu_prefetch_queue_depth`
        and `gpu_prefetch_queue_depth` are accepted, without effect; `dtypes` and `shapes` are old names.
    """
    return make_dataset(pipeline, output_dtypes, output_shapes, fail_on_device_mismatch, options, {}, False)


def make_dataset(pipeline, dtypes, shapes, fail_on_device_mismatch, options, input_datasets, takes_inputs):
    """The dataset, with inputs where `takes_inputs`."""
    del fail_on_device_mismatch
    unknown = sorted(options.keys() - _OPTIONS.keys())
    if unknown:
        raise TypeError(
            f"__init__() got an unexpected keyword argument '{unknown[0]}'. Dataset inputs are allowed only in "
            "'experimental.DALIDatasetWithInputs'."
        )
    options = {**_OPTIONS, **options}
    dtypes, shapes = _renamed(dtypes, options["dtypes"], "dtypes"), _renamed(shapes, options["shapes"], "shapes")
    outputs = Outputs(checked_dtypes(dtypes), checked_shapes(dtypes, shapes))
    inputs = check_inputs(pipeline, input_datasets, takes_inputs)
    own = {name: options[name] for name in ("batch_size", "num_threads", "device_id", "prefetch_queue_depth")}
    make_runner = Runner.maker(pipeline, own, {name: one.layout for name, one in inputs.items()})
    return _dataset(make_runner, inputs, outputs, options["batch_size"])


def _dataset(make_runner, inputs, outputs, batch_size):
    """One key for each iterator; behind it the batches of that one's runner, until it says that it has ended."""

    def keys():
        key = next(_keys)
        with contextlib.closing(make_runner()) as runner:
            _runners[key] = runner
            try:
                yield key
            finally:
                del _runners[key]

    def batches(key):
        fed = [with_batches(one, batch_size) for one in inputs.values()]
        steps = tf.data.Dataset.zip((tf.data.Dataset.range(2**62), *fed))

        def step(number, *given):
            del number
            return tf.numpy_function(step_of, [key, *tf.nest.flatten(given)], [tf.bool, *outputs.dtypes], stateful=True)

        made = steps.map(step).take_while(lambda more, *batch: more)
        return made.map(lambda more, *batch: outputs.shaped(batch))

    def step_of(key, *given):
        fed = dict(zip(inputs, sample_arrays(inputs.values(), given), strict=True))
        runner = _runners[int(key)]
        made = runner.next(fed)
        if made is None:
            return [False, *outputs.none()]
        return [True, *outputs.arrays(made, runner.array)]

    signature = tf.TensorSpec((), tf.int64)
    with tf.device("/cpu:0"):  # whatever device the dataset was asked for on: graphs do not look for another one
        return tf.data.Dataset.from_generator(keys, output_signature=signature).flat_map(batches)


def _renamed(now, old, name):
    if old is None:
        return now
    if now is not None:
        raise ValueError(
            f"Usage of `{name}` is deprecated in favor of `output_{name}`. Both arguments were provided, but only "
            f"`output_{name}` should be provided."
        )
    warnings.warn(
        f"Use of argument `{name}` is deprecated. Please use `output_{name}` instead.",
        DeprecationWarning,
        stacklevel=_origin.stack_level(),
    )
    return tuple(old) if isinstance(old, list) else old
