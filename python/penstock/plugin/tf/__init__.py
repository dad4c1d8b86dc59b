"""TensorFlow gets batches as a `tf.data.Dataset`, or as tensors of a graph.

Everything here uses what any plugin may: `Pipeline.serialize`, `deserialize`, `feed_input`, `run` and `close`, and
`Empty` for what samples are.
"""

from . import experimental
from ._dataset import DALIDataset
from ._iterator import DALIIterator, DALIIteratorWrapper

__all__ = [
    "DALIDataset", "DALIIterator", "DALIIteratorWrapper", "dataset_compatible_tensorflow",
    "dataset_distributed_compatible_tensorflow", "dataset_inputs_compatible_tensorflow", "experimental",
]  # fmt: skip


def dataset_compatible_tensorflow():
    """Whether this TensorFlow can use `DALIDataset`: any of version 2."""
    return True


def dataset_inputs_compatible_tensorflow():
    """Whether it can use `experimental.DALIDatasetWithInputs`: any of version 2."""
    return True


def dataset_distributed_compatible_tensorflow():
    """Whether `tf.distribute` can: any of version 2."""
    return True
