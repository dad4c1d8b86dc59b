"""One module on several devices: `DataParallel` stands where `torch.nn.DataParallel` stood."""

from ._data_parallel import DataParallel

__all__ = ["DataParallel"]
