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

def element_extract(
    sequence: _Tensor, /, *, element_map: _Ints, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _Any:
    """Takes elements of a sequence along its first axis, each as an output of its own."""

@_takes_sets
def per_frame(
    values: _Tensor, /, *, replace: bool = False, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Marks a tensor as a sequence along its first axis and touches no data. Operators take such tensors for arguments of which each frame of a sequence has its own."""

@_takes_sets
def sequence_rearrange(
    sequence: _Tensor, /, *, new_order: _Ints | _Tensor, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Puts the elements of a sequence, which lie along its first axis, in another order."""

@_takes_sets
def tensor_resize(
    data: _Tensor, /, *, alignment: _Floats | _Tensor = [0.5], antialias: bool = True, axes: _Ints = [],
    axis_names: str = '', bytes_per_sample_hint: _Ints | None = None, dtype: _types.DALIDataType | None = None,
    interp_type: _types.DALIInterpType | _Tensor = _types.DALIInterpType.INTERP_LINEAR,
    mag_filter: _types.DALIInterpType | _Tensor | None = None, max_size: _Floats = [],
    min_filter: _types.DALIInterpType | _Tensor | None = None, minibatch_size: int | None = None, mode: str = 'default',
    roi_end: _Floats | _Tensor = [], roi_relative: bool = False, roi_start: _Floats | _Tensor = [],
    scales: _Floats | _Tensor = [], size_rounding: str = 'round', sizes: _Floats | _Tensor = [],
    subpixel_scale: bool = True, temp_buffer_hint: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Resizes axes of a tensor, whatever they mean: up to three neighbours at once. The others stay as they are."""
