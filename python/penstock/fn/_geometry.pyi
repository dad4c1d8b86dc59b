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

@_takes_sets
def jitter(
    input: _Tensor, /, *, fill_value: float = 0.0, interp_type: _types.DALIInterpType = _types.DALIInterpType.INTERP_NN,
    mask: int | _Tensor = 1, nDegree: int = 2, seed: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Replaces each pixel by a random one near it: up to nDegree / 2 columns and rows away, evenly, and never outside."""

@_takes_sets
def rotate(
    input: _Tensor, /, *, angle: float | _Tensor, axis: _Floats | _Tensor = [],
    dtype: _types.DALIDataType | None = None, fill_value: float | None = None,
    interp_type: _types.DALIInterpType = _types.DALIInterpType.INTERP_LINEAR, keep_size: bool = False,
    size: _Floats | _Tensor = [], device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Rotates pictures counter-clockwise around their centre, and volumes around an axis through theirs. The canvas grows so that all of the input is seen, unless `keep_size` or `size` says otherwise."""

@_takes_sets
def sphere(
    input: _Tensor, /, *, fill_value: float = 0.0, interp_type: _types.DALIInterpType = _types.DALIInterpType.INTERP_NN,
    mask: int | _Tensor = 1, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Shows pictures as through a ball of glass in their middle, whose radius is half the longer side."""

@_takes_sets
def warp_affine(
    data: _Tensor, mtx: _Tensor | None = None, /, *, dtype: _types.DALIDataType | None = None,
    fill_value: float | None = None, interp_type: _types.DALIInterpType = _types.DALIInterpType.INTERP_LINEAR,
    inverse_map: bool = True, matrix: _Floats | _Tensor = [], size: _Floats | _Tensor = [],
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Looks pictures and volumes up at the places that an affine map says. The corner of the first pixel is the origin; its centre is at .5."""

@_takes_sets
def water(
    input: _Tensor, /, *, ampl_x: float | _Tensor = 10.0, ampl_y: float | _Tensor = 10.0, fill_value: float = 0.0,
    freq_x: float | _Tensor = 0.049087387, freq_y: float | _Tensor = 0.049087387,
    interp_type: _types.DALIInterpType = _types.DALIInterpType.INTERP_NN, mask: int | _Tensor = 1,
    phase_x: float | _Tensor = 0.0, phase_y: float | _Tensor = 0.0,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Moves rows along x and columns along y by sines, as if the picture lay under water: result(x, y) = input(x + ampl_x sin(freq_x y + phase_x), y + ampl_y cos(freq_y x + phase_y))."""
