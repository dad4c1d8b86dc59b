"""Files that no pipeline should choke on: broken, mislabelled and malicious pictures."""

import io
import struct
import zlib

import numpy as np
import PIL.Image


def picture(kind="JPEG", size=(40, 32), seed=0):
    """The bytes of a good picture."""
    blocks = np.random.default_rng(seed).integers(0, 255, (size[1] // 8, size[0] // 8, 3), np.uint8)
    file = io.BytesIO()
    PIL.Image.fromarray(np.kron(blocks, np.ones((8, 8, 1), np.uint8))).save(file, kind)
    return file.getvalue()


def png(width, height, depth=8, colour=2, rows=b"", more=b""):
    """A PNG with that header; `rows` are its uncompressed data, `more` are chunks in front of them."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + more + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def jpeg_of_size(width, height):
    """A good JPEG whose header was changed to another size."""
    data = bytearray(picture())
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = struct.pack(">HH", height, width)
    return bytes(data)


def bad_files():
    """What is wrong -> the bytes. None of them can be decoded."""
    noise = np.random.default_rng(1).bytes(4000)
    return {
        "empty": b"",
        "one byte": b"\xff",
        "random bytes": noise,
        "JPEG mark and random bytes": b"\xff\xd8\xff\xe0" + noise,
        "JPEG cut off in its header": picture()[:200],
        "JPEG cut off": picture()[:-100],
        "PNG cut off": picture("PNG")[:-60],
        "WebP cut off": picture("WEBP")[:60],
        "TIFF cut off": picture("TIFF")[:100],
        "BMP cut off": picture("BMP")[:100],
        "text": b"this is no picture\n",
        "JPEG of 0 x 0": jpeg_of_size(0, 0),
        "PNG of 0 x 0": png(0, 0),
        "PNM of 0 x 0": b"P6 0 0 255\n",
        "JPEG of 60000 x 60000": jpeg_of_size(60000, 60000),
        "PNG of 60000 x 60000": png(60000, 60000),
        "PNM of 60000 x 60000": b"P6 60000 60000 255\n",
        "PNG of 2^31 x 2^31": png(2**31 - 1, 2**31 - 1),
        "bomb of pixels": png(40000, 10000, 1, 0, bytes(10000 * 5001)),
        "bomb of pixels in too few rows": png(16000, 16000, 8, 2, bytes(1000)),
    }
