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
def normalize(
    data: _Tensor, /, *, axes: _Ints = [], axis_names: str = '', batch: bool = False, ddof: int = 0,
    dtype: _types.DALIDataType = _types.DALIDataType.FLOAT, epsilon: float = 0.0, mean: _Floats | _Tensor = [],
    scale: float = 1.0, shift: float = 0.0, stddev: _Floats | _Tensor = [],
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Subtracts the mean and divides by the standard deviation: scale * (x - mean) / stddev + shift."""
