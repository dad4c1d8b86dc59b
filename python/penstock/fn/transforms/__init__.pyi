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

def combine(
    *matrices: _Tensor, reverse_order: bool = False, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Combines two or more transforms into the one that applies them in that order."""

@_takes_sets
def crop(
    matrix: _Tensor | None = None, /, *, absolute: bool = False, from_end: _Floats | _Tensor = [1.0],
    from_start: _Floats | _Tensor = [0.0], reverse_order: bool = False, to_end: _Floats | _Tensor = [1.0],
    to_start: _Floats | _Tensor = [0.0], device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Makes the matrix that maps one box to another: coordinates in a picture to those in a crop."""

@_takes_sets
def rotation(
    matrix: _Tensor | None = None, /, *, angle: float | _Tensor, axis: _Floats | _Tensor = [],
    center: _Floats | _Tensor = [], reverse_order: bool = False, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Makes the matrix of a rotation: in the plane, or around `axis` in three dimensions."""

@_takes_sets
def scale(
    matrix: _Tensor | None = None, /, *, scale: _Floats | _Tensor, center: _Floats | _Tensor = [],
    ndim: int | None = None, reverse_order: bool = False, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Makes the matrix of a scaling."""

@_takes_sets
def shear(
    matrix: _Tensor | None = None, /, *, angles: _Floats | _Tensor = [], center: _Floats | _Tensor = [],
    reverse_order: bool = False, shear: _Floats | _Tensor = [], device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Makes the matrix of a shear."""

@_takes_sets
def translation(
    matrix: _Tensor | None = None, /, *, offset: _Floats | _Tensor, reverse_order: bool = False,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Makes the matrix of a translation."""
