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
def crop(
    images: _Tensor, /, *, crop: _Floats | _Tensor = [], crop_d: float | _Tensor | None = None,
    crop_h: float | _Tensor | None = None, crop_pos_x: float | _Tensor = 0.5, crop_pos_y: float | _Tensor = 0.5,
    crop_pos_z: float | _Tensor = 0.5, crop_w: float | _Tensor | None = None, dtype: _types.DALIDataType | None = None,
    fill_values: _Floats = [0.0], image_type: _types.DALIImageType | None = None, out_of_bounds_policy: str = 'error',
    rounding: str = 'round', device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Cuts a window of fixed size out of each sample."""

@_takes_sets
def crop_mirror_normalize(
    images: _Tensor, /, *, crop: _Floats | _Tensor = [], crop_d: float | _Tensor | None = None,
    crop_h: float | _Tensor | None = None, crop_pos_x: float | _Tensor = 0.5, crop_pos_y: float | _Tensor = 0.5,
    crop_pos_z: float | _Tensor = 0.5, crop_w: float | _Tensor | None = None,
    dtype: _types.DALIDataType = _types.DALIDataType.FLOAT, fill_values: _Floats = [0.0],
    image_type: _types.DALIImageType | None = None, mean: _Floats | _Tensor = [0.0], mirror: int | _Tensor = 0,
    out_of_bounds_policy: str = 'error', output_layout: str = 'CHW', pad_output: bool = False, rounding: str = 'round',
    scale: float = 1.0, shift: float = 0.0, std: _Floats | _Tensor = [1.0],
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Crops, mirrors, normalizes and permutes images in one pass: scale * (x - mean) / std + shift.

    Without crop arguments the whole image is taken."""

@_takes_sets
def dump_image(
    data: _Tensor, /, *, folder: str = '.', input_layout: str | None = None, suffix: str = '',
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Writes each sample as a picture file, `<position in the batch>-<suffix>-<batch>.ppm`, and passes it on.

    For looking at what a pipeline makes. Batches that are made ahead are written ahead. A restored pipeline goes on with the numbers of its batches, and writes those again that it makes again."""

@_takes_sets
def erase(
    data: _Tensor, /, *, anchor: _Floats | _Tensor = [], axes: _Ints = [], axis_names: str = 'HW',
    centered_anchor: bool = False, fill_value: _Floats | _Tensor = [0.0], normalized: bool = False,
    normalized_anchor: bool | None = None, normalized_shape: bool | None = None, shape: _Floats | _Tensor = [],
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Fills one or more boxes of each sample. Boxes that stick out of a sample are cut down to it."""

@_takes_sets
def fast_resize_crop_mirror(
    images: _Tensor, /, *, antialias: bool = False, bytes_per_sample_hint: _Ints | None = None,
    crop: _Floats | _Tensor = [], crop_d: float | _Tensor | None = None, crop_h: float | _Tensor | None = None,
    crop_pos_x: float | _Tensor = 0.5, crop_pos_y: float | _Tensor = 0.5, crop_pos_z: float | _Tensor = 0.5,
    crop_w: float | _Tensor | None = None, dtype: _types.DALIDataType | None = None,
    interp_type: _types.DALIInterpType | _Tensor = _types.DALIInterpType.INTERP_LINEAR,
    mag_filter: _types.DALIInterpType | _Tensor | None = None, max_size: _Floats = [],
    min_filter: _types.DALIInterpType | _Tensor | None = None, minibatch_size: int | None = None,
    mirror: int | _Tensor = 0, mode: str = 'default', resize_longer: float | _Tensor = 0.0,
    resize_shorter: float | _Tensor = 0.0, resize_x: float | _Tensor = 0.0, resize_y: float | _Tensor = 0.0,
    resize_z: float | _Tensor = 0.0, roi_end: _Floats | _Tensor = [], roi_relative: bool = False,
    roi_start: _Floats | _Tensor = [], rounding: str = 'round', size: _Floats | _Tensor = [],
    subpixel_scale: bool = True, temp_buffer_hint: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """`resize_crop_mirror` without antialiasing, under DALI's older name."""

@_takes_sets
def flip(
    images: _Tensor, /, *, depthwise: int | _Tensor = 0, horizontal: int | _Tensor = 1, vertical: int | _Tensor = 0,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Mirrors images and volumes along any of their axes."""

@_takes_sets
def grid_mask(
    input: _Tensor, /, *, angle: float | _Tensor = 0.0, ratio: float | _Tensor = 0.5, shift_x: float | _Tensor = 0.0,
    shift_y: float | _Tensor = 0.0, tile: int | _Tensor = 100, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Clears the squares of a grid, a square a tile: a pixel becomes 0 where the fractions of its grid coordinates are less than `ratio`. All frames of a sequence have the same grid."""

@_takes_sets
def jpeg_compression_distortion(
    input: _Tensor, /, *, quality: int | _Tensor = 50, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Gives pictures the artefacts of JPEG: what comes out when libjpeg-turbo writes a file of that quality, with chroma of half the resolution, and it is read again."""

def multi_paste(
    *images: _Tensor, dtype: _types.DALIDataType | None = None, in_anchors: _Ints | _Tensor | None = None,
    in_anchors_rel: _Floats | _Tensor | None = None, in_ids: _Ints | _Tensor | None = None,
    out_anchors: _Ints | _Tensor | None = None, out_anchors_rel: _Floats | _Tensor | None = None,
    output_size: _Ints | _Tensor | None = None, shapes: _Ints | _Tensor | None = None,
    shapes_rel: _Floats | _Tensor | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Pastes regions of several pictures onto each canvas, one over the other: of samples of a batch that `in_ids` names, or of the samples at the same place of several inputs. What nothing is pasted on is 0."""

@_takes_sets
def paste(
    images: _Tensor, /, *, fill_value: _Floats, ratio: float | _Tensor, min_canvas_size: float | _Tensor = 0.0,
    n_channels: int = 3, paste_x: float | _Tensor = 0.5, paste_y: float | _Tensor = 0.5,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Lays each picture on a larger canvas of one colour."""

def random_crop_generator(
    shape: _Tensor, /, *, num_attempts: int = 10, random_area: _Floats = [0.08, 1.0],
    random_aspect_ratio: _Floats = [0.75, 1.3333334], seed: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> list[_DataNode]:
    """Draws a random window of a picture, for `slice` or `decoders.image_slice`. With the same seed `random_resized_crop` and `decoders.image_random_crop` cut the same windows."""

@_takes_sets
def random_resized_crop(
    images: _Tensor, /, *, size: _Ints, antialias: bool = True, bytes_per_sample_hint: _Ints | None = None,
    dtype: _types.DALIDataType | None = None,
    interp_type: _types.DALIInterpType | _Tensor = _types.DALIInterpType.INTERP_LINEAR,
    mag_filter: _types.DALIInterpType | _Tensor | None = None,
    min_filter: _types.DALIInterpType | _Tensor | None = None, minibatch_size: int | None = None,
    num_attempts: int = 10, random_area: _Floats = [0.08, 1.0], random_aspect_ratio: _Floats = [0.75, 1.3333334],
    seed: int | None = None, temp_buffer_hint: int | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Resizes a random window of the image to a fixed size. All frames of a sequence share the window. With the same seed `decoders.image_random_crop` cuts the same windows."""

def resize(
    data: _Tensor, /, *, antialias: bool = True, bytes_per_sample_hint: _Ints | None = None,
    dtype: _types.DALIDataType | None = None, image_type: _types.DALIImageType | None = None,
    interp_type: _types.DALIInterpType | _Tensor = _types.DALIInterpType.INTERP_LINEAR,
    mag_filter: _types.DALIInterpType | _Tensor | None = None, max_size: _Floats = [],
    min_filter: _types.DALIInterpType | _Tensor | None = None, minibatch_size: int | None = None, mode: str = 'default',
    resize_longer: float | _Tensor = 0.0, resize_shorter: float | _Tensor = 0.0, resize_x: float | _Tensor = 0.0,
    resize_y: float | _Tensor = 0.0, resize_z: float | _Tensor = 0.0, roi_end: _Floats | _Tensor = [],
    roi_relative: bool = False, roi_start: _Floats | _Tensor = [], save_attrs: bool = False,
    size: _Floats | _Tensor = [], subpixel_scale: bool = True, temp_buffer_hint: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _Any:
    """Resizes images, volumes, or every frame of a sequence. The size is given in one of four ways: `size`; `resize_x`, `resize_y` and `resize_z`; `resize_shorter`; `resize_longer`."""

@_takes_sets
def resize_crop_mirror(
    images: _Tensor, /, *, antialias: bool = True, bytes_per_sample_hint: _Ints | None = None,
    crop: _Floats | _Tensor = [], crop_d: float | _Tensor | None = None, crop_h: float | _Tensor | None = None,
    crop_pos_x: float | _Tensor = 0.5, crop_pos_y: float | _Tensor = 0.5, crop_pos_z: float | _Tensor = 0.5,
    crop_w: float | _Tensor | None = None, dtype: _types.DALIDataType | None = None,
    interp_type: _types.DALIInterpType | _Tensor = _types.DALIInterpType.INTERP_LINEAR,
    mag_filter: _types.DALIInterpType | _Tensor | None = None, max_size: _Floats = [],
    min_filter: _types.DALIInterpType | _Tensor | None = None, minibatch_size: int | None = None,
    mirror: int | _Tensor = 0, mode: str = 'default', resize_longer: float | _Tensor = 0.0,
    resize_shorter: float | _Tensor = 0.0, resize_x: float | _Tensor = 0.0, resize_y: float | _Tensor = 0.0,
    resize_z: float | _Tensor = 0.0, roi_end: _Floats | _Tensor = [], roi_relative: bool = False,
    roi_start: _Floats | _Tensor = [], rounding: str = 'round', size: _Floats | _Tensor = [],
    subpixel_scale: bool = True, temp_buffer_hint: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Resizes, cuts a window out of the result and turns it around; only the window is computed. A window larger than the resized image repeats the image's border."""

@_takes_sets
def slice(
    data: _Tensor, anchor: _Tensor | None = None, shape_input: _Tensor | None = None, /, *,
    axes: _Ints | _Tensor = [1, 0], axis_names: str = 'WH', dtype: _types.DALIDataType | None = None,
    end: _Ints | _Tensor = [], fill_values: _Floats = [0.0], image_type: _types.DALIImageType | None = None,
    normalized_anchor: bool = True, normalized_shape: bool = True, out_of_bounds_policy: str = 'error',
    rel_end: _Floats | _Tensor = [], rel_shape: _Floats | _Tensor = [], rel_start: _Floats | _Tensor = [],
    shape: _Ints | _Tensor = [], start: _Ints | _Tensor = [], device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Cuts a window out of each sample: given by `start`, `end` and `shape`, or by two more inputs."""
