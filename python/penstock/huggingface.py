"""Data sets of Hugging Face's `datasets` as readers."""

from . import _tables
from ._call import applied


def from_huggingface(dataset, columns=None, **options):
    """Reads a `datasets.Dataset` where it lies: its Arrow tables are mapped, not copied, and no Python runs per sample.

    To be called in the definition of a pipeline, as ``fn.readers.arrow``, which does the work. What ``select``,
    ``shuffle``, ``filter`` and ``train_test_split`` made of the data set is respected. Columns of pictures and sounds
    give the bytes of their files, for ``fn.decoders.image`` and ``fn.decoders.audio``; files beside the data set are
    read from their paths. A state that was saved loads into a data set of the same fingerprint.

    Args
    ----
    dataset : datasets.Dataset
        One split. `TypeError` for a dict of splits and for a streamed data set, `ValueError` for one with a transform.
    columns : list of str, optional
        Outputs; by default those of the data set's format (``set_format(columns=...)``), which are all of them.
    options
        As for ``fn.readers.arrow``: `random_shuffle`, `shard_id`, `num_shards`, `epoch_end`, `nulls`, `name`, ...

    Returns
    -------
    dict of DataNode, by the names of the columns.
    """
    table = getattr(getattr(dataset, "data", None), "table", None)
    if table is None or not hasattr(dataset, "_indices"):
        raise TypeError(
            f"from_huggingface takes a datasets.Dataset, got {type(dataset).__name__}; choose a split of a dict, as "
            'dataset["train"], and load without streaming=True'
        )
    if dataset.format["type"] == "custom":
        raise ValueError(
            "the data set has a transform (set_transform, with_transform), which the engine does not call; write it "
            "with operators, and pass dataset.with_format(None)"
        )
    names = [columns] if isinstance(columns, str) else list(dataset.format["columns"] if columns is None else columns)
    indices = None if dataset._indices is None else dataset._indices.table.column(0)
    kept = _tables.keep(f"<dataset {dataset._fingerprint}>", table, indices)
    made = applied(
        "readers.arrow", (), {"path": [kept.name], "columns": names, **options}, "from_huggingface", kept
    )  # fmt: skip
    return dict(zip(names, made.outputs, strict=True))
