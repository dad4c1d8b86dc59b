"""Datasets that feed the external sources of a pipeline."""

from collections.abc import Mapping

import numpy as np
import tensorflow as tf

_WHAT = (
    "`input_datasets` must be a dictionary that maps input names (the `name` specified for External Source node in DALI"
    " pipeline) to input datasets objects (`tf.data.Dataset`) or `nvidia.dali.plugin.tf.experimental.Input` wrapper"
    " objects"
)


class _Fed:
    """The dataset of one external source."""

    def __init__(self, dataset, layout, batch):
        self.dataset, self.layout, self.batch = dataset, layout, batch


def check_inputs(pipeline, input_datasets, takes_inputs):
    """What feeds the external sources without a `source`, by name."""
    sources = pipeline.external_sources()
    if sources and not takes_inputs:
        raise ValueError(
            "DALIDataset got a DALI pipeline containing External Source operator nodes. They are for "
            "'experimental.DALIDatasetWithInputs', which takes datasets for them, and asks those that have a `source`."
        )
    if not isinstance(input_datasets, Mapping):
        raise TypeError(f"{_WHAT}, got: `{input_datasets}` of type: {type(input_datasets)} instead.")
    empty = {}
    for one in sources:
        if one.source is None:
            if not one.named:
                raise ValueError(
                    "Found placeholder External Source node (without `source` argument) in the Pipeline that was not "
                    "named (no `name` argument set): a dataset is given by that name."
                )
            empty[one.names[0]] = one
        elif one.source.cycle == "raise":
            raise NotImplementedError(
                f"External Source node: '{one.names[0]}' got argument cycle='raise' which is not supported."
            )
    fed = {name: _checked(name, value, empty) for name, value in input_datasets.items()}
    if empty.keys() - fed.keys():
        raise ValueError(
            "Found External Source nodes in the Pipeline, that were not assigned any inputs. Nodes without inputs: \n"
            f"{sorted(empty.keys() - fed.keys())}.\nNodes that were assigned inputs:\n{sorted(fed)}."
        )
    return fed


def _checked(name, value, empty):
    if not isinstance(name, str):
        raise TypeError(
            f"{_WHAT}. Expected the keys (representing the input names) to be of type `str`, got: `{name}` of type: "
            f"{type(name)} instead."
        )
    plain = isinstance(value, tf.data.Dataset)
    if not plain and not all(hasattr(value, part) for part in ("dataset", "layout", "batch")):
        raise TypeError(
            f"{_WHAT}. Expected the values of the dictionary (representing the inputs) to be of type `tf.data.Dataset` "
            f"or `nvidia.dali.plugin.tf.experimental.Input` got: `{value}` of type: {type(value)} instead."
        )
    if name not in empty:
        raise ValueError(
            f"Did not find an External Source placeholder node with name='{name}' in the provided pipeline - required "
            "by the name specified in the `input_datasets`. Names of available placeholder External Source nodes are: "
            f"{sorted(empty)}. Placeholder nodes cannot have `source` argument specified."
        )
    if plain:
        return _Fed(value, None, batch=False)
    batch = empty[name].batch if value.batch is None else value.batch
    return _Fed(value.dataset, value.layout, batch is not False)


def with_batches(fed, batch_size):
    """A dataset of batches: samples of different shapes are made flat, padded, and get their shapes with them."""
    if fed.batch:
        return fed.dataset
    flat = fed.dataset.map(lambda sample: (tf.reshape(sample, [-1]), tf.shape(sample)))
    return flat.padded_batch(batch_size, ([None], [None]), drop_remainder=True)


def sample_arrays(inputs, given):
    """What `with_batches` gave, as arrays or lists of samples."""
    given = iter(given)
    return [next(given) if fed.batch else _samples(next(given), next(given)) for fed in inputs]


def _samples(flat, shapes):
    return [one[: np.prod(shape)].reshape(shape) for one, shape in zip(flat, shapes.astype(np.int64), strict=True)]
