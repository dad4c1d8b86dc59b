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
def peek_image_shape(
    encoded: _Tensor, /, *, adjust_orientation: bool = True, dtype: _types.DALIDataType = _types.DALIDataType.INT64,
    frames: str = 'first', image_type: _types.DALIImageType = _types.DALIImageType.RGB, rules: str = 'dali',
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """The shape that an encoded image will have once decoded, from its header alone."""
