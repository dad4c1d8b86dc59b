"""GIF files by hand, for what no library writes: any disposal, palettes of frames, interlaced parts of the screen."""

import dataclasses
import struct

import numpy as np

_COLOURS = 16
_CLEAR, _END, _CODE_BITS = _COLOURS, _COLOURS + 1, 5


@dataclasses.dataclass
class Frame:
    """Indices of 16 colours, their place, and what the frame leaves behind."""

    indices: np.ndarray
    x: int = 0
    y: int = 0
    transparent: int | None = None
    disposal: int = 0
    palette: np.ndarray | None = None
    interlaced: bool = False


def _compressed(indices):
    """LZW whose table is cleared before its codes get longer."""
    codes = []
    for i, index in enumerate(indices.reshape(-1)):
        codes += [_CLEAR] * (i % 14 == 0) + [int(index)]
    number = sum(code << _CODE_BITS * i for i, code in enumerate([*codes, _END]))
    data = number.to_bytes((len(codes) + 1) * _CODE_BITS // 8 + 1, "little")
    blocks = b"".join(bytes([len(data[i : i + 255])]) + data[i : i + 255] for i in range(0, len(data), 255))
    return b"\x04" + blocks + b"\0"


def _table(palette):
    return b"" if palette is None else palette.astype(np.uint8).tobytes()


def _frame(frame):
    height, width = frame.indices.shape
    flags = (0x40 if frame.interlaced else 0) | (0x83 if frame.palette is not None else 0)
    control = struct.pack("<BHB", frame.disposal << 2 | (frame.transparent is not None), 5, frame.transparent or 0)
    rows = frame.indices
    if frame.interlaced:
        rows = np.concatenate([rows[0::8], rows[4::8], rows[2::4], rows[1::2]])
    place = struct.pack("<HHHHB", frame.x, frame.y, width, height, flags)
    return b"\x21\xf9\x04" + control + b"\0," + place + _table(frame.palette) + _compressed(rows)


def gif(height, width, frames, palette=None, background=0):
    """The file of an animation of 16 colours a frame."""
    screen = struct.pack("<HHBBB", width, height, 0x83 if palette is not None else 0, background, 0)
    return b"GIF89a" + screen + _table(palette) + b"".join(map(_frame, frames)) + b";"


def random_gif(seed):
    """An animation that uses all of this."""
    random = np.random.default_rng(seed)

    def palette():
        return random.integers(0, 256, (_COLOURS, 3))

    height, width = (int(n) for n in random.integers(3, 20, 2))
    colours = palette() if random.random() < 0.8 else None
    frames = []
    for _ in range(random.integers(1, 7)):
        whole = random.random() < 0.4
        h, w = (height, width) if whole else (int(random.integers(1, n + 1)) for n in (height, width))
        frames.append(
            Frame(
                random.integers(0, _COLOURS, (h, w)),
                x=int(random.integers(0, width - w + 1)),
                y=int(random.integers(0, height - h + 1)),
                transparent=int(random.integers(0, _COLOURS)) if random.random() < 0.5 else None,
                disposal=int(random.integers(0, 4)),
                palette=palette() if colours is None or random.random() < 0.4 else None,
                interlaced=random.random() < 0.3,
            )
        )
    return gif(height, width, frames, colours, int(random.integers(0, _COLOURS)))
