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

def batch_permutation(
    *, allow_repetitions: bool = False, no_fixed_points: bool = False, seed: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """A random order of the samples of a batch, for `permute_batch`."""

@_takes_sets
def cast(
    data: _Tensor, /, *, dtype: _types.DALIDataType, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Converts to another type: rounds to nearest, halves away from zero, and clamps to the range of the type."""

@_takes_sets
def cast_like(
    data: _Tensor, dtype_source: _Tensor, /, *, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Converts to the type of another tensor, as `cast` does."""

def cat(
    *input: _Tensor, axis: int = 0, axis_name: str | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Joins tensors along an axis that they have."""

def constant(
    *, dtype: _types.DALIDataType | None = None, fdata: _Floats = [], idata: _Ints = [], layout: str = '',
    shape: _Ints | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """The same tensor for every sample."""

@_takes_sets
def copy(
    data: _Tensor, /, *, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Copies the data."""

@_takes_sets
def expand_dims(
    data: _Tensor, /, *, axes: _Ints, new_axis_names: str = '', device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Inserts axes of extent 1 without touching the data."""

@_takes_sets
def full(
    fill_value: _Tensor, /, *, layout: str | None = None, shape: _Ints | _Tensor | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """A tensor filled with a value, repeated by the rules of broadcasting."""

@_takes_sets
def full_like(
    data_like: _Tensor, fill_value: _Tensor, /, *, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """A tensor of the shape, type and layout of another, filled with a value."""

@_takes_sets
def get_property(
    data: _Tensor, /, *, key: str, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """What is known about a sample besides its data, as the bytes of a text."""

@_takes_sets
def one_hot(
    labels: _Tensor, /, *, axis: int = -1, axis_name: str | None = None,
    dtype: _types.DALIDataType = _types.DALIDataType.FLOAT, num_classes: int = 0, off_value: float = 0.0,
    on_value: float = 1.0, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Gives each label a vector that is `on_value` at the label's place. Without `axis`, a label of one element becomes a vector whatever its number of axes."""

def ones(
    *, dtype: _types.DALIDataType = _types.DALIDataType.INT32, layout: str | None = None,
    shape: _Ints | _Tensor | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """A tensor full of ones."""

@_takes_sets
def ones_like(
    data_like: _Tensor, /, *, dtype: _types.DALIDataType | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """A tensor full of ones with the shape and layout of another."""

@_takes_sets
def pad(
    data: _Tensor, /, *, align: _Ints | _Tensor = [], axes: _Ints | _Tensor = [], axis_names: str = '',
    fill_value: float | _Tensor = 0.0, shape: _Ints | _Tensor = [],
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Pads at the end of axes: to a shape, to a multiple, or else to the largest sample of the batch."""

@_takes_sets
def permute_batch(
    data: _Tensor, /, *, indices: _Ints | _Tensor, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Rearranges the samples of a batch; nothing is copied."""

@_takes_sets
def reinterpret(
    data: _Tensor, shape_input: _Tensor | None = None, /, *, dtype: _types.DALIDataType | None = None,
    layout: str | None = None, rel_shape: _Floats | _Tensor | None = None, shape: _Ints | _Tensor | None = None,
    src_dims: _Ints | _Tensor | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Reads the bytes of a tensor as another type, and gives it another shape or layout."""

@_takes_sets
def reshape(
    data: _Tensor, shape_input: _Tensor | None = None, /, *, layout: str | None = None,
    rel_shape: _Floats | _Tensor | None = None, shape: _Ints | _Tensor | None = None,
    src_dims: _Ints | _Tensor | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Gives a tensor another shape or layout without touching its data."""

@_takes_sets
def shapes(
    data: _Tensor, /, *, dtype: _types.DALIDataType = _types.DALIDataType.INT64,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """The shape of each sample."""

@_takes_sets
def squeeze(
    data: _Tensor, /, *, axes: _Ints | _Tensor = [], axis_names: str = '',
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Removes axes of extent 1, of a tensor without elements any that leave it without, and touches no data."""

def stack(
    *input: _Tensor, axis: int = 0, axis_name: str | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Joins tensors along a new axis."""

@_takes_sets
def transpose(
    data: _Tensor, /, *, output_layout: str | None = None, perm: _Ints | None = None, transpose_layout: bool = True,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Permutes the axes."""

def zeros(
    *, dtype: _types.DALIDataType = _types.DALIDataType.INT32, layout: str | None = None,
    shape: _Ints | _Tensor | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """A tensor full of zeros."""

@_takes_sets
def zeros_like(
    data_like: _Tensor, /, *, dtype: _types.DALIDataType | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """A tensor full of zeros with the shape and layout of another."""
