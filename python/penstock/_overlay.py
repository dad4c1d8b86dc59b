"""Labels drawn on pictures: boxes, key points and masks."""

import numpy as np

_COLOURS = np.uint8([
    (255, 80, 80), (80, 200, 80), (90, 140, 255), (255, 200, 40), (220, 90, 230), (60, 210, 210), (255, 140, 60),
    (170, 130, 255),
])  # fmt: skip


def fits(kind, array):
    """Whether the labels of a sample can be of that kind."""
    array = np.asarray(array)
    if kind == "boxes":
        return array.ndim == 2 and array.shape[1] == 4
    if kind == "points":
        return array.ndim >= 2 and array.shape[-1] in (2, 3)
    return array.dtype.kind in "biu" and array.squeeze().ndim in (2, 3)


def draw(kind, picture, labels, extents, ltrb=False):
    """The picture (uint8, height x width x 3) with the labels of one sample.

    `extents` are the height and width that the labels count in; coordinates that all lie in [0, 1] are parts of them.
    Each object has a colour of its own. Boxes are left, top, width, height, or with `ltrb` left, top, right, bottom;
    points are x, y, or x, y and how visible they are; masks have a number for each pixel, 0 being none, or a plane for
    each object (first).
    """
    return _DRAWN[kind](picture.copy(), np.asarray(labels), extents, ltrb)


def _colour(i):
    return _COLOURS[int(i) % len(_COLOURS)]


def _scaled(coordinates, picture, extents):
    """x and y in pixels of the drawn picture."""
    coordinates = np.nan_to_num(coordinates.astype(np.float64), nan=-1)
    parts = coordinates.size and coordinates.min() >= 0 and coordinates.max() <= 1
    height, width = picture.shape[:2]
    return coordinates * ([width, height] if parts else [width / extents[1], height / extents[0]])


def _boxes(picture, boxes, extents, ltrb):
    corners = boxes.reshape(-1, 2, 2).astype(np.float64)
    if not ltrb:
        corners[:, 1] += corners[:, 0]
    there = (corners[:, 1] > corners[:, 0]).all(axis=1)  # others only fill a batch up
    height, width = picture.shape[:2]
    scaled = _scaled(corners[there], picture, extents).round().astype(int)
    for i, ((left, top), (right, bottom)) in zip(np.flatnonzero(there), scaled, strict=True):
        right, bottom = min(max(right - 1, left), width - 1), min(max(bottom - 1, top), height - 1)
        left, top = max(left, 0), max(top, 0)
        for rows, columns in (
            (top, slice(left, right + 1)), (bottom, slice(left, right + 1)),
            (slice(top, bottom + 1), left), (slice(top, bottom + 1), right),
        ):  # fmt: skip
            if left < width and top < height and right >= 0 and bottom >= 0:
                picture[rows, columns] = _colour(i)
    return picture


def _points(picture, points, extents, _ltrb):
    objects = points.reshape(-1, points.shape[-2], points.shape[-1])
    for i, one in enumerate(objects):
        seen = one[one[:, 2] > 0] if one.shape[1] == 3 else one
        for x, y in _scaled(seen[:, :2], picture, extents).astype(int):
            if 0 <= x < picture.shape[1] and 0 <= y < picture.shape[0]:
                picture[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2] = _colour(i)
    return picture


def _masks(picture, masks, _extents, _ltrb):
    planes = masks.squeeze()
    if planes.ndim == 2:
        planes = [planes == number for number in np.unique(planes) if number != 0]
    height, width = picture.shape[:2]
    for i, plane in enumerate(planes):
        rows = np.arange(height) * plane.shape[0] // height
        inside = np.asarray(plane, bool)[rows][:, np.arange(width) * plane.shape[1] // width]
        picture[inside] = picture[inside] // 2 + _colour(i) // 2
    return picture


_DRAWN = {"boxes": _boxes, "points": _points, "masks": _masks}
