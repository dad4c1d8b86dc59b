"""What `penstock inspect` says of annotations in COCO's format."""

import collections
import json
import os

from . import _damage

_WIDER = 1.0  # pixels that a box may reach out of its picture: they are rounded


def inspect(path, images=None, limit=None):
    """Prints what there is; whether all of it makes sense. `ValueError` for what is no such file."""
    try:
        with open(path, "rb") as file:
            found = json.load(file)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no JSON, or was cut off: {error}") from None
    if not isinstance(found, dict) or not isinstance(found.get("images"), list):
        raise ValueError(f'{path} is no file of annotations as COCO has them: there are no "images"')
    pictures, boxes, classes = (_list(found, name) for name in ("images", "annotations", "categories"))
    damaged = [*_pictures(pictures[:limit], path, images)]
    damaged += _boxes(boxes[:limit], {one.get("id"): one for one in pictures}, {one.get("id") for one in classes})
    with_boxes = {one.get("image_id") for one in boxes}
    without = sum(one.get("id") not in with_boxes for one in pictures)
    print(f"{path}: annotations of COCO's format")
    print(f"pictures: {len(pictures):,}, {without:,} of them without annotations")
    crowds = sum(bool(one.get("iscrowd")) for one in boxes)
    print(f"annotations: {len(boxes):,}, {crowds:,} of crowds; categories: {len(classes):,}")
    for line in _damage.lines(damaged):
        print(line)
    return not damaged


def _list(found, name):
    entries = found.get(name, [])
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise ValueError(f'"{name}" is no list of objects')
    return entries


def _pictures(pictures, path, folder):
    """Twice the same id, and files that are not there."""
    folder = os.path.dirname(path) if folder is None else folder
    counts = collections.Counter(one.get("id") for one in pictures)
    for one in pictures:
        name = one.get("file_name")
        source = f"picture {one.get('id')}"
        if not isinstance(name, str) or not name:
            yield source, "has no file_name"
        elif not os.path.isfile(os.path.join(folder, name)):
            yield source, f"there is no file {os.path.join(folder, name)} (--images names another folder)"
        if counts[one.get("id")] > 1:
            yield source, f"{counts[one.get('id')]} pictures have this id"


def _boxes(boxes, pictures, classes):
    for one in boxes:
        source = f"annotation {one.get('id')}"
        picture = pictures.get(one.get("image_id"))
        if picture is None:
            yield source, f"is of picture {one.get('image_id')}, which is not there"
        if classes and one.get("category_id") not in classes:
            yield source, f"is of category {one.get('category_id')}, which is not there"
        box = one.get("bbox")
        if not _is_box(box):
            yield source, f"has no box of four numbers: {str(box)[:60]}"
            continue
        x, y, width, height = box
        if width <= 0 or height <= 0:
            yield source, f"has a box of no size: {width} x {height}"
        elif picture is not None and _reaches_out(box, picture):
            yield source, f"has a box that reaches out of its picture: {box}"


def _is_box(box):
    return (
        isinstance(box, list)
        and len(box) == 4
        and all(isinstance(x, (int, float)) and not isinstance(x, bool) and abs(x) < float("inf") for x in box)
    )


def _reaches_out(box, picture):
    x, y, width, height = box
    size = picture.get("width"), picture.get("height")
    if not all(isinstance(one, (int, float)) for one in size):
        return False
    return x < -_WIDER or y < -_WIDER or x + width > size[0] + _WIDER or y + height > size[1] + _WIDER
