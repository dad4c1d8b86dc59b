# Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
from collections.abc import Sequence as _Sequence
from typing import Any as _Any
from typing import Literal as _Literal

from numpy.typing import ArrayLike as _ArrayLike

from penstock import types as _types
from penstock.data_node import DataNode as _DataNode
from penstock.external_source import external_source as external_source
from penstock.python_function import python_function as python_function
from penstock.python_function import dl_tensor_python_function as dl_tensor_python_function

def _shape(
    data: _DataNode | _ArrayLike,
    /,
    *,
    dtype: _types.DALIDataType = _types.DALIDataType.INT64,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """The shape of each sample."""

def batch_permutation(
    *,
    allow_repetitions: bool = False,
    no_fixed_points: bool = False,
    seed: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """A random order of the samples of a batch, for `permute_batch`."""

def brightness(
    images: _DataNode | _ArrayLike,
    /,
    *,
    brightness: float | _DataNode | _ArrayLike = 1.0,
    brightness_shift: float | _DataNode | _ArrayLike = 0.0,
    dtype: _types.DALIDataType | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Changes the brightness: brightness_shift * range + brightness * x."""

def brightness_contrast(
    images: _DataNode | _ArrayLike,
    /,
    *,
    brightness: float | _DataNode | _ArrayLike = 1.0,
    brightness_shift: float | _DataNode | _ArrayLike = 0.0,
    contrast: float | _DataNode | _ArrayLike = 1.0,
    contrast_center: float | _DataNode | _ArrayLike | None = None,
    dtype: _types.DALIDataType | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Changes brightness and contrast: brightness_shift * range + brightness * (center + contrast * (x - center))."""

def caffe2_reader(
    *,
    path: _Sequence[str] | str,
    additional_inputs: int = 0,
    bbox: bool = False,
    dont_use_mmap: bool | None = None,
    epoch_end: str = '',
    image_available: bool = True,
    initial_fill: int | None = None,
    label_type: int = 0,
    lazy_init: bool = False,
    num_labels: int = 1,
    num_shards: int = 1,
    pad_last_batch: bool = False,
    prefetch_queue_depth: int | None = None,
    random_shuffle: bool = False,
    read_ahead: bool | None = None,
    seed: int | None = None,
    shard_id: int = 0,
    shuffle_after_epoch: bool = False,
    shuffle_after_epoch_seed: int | None = None,
    skip_cached_images: bool | None = None,
    stick_to_shard: bool = False,
    tensor_init_bytes: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _Any:
    """Reads Caffe2 LMDB databases: images, encoded or as pixels, with labels. The images stay where they are in the mapped file until a decoder reads them."""

def caffe_reader(
    *,
    path: _Sequence[str] | str,
    dont_use_mmap: bool | None = None,
    epoch_end: str = '',
    image_available: bool = True,
    initial_fill: int | None = None,
    label_available: bool = True,
    lazy_init: bool = False,
    num_shards: int = 1,
    pad_last_batch: bool = False,
    prefetch_queue_depth: int | None = None,
    random_shuffle: bool = False,
    read_ahead: bool | None = None,
    seed: int | None = None,
    shard_id: int = 0,
    shuffle_after_epoch: bool = False,
    shuffle_after_epoch_seed: int | None = None,
    skip_cached_images: bool | None = None,
    stick_to_shard: bool = False,
    tensor_init_bytes: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _Any:
    """Reads Caffe LMDB databases: images, encoded or as pixels, with a label. The images stay where they are in the mapped file until a decoder reads them."""

def cast(
    data: _DataNode | _ArrayLike,
    /,
    *,
    dtype: _types.DALIDataType,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Converts to another type: rounds to nearest, halves away from zero, and clamps to the range of the type."""

def cast_like(
    data: _DataNode | _ArrayLike,
    dtype_source: _DataNode | _ArrayLike,
    /,
    *,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Converts to the type of another tensor, as `cast` does."""

def cat(
    *input: _DataNode | _ArrayLike,
    axis: int = 0,
    axis_name: str | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Joins tensors along an axis that they have."""

def coin_flip(
    shape_like: _DataNode | _ArrayLike | None = None,
    /,
    *,
    dtype: _types.DALIDataType | None = None,
    probability: float | _DataNode | _ArrayLike = 0.5,
    seed: int | None = None,
    shape: _Sequence[int] | int | _DataNode | _ArrayLike | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Gives 1 with a probability, else 0."""

def color_space_conversion(
    images: _DataNode | _ArrayLike,
    /,
    *,
    image_type: _types.DALIImageType,
    output_type: _types.DALIImageType,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Converts between RGB, BGR, GRAY and YCbCr (BT.601, studio range)."""

def color_twist(
    images: _DataNode | _ArrayLike,
    /,
    *,
    brightness: float | _DataNode | _ArrayLike = 1.0,
    contrast: float | _DataNode | _ArrayLike = 1.0,
    dtype: _types.DALIDataType | None = None,
    hue: float | _DataNode | _ArrayLike = 0.0,
    image_type: _types.DALIImageType | None = None,
    saturation: float | _DataNode | _ArrayLike = 1.0,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Changes hue, saturation, brightness and contrast.

    A linear approximation in YIQ space, not a true HSV."""

def contrast(
    images: _DataNode | _ArrayLike,
    /,
    *,
    contrast: float | _DataNode | _ArrayLike = 1.0,
    contrast_center: float | _DataNode | _ArrayLike | None = None,
    dtype: _types.DALIDataType | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Changes the contrast: center + contrast * (x - center)."""

def copy(
    data: _DataNode | _ArrayLike,
    /,
    *,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Copies the data."""

def crop(
    images: _DataNode | _ArrayLike,
    /,
    *,
    crop: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    crop_d: float | _DataNode | _ArrayLike | None = None,
    crop_h: float | _DataNode | _ArrayLike | None = None,
    crop_pos_x: float | _DataNode | _ArrayLike = 0.5,
    crop_pos_y: float | _DataNode | _ArrayLike = 0.5,
    crop_pos_z: float | _DataNode | _ArrayLike = 0.5,
    crop_w: float | _DataNode | _ArrayLike | None = None,
    dtype: _types.DALIDataType | None = None,
    fill_values: _Sequence[float] | float = [0.0],
    image_type: _types.DALIImageType | None = None,
    out_of_bounds_policy: str = 'error',
    rounding: str = 'round',
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Cuts a window of fixed size out of each sample."""

def crop_mirror_normalize(
    images: _DataNode | _ArrayLike,
    /,
    *,
    crop: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    crop_d: float | _DataNode | _ArrayLike | None = None,
    crop_h: float | _DataNode | _ArrayLike | None = None,
    crop_pos_x: float | _DataNode | _ArrayLike = 0.5,
    crop_pos_y: float | _DataNode | _ArrayLike = 0.5,
    crop_pos_z: float | _DataNode | _ArrayLike = 0.5,
    crop_w: float | _DataNode | _ArrayLike | None = None,
    dtype: _types.DALIDataType = _types.DALIDataType.FLOAT,
    fill_values: _Sequence[float] | float = [0.0],
    image_type: _types.DALIImageType | None = None,
    mean: _Sequence[float] | float | _DataNode | _ArrayLike = [0.0],
    mirror: int | _DataNode | _ArrayLike = 0,
    out_of_bounds_policy: str = 'error',
    output_layout: str = 'CHW',
    pad_output: bool = False,
    rounding: str = 'round',
    scale: float = 1.0,
    shift: float = 0.0,
    std: _Sequence[float] | float | _DataNode | _ArrayLike = [1.0],
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Crops, mirrors, normalizes and permutes images in one pass: scale * (x - mean) / std + shift.

    Without crop arguments the whole image is taken."""

class decoders:
    @staticmethod
    def image(
        encoded: _DataNode | _ArrayLike,
        /,
        *,
        adjust_orientation: bool = True,
        affine: bool | None = None,
        cache_batch_copy: bool | None = None,
        cache_debug: bool | None = None,
        cache_size: int | None = None,
        cache_threshold: int | None = None,
        cache_type: str | None = None,
        device_memory_padding: int | None = None,
        device_memory_padding_jpeg2k: int | None = None,
        dtype: _types.DALIDataType = _types.DALIDataType.UINT8,
        host_memory_padding: int | None = None,
        host_memory_padding_jpeg2k: int | None = None,
        hw_decoder_load: float | None = None,
        hybrid_huffman_threshold: int | None = None,
        jpeg_fancy_upsampling: bool | None = None,
        memory_stats: bool | None = None,
        output_type: _types.DALIImageType = _types.DALIImageType.RGB,
        preallocate_height_hint: int | None = None,
        preallocate_width_hint: int | None = None,
        split_stages: bool | None = None,
        use_chunk_allocator: bool | None = None,
        use_fast_idct: bool = False,
        device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
        name: str | None = None,
        preserve: bool = False,
    ) -> _DataNode:
        """Decodes images: JPEG, PNG, TIFF, BMP, PNM, WebP. The format is told by the contents.

        A crop or slice that follows is pushed into the decoder, which then decodes only what is kept."""

    @staticmethod
    def image_crop(
        encoded: _DataNode | _ArrayLike,
        /,
        *,
        adjust_orientation: bool = True,
        affine: bool | None = None,
        crop: _Sequence[float] | float | _DataNode | _ArrayLike = [],
        crop_d: float | _DataNode | _ArrayLike | None = None,
        crop_h: float | _DataNode | _ArrayLike | None = None,
        crop_pos_x: float | _DataNode | _ArrayLike = 0.5,
        crop_pos_y: float | _DataNode | _ArrayLike = 0.5,
        crop_pos_z: float | _DataNode | _ArrayLike = 0.5,
        crop_w: float | _DataNode | _ArrayLike | None = None,
        device_memory_padding: int | None = None,
        device_memory_padding_jpeg2k: int | None = None,
        dtype: _types.DALIDataType = _types.DALIDataType.UINT8,
        host_memory_padding: int | None = None,
        host_memory_padding_jpeg2k: int | None = None,
        hw_decoder_load: float | None = None,
        hybrid_huffman_threshold: int | None = None,
        jpeg_fancy_upsampling: bool | None = None,
        memory_stats: bool | None = None,
        output_type: _types.DALIImageType = _types.DALIImageType.RGB,
        preallocate_height_hint: int | None = None,
        preallocate_width_hint: int | None = None,
        rounding: str = 'round',
        split_stages: bool | None = None,
        use_chunk_allocator: bool | None = None,
        use_fast_idct: bool = False,
        device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
        name: str | None = None,
        preserve: bool = False,
    ) -> _DataNode:
        """Decodes a window of fixed size of an image, without decoding what lies around it."""

    @staticmethod
    def image_random_crop(
        encoded: _DataNode | _ArrayLike,
        /,
        *,
        adjust_orientation: bool = True,
        affine: bool | None = None,
        device_memory_padding: int | None = None,
        device_memory_padding_jpeg2k: int | None = None,
        dtype: _types.DALIDataType = _types.DALIDataType.UINT8,
        host_memory_padding: int | None = None,
        host_memory_padding_jpeg2k: int | None = None,
        hw_decoder_load: float | None = None,
        hybrid_huffman_threshold: int | None = None,
        jpeg_fancy_upsampling: bool | None = None,
        memory_stats: bool | None = None,
        num_attempts: int = 10,
        output_type: _types.DALIImageType = _types.DALIImageType.RGB,
        preallocate_height_hint: int | None = None,
        preallocate_width_hint: int | None = None,
        random_area: _Sequence[float] | float = [0.08, 1.0],
        random_aspect_ratio: _Sequence[float] | float = [0.75, 1.3333334],
        seed: int | None = None,
        split_stages: bool | None = None,
        use_chunk_allocator: bool | None = None,
        use_fast_idct: bool = False,
        device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
        name: str | None = None,
        preserve: bool = False,
    ) -> _DataNode:
        """Decodes a window of random size, shape and place; the same seed gives the windows of `random_resized_crop`."""

    @staticmethod
    def image_slice(
        encoded: _DataNode | _ArrayLike,
        anchor: _DataNode | _ArrayLike | None = None,
        shape_input: _DataNode | _ArrayLike | None = None,
        /,
        *,
        adjust_orientation: bool = True,
        affine: bool | None = None,
        axes: _Sequence[int] | int | _DataNode | _ArrayLike = [1, 0],
        axis_names: str = 'WH',
        device_memory_padding: int | None = None,
        device_memory_padding_jpeg2k: int | None = None,
        dtype: _types.DALIDataType = _types.DALIDataType.UINT8,
        end: _Sequence[int] | int | _DataNode | _ArrayLike = [],
        host_memory_padding: int | None = None,
        host_memory_padding_jpeg2k: int | None = None,
        hw_decoder_load: float | None = None,
        hybrid_huffman_threshold: int | None = None,
        jpeg_fancy_upsampling: bool | None = None,
        memory_stats: bool | None = None,
        normalized_anchor: bool = True,
        normalized_shape: bool = True,
        output_type: _types.DALIImageType = _types.DALIImageType.RGB,
        preallocate_height_hint: int | None = None,
        preallocate_width_hint: int | None = None,
        rel_end: _Sequence[float] | float | _DataNode | _ArrayLike = [],
        rel_shape: _Sequence[float] | float | _DataNode | _ArrayLike = [],
        rel_start: _Sequence[float] | float | _DataNode | _ArrayLike = [],
        shape: _Sequence[int] | int | _DataNode | _ArrayLike = [],
        split_stages: bool | None = None,
        start: _Sequence[int] | int | _DataNode | _ArrayLike = [],
        use_chunk_allocator: bool | None = None,
        use_fast_idct: bool = False,
        device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
        name: str | None = None,
        preserve: bool = False,
    ) -> _DataNode:
        """Decodes the window of an image that `start`, `end` and `shape`, or two more inputs, describe."""

def expand_dims(
    data: _DataNode | _ArrayLike,
    /,
    *,
    axes: _Sequence[int] | int,
    new_axis_names: str = '',
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Inserts axes of extent 1 without touching the data."""

class experimental:
    class decoders:
        @staticmethod
        def image(
            encoded: _DataNode | _ArrayLike,
            /,
            *,
            adjust_orientation: bool = True,
            affine: bool | None = None,
            cache_batch_copy: bool | None = None,
            cache_debug: bool | None = None,
            cache_size: int | None = None,
            cache_threshold: int | None = None,
            cache_type: str | None = None,
            device_memory_padding: int | None = None,
            device_memory_padding_jpeg2k: int | None = None,
            dtype: _types.DALIDataType = _types.DALIDataType.UINT8,
            host_memory_padding: int | None = None,
            host_memory_padding_jpeg2k: int | None = None,
            hw_decoder_load: float | None = None,
            hybrid_huffman_threshold: int | None = None,
            jpeg_fancy_upsampling: bool | None = None,
            memory_stats: bool | None = None,
            output_type: _types.DALIImageType = _types.DALIImageType.RGB,
            preallocate_height_hint: int | None = None,
            preallocate_width_hint: int | None = None,
            split_stages: bool | None = None,
            use_chunk_allocator: bool | None = None,
            use_fast_idct: bool = False,
            device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
            name: str | None = None,
            preserve: bool = False,
        ) -> _DataNode:
            """Decodes images: JPEG, PNG, TIFF, BMP, PNM, WebP. The format is told by the contents.

            A crop or slice that follows is pushed into the decoder, which then decodes only what is kept."""

        @staticmethod
        def image_crop(
            encoded: _DataNode | _ArrayLike,
            /,
            *,
            adjust_orientation: bool = True,
            affine: bool | None = None,
            crop: _Sequence[float] | float | _DataNode | _ArrayLike = [],
            crop_d: float | _DataNode | _ArrayLike | None = None,
            crop_h: float | _DataNode | _ArrayLike | None = None,
            crop_pos_x: float | _DataNode | _ArrayLike = 0.5,
            crop_pos_y: float | _DataNode | _ArrayLike = 0.5,
            crop_pos_z: float | _DataNode | _ArrayLike = 0.5,
            crop_w: float | _DataNode | _ArrayLike | None = None,
            device_memory_padding: int | None = None,
            device_memory_padding_jpeg2k: int | None = None,
            dtype: _types.DALIDataType = _types.DALIDataType.UINT8,
            host_memory_padding: int | None = None,
            host_memory_padding_jpeg2k: int | None = None,
            hw_decoder_load: float | None = None,
            hybrid_huffman_threshold: int | None = None,
            jpeg_fancy_upsampling: bool | None = None,
            memory_stats: bool | None = None,
            output_type: _types.DALIImageType = _types.DALIImageType.RGB,
            preallocate_height_hint: int | None = None,
            preallocate_width_hint: int | None = None,
            rounding: str = 'round',
            split_stages: bool | None = None,
            use_chunk_allocator: bool | None = None,
            use_fast_idct: bool = False,
            device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
            name: str | None = None,
            preserve: bool = False,
        ) -> _DataNode:
            """Decodes a window of fixed size of an image, without decoding what lies around it."""

        @staticmethod
        def image_random_crop(
            encoded: _DataNode | _ArrayLike,
            /,
            *,
            adjust_orientation: bool = True,
            affine: bool | None = None,
            device_memory_padding: int | None = None,
            device_memory_padding_jpeg2k: int | None = None,
            dtype: _types.DALIDataType = _types.DALIDataType.UINT8,
            host_memory_padding: int | None = None,
            host_memory_padding_jpeg2k: int | None = None,
            hw_decoder_load: float | None = None,
            hybrid_huffman_threshold: int | None = None,
            jpeg_fancy_upsampling: bool | None = None,
            memory_stats: bool | None = None,
            num_attempts: int = 10,
            output_type: _types.DALIImageType = _types.DALIImageType.RGB,
            preallocate_height_hint: int | None = None,
            preallocate_width_hint: int | None = None,
            random_area: _Sequence[float] | float = [0.08, 1.0],
            random_aspect_ratio: _Sequence[float] | float = [0.75, 1.3333334],
            seed: int | None = None,
            split_stages: bool | None = None,
            use_chunk_allocator: bool | None = None,
            use_fast_idct: bool = False,
            device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
            name: str | None = None,
            preserve: bool = False,
        ) -> _DataNode:
            """Decodes a window of random size, shape and place; the same seed gives the windows of `random_resized_crop`."""

        @staticmethod
        def image_slice(
            encoded: _DataNode | _ArrayLike,
            anchor: _DataNode | _ArrayLike | None = None,
            shape_input: _DataNode | _ArrayLike | None = None,
            /,
            *,
            adjust_orientation: bool = True,
            affine: bool | None = None,
            axes: _Sequence[int] | int | _DataNode | _ArrayLike = [1, 0],
            axis_names: str = 'WH',
            device_memory_padding: int | None = None,
            device_memory_padding_jpeg2k: int | None = None,
            dtype: _types.DALIDataType = _types.DALIDataType.UINT8,
            end: _Sequence[int] | int | _DataNode | _ArrayLike = [],
            host_memory_padding: int | None = None,
            host_memory_padding_jpeg2k: int | None = None,
            hw_decoder_load: float | None = None,
            hybrid_huffman_threshold: int | None = None,
            jpeg_fancy_upsampling: bool | None = None,
            memory_stats: bool | None = None,
            normalized_anchor: bool = True,
            normalized_shape: bool = True,
            output_type: _types.DALIImageType = _types.DALIImageType.RGB,
            preallocate_height_hint: int | None = None,
            preallocate_width_hint: int | None = None,
            rel_end: _Sequence[float] | float | _DataNode | _ArrayLike = [],
            rel_shape: _Sequence[float] | float | _DataNode | _ArrayLike = [],
            rel_start: _Sequence[float] | float | _DataNode | _ArrayLike = [],
            shape: _Sequence[int] | int | _DataNode | _ArrayLike = [],
            split_stages: bool | None = None,
            start: _Sequence[int] | int | _DataNode | _ArrayLike = [],
            use_chunk_allocator: bool | None = None,
            use_fast_idct: bool = False,
            device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
            name: str | None = None,
            preserve: bool = False,
        ) -> _DataNode:
            """Decodes the window of an image that `start`, `end` and `shape`, or two more inputs, describe."""

    @staticmethod
    def peek_image_shape(
        encoded: _DataNode | _ArrayLike,
        /,
        *,
        adjust_orientation: bool = True,
        dtype: _types.DALIDataType = _types.DALIDataType.INT64,
        image_type: _types.DALIImageType = _types.DALIImageType.RGB,
        device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
        name: str | None = None,
        preserve: bool = False,
    ) -> _DataNode:
        """The shape that an encoded image will have once decoded, from its header alone."""

def fast_resize_crop_mirror(
    images: _DataNode | _ArrayLike,
    /,
    *,
    antialias: bool = False,
    bytes_per_sample_hint: _Sequence[int] | int | None = None,
    crop: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    crop_d: float | _DataNode | _ArrayLike | None = None,
    crop_h: float | _DataNode | _ArrayLike | None = None,
    crop_pos_x: float | _DataNode | _ArrayLike = 0.5,
    crop_pos_y: float | _DataNode | _ArrayLike = 0.5,
    crop_pos_z: float | _DataNode | _ArrayLike = 0.5,
    crop_w: float | _DataNode | _ArrayLike | None = None,
    dtype: _types.DALIDataType | None = None,
    interp_type: _types.DALIInterpType | _DataNode | _ArrayLike = _types.DALIInterpType.INTERP_LINEAR,
    mag_filter: _types.DALIInterpType | _DataNode | _ArrayLike | None = None,
    max_size: _Sequence[float] | float = [],
    min_filter: _types.DALIInterpType | _DataNode | _ArrayLike | None = None,
    minibatch_size: int | None = None,
    mirror: int | _DataNode | _ArrayLike = 0,
    mode: str = 'default',
    resize_longer: float | _DataNode | _ArrayLike = 0.0,
    resize_shorter: float | _DataNode | _ArrayLike = 0.0,
    resize_x: float | _DataNode | _ArrayLike = 0.0,
    resize_y: float | _DataNode | _ArrayLike = 0.0,
    resize_z: float | _DataNode | _ArrayLike = 0.0,
    roi_end: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    roi_relative: bool = False,
    roi_start: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    rounding: str = 'round',
    size: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    subpixel_scale: bool = True,
    temp_buffer_hint: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """`resize_crop_mirror` without antialiasing, under DALI's older name."""

def file_reader(
    *,
    case_sensitive_filter: bool = False,
    dir_filters: _Sequence[str] | str = ['*'],
    dont_use_mmap: bool | None = None,
    epoch_end: str = '',
    file_filters: _Sequence[str] | str = ['*.jpg', '*.jpeg', '*.png', '*.bmp', '*.tif', '*.tiff', '*.pnm', '*.ppm', '*.pgm', '*.pbm', '*.jp2', '*.webp', '*.flac', '*.ogg', '*.wav'],
    file_list: str | None = None,
    file_root: str | None = None,
    files: _Sequence[str] | str | None = None,
    initial_fill: int | None = None,
    labels: _Sequence[int] | int | None = None,
    lazy_init: bool = False,
    num_shards: int = 1,
    pad_last_batch: bool = False,
    prefetch_queue_depth: int | None = None,
    random_shuffle: bool = False,
    read_ahead: bool | None = None,
    seed: int | None = None,
    shard_id: int = 0,
    shuffle_after_epoch: bool = False,
    shuffle_after_epoch_seed: int | None = None,
    skip_cached_images: bool | None = None,
    stick_to_shard: bool = False,
    tensor_init_bytes: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> list[_DataNode]:
    """Reads files as they are, with a label for each. The files are those below a directory, those named in a list file, or those given."""

def flip(
    images: _DataNode | _ArrayLike,
    /,
    *,
    depthwise: int | _DataNode | _ArrayLike = 0,
    horizontal: int | _DataNode | _ArrayLike = 1,
    vertical: int | _DataNode | _ArrayLike = 0,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Mirrors images and volumes along any of their axes."""

def full(
    fill_value: _DataNode | _ArrayLike,
    /,
    *,
    layout: str | None = None,
    shape: _Sequence[int] | int | _DataNode | _ArrayLike | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """A tensor filled with a value, repeated by the rules of broadcasting."""

def full_like(
    data_like: _DataNode | _ArrayLike,
    fill_value: _DataNode | _ArrayLike,
    /,
    *,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """A tensor of the shape, type and layout of another, filled with a value."""

def get_property(
    data: _DataNode | _ArrayLike,
    /,
    *,
    key: str,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """What is known about a sample besides its data, as the bytes of a text."""

def hsv(
    images: _DataNode | _ArrayLike,
    /,
    *,
    dtype: _types.DALIDataType = _types.DALIDataType.UINT8,
    hue: float | _DataNode | _ArrayLike = 0.0,
    image_type: _types.DALIImageType | None = None,
    saturation: float | _DataNode | _ArrayLike = 1.0,
    value: float | _DataNode | _ArrayLike = 1.0,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Changes hue, saturation and value.

    A linear approximation in YIQ space, not a true HSV."""

def hue(
    images: _DataNode | _ArrayLike,
    /,
    *,
    dtype: _types.DALIDataType | None = None,
    hue: float | _DataNode | _ArrayLike = 0.0,
    image_type: _types.DALIImageType | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Changes the hue.

    A linear approximation in YIQ space, not a true HSV."""

def image_decoder(
    encoded: _DataNode | _ArrayLike,
    /,
    *,
    adjust_orientation: bool = True,
    affine: bool | None = None,
    cache_batch_copy: bool | None = None,
    cache_debug: bool | None = None,
    cache_size: int | None = None,
    cache_threshold: int | None = None,
    cache_type: str | None = None,
    device_memory_padding: int | None = None,
    device_memory_padding_jpeg2k: int | None = None,
    dtype: _types.DALIDataType = _types.DALIDataType.UINT8,
    host_memory_padding: int | None = None,
    host_memory_padding_jpeg2k: int | None = None,
    hw_decoder_load: float | None = None,
    hybrid_huffman_threshold: int | None = None,
    jpeg_fancy_upsampling: bool | None = None,
    memory_stats: bool | None = None,
    output_type: _types.DALIImageType = _types.DALIImageType.RGB,
    preallocate_height_hint: int | None = None,
    preallocate_width_hint: int | None = None,
    split_stages: bool | None = None,
    use_chunk_allocator: bool | None = None,
    use_fast_idct: bool = False,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Decodes images: JPEG, PNG, TIFF, BMP, PNM, WebP. The format is told by the contents.

    A crop or slice that follows is pushed into the decoder, which then decodes only what is kept."""

def image_decoder_crop(
    encoded: _DataNode | _ArrayLike,
    /,
    *,
    adjust_orientation: bool = True,
    affine: bool | None = None,
    crop: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    crop_d: float | _DataNode | _ArrayLike | None = None,
    crop_h: float | _DataNode | _ArrayLike | None = None,
    crop_pos_x: float | _DataNode | _ArrayLike = 0.5,
    crop_pos_y: float | _DataNode | _ArrayLike = 0.5,
    crop_pos_z: float | _DataNode | _ArrayLike = 0.5,
    crop_w: float | _DataNode | _ArrayLike | None = None,
    device_memory_padding: int | None = None,
    device_memory_padding_jpeg2k: int | None = None,
    dtype: _types.DALIDataType = _types.DALIDataType.UINT8,
    host_memory_padding: int | None = None,
    host_memory_padding_jpeg2k: int | None = None,
    hw_decoder_load: float | None = None,
    hybrid_huffman_threshold: int | None = None,
    jpeg_fancy_upsampling: bool | None = None,
    memory_stats: bool | None = None,
    output_type: _types.DALIImageType = _types.DALIImageType.RGB,
    preallocate_height_hint: int | None = None,
    preallocate_width_hint: int | None = None,
    rounding: str = 'round',
    split_stages: bool | None = None,
    use_chunk_allocator: bool | None = None,
    use_fast_idct: bool = False,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Decodes a window of fixed size of an image, without decoding what lies around it."""

def image_decoder_random_crop(
    encoded: _DataNode | _ArrayLike,
    /,
    *,
    adjust_orientation: bool = True,
    affine: bool | None = None,
    device_memory_padding: int | None = None,
    device_memory_padding_jpeg2k: int | None = None,
    dtype: _types.DALIDataType = _types.DALIDataType.UINT8,
    host_memory_padding: int | None = None,
    host_memory_padding_jpeg2k: int | None = None,
    hw_decoder_load: float | None = None,
    hybrid_huffman_threshold: int | None = None,
    jpeg_fancy_upsampling: bool | None = None,
    memory_stats: bool | None = None,
    num_attempts: int = 10,
    output_type: _types.DALIImageType = _types.DALIImageType.RGB,
    preallocate_height_hint: int | None = None,
    preallocate_width_hint: int | None = None,
    random_area: _Sequence[float] | float = [0.08, 1.0],
    random_aspect_ratio: _Sequence[float] | float = [0.75, 1.3333334],
    seed: int | None = None,
    split_stages: bool | None = None,
    use_chunk_allocator: bool | None = None,
    use_fast_idct: bool = False,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Decodes a window of random size, shape and place; the same seed gives the windows of `random_resized_crop`."""

def image_decoder_slice(
    encoded: _DataNode | _ArrayLike,
    anchor: _DataNode | _ArrayLike | None = None,
    shape_input: _DataNode | _ArrayLike | None = None,
    /,
    *,
    adjust_orientation: bool = True,
    affine: bool | None = None,
    axes: _Sequence[int] | int | _DataNode | _ArrayLike = [1, 0],
    axis_names: str = 'WH',
    device_memory_padding: int | None = None,
    device_memory_padding_jpeg2k: int | None = None,
    dtype: _types.DALIDataType = _types.DALIDataType.UINT8,
    end: _Sequence[int] | int | _DataNode | _ArrayLike = [],
    host_memory_padding: int | None = None,
    host_memory_padding_jpeg2k: int | None = None,
    hw_decoder_load: float | None = None,
    hybrid_huffman_threshold: int | None = None,
    jpeg_fancy_upsampling: bool | None = None,
    memory_stats: bool | None = None,
    normalized_anchor: bool = True,
    normalized_shape: bool = True,
    output_type: _types.DALIImageType = _types.DALIImageType.RGB,
    preallocate_height_hint: int | None = None,
    preallocate_width_hint: int | None = None,
    rel_end: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    rel_shape: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    rel_start: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    shape: _Sequence[int] | int | _DataNode | _ArrayLike = [],
    split_stages: bool | None = None,
    start: _Sequence[int] | int | _DataNode | _ArrayLike = [],
    use_chunk_allocator: bool | None = None,
    use_fast_idct: bool = False,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Decodes the window of an image that `start`, `end` and `shape`, or two more inputs, describe."""

def normal_distribution(
    shape_like: _DataNode | _ArrayLike | None = None,
    /,
    *,
    dtype: _types.DALIDataType | None = None,
    mean: float | _DataNode | _ArrayLike = 0.0,
    seed: int | None = None,
    shape: _Sequence[int] | int | _DataNode | _ArrayLike | None = None,
    stddev: float | _DataNode | _ArrayLike = 1.0,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Normally distributed numbers."""

def normalize(
    data: _DataNode | _ArrayLike,
    /,
    *,
    axes: _Sequence[int] | int = [],
    axis_names: str = '',
    batch: bool = False,
    ddof: int = 0,
    dtype: _types.DALIDataType = _types.DALIDataType.FLOAT,
    epsilon: float = 0.0,
    mean: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    scale: float = 1.0,
    shift: float = 0.0,
    stddev: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Subtracts the mean and divides by the standard deviation: scale * (x - mean) / stddev + shift."""

def one_hot(
    labels: _DataNode | _ArrayLike,
    /,
    *,
    axis: int = -1,
    axis_name: str | None = None,
    dtype: _types.DALIDataType = _types.DALIDataType.FLOAT,
    num_classes: int = 0,
    off_value: float = 0.0,
    on_value: float = 1.0,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Gives each label a vector that is `on_value` at the label's place. Without `axis`, a label of one element becomes a vector whatever its number of axes."""

def ones(
    *,
    dtype: _types.DALIDataType = _types.DALIDataType.INT32,
    layout: str | None = None,
    shape: _Sequence[int] | int | _DataNode | _ArrayLike | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """A tensor full of ones."""

def ones_like(
    data_like: _DataNode | _ArrayLike,
    /,
    *,
    dtype: _types.DALIDataType | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """A tensor full of ones with the shape and layout of another."""

def pad(
    data: _DataNode | _ArrayLike,
    /,
    *,
    align: _Sequence[int] | int | _DataNode | _ArrayLike = [],
    axes: _Sequence[int] | int | _DataNode | _ArrayLike = [],
    axis_names: str = '',
    fill_value: float | _DataNode | _ArrayLike = 0.0,
    shape: _Sequence[int] | int | _DataNode | _ArrayLike = [],
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Pads at the end of axes: to a shape, to a multiple, or else to the largest sample of the batch."""

def peek_image_shape(
    encoded: _DataNode | _ArrayLike,
    /,
    *,
    adjust_orientation: bool = True,
    dtype: _types.DALIDataType = _types.DALIDataType.INT64,
    image_type: _types.DALIImageType = _types.DALIImageType.RGB,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """The shape that an encoded image will have once decoded, from its header alone."""

def permute_batch(
    data: _DataNode | _ArrayLike,
    /,
    *,
    indices: _Sequence[int] | int | _DataNode | _ArrayLike,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Rearranges the samples of a batch; nothing is copied."""

class random:
    @staticmethod
    def beta(
        shape_like: _DataNode | _ArrayLike | None = None,
        /,
        *,
        alpha: float | _DataNode | _ArrayLike = 1.0,
        beta: float | _DataNode | _ArrayLike = 1.0,
        dtype: _types.DALIDataType | None = None,
        seed: int | None = None,
        shape: _Sequence[int] | int | _DataNode | _ArrayLike | None = None,
        device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
        name: str | None = None,
        preserve: bool = False,
    ) -> _DataNode:
        """Numbers in [0, 1] with a beta distribution."""

    @staticmethod
    def choice(
        a: _DataNode | _ArrayLike,
        shape_like: _DataNode | _ArrayLike | None = None,
        /,
        *,
        p: _Sequence[float] | float | _DataNode | _ArrayLike | None = None,
        seed: int | None = None,
        shape: _Sequence[int] | int | _DataNode | _ArrayLike | None = None,
        device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
        name: str | None = None,
        preserve: bool = False,
    ) -> _DataNode:
        """Picks elements at random, with replacement."""

    @staticmethod
    def coin_flip(
        shape_like: _DataNode | _ArrayLike | None = None,
        /,
        *,
        dtype: _types.DALIDataType | None = None,
        probability: float | _DataNode | _ArrayLike = 0.5,
        seed: int | None = None,
        shape: _Sequence[int] | int | _DataNode | _ArrayLike | None = None,
        device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
        name: str | None = None,
        preserve: bool = False,
    ) -> _DataNode:
        """Gives 1 with a probability, else 0."""

    @staticmethod
    def normal(
        shape_like: _DataNode | _ArrayLike | None = None,
        /,
        *,
        dtype: _types.DALIDataType | None = None,
        mean: float | _DataNode | _ArrayLike = 0.0,
        seed: int | None = None,
        shape: _Sequence[int] | int | _DataNode | _ArrayLike | None = None,
        stddev: float | _DataNode | _ArrayLike = 1.0,
        device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
        name: str | None = None,
        preserve: bool = False,
    ) -> _DataNode:
        """Normally distributed numbers."""

    @staticmethod
    def uniform(
        shape_like: _DataNode | _ArrayLike | None = None,
        /,
        *,
        dtype: _types.DALIDataType | None = None,
        range: _Sequence[float] | float | _DataNode | _ArrayLike = [-1.0, 1.0],
        seed: int | None = None,
        shape: _Sequence[int] | int | _DataNode | _ArrayLike | None = None,
        values: _Sequence[float] | float | _DataNode | _ArrayLike = [],
        device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
        name: str | None = None,
        preserve: bool = False,
    ) -> _DataNode:
        """Numbers that are uniform over a range, or picked from a list."""

def random_resized_crop(
    images: _DataNode | _ArrayLike,
    /,
    *,
    size: _Sequence[int] | int,
    antialias: bool = True,
    bytes_per_sample_hint: _Sequence[int] | int | None = None,
    dtype: _types.DALIDataType | None = None,
    interp_type: _types.DALIInterpType | _DataNode | _ArrayLike = _types.DALIInterpType.INTERP_LINEAR,
    mag_filter: _types.DALIInterpType | _DataNode | _ArrayLike | None = None,
    min_filter: _types.DALIInterpType | _DataNode | _ArrayLike | None = None,
    minibatch_size: int | None = None,
    num_attempts: int = 10,
    random_area: _Sequence[float] | float = [0.08, 1.0],
    random_aspect_ratio: _Sequence[float] | float = [0.75, 1.3333334],
    seed: int | None = None,
    temp_buffer_hint: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Resizes a random window of the image to a fixed size. All frames of a sequence share the window. With the same seed `decoders.image_random_crop` cuts the same windows."""

class readers:
    @staticmethod
    def caffe(
        *,
        path: _Sequence[str] | str,
        dont_use_mmap: bool | None = None,
        epoch_end: str = '',
        image_available: bool = True,
        initial_fill: int | None = None,
        label_available: bool = True,
        lazy_init: bool = False,
        num_shards: int = 1,
        pad_last_batch: bool = False,
        prefetch_queue_depth: int | None = None,
        random_shuffle: bool = False,
        read_ahead: bool | None = None,
        seed: int | None = None,
        shard_id: int = 0,
        shuffle_after_epoch: bool = False,
        shuffle_after_epoch_seed: int | None = None,
        skip_cached_images: bool | None = None,
        stick_to_shard: bool = False,
        tensor_init_bytes: int | None = None,
        device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
        name: str | None = None,
        preserve: bool = False,
    ) -> _Any:
        """Reads Caffe LMDB databases: images, encoded or as pixels, with a label. The images stay where they are in the mapped file until a decoder reads them."""

    @staticmethod
    def caffe2(
        *,
        path: _Sequence[str] | str,
        additional_inputs: int = 0,
        bbox: bool = False,
        dont_use_mmap: bool | None = None,
        epoch_end: str = '',
        image_available: bool = True,
        initial_fill: int | None = None,
        label_type: int = 0,
        lazy_init: bool = False,
        num_labels: int = 1,
        num_shards: int = 1,
        pad_last_batch: bool = False,
        prefetch_queue_depth: int | None = None,
        random_shuffle: bool = False,
        read_ahead: bool | None = None,
        seed: int | None = None,
        shard_id: int = 0,
        shuffle_after_epoch: bool = False,
        shuffle_after_epoch_seed: int | None = None,
        skip_cached_images: bool | None = None,
        stick_to_shard: bool = False,
        tensor_init_bytes: int | None = None,
        device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
        name: str | None = None,
        preserve: bool = False,
    ) -> _Any:
        """Reads Caffe2 LMDB databases: images, encoded or as pixels, with labels. The images stay where they are in the mapped file until a decoder reads them."""

    @staticmethod
    def file(
        *,
        case_sensitive_filter: bool = False,
        dir_filters: _Sequence[str] | str = ['*'],
        dont_use_mmap: bool | None = None,
        epoch_end: str = '',
        file_filters: _Sequence[str] | str = ['*.jpg', '*.jpeg', '*.png', '*.bmp', '*.tif', '*.tiff', '*.pnm', '*.ppm', '*.pgm', '*.pbm', '*.jp2', '*.webp', '*.flac', '*.ogg', '*.wav'],
        file_list: str | None = None,
        file_root: str | None = None,
        files: _Sequence[str] | str | None = None,
        initial_fill: int | None = None,
        labels: _Sequence[int] | int | None = None,
        lazy_init: bool = False,
        num_shards: int = 1,
        pad_last_batch: bool = False,
        prefetch_queue_depth: int | None = None,
        random_shuffle: bool = False,
        read_ahead: bool | None = None,
        seed: int | None = None,
        shard_id: int = 0,
        shuffle_after_epoch: bool = False,
        shuffle_after_epoch_seed: int | None = None,
        skip_cached_images: bool | None = None,
        stick_to_shard: bool = False,
        tensor_init_bytes: int | None = None,
        device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
        name: str | None = None,
        preserve: bool = False,
    ) -> list[_DataNode]:
        """Reads files as they are, with a label for each. The files are those below a directory, those named in a list file, or those given."""

def reinterpret(
    data: _DataNode | _ArrayLike,
    shape_input: _DataNode | _ArrayLike | None = None,
    /,
    *,
    dtype: _types.DALIDataType | None = None,
    layout: str | None = None,
    rel_shape: _Sequence[float] | float | _DataNode | _ArrayLike | None = None,
    shape: _Sequence[int] | int | _DataNode | _ArrayLike | None = None,
    src_dims: _Sequence[int] | int | _DataNode | _ArrayLike | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Reads the bytes of a tensor as another type, and gives it another shape or layout."""

def reshape(
    data: _DataNode | _ArrayLike,
    shape_input: _DataNode | _ArrayLike | None = None,
    /,
    *,
    layout: str | None = None,
    rel_shape: _Sequence[float] | float | _DataNode | _ArrayLike | None = None,
    shape: _Sequence[int] | int | _DataNode | _ArrayLike | None = None,
    src_dims: _Sequence[int] | int | _DataNode | _ArrayLike | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Gives a tensor another shape or layout without touching its data."""

def resize(
    data: _DataNode | _ArrayLike,
    /,
    *,
    antialias: bool = True,
    bytes_per_sample_hint: _Sequence[int] | int | None = None,
    dtype: _types.DALIDataType | None = None,
    image_type: _types.DALIImageType | None = None,
    interp_type: _types.DALIInterpType | _DataNode | _ArrayLike = _types.DALIInterpType.INTERP_LINEAR,
    mag_filter: _types.DALIInterpType | _DataNode | _ArrayLike | None = None,
    max_size: _Sequence[float] | float = [],
    min_filter: _types.DALIInterpType | _DataNode | _ArrayLike | None = None,
    minibatch_size: int | None = None,
    mode: str = 'default',
    resize_longer: float | _DataNode | _ArrayLike = 0.0,
    resize_shorter: float | _DataNode | _ArrayLike = 0.0,
    resize_x: float | _DataNode | _ArrayLike = 0.0,
    resize_y: float | _DataNode | _ArrayLike = 0.0,
    resize_z: float | _DataNode | _ArrayLike = 0.0,
    roi_end: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    roi_relative: bool = False,
    roi_start: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    save_attrs: bool = False,
    size: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    subpixel_scale: bool = True,
    temp_buffer_hint: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _Any:
    """Resizes images, volumes, or every frame of a sequence. The size is given in one of four ways: `size`; `resize_x`, `resize_y` and `resize_z`; `resize_shorter`; `resize_longer`."""

def resize_crop_mirror(
    images: _DataNode | _ArrayLike,
    /,
    *,
    antialias: bool = True,
    bytes_per_sample_hint: _Sequence[int] | int | None = None,
    crop: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    crop_d: float | _DataNode | _ArrayLike | None = None,
    crop_h: float | _DataNode | _ArrayLike | None = None,
    crop_pos_x: float | _DataNode | _ArrayLike = 0.5,
    crop_pos_y: float | _DataNode | _ArrayLike = 0.5,
    crop_pos_z: float | _DataNode | _ArrayLike = 0.5,
    crop_w: float | _DataNode | _ArrayLike | None = None,
    dtype: _types.DALIDataType | None = None,
    interp_type: _types.DALIInterpType | _DataNode | _ArrayLike = _types.DALIInterpType.INTERP_LINEAR,
    mag_filter: _types.DALIInterpType | _DataNode | _ArrayLike | None = None,
    max_size: _Sequence[float] | float = [],
    min_filter: _types.DALIInterpType | _DataNode | _ArrayLike | None = None,
    minibatch_size: int | None = None,
    mirror: int | _DataNode | _ArrayLike = 0,
    mode: str = 'default',
    resize_longer: float | _DataNode | _ArrayLike = 0.0,
    resize_shorter: float | _DataNode | _ArrayLike = 0.0,
    resize_x: float | _DataNode | _ArrayLike = 0.0,
    resize_y: float | _DataNode | _ArrayLike = 0.0,
    resize_z: float | _DataNode | _ArrayLike = 0.0,
    roi_end: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    roi_relative: bool = False,
    roi_start: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    rounding: str = 'round',
    size: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    subpixel_scale: bool = True,
    temp_buffer_hint: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Resizes, cuts a window out of the result and turns it around; only the window is computed. A window larger than the resized image repeats the image's border."""

def saturation(
    images: _DataNode | _ArrayLike,
    /,
    *,
    dtype: _types.DALIDataType | None = None,
    image_type: _types.DALIImageType | None = None,
    saturation: float | _DataNode | _ArrayLike = 1.0,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Changes the saturation.

    A linear approximation in YIQ space, not a true HSV."""

def shapes(
    data: _DataNode | _ArrayLike,
    /,
    *,
    dtype: _types.DALIDataType = _types.DALIDataType.INT64,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """The shape of each sample."""

def slice(
    data: _DataNode | _ArrayLike,
    anchor: _DataNode | _ArrayLike | None = None,
    shape_input: _DataNode | _ArrayLike | None = None,
    /,
    *,
    axes: _Sequence[int] | int | _DataNode | _ArrayLike = [1, 0],
    axis_names: str = 'WH',
    dtype: _types.DALIDataType | None = None,
    end: _Sequence[int] | int | _DataNode | _ArrayLike = [],
    fill_values: _Sequence[float] | float = [0.0],
    image_type: _types.DALIImageType | None = None,
    normalized_anchor: bool = True,
    normalized_shape: bool = True,
    out_of_bounds_policy: str = 'error',
    rel_end: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    rel_shape: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    rel_start: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    shape: _Sequence[int] | int | _DataNode | _ArrayLike = [],
    start: _Sequence[int] | int | _DataNode | _ArrayLike = [],
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Cuts a window out of each sample: given by `start`, `end` and `shape`, or by two more inputs."""

def squeeze(
    data: _DataNode | _ArrayLike,
    /,
    *,
    axes: _Sequence[int] | int | _DataNode | _ArrayLike = [],
    axis_names: str = '',
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Removes axes of extent 1 without touching the data."""

def stack(
    *input: _DataNode | _ArrayLike,
    axis: int = 0,
    axis_name: str | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Joins tensors along a new axis."""

def transpose(
    data: _DataNode | _ArrayLike,
    /,
    *,
    output_layout: str | None = None,
    perm: _Sequence[int] | int | None = None,
    transpose_layout: bool = True,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Permutes the axes."""

def uniform(
    shape_like: _DataNode | _ArrayLike | None = None,
    /,
    *,
    dtype: _types.DALIDataType | None = None,
    range: _Sequence[float] | float | _DataNode | _ArrayLike = [-1.0, 1.0],
    seed: int | None = None,
    shape: _Sequence[int] | int | _DataNode | _ArrayLike | None = None,
    values: _Sequence[float] | float | _DataNode | _ArrayLike = [],
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Numbers that are uniform over a range, or picked from a list."""

def zeros(
    *,
    dtype: _types.DALIDataType = _types.DALIDataType.INT32,
    layout: str | None = None,
    shape: _Sequence[int] | int | _DataNode | _ArrayLike | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """A tensor full of zeros."""

def zeros_like(
    data_like: _DataNode | _ArrayLike,
    /,
    *,
    dtype: _types.DALIDataType | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None,
    name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """A tensor full of zeros with the shape and layout of another."""
