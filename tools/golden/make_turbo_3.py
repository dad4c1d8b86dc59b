"""Makes the JPEG files that only libjpeg-turbo 3 reads, with imagecodecs, which carries that library.

usage: make_turbo_3.py tests/data/turbo_3
"""

import pathlib
import sys

import imagecodecs
import numpy as np

y, x = np.mgrid[:13, :17]
DEEP = (x * 200 + y * 90) % 4096


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    colours = np.stack([DEEP, 4095 - DEEP, DEEP // 2], -1).astype(np.uint16)
    shallow = np.stack([DEEP // 16, 255 - DEEP // 16, DEEP // 32], -1).astype(np.uint8)
    for name, pixels, options in [
        ("lossless_8.jpg", shallow, {"lossless": True}),
        ("lossless_16.jpg", (DEEP * 16).astype(np.uint16), {"lossless": True, "bitspersample": 16}),
        ("bits_12.jpg", colours, {"bitspersample": 12}),
    ]:
        (folder / name).write_bytes(imagecodecs.jpeg8_encode(pixels, **options))


if __name__ == "__main__":
    main()
