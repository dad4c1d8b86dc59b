"""Many small files in one database, which ``fn.readers.caffe2`` reads fast."""

import os

from . import _core


def pack_idx(images, labels, directory, quality=95):
    """Packs digits in MNIST's format (IDX files, plain or gzip) as JPEGs with their labels. Returns how many.

    `directory` must not exist, or be empty.
    """
    return _core.pack_idx(os.fspath(images), os.fspath(labels), os.fspath(directory), quality)


def pack_files(files, directory, labels=None):
    """Packs files as they are, with their labels (their places in the list when not given). Returns how many."""
    return _core.pack_files([os.fspath(path) for path in files], labels, os.fspath(directory))
