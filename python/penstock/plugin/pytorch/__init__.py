"""What DALI's users of PyTorch know: iterators that give tensors, `feed_ndarray`, and `torch_python_function`."""

from ..base_iterator import LastBatchPolicy
from . import experimental, fn, torch_utils
from ._iterators import DALIClassificationIterator, DALIGenericIterator
from ._ragged import DALIRaggedIterator
from ._tensors import feed_ndarray, to_torch_type
from .fn import TorchPythonFunction

__all__ = [
    "DALIClassificationIterator", "DALIGenericIterator", "DALIRaggedIterator", "LastBatchPolicy", "TorchPythonFunction",
    "experimental", "feed_ndarray", "fn", "to_torch_type", "torch_utils",
]  # fmt: skip
