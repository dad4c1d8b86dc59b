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
def filter(
    data: _Tensor, filter: _Tensor, fill_value: _Tensor | None = None, /, *, anchor: _Ints | _Tensor = [-1],
    border: str = 'reflect_101', dtype: _types.DALIDataType | None = None, mode: str = 'same',
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Correlates pictures, volumes or every frame of a sequence with a filter: each result is the sum of the elements under the filter, which is not turned, times its weights. Sums are made in float."""

@_takes_sets
def gaussian_blur(
    data: _Tensor, /, *, dtype: _types.DALIDataType | None = None, sigma: _Floats | _Tensor = [],
    window_size: _Ints | _Tensor = [], device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Blurs images, volumes or every frame of a sequence with a Gaussian. Beyond the border pixels are mirrored, without the border pixel itself."""

@_takes_sets
def laplacian(
    data: _Tensor, /, *, dtype: _types.DALIDataType | None = None, normalized_kernel: bool = False,
    scale: _Floats | _Tensor = [1.0], smoothing_size: _Ints | _Tensor = [], window_size: _Ints | _Tensor = [3],
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Sums the second derivatives along all axes but channels and frames. Each is a separable convolution: second differences along its axis, binomial smoothing along the others. Borders are as in `gaussian_blur`."""
