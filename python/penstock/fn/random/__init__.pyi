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
def beta(
    shape_like: _Tensor | None = None, /, *, alpha: float | _Tensor = 1.0, beta: float | _Tensor = 1.0,
    dtype: _types.DALIDataType | None = None, seed: int | None = None, shape: _Ints | _Tensor | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Numbers in [0, 1] with a beta distribution."""

@_takes_sets
def choice(
    a: _Tensor, shape_like: _Tensor | None = None, /, *, p: _Floats | _Tensor | None = None, seed: int | None = None,
    shape: _Ints | _Tensor | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Picks elements at random, with replacement."""

@_takes_sets
def coin_flip(
    shape_like: _Tensor | None = None, /, *, dtype: _types.DALIDataType | None = None,
    probability: float | _Tensor = 0.5, seed: int | None = None, shape: _Ints | _Tensor | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Gives 1 with a probability, else 0."""

@_takes_sets
def normal(
    shape_like: _Tensor | None = None, /, *, dtype: _types.DALIDataType | None = None, mean: float | _Tensor = 0.0,
    seed: int | None = None, shape: _Ints | _Tensor | None = None, stddev: float | _Tensor = 1.0,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Normally distributed numbers."""

@_takes_sets
def uniform(
    shape_like: _Tensor | None = None, /, *, dtype: _types.DALIDataType | None = None,
    range: _Floats | _Tensor = [-1.0, 1.0], seed: int | None = None, shape: _Ints | _Tensor | None = None,
    values: _Floats | _Tensor = [], device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Numbers that are uniform over a range, or picked from a list."""
