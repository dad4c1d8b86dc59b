"""One module on several devices: `DataParallel` stands where `torch.nn.DataParallel` stood."""

from ._data_parallel import DataParallel
from ._tree import Sharded

__all__ = ["DataParallel", "Sharded"]
