"""Contact sheets: the pictures of a batch side by side, with captions."""

import math

import numpy as np

from . import _core, _font

_LARGEST = 256  # pixels a side that a picture gets
_GAP = 4
_PAPER, _INK = 24, 230


def as_picture(array, layout=""):
    """uint8 (height, width, 3) from an array of any layout with pixels in it; None when it can be no picture.

    Elements other than uint8 are stretched so that the least becomes 0 and the greatest 255. Of a sequence or a volume
    the first picture is taken.
    """
    array = np.asarray(array)
    while array.ndim == 4:
        array, layout = array[0], layout[1:]
    if array.ndim == 2 and layout in ("", "HW"):
        array = array[..., None]
    elif array.ndim != 3:
        return None
    elif layout == "CHW" or (layout != "HWC" and array.shape[0] in (1, 3) and array.shape[2] > 4):
        array = np.moveaxis(array, 0, 2)
    if array.size == 0 or (layout == "" and array.shape[2] > 4):
        return None
    array = array[..., :3] if array.shape[2] >= 3 else np.repeat(array[..., :1], 3, axis=2)
    return array if array.dtype == np.uint8 else _stretched(array.astype(np.float64))


def _stretched(array):
    finite = np.where(np.isfinite(array), array, np.nan)
    if np.isnan(finite).all():
        return np.zeros(array.shape, np.uint8)
    low, high = np.nanmin(finite), np.nanmax(finite)
    scaled = (finite - low) * (255 / (high - low) if high > low else 0)
    return np.nan_to_num(scaled).round().astype(np.uint8)


def fitted(picture):
    """No larger than a cell, by averaging blocks of pixels; small pictures are enlarged by whole numbers."""
    longest = max(picture.shape[:2])
    if longest <= _LARGEST:
        grow = max(1, _LARGEST // 2 // longest)
        return picture.repeat(grow, axis=0).repeat(grow, axis=1)
    step = math.ceil(longest / _LARGEST)
    blocks = [(extent // min(step, extent), min(step, extent)) for extent in picture.shape[:2]]
    (rows, down), (columns, across) = blocks
    whole = picture[: rows * down, : columns * across]
    return whole.reshape(rows, down, columns, across, 3).mean(axis=(1, 3)).astype(np.uint8)


def contact_sheet(pictures, captions=None, columns=None):
    """One picture (height, width, 3) from many, row by row, each above its caption."""
    pictures = [fitted(picture) for picture in pictures]
    captions = [str(caption) for caption in captions] if captions is not None else []
    columns = columns or math.ceil(math.sqrt(len(pictures)))
    rows = math.ceil(len(pictures) / columns)
    line = _font.HEIGHT + _GAP if captions else 0
    height, width = (max(picture.shape[axis] for picture in pictures) + _GAP for axis in (0, 1))
    sheet = np.full((rows * (height + line) + _GAP, columns * width + _GAP, 3), _PAPER, np.uint8)
    for i, picture in enumerate(pictures):
        top, left = i // columns * (height + line) + _GAP, i % columns * width + _GAP
        sheet[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
        text = captions[i][: (width - _GAP) // _font.ADVANCE] if captions else ""
        if text:
            dots = _font.draw(text)
            at = top + picture.shape[0] + _GAP // 2
            sheet[at : at + _font.HEIGHT, left : left + dots.shape[1]][dots] = _INK
    return sheet


def write_png(path, picture):
    with open(path, "wb") as file:
        file.write(_core.encode_png(picture))
