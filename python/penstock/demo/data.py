"""The digits to learn: scikit-learn's 1,797, or MNIST from a folder, as LMDBs of JPEGs that fn.readers.caffe2 reads."""

import pathlib
import shutil
from dataclasses import dataclass

import numpy as np

from penstock import packing
from penstock._progress import Waiting

_TRAINING = 1500  # of scikit-learn's digits; the rest is for testing
_MNIST = {"training": "train", "testing": "t10k"}


@dataclass
class Digits:
    """Two databases and how to learn from them."""

    training: pathlib.Path
    testing: pathlib.Path
    batch_size: int
    test_batch_size: int
    epochs: int
    step_size: float
    source: str


def _packed(folder, images, labels):
    """Packs IDX files into `folder`, unless an earlier run has done so with the same."""
    note, source = folder / "packed_from.txt", str(images.resolve())
    if not note.exists() or note.read_text() != source:
        shutil.rmtree(folder, ignore_errors=True)
        with Waiting("  packing digits "):
            packing.pack_idx(images, labels, folder)
        note.write_text(source)
    return folder


def _write_idx(path, array):
    """Writes an array of bytes as MNIST's files are: type, rank, extents, data."""
    head = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    path.write_bytes(head + array.tobytes())
    return path


def scikit_digits(folder):
    """scikit-learn's digits, enlarged from 8 x 8 to MNIST's 28 x 28 pixels."""
    from PIL import Image
    from sklearn.datasets import load_digits

    digits = load_digits()
    pictures = [Image.fromarray((image * 255 / 16).astype(np.uint8)) for image in digits.images]
    images = np.stack([np.asarray(picture.resize((28, 28), Image.Resampling.BICUBIC)) for picture in pictures])
    labels = digits.target.astype(np.uint8)
    folder.mkdir(parents=True, exist_ok=True)
    parts = {"training": slice(None, _TRAINING), "testing": slice(_TRAINING, None)}
    databases = {
        name: _packed(
            folder / name,
            _write_idx(folder / f"{name}-images.idx", images[part]),
            _write_idx(folder / f"{name}-labels.idx", labels[part]),
        )
        for name, part in parts.items()
    }
    source = f"scikit-learn's digits: {_TRAINING:,} to learn from, {len(labels) - _TRAINING} to test with"
    return Digits(**databases, batch_size=100, test_batch_size=99, epochs=8, step_size=0.05, source=source)


def mnist(folder, cache):
    """MNIST from a folder with LMDBs (training/, testing/) or with IDX files, plain or gzip."""
    databases = {name: folder / name for name in _MNIST}
    if not all((database / "data.mdb").exists() for database in databases.values()):
        for name, prefix in _MNIST.items():
            images, labels = _find(folder, f"{prefix}-images-idx3-ubyte"), _find(folder, f"{prefix}-labels-idx1-ubyte")
            databases[name] = _packed(cache / name, images, labels)
    source = f"MNIST from {folder}"
    return Digits(**databases, batch_size=200, test_batch_size=200, epochs=5, step_size=0.05, source=source)


def _find(folder, name):
    for path in (folder / name, folder / f"{name}.gz"):
        if path.exists():
            return path
    raise SystemExit(f"{folder} holds neither training/data.mdb and testing/data.mdb nor {name}[.gz]")
