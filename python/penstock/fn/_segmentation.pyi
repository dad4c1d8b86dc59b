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

def connected_components(
    labels: _Tensor, /, *, background: int | _Tensor = 0, connectivity: int | _Tensor = 1,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> list[_DataNode]:
    """Numbers the connected components of a label map: sets of neighbours of equal label, counted from 1 in the order of their first elements."""

@_takes_sets
def roi_random_crop(
    data: _Tensor | None = None, /, *, crop_shape: _Ints | _Tensor, roi_start: _Ints | _Tensor,
    in_shape: _Ints | _Tensor | None = None, roi_end: _Ints | _Tensor | None = None,
    roi_shape: _Ints | _Tensor | None = None, seed: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Where a window of a given shape begins that is placed at random so that as much as possible of a region of interest lies in it: a larger window holds the region, a smaller one lies in it."""
