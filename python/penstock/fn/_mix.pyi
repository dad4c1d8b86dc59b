# Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
from collections.abc import Mapping as _Mapping
from collections.abc import Sequence as _Sequence
from typing import Any as _Any
from typing import Literal as _Literal

from numpy.typing import ArrayLike as _ArrayLike

from penstock import types as _types
from penstock._sets import takes_sets as _takes_sets
from penstock.data_node import DataNode as _DataNode

_Ints = _Sequence[int] | int
_Floats = _Sequence[float] | float
_Strings = _Sequence[str] | str
_Tensor = _DataNode | _ArrayLike

def cutmix(
    images: _Tensor, labels: _Tensor, /, *, alpha: float = 1.0, num_classes: int = 0, seed: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> list[_DataNode]:
    """Puts a random box of the sample before it in the batch (of the last one, into the first) into each sample, and mixes labels by its area (Yun et al., "CutMix", 2019). Frames and channels share the box, which depends on the seed, the epoch and the sample alone."""

def mixup(
    images: _Tensor, labels: _Tensor, /, *, alpha: float = 1.0, num_classes: int = 0, seed: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> list[_DataNode]:
    """Mixes each sample of a batch with the one before it (the first one with the last): pixels by a random share, labels by the same (Zhang et al., "mixup", 2018). The share depends on the seed, the epoch and the sample alone, so batches of another size change results only at their ends."""
