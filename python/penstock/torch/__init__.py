"""PyTorch's way to take batches: loaders that stand where a `torch.utils.data.DataLoader` stood."""

from ._loader import Loader
from ._torchvision import from_torchvision

__all__ = ["Loader", "from_torchvision"]
