"""What `penstock inspect` says of files of NumPy's."""

import collections
import os

import numpy as np

from .. import Pipeline, fn
from .._progress import Progress
from . import _damage

_BATCH = 32


def holds(path):
    """Whether it is an array, or a folder of them and of nothing else that is known."""
    path = os.fspath(path)
    if not os.path.isdir(path):
        return bool(_files(path))
    names = [name for _, _, names in os.walk(path) for name in names if not name.startswith(".")]
    return bool(names) and all(name.endswith(".npy") for name in names)


def _files(path):
    path = os.fspath(path)
    if not os.path.isdir(path):
        return [path] if path.endswith(".npy") and os.path.exists(path) else []
    return sorted(
        os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names if name.endswith(".npy")
    )


def inspect(path, limit=None):
    """Prints what there is; whether all of it is whole."""
    files = _files(path)[:limit]
    print(f"{path}: NumPy arrays in {len(files)} file{'s' * (len(files) != 1)}")
    kinds, shapes, damaged, nbytes, count = collections.Counter(), collections.Counter(), [], 0, 0
    with Progress() as progress:
        progress(0, len(files))
        for file, array in _arrays(files, damaged):
            kinds[str(array.dtype)] += 1
            shapes[array.shape] += 1
            nbytes += array.nbytes
            count += 1
            left = _bytes_left(file, array.nbytes)
            if left:
                damaged.append((file, f"{left:,} bytes follow the array that its header tells of"))
            progress(count, len(files), nbytes)
    print(f"samples: {count:,}, {nbytes / 1e6:,.1f} MB")
    for what, counted in (("types", kinds), ("shapes", shapes)):
        if counted:
            more = f", and {len(counted) - 8:,} more" if len(counted) > 8 else ""
            print(f"{what}: " + ", ".join(f"{name} {n:,}" for name, n in counted.most_common(8)) + more)
    for line in _damage.lines(damaged):
        print(line)
    return not damaged


def _arrays(files, damaged):
    """(file, array) of those that the reader reads; the others go to `damaged`."""
    for first in range(0, len(files), _BATCH):
        some = files[first : first + _BATCH]
        try:
            yield from zip(some, _read(some), strict=True)
        except (RuntimeError, ValueError):
            for file in some:  # one of them; and types that differ do not make a batch
                try:
                    yield file, _read([file])[0]
                except (RuntimeError, ValueError) as error:
                    damaged.append((file, _damage.first_line(error)))


def _read(files):
    with Pipeline(len(files), num_threads=2, device_id=None) as pipe:
        pipe.set_outputs(fn.readers.numpy(files=files))
    return [np.asarray(one) for one in pipe.run()[0]]


def _bytes_left(file, nbytes):
    with open(file, "rb") as opened:
        version = np.lib.format.read_magic(opened)
        size = int.from_bytes(opened.read(2 if version == (1, 0) else 4), "little")
        return os.path.getsize(file) - opened.tell() - size - nbytes
