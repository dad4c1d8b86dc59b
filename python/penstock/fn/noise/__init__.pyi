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
def gaussian(
    data: _Tensor, /, *, mean: float | _Tensor = 0.0, seed: int | None = None, stddev: float | _Tensor = 1.0,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Adds a normally distributed number to each element."""

@_takes_sets
def salt_and_pepper(
    data: _Tensor, /, *, pepper_val: float | _Tensor | None = None, per_channel: bool = False,
    prob: float | _Tensor = 0.05, salt_val: float | _Tensor | None = None, salt_vs_pepper: float | _Tensor = 0.5,
    seed: int | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Replaces some pixels by one of two values."""

@_takes_sets
def shot(
    data: _Tensor, /, *, factor: float | _Tensor = 20.0, seed: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Replaces each element by a Poisson number of mean element / factor, times the factor: the noise of counted events, such as photons on a sensor. Negative elements become 0."""
