"""TIFF files by hand, for what no library writes: samples of any number of bits, any extra samples."""

import struct

import numpy as np

_FORMATS = {"u": 1, "i": 2, "f": 3}


def _packed(rows, bits):
    """Rows of samples, each beginning at a byte, the first sample in the highest bits."""
    if bits % 8 == 0:
        return rows.astype(rows.dtype.newbyteorder("<")).astype(f"<{rows.dtype.kind}{bits // 8}").tobytes()
    planes = rows.astype(np.uint32)[..., None] >> np.arange(bits - 1, -1, -1, dtype=np.uint32) & 1
    return np.packbits(planes.reshape(len(rows), -1).astype(np.uint8), axis=1).tobytes()


def tiff(pixels, bits, *, photometric=None, extra=(), palette=None):
    """The file of a picture (height, width, channels), uncompressed, in one strip.

    `extra` tells what samples beyond the colours are: 1 is associated alpha, 2 alpha that is not; `palette` holds
    (2 ** bits, 3) values of 16 bits.
    """
    height, width, channels = pixels.shape
    if photometric is None:
        photometric = 3 if palette is not None else 2 if channels - len(extra) >= 3 else 1
    data = _packed(pixels.reshape(height, -1), bits)
    data += b"\0" * (len(data) % 2)
    short, long = 3, 4
    fields = [
        (256, short, [width]), (257, short, [height]), (258, short, [bits] * channels), (259, short, [1]),
        (262, short, [photometric]), (273, long, [8]), (277, short, [channels]), (278, short, [height]),
        (279, long, [len(data)]), (339, short, [_FORMATS[pixels.dtype.kind]] * channels),
    ]  # fmt: skip
    if palette is not None:
        fields.append((320, short, np.asarray(palette).T.ravel().tolist()))
    if extra:
        fields.append((338, short, list(extra)))
    begin = 8 + len(data)
    behind = begin + 2 + 12 * len(fields) + 4
    directory, values = struct.pack("<H", len(fields)), b""
    for tag, kind, numbers in sorted(fields):
        packed = struct.pack(f"<{len(numbers)}{'H' if kind == short else 'I'}", *numbers)
        if len(packed) > 4:
            place = struct.pack("<I", behind + len(values))
            packed, values = place, values + packed + b"\0" * (len(packed) % 2)
        directory += struct.pack("<HHI", tag, kind, len(numbers)) + packed.ljust(4, b"\0")
    return struct.pack("<2sHI", b"II", 42, begin) + data + directory + b"\0" * 4 + values
