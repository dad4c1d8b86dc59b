"""How long samples are, for readers with `bucket_by`."""

import os

import numpy as np

from ._whole_file import whole_file
from .pipeline.contract import open_operators


def measure_lengths(pipeline, path):
    """Runs a pipeline over its data set once and writes how long each sample is, as `bucket_by` of readers takes it.

    Any expression will do as the measure: ``fn.shapes(audio)[0]``, a count of boxes, a product of extents.

    Args
    ----
    pipeline : Pipeline
        Its first output gives the length, one number a sample (or a shape of one dimension, whose first extent counts).
        Its reader must have ``epoch_end="partial"``, one shard, no `random_shuffle` and no `bucket_by`. `ValueError`
        otherwise.
    path : str or os.PathLike
        The file, called ".npy".

    Returns
    -------
    int64 array of the lengths.
    """
    path = os.fspath(path)
    if not path.endswith(".npy"):
        raise ValueError(f"the file of lengths must be called .npy, got {path!r}")
    operators = open_operators(pipeline)
    if operators is None:
        raise ValueError("the pipeline was built already; measure one that was not")
    readers = [operator for operator in operators if operator.schema.kind == "reader"]
    if len(readers) != 1:
        raise ValueError(f"a pipeline with one reader can be measured, this one has {len(readers)}")
    given = readers[0].args
    if given.get("epoch_end") != "partial":
        raise ValueError('the reader must say epoch_end="partial": each sample is to come once')
    unwanted = [name for name in ("random_shuffle", "shuffle_after_epoch", "bucket_by") if given.get(name)]
    if unwanted or given.get("num_shards", 1) != 1:
        raise ValueError(f"the reader must give all samples in order, without {(unwanted or ['num_shards'])[0]}")
    pipeline.build()
    [facts] = pipeline.reader_facts().values()
    lengths = [_number(sample) for _ in range(facts["steps_per_epoch"]) for sample in pipeline.run()[0]]
    lengths = np.array(lengths, np.int64)
    with whole_file(path, "wb") as file:
        np.save(file, lengths)
    return lengths


def _number(sample):
    values = np.asarray(sample)
    if values.size != 1 or values.ndim > 1:
        raise ValueError(f"the first output must be one number a sample, got an array of shape {values.shape}")
    return int(values.reshape(-1)[0])
