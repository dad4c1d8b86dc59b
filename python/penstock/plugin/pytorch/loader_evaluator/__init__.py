"""How much faster training would be if loading took no time: `LoaderEvaluator` around a `DataLoader`."""

from .loader import LoaderEvaluator

__all__ = ["LoaderEvaluator"]
