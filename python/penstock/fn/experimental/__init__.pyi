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

from penstock.fn._audio import audio_resample as audio_resample
from penstock.fn._color import debayer as debayer
from penstock.fn._color import equalize as equalize
from penstock.fn._decoders import peek_image_shape as peek_image_shape
from penstock.fn._filters import filter as filter
from penstock.fn._image import resize as resize
from penstock.fn._sequence import tensor_resize as tensor_resize
from penstock.fn.experimental import decoders as decoders

__all__ = [
    "audio_resample", "debayer", "decoders", "dilate", "equalize", "erode", "filter", "median_blur", "peek_image_shape",
    "remap", "resize", "tensor_resize", "warp_perspective",
]

@_takes_sets
def dilate(
    input: _Tensor, /, *, anchor: _Ints | _Tensor = [-1, -1], border_mode: str = 'constant', iterations: int = 1,
    mask_size: _Ints | _Tensor = [3, 3], device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Gives the greatest element of the rectangle around each, by channels."""

@_takes_sets
def erode(
    input: _Tensor, /, *, anchor: _Ints | _Tensor = [-1, -1], border_mode: str = 'constant', iterations: int = 1,
    mask_size: _Ints | _Tensor = [3, 3], device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Gives the least element of the rectangle around each, by channels."""

@_takes_sets
def median_blur(
    input: _Tensor, /, *, window_size: _Ints | _Tensor = [3, 3], device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Replaces each element by the median of the rectangle around it, each channel by itself. Beyond the border the outermost elements are repeated, as in OpenCV."""

@_takes_sets
def remap(
    input: _Tensor, mapx: _Tensor, mapy: _Tensor, /, *, border_mode: str = 'constant', fill_value: _Floats = [],
    interp: _types.DALIInterpType = _types.DALIInterpType.INTERP_LINEAR, pixel_origin: str = 'corner',
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Looks pictures up at places that two maps say: result(x, y) = input(mapx(x, y), mapy(x, y)). The result has the maps' rows and columns. A place that is NaN lies outside, left of and above the picture."""

@_takes_sets
def warp_perspective(
    input: _Tensor, matrix_input: _Tensor | None = None, /, *, border_mode: str = 'constant', fill_value: _Floats = [],
    interp_type: _types.DALIInterpType = _types.DALIInterpType.INTERP_LINEAR, inverse_map: bool = True,
    matrix: _Floats | _Tensor = [], pixel_origin: str = 'corner', size: _Floats | _Tensor = [],
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Looks pictures up at the places that a homography says."""
