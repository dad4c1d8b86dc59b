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

def audio(
    encoded: _Tensor, /, *, downmix: bool = False, dtype: _types.DALIDataType = _types.DALIDataType.FLOAT,
    quality: float = 50.0, sample_rate: float | _Tensor = 0.0, device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None, preserve: bool = False,
) -> list[_DataNode]:
    """Decodes sound files with libsndfile: WAV, FLAC, Ogg with Vorbis or Opus, and MP3 from its version 1.1 on (`penstock doctor` tells which is there)."""

@_takes_sets
def image(
    encoded: _Tensor, /, *, adjust_orientation: bool = True, affine: bool | None = None,
    cache_batch_copy: bool | None = None, cache_debug: bool | None = None, cache_size: int | None = None,
    cache_threshold: int | None = None, cache_type: str | None = None, checkpoint_file: str = '', checkpoints: int = 0,
    decoder: str = 'auto', device_memory_padding: int | None = None, device_memory_padding_jpeg2k: int | None = None,
    dtype: _types.DALIDataType = _types.DALIDataType.UINT8, frames: str = 'first',
    host_memory_padding: int | None = None, host_memory_padding_jpeg2k: int | None = None, hw_decoder_load: float = 0.0,
    hybrid_huffman_threshold: int | None = None, jpeg_fancy_upsampling: bool | None = None,
    memory_stats: bool | None = None, output_type: _types.DALIImageType = _types.DALIImageType.RGB,
    preallocate_height_hint: int | None = None, preallocate_width_hint: int | None = None, rules: str = 'dali',
    split_stages: bool | None = None, use_chunk_allocator: bool | None = None, use_fast_idct: bool = False,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Decodes images: JPEG, PNG, TIFF, BMP, PNM, WebP, GIF, JPEG 2000, and AVIF and HEIF where libheif is installed. The format is told by the contents.

    A crop or slice that follows is pushed into the decoder, which then decodes only what is kept."""

@_takes_sets
def image_crop(
    encoded: _Tensor, /, *, adjust_orientation: bool = True, affine: bool | None = None, checkpoint_file: str = '',
    checkpoints: int = 0, crop: _Floats | _Tensor = [], crop_d: float | _Tensor | None = None,
    crop_h: float | _Tensor | None = None, crop_pos_x: float | _Tensor = 0.5, crop_pos_y: float | _Tensor = 0.5,
    crop_pos_z: float | _Tensor = 0.5, crop_w: float | _Tensor | None = None, decoder: str = 'auto',
    device_memory_padding: int | None = None, device_memory_padding_jpeg2k: int | None = None,
    dtype: _types.DALIDataType = _types.DALIDataType.UINT8, frames: str = 'first',
    host_memory_padding: int | None = None, host_memory_padding_jpeg2k: int | None = None, hw_decoder_load: float = 0.0,
    hybrid_huffman_threshold: int | None = None, jpeg_fancy_upsampling: bool | None = None,
    memory_stats: bool | None = None, output_type: _types.DALIImageType = _types.DALIImageType.RGB,
    preallocate_height_hint: int | None = None, preallocate_width_hint: int | None = None, rounding: str = 'round',
    rules: str = 'dali', split_stages: bool | None = None, use_chunk_allocator: bool | None = None,
    use_fast_idct: bool = False, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Decodes a window of fixed size of an image, without decoding what lies around it."""

@_takes_sets
def image_random_crop(
    encoded: _Tensor, /, *, adjust_orientation: bool = True, affine: bool | None = None, checkpoint_file: str = '',
    checkpoints: int = 0, decoder: str = 'auto', device_memory_padding: int | None = None,
    device_memory_padding_jpeg2k: int | None = None, dtype: _types.DALIDataType = _types.DALIDataType.UINT8,
    frames: str = 'first', host_memory_padding: int | None = None, host_memory_padding_jpeg2k: int | None = None,
    hw_decoder_load: float = 0.0, hybrid_huffman_threshold: int | None = None,
    jpeg_fancy_upsampling: bool | None = None, memory_stats: bool | None = None, num_attempts: int = 10,
    output_type: _types.DALIImageType = _types.DALIImageType.RGB, preallocate_height_hint: int | None = None,
    preallocate_width_hint: int | None = None, random_area: _Floats = [0.08, 1.0],
    random_aspect_ratio: _Floats = [0.75, 1.3333334], rules: str = 'dali', seed: int | None = None,
    split_stages: bool | None = None, use_chunk_allocator: bool | None = None, use_fast_idct: bool = False,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Decodes a window of random size, shape and place; the same seed gives the windows of `random_resized_crop`."""

@_takes_sets
def image_slice(
    encoded: _Tensor, anchor: _Tensor | None = None, shape_input: _Tensor | None = None, /, *,
    adjust_orientation: bool = True, affine: bool | None = None, axes: _Ints | _Tensor = [1, 0], axis_names: str = 'WH',
    checkpoint_file: str = '', checkpoints: int = 0, decoder: str = 'auto', device_memory_padding: int | None = None,
    device_memory_padding_jpeg2k: int | None = None, dtype: _types.DALIDataType = _types.DALIDataType.UINT8,
    end: _Ints | _Tensor = [], frames: str = 'first', host_memory_padding: int | None = None,
    host_memory_padding_jpeg2k: int | None = None, hw_decoder_load: float = 0.0,
    hybrid_huffman_threshold: int | None = None, jpeg_fancy_upsampling: bool | None = None,
    memory_stats: bool | None = None, normalized_anchor: bool = True, normalized_shape: bool = True,
    output_type: _types.DALIImageType = _types.DALIImageType.RGB, preallocate_height_hint: int | None = None,
    preallocate_width_hint: int | None = None, rel_end: _Floats | _Tensor = [], rel_shape: _Floats | _Tensor = [],
    rel_start: _Floats | _Tensor = [], rules: str = 'dali', shape: _Ints | _Tensor = [],
    split_stages: bool | None = None, start: _Ints | _Tensor = [], use_chunk_allocator: bool | None = None,
    use_fast_idct: bool = False, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Decodes the window of an image that `start`, `end` and `shape`, or two more inputs, describe."""

@_takes_sets
def numpy(
    encoded: _Tensor, /, *, dtype: _types.DALIDataType | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Decodes NumPy's files of one array (.npy). Arrays in Fortran order come in C order."""
