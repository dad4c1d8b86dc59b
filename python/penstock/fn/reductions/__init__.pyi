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
def max(
    data: _Tensor, /, *, axes: _Ints = [], axis_names: str = '', keep_dims: bool = False,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Finds the largest element. NaN counts as such."""

@_takes_sets
def mean(
    data: _Tensor, /, *, axes: _Ints = [], axis_names: str = '', dtype: _types.DALIDataType | None = None,
    keep_dims: bool = False, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Averages elements."""

@_takes_sets
def mean_square(
    data: _Tensor, /, *, axes: _Ints = [], axis_names: str = '', dtype: _types.DALIDataType | None = None,
    keep_dims: bool = False, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Averages the squares of elements."""

@_takes_sets
def min(
    data: _Tensor, /, *, axes: _Ints = [], axis_names: str = '', keep_dims: bool = False,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Finds the least element. NaN counts as such."""

@_takes_sets
def rms(
    data: _Tensor, /, *, axes: _Ints = [], axis_names: str = '', dtype: _types.DALIDataType | None = None,
    keep_dims: bool = False, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """The root of the average of the squares of elements."""

@_takes_sets
def std_dev(
    data: _Tensor, mean: _Tensor, /, *, axes: _Ints = [], axis_names: str = '', ddof: int = 0, keep_dims: bool = False,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """The standard deviation of elements around a given mean."""

@_takes_sets
def sum(
    data: _Tensor, /, *, axes: _Ints = [], axis_names: str = '', dtype: _types.DALIDataType | None = None,
    keep_dims: bool = False, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Sums elements."""

@_takes_sets
def variance(
    data: _Tensor, mean: _Tensor, /, *, axes: _Ints = [], axis_names: str = '', ddof: int = 0, keep_dims: bool = False,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """The variance of elements around a given mean."""
