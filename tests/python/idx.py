"""Files as MNIST's are."""

import gzip

import numpy as np


def write_idx(path, array):
    """Writes an array of bytes: type, rank, extents, data. Compressed where the name ends in .gz."""
    head = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    with (gzip.open if path.suffix == ".gz" else open)(path, "wb") as file:
        file.write(head + array.tobytes())
    return path
