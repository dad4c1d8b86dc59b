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
def brightness(
    images: _Tensor, /, *, brightness: float | _Tensor = 1.0, brightness_shift: float | _Tensor = 0.0,
    dtype: _types.DALIDataType | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Changes the brightness: brightness_shift * range + brightness * x."""

@_takes_sets
def brightness_contrast(
    images: _Tensor, /, *, brightness: float | _Tensor = 1.0, brightness_shift: float | _Tensor = 0.0,
    contrast: float | _Tensor = 1.0, contrast_center: float | _Tensor | None = None,
    dtype: _types.DALIDataType | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Changes brightness and contrast: brightness_shift * range + brightness * (center + contrast * (x - center))."""

@_takes_sets
def clahe(
    input: _Tensor, /, *, clip_limit: float, tiles_x: int, tiles_y: int, bins: int = 256, luma_only: bool = True,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Equalizes the histogram of each tile of a picture, with a limit to how much that raises the contrast, and mixes the tiles' levels in between: OpenCV's CLAHE. Of RGB pictures the lightness of L*a*b* changes, unless `luma_only` is False."""

@_takes_sets
def color_space_conversion(
    images: _Tensor, /, *, image_type: _types.DALIImageType, output_type: _types.DALIImageType,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Converts between RGB, BGR, GRAY and YCbCr (BT.601, studio range)."""

@_takes_sets
def color_twist(
    images: _Tensor, /, *, brightness: float | _Tensor = 1.0, contrast: float | _Tensor = 1.0,
    dtype: _types.DALIDataType | None = None, hue: float | _Tensor = 0.0,
    image_type: _types.DALIImageType | None = None, saturation: float | _Tensor = 1.0,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Changes hue, saturation, brightness and contrast.

    A linear approximation in YIQ space, not a true HSV."""

@_takes_sets
def contrast(
    images: _Tensor, /, *, contrast: float | _Tensor = 1.0, contrast_center: float | _Tensor | None = None,
    dtype: _types.DALIDataType | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Changes the contrast: center + contrast * (x - center)."""

@_takes_sets
def debayer(
    input: _Tensor, /, *, blue_position: _Ints | _Tensor, algorithm: str = 'bilinear_ocv',
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Makes RGB pictures of what a sensor with a Bayer pattern saw: each missing colour is the mean of the two or four nearest elements that saw it, or of those along which little changes, as OpenCV's methods have it."""

@_takes_sets
def equalize(
    input: _Tensor, /, *, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Spreads the levels of each channel so that all are about equally frequent, for each picture or frame by itself, as OpenCV's equalizeHist does. A channel of one level stays as it is."""

@_takes_sets
def hsv(
    images: _Tensor, /, *, dtype: _types.DALIDataType = _types.DALIDataType.UINT8, hue: float | _Tensor = 0.0,
    image_type: _types.DALIImageType | None = None, saturation: float | _Tensor = 1.0, value: float | _Tensor = 1.0,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Changes hue, saturation and value.

    A linear approximation in YIQ space, not a true HSV."""

@_takes_sets
def hue(
    images: _Tensor, /, *, dtype: _types.DALIDataType | None = None, hue: float | _Tensor = 0.0,
    image_type: _types.DALIImageType | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Changes the hue.

    A linear approximation in YIQ space, not a true HSV."""

@_takes_sets
def lookup_table(
    keys_input: _Tensor, /, *, default_value: float = 0.0, dtype: _types.DALIDataType = _types.DALIDataType.FLOAT,
    keys: _Ints = [], values: _Floats = [], device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Replaces each element, a key, by its value in a table. Of keys that are given twice the last one counts."""

@_takes_sets
def saturation(
    images: _Tensor, /, *, dtype: _types.DALIDataType | None = None, image_type: _types.DALIImageType | None = None,
    saturation: float | _Tensor = 1.0, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Changes the saturation.

    A linear approximation in YIQ space, not a true HSV."""
