"""Many small files in one database, which ``fn.readers.caffe2`` reads fast."""

import os

import numpy as np

from . import _core, _options
from ._schema import schemas


def pack_idx(images, labels, directory, quality=95):
    """Packs digits in MNIST's format as JPEGs with their labels. Returns how many.

    Args
    ----
    images, labels : str or os.PathLike
        IDX files, plain or gzip. `RuntimeError` when their numbers differ.
    directory : str or os.PathLike
        Folder of the database; it must not exist, or be empty.
    quality : int, default 95
        1 to 100, of the JPEGs.
    """
    return _core.pack_idx(os.fspath(images), os.fspath(labels), os.fspath(directory), _checked(quality))


def pack_files(files, directory, labels=None):
    """Packs files as they are, with their labels. Returns how many.

    Args
    ----
    files : list of str or os.PathLike
        What to pack, in this order.
    directory : str or os.PathLike
        Folder of the database; it must not exist, or be empty.
    labels : list of int
        One per file; their places in the list when not given.
    """
    return _core.pack_files([os.fspath(path) for path in files], labels, os.fspath(directory))


def pack_folder(source, directory, labels=None):
    """Packs picture files as they are. Returns how many.

    Without `labels` each folder below `source` is a class, numbered in the order of the names, as `fn.readers.file`
    does it. `labels` names a file of lines "path label"; its paths start from `source`. `directory` is the folder of
    the database; it must not exist, or be empty.
    """
    if labels is not None:
        return _core.pack_list(os.fspath(labels), os.fspath(source), os.fspath(directory))
    filters = schemas()["readers.file"].args["file_filters"]["default"]
    try:
        return _core.pack_tree(os.fspath(source), filters, os.fspath(directory))
    except ValueError as error:
        raise ValueError(
            f"{os.fspath(source)}: {error}; pictures lie in one folder a class, unless a list of labels says which"
        ) from error


def pack_arrays(images, labels, directory, quality=95):
    """Packs pictures in memory as JPEGs with their labels. Returns how many.

    Args
    ----
    images : uint8 array (count, height, width), or (count, height, width, channels) with 1 or 3 channels
    labels : whole numbers, one per picture
    directory : folder of the database; it must not exist, or be empty
    quality : 1 to 100, of the JPEGs
    """
    numbers = np.asarray(labels)
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"labels must be whole numbers, got {numbers.dtype}")
    if numbers.size and not (numbers.min() >= -(2**31) and numbers.max() < 2**31):
        raise ValueError(f"labels must fit into 32 bits, got {numbers.min()} to {numbers.max()}")
    return _core.pack_arrays(np.asarray(images), numbers.astype(np.int32), os.fspath(directory), _checked(quality))


def _checked(quality):
    """`quality`, before there is a folder."""
    number = _options.whole("quality", quality, 32)
    if not 1 <= number <= 100:
        raise ValueError(f"quality must be 1 to 100, got {number}")
    return number
