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

def arrow(
    *, columns: _Strings, path: _Strings, balance: str = '', bucket_batches: int = 64, bucket_by: str = '',
    class_ratios: _Floats | None = None, classes: _Ints | None = None, epoch_end: str = '',
    epoch_size: int | None = None, fill_value: float = 0.0, initial_fill: int | None = None, lazy_init: bool = False,
    nulls: str = 'error', num_shards: int = 1, pad_last_batch: bool = False, prefetch_queue_depth: int | None = None,
    random_shuffle: bool = False, read_ahead: bool | None = None, seed: int | None = None, shard_id: int = 0,
    shuffle_after_epoch: bool = False, shuffle_after_epoch_seed: int | None = None, shuffle_buffer: int = 0,
    shuffle_list: bool = False, skip_cached_images: bool | None = None, stick_to_shard: bool = False,
    subset: _Ints | None = None, tensor_init_bytes: int | None = None, weights: _Floats | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> dict[str, _DataNode]:
    """Reads columns of Arrow files (IPC files and streams, Feather), which are mapped through pyarrow: nothing is decoded or kept in memory, and texts and bytes are not copied. Gives a dict of nodes. `penstock.from_huggingface` makes this reader of a data set of Hugging Face's."""

def caffe(
    *, path: _Strings, balance: str = '', bucket_batches: int = 64, bucket_by: str = '',
    class_ratios: _Floats | None = None, classes: _Ints | None = None, dont_use_mmap: bool = False, epoch_end: str = '',
    epoch_size: int | None = None, image_available: bool = True, initial_fill: int | None = None,
    label_available: bool = True, lazy_init: bool = False, num_shards: int = 1, pad_last_batch: bool = False,
    prefetch_queue_depth: int | None = None, random_shuffle: bool = False, read_ahead: bool | None = None,
    seed: int | None = None, shard_id: int = 0, shuffle_after_epoch: bool = False,
    shuffle_after_epoch_seed: int | None = None, shuffle_buffer: int = 0, shuffle_list: bool = False,
    skip_cached_images: bool | None = None, stick_to_shard: bool = False, subset: _Ints | None = None,
    tensor_init_bytes: int | None = None, weights: _Floats | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _Any:
    """Reads Caffe LMDB databases: images, encoded or as pixels, with a label. Large images stay where they are in the mapped file until a decoder reads them (`dont_use_mmap`)."""

def caffe2(
    *, path: _Strings, additional_inputs: int = 0, balance: str = '', bbox: bool = False, bucket_batches: int = 64,
    bucket_by: str = '', class_ratios: _Floats | None = None, classes: _Ints | None = None, dont_use_mmap: bool = False,
    epoch_end: str = '', epoch_size: int | None = None, image_available: bool = True, initial_fill: int | None = None,
    label_type: int = 0, lazy_init: bool = False, num_labels: int = 1, num_shards: int = 1,
    pad_last_batch: bool = False, prefetch_queue_depth: int | None = None, random_shuffle: bool = False,
    read_ahead: bool | None = None, seed: int | None = None, shard_id: int = 0, shuffle_after_epoch: bool = False,
    shuffle_after_epoch_seed: int | None = None, shuffle_buffer: int = 0, shuffle_list: bool = False,
    skip_cached_images: bool | None = None, stick_to_shard: bool = False, subset: _Ints | None = None,
    tensor_init_bytes: int | None = None, weights: _Floats | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _Any:
    """Reads Caffe2 LMDB databases: images, encoded or as pixels, with labels. Large images stay where they are in the mapped file until a decoder reads them (`dont_use_mmap`)."""

def coco(
    *, annotations_file: str | None = None, avoid_class_remapping: bool = False, balance: str = '',
    bucket_batches: int = 64, bucket_by: str = '', class_ratios: _Floats | None = None, classes: _Ints | None = None,
    dont_use_mmap: bool | None = None, epoch_end: str = '', epoch_size: int | None = None, file_root: str = '',
    ignore_strays: bool = False, image_ids: bool = False, images: _Strings | None = None, include_iscrowd: bool = True,
    initial_fill: int | None = None, lazy_init: bool = False, ltrb: bool = False, num_shards: int = 1,
    pad_last_batch: bool = False, pixelwise_masks: bool = False, polygon_masks: bool = False,
    prefetch_queue_depth: int | None = None, preprocessed_annotations: str | None = None, random_shuffle: bool = False,
    ratio: bool = False, read_ahead: bool | None = None, save_preprocessed_annotations: bool = False,
    save_preprocessed_annotations_dir: str = '', seed: int | None = None, shard_id: int = 0,
    shuffle_after_epoch: bool = False, shuffle_after_epoch_seed: int | None = None, shuffle_buffer: int = 0,
    shuffle_list: bool = False, size_threshold: float = 0.1, skip_cached_images: bool | None = None,
    skip_empty: bool = False, stick_to_shard: bool = False, subset: _Ints | None = None,
    tensor_init_bytes: int | None = None, weights: _Floats | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _Any:
    """Reads pictures with the boxes, classes and masks of the objects on them, as COCO's annotation files tell. Samples are ordered by the images' ids, objects as in the file."""

def file(
    *, balance: str = '', bucket_batches: int = 64, bucket_by: str = '', case_sensitive_filter: bool = False,
    class_ratios: _Floats | None = None, classes: _Ints | None = None, dir_filters: _Strings = ['*'],
    dont_use_mmap: bool | None = None, epoch_end: str = '', epoch_size: int | None = None,
    file_filters: _Strings = ['*.jpg', '*.jpeg', '*.png', '*.bmp', '*.tif', '*.tiff', '*.pnm', '*.ppm', '*.pgm', '*.pbm', '*.jp2', '*.webp', '*.flac', '*.ogg', '*.wav'],
    file_list: str | None = None, file_root: str | None = None, files: _Strings | None = None,
    initial_fill: int | None = None, labels: _Ints | None = None, lazy_init: bool = False, num_shards: int = 1,
    pad_last_batch: bool = False, prefetch_queue_depth: int | None = None, random_shuffle: bool = False,
    read_ahead: bool | None = None, seed: int | None = None, shard_id: int = 0, shuffle_after_epoch: bool = False,
    shuffle_after_epoch_seed: int | None = None, shuffle_buffer: int = 0, shuffle_list: bool = False,
    skip_cached_images: bool | None = None, stick_to_shard: bool = False, subset: _Ints | None = None,
    tensor_init_bytes: int | None = None, weights: _Floats | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> list[_DataNode]:
    """Reads files as they are, with a label for each. The files are those below a directory, those named in a list file, or those given."""

def mixture(
    *readers: _Tensor, bucket_batches: int = 64, bucket_by: str = '', epoch_end: str = '',
    epoch_size: int | None = None, initial_fill: int | None = None, lazy_init: bool = False, num_outputs: int = 2,
    num_shards: int = 1, pad_last_batch: bool = False, prefetch_queue_depth: int | None = None,
    random_shuffle: bool = False, ratios: _Floats | None = None, read_ahead: bool | None = None,
    return_set: bool = False, seed: int | None = None, shard_id: int = 0, shuffle_after_epoch: bool = False,
    shuffle_after_epoch_seed: int | None = None, shuffle_buffer: int = 0, shuffle_list: bool = False,
    skip_cached_images: bool | None = None, stick_to_shard: bool = False, tensor_init_bytes: int | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _Any:
    """Mixes the samples of several readers in given ratios. Each reader's samples are gone through again and again, from one epoch on into the next. What decides about the order (`random_shuffle`, `num_shards`, `epoch_end`, ...) is given here; what decides which samples a reader has (`subset`, `weights`, ...) is given to it. Indices of samples count through all readers."""

def mxnet(
    *, path: _Strings, balance: str = '', bucket_batches: int = 64, bucket_by: str = '',
    class_ratios: _Floats | None = None, classes: _Ints | None = None, dont_use_mmap: bool = False, epoch_end: str = '',
    epoch_size: int | None = None, index_path: _Strings | None = None, initial_fill: int | None = None,
    lazy_init: bool = False, num_shards: int = 1, pad_last_batch: bool = False, prefetch_queue_depth: int | None = None,
    random_shuffle: bool = False, read_ahead: bool | None = None, seed: int | None = None, shard_id: int = 0,
    shuffle_after_epoch: bool = False, shuffle_after_epoch_seed: int | None = None, shuffle_buffer: int = 0,
    shuffle_list: bool = False, skip_cached_images: bool | None = None, stick_to_shard: bool = False,
    subset: _Ints | None = None, tensor_init_bytes: int | None = None, use_o_direct: bool | None = None,
    weights: _Floats | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> list[_DataNode]:
    """Reads MXNet's RecordIO files of pictures with labels. Large pictures stay where they are in the mapped file until a decoder reads them (`dont_use_mmap`)."""

def nemo_asr(
    *, manifest_filepaths: _Strings, balance: str = '', bucket_batches: int = 64, bucket_by: str = '',
    class_ratios: _Floats | None = None, classes: _Ints | None = None, dont_use_mmap: bool | None = None,
    downmix: bool = True, dtype: _types.DALIDataType = _types.DALIDataType.FLOAT, epoch_end: str = '',
    epoch_size: int | None = None, file_root: str = '', initial_fill: int | None = None, lazy_init: bool = False,
    max_duration: float = 0.0, min_duration: float = 0.0, normalize_text: bool | None = None, num_shards: int = 1,
    pad_last_batch: bool = False, prefetch_queue_depth: int | None = None, quality: float = 50.0,
    random_shuffle: bool = False, read_ahead: bool | None = None, read_idxs: bool = False,
    read_sample_rate: bool = True, read_text: bool = True, sample_rate: float = -1.0, seed: int | None = None,
    shard_id: int = 0, shuffle_after_epoch: bool = False, shuffle_after_epoch_seed: int | None = None,
    shuffle_buffer: int = 0, shuffle_list: bool = False, skip_cached_images: bool | None = None,
    stick_to_shard: bool = False, subset: _Ints | None = None, tensor_init_bytes: int | None = None,
    weights: _Floats | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _Any:
    """Reads speech and its transcripts as NeMo's manifests list them: JSON objects with `audio_filepath` and, where they are given, `duration` and `offset` in seconds (else all of the file) and `text`."""

def numpy(
    *, balance: str = '', bucket_batches: int = 64, bucket_by: str = '', cache_header_information: bool | None = None,
    class_ratios: _Floats | None = None, classes: _Ints | None = None, dont_use_mmap: bool | None = None,
    epoch_end: str = '', epoch_size: int | None = None, file_filter: str = '*.npy', file_list: str | None = None,
    file_root: str | None = None, files: _Strings | None = None, fill_value: float = 0.0,
    initial_fill: int | None = None, lazy_init: bool = False, num_shards: int = 1, out_of_bounds_policy: str = 'error',
    pad_last_batch: bool = False, prefetch_queue_depth: int | None = None, random_shuffle: bool = False,
    read_ahead: bool | None = None, register_buffers: bool | None = None, rel_roi_end: _Floats | _Tensor | None = None,
    rel_roi_shape: _Floats | _Tensor | None = None, rel_roi_start: _Floats | _Tensor | None = None,
    roi_axes: _Ints | None = None, roi_end: _Ints | _Tensor | None = None, roi_shape: _Ints | _Tensor | None = None,
    roi_start: _Ints | _Tensor | None = None, seed: int | None = None, shard_id: int = 0,
    shuffle_after_epoch: bool = False, shuffle_after_epoch_seed: int | None = None, shuffle_buffer: int = 0,
    shuffle_list: bool = False, skip_cached_images: bool | None = None, stick_to_shard: bool = False,
    subset: _Ints | None = None, tensor_init_bytes: int | None = None, use_o_direct: bool | None = None,
    weights: _Floats | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _DataNode:
    """Reads arrays from NumPy's files (.npy), whole or a region of each. Arrays in Fortran order come in C order. Of a region little more is read than what lies in it."""

def parquet(
    *, columns: _Strings, path: _Strings, balance: str = '', bucket_batches: int = 64, bucket_by: str = '',
    cache_size: int = 0, check_crc: bool = False, class_ratios: _Floats | None = None, classes: _Ints | None = None,
    epoch_end: str = '', epoch_size: int | None = None, fill_value: float = 0.0, initial_fill: int | None = None,
    lazy_init: bool = False, nulls: str = 'error', num_shards: int = 1, pad_last_batch: bool = False,
    prefetch_queue_depth: int | None = None, random_shuffle: bool = False, read_ahead: bool | None = None,
    seed: int | None = None, shard_id: int = 0, shuffle_after_epoch: bool = False,
    shuffle_after_epoch_seed: int | None = None, shuffle_buffer: int = 0, shuffle_groups: int | None = None,
    shuffle_list: bool = False, skip_cached_images: bool | None = None, stick_to_shard: bool = False,
    subset: _Ints | None = None, tensor_init_bytes: int | None = None, weights: _Floats | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> dict[str, _DataNode]:
    """Reads columns of Parquet files through pyarrow, a row group at a time, and gives a dict of nodes. Row groups that were decoded are kept while `cache_size` has room; a shuffle needs them all there, or `shuffle_groups`."""

def sequence(
    *, file_root: str, sequence_length: int, balance: str = '', bucket_batches: int = 64, bucket_by: str = '',
    class_ratios: _Floats | None = None, classes: _Ints | None = None, dont_use_mmap: bool | None = None,
    epoch_end: str = '', epoch_size: int | None = None, image_type: _types.DALIImageType = _types.DALIImageType.RGB,
    initial_fill: int | None = None, lazy_init: bool = False, num_shards: int = 1, pad_last_batch: bool = False,
    prefetch_queue_depth: int | None = None, random_shuffle: bool = False, read_ahead: bool | None = None,
    seed: int | None = None, shard_id: int = 0, shuffle_after_epoch: bool = False,
    shuffle_after_epoch_seed: int | None = None, shuffle_buffer: int = 0, shuffle_list: bool = False,
    skip_cached_images: bool | None = None, step: int = 1, stick_to_shard: bool = False, stride: int = 1,
    subset: _Ints | None = None, tensor_init_bytes: int | None = None, weights: _Floats | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> _DataNode:
    """Reads and decodes sequences of frames that lie in files of their own: each directory directly below a root holds one video, whose frames are ordered by name. Sequences do not go from one directory to the next."""

def tfrecord(
    *, features: _Mapping[str, object], path: _Strings, balance: str = '', bucket_batches: int = 64,
    bucket_by: str = '', check_crc: bool = False, class_ratios: _Floats | None = None, classes: _Ints | None = None,
    dont_use_mmap: bool = False, epoch_end: str = '', epoch_size: int | None = None, index_path: _Strings | None = None,
    initial_fill: int | None = None, lazy_init: bool = False, num_shards: int = 1, pad_last_batch: bool = False,
    prefetch_queue_depth: int | None = None, random_shuffle: bool = False, read_ahead: bool | None = None,
    save_index: bool = False, seed: int | None = None, shard_id: int = 0, shuffle_after_epoch: bool = False,
    shuffle_after_epoch_seed: int | None = None, shuffle_buffer: int = 0, shuffle_list: bool = False,
    skip_cached_images: bool | None = None, stick_to_shard: bool = False, subset: _Ints | None = None,
    tensor_init_bytes: int | None = None, use_o_direct: bool | None = None, weights: _Floats | None = None,
    device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None, preserve: bool = False,
) -> dict[str, _DataNode]:
    """Reads TFRecord files of TensorFlow's Examples. There is an output for each entry of `features`, in a dict of the same names: numbers in their shape, strings as bytes. A feature that a record lacks is an empty tensor; where its shape is that of one number, it is the feature's default."""

def webdataset(
    *, ext: _Strings, paths: _Strings, balance: str = '', bucket_batches: int = 64, bucket_by: str = '',
    cache_size: int = 0, case_sensitive_extensions: bool = True, class_ratios: _Floats | None = None,
    classes: _Ints | None = None, dont_use_mmap: bool = False, dtypes: _Ints | None = None, epoch_end: str = '',
    epoch_size: int | None = None, index_paths: _Strings | None = None, initial_fill: int | None = None,
    lazy_init: bool = False, missing_component_behavior: str = '', num_shards: int = 1, pad_last_batch: bool = False,
    prefetch_queue_depth: int | None = None, random_shuffle: bool = False, read_ahead: bool | None = None,
    seed: int | None = None, shard_id: int = 0, shuffle_after_epoch: bool = False,
    shuffle_after_epoch_seed: int | None = None, shuffle_buffer: int = 0, shuffle_groups: int | None = None,
    shuffle_list: bool = False, skip_cached_images: bool | None = None, stick_to_shard: bool = False,
    subset: _Ints | None = None, tensor_init_bytes: int | None = None, use_o_direct: bool | None = None,
    weights: _Floats | None = None, device: _Literal['cpu', 'gpu', 'mixed'] | None = None, name: str | None = None,
    preserve: bool = False,
) -> _Any:
    """Reads tar archives in which the files of a sample, one behind the other, have one name and different extensions, which begin behind the first dot. There is an output for each entry of `ext`. Files that begin with a dot or have none are left out, as is what is no regular file. An archive that is compressed by gzip or zstd has no random access: it is unpacked into memory as a whole when one of its samples is needed, and kept while `cache_size` has room. Samples in their order need one at a time, a shuffle all of them or `shuffle_groups`. Without `index_paths` (of the unpacked archive) it is unpacked once more when the data set is opened."""
