# Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
from collections.abc import Mapping as _Mapping
from collections.abc import Sequence as _Sequence
from typing import Any as _Any
from typing import Literal as _Literal

from numpy.typing import ArrayLike as _ArrayLike

from penstock import types as _types
from penstock.data_node import DataNode as _DataNode

_Ints = _Sequence[int] | int
_Floats = _Sequence[float] | float
_Strings = _Sequence[str] | str
_Tensor = _DataNode | _ArrayLike

def rotate(
    input: _Tensor, /, *, angle: float | _Tensor, axis: _Floats | _Tensor = [],
    dtype: _types.DALIDataType | None = None, fill_value: float | None = None,
    interp_type: _types.DALIInterpType = _types.DALIInterpType.INTERP_LINEAR, keep_size: bool = False,
    size: _Floats | _Tensor = [], device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Rotates pictures counter-clockwise around their centre, and volumes around an axis through theirs. The canvas grows so that all of the input is seen, unless `keep_size` or `size` says otherwise."""

def warp_affine(
    data: _Tensor, mtx: _Tensor | None = None, /, *, dtype: _types.DALIDataType | None = None,
    fill_value: float | None = None, interp_type: _types.DALIInterpType = _types.DALIInterpType.INTERP_LINEAR,
    inverse_map: bool = True, matrix: _Floats | _Tensor = [], size: _Floats | _Tensor = [],
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Looks pictures and volumes up at the places that an affine map says. The corner of the first pixel is the origin; its centre is at .5."""
