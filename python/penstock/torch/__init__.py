"""PyTorch's way to take batches: loaders that stand where a `torch.utils.data.DataLoader` stood."""

from ._loader import Loader

__all__ = ["Loader"]
