"""A dataset whose pipeline takes samples or batches of other datasets, or of Python sources."""

import tensorflow as tf

from ._dataset import make_dataset

__all__ = ["DALIDatasetWithInputs", "Input"]


class Input:
    """A dataset that feeds an external source.

    Args
    ----
    dataset : tf.data.Dataset
        Gives one tensor at a time. `TypeError` for what is no dataset.
    layout : str, default = None
        Axis letters of a sample; those of the external source when not given.
    batch : bool, default = False
        Whether the dataset gives batches. None: as the external source says, batches if that says nothing, either.
    """

    def __init__(self, dataset, *, layout=None, batch=False):
        if not isinstance(dataset, tf.data.Dataset):
            raise TypeError(
                "The inputs specified to DALIDataset must be instances of type `tf.data.Dataset` got: "
                f"`{dataset}` of type: {type(dataset)} instead."
            )
        self.dataset, self.layout, self.batch = dataset, layout, batch


def DALIDatasetWithInputs(pipeline, output_dtypes=None, output_shapes=None, fail_on_device_mismatch=True, *,
                          input_datasets=None, **options):  # fmt: skip # noqa: N802 - DALI's name
    """As `DALIDataset`, of a pipeline that may have external sources.

    Args
    ----
    pipeline, output_dtypes, output_shapes, fail_on_device_mismatch, options
        As for `DALIDataset`.
    input_datasets : dict, default = None
        A `tf.data.Dataset` of samples, or an `Input`, for the name of each external source that has no `source`.
        `TypeError` for other things, `ValueError` for other names, and where one is left out. Samples that do not fill
        a batch at the end are dropped. Sources with a `source` are asked by the thread that makes the batch.
    """
    return make_dataset(pipeline, output_dtypes, output_shapes, fail_on_device_mismatch, options, input_datasets or {},
                        takes_inputs=True)  # fmt: skip
