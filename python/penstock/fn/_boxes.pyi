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
def bb_flip(
    boxes: _Tensor, /, *, check_boxes: bool = True, horizontal: int | _Tensor = 1, ltrb: bool = False,
    vertical: int | _Tensor = 0, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Flips boxes as their picture is flipped. Coordinates are parts of the picture's extents."""

@_takes_sets
def bbox_paste(
    boxes: _Tensor, /, *, ratio: float | _Tensor, check_boxes: bool = True, ltrb: bool = False,
    paste_x: float | _Tensor = 0.5, paste_y: float | _Tensor = 0.5,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Moves boxes to where `paste` lays their picture on a larger canvas; give it the same arguments."""

def bbox_rotate(
    boxes: _Tensor, labels: _Tensor | None = None, /, *, angle: float | _Tensor, input_shape: _Ints | _Tensor,
    bbox_layout: str = 'xyXY', bbox_normalized: bool = True, check_boxes: bool = True, keep_size: bool = False,
    mode: str = 'expand', remove_threshold: float = 0.1, shape_layout: str = 'HW', size: _Floats | _Tensor = [],
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _Any:
    """Moves boxes to where `rotate` brings what they hold; give it the same `angle`, `keep_size` and `size`, and the shape of the picture before. Boxes of which too little stays on the canvas are left out."""

def box_encoder(
    boxes: _Tensor, labels: _Tensor, /, *, anchors: _Floats, check_boxes: bool = True, criteria: float = 0.5,
    means: _Floats = [0.0, 0.0, 0.0, 0.0], offset: bool = False, scale: float = 1.0,
    stds: _Floats = [1.0, 1.0, 1.0, 1.0], device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> list[_DataNode]:
    """Gives each anchor a box, as SSD's training wants it: to the anchor that shares most with a box that box, to each other one the box that it shares most with, if that is more than `criteria` of both together. Of boxes and anchors that share as much the last one counts."""

@_takes_sets
def coord_flip(
    points: _Tensor, /, *, center_x: float | _Tensor = 0.5, center_y: float | _Tensor = 0.5,
    center_z: float | _Tensor = 0.5, flip_x: int | _Tensor = 1, flip_y: int | _Tensor = 0, flip_z: int | _Tensor = 0,
    layout: str = '', device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Reflects points at a centre, as their picture or volume is flipped."""

@_takes_sets
def coord_transform(
    points: _Tensor, /, *, M: _Floats | _Tensor | None = None, MT: _Floats | _Tensor | None = None,
    T: _Floats | _Tensor | None = None, dtype: _types.DALIDataType = _types.DALIDataType.FLOAT,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Maps points, vectors or colours by a matrix and an offset: M x + T."""

def random_bbox_crop(
    boxes: _Tensor, labels: _Tensor | None = None, /, *, all_boxes_above_threshold: bool = True,
    allow_no_crop: bool = True, aspect_ratio: _Floats = [1.0, 1.0], bbox_layout: str = '',
    bbox_prune_threshold: float | None = None, check_boxes: bool = True, clamp_boxes: bool = False,
    crop_shape: _Ints | _Tensor | None = None, input_shape: _Ints | _Tensor | None = None, ltrb: bool = True,
    num_attempts: int = 1, output_bbox_indices: bool = False, quiet: bool | None = None, scaling: _Floats = [1.0, 1.0],
    seed: int | None = None, shape_layout: str = '', threshold_type: str = 'iou', thresholds: _Floats = [0.0],
    total_num_attempts: int | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _Any:
    """Draws windows until one shows enough of the boxes on a picture, and tells the boxes in it. `slice` cuts the picture."""

def ssd_random_crop(
    images: _Tensor, boxes: _Tensor, labels: _Tensor, /, *, check_boxes: bool = True, clamp_boxes: bool = False,
    num_attempts: int = 1, seed: int | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> list[_DataNode]:
    """Cuts pictures as SSD's training does: to a random window that shares at least 0, 0.1, 0.3, 0.5, 0.7 or 0.9 (drawn per sample) with each box in parts of both together, or not at all. `random_bbox_crop` is told more."""
