"""A small data set of shapes in COCO's format, and how well a detector finds them: what the detection examples share.

usage: shapes.py FOLDER [--count 200] [--seed 0]
"""

import argparse
import contextlib
import io
import itertools
import json
import pathlib
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

SIZE = 128
CLASSES = ("square", "disc", "triangle")
ANCHOR_SIDES = (20.0, 32.0, 48.0)
STRIDE = 8  # pixels between the middles of anchors


def make(folder, count, seed):
    """Writes `pictures/` and `annotations.json`; one to three shapes a picture. Returns both paths as text."""
    folder = pathlib.Path(folder)
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    draw = np.random.default_rng(seed)
    images, objects = [], []
    for i in range(1, count + 1):
        picture, drawn = _picture(draw)
        picture.save(folder / "pictures" / f"{i}.jpg", quality=92)
        images.append({"id": i, "file_name": f"{i}.jpg", "width": SIZE, "height": SIZE})
        for category, box in drawn:
            objects.append({
                "id": len(objects) + 1, "image_id": i, "category_id": category, "bbox": box, "iscrowd": 0,
                "area": box[2] * box[3], "segmentation": [],
            })  # fmt: skip
    categories = [{"id": i + 1, "name": name} for i, name in enumerate(CLASSES)]
    path = folder / "annotations.json"
    path.write_text(json.dumps({"info": {}, "images": images, "categories": categories, "annotations": objects}))
    return str(folder / "pictures"), str(path)


def _picture(draw):
    noise = draw.integers(0, 90, (SIZE // 16, SIZE // 16, 3), np.uint8)
    picture = Image.fromarray(noise).resize((SIZE, SIZE), Image.Resampling.BILINEAR)
    pen, taken, drawn = ImageDraw.Draw(picture), [], []
    for _ in range(draw.integers(1, 4)):
        side = int(draw.integers(18, 52))
        x, y = (int(one) for one in draw.integers(2, SIZE - side - 2, 2))
        if any(x < a + s and a < x + side and y < b + s and b < y + side for a, b, s in taken):
            continue
        taken.append((x, y, side))
        category = int(draw.integers(1, len(CLASSES) + 1))
        colour = tuple(int(one) for one in draw.integers(130, 256, 3))
        corners = (x, y, x + side - 1, y + side - 1)
        if category == 1:
            pen.rectangle(corners, colour)
        elif category == 2:
            pen.ellipse(corners, colour)
        else:
            pen.polygon([(x + side / 2, y), (x, y + side - 1), (x + side - 1, y + side - 1)], colour)
        drawn.append((category, [x, y, side, side]))
    return picture, drawn


def anchors():
    """Left, top, right, bottom in parts of the picture: row by row, the sides of ANCHOR_SIDES at each place."""
    middles = (np.arange(SIZE // STRIDE) + 0.5) * STRIDE
    made = [
        (x - side / 2, y - side / 2, x + side / 2, y + side / 2)
        for y, x, side in itertools.product(middles, middles, ANCHOR_SIDES)
    ]
    return np.clip(np.array(made, np.float32) / SIZE, 0, 1)


def decoded(offsets, scores, most=10, overlap=0.5):
    """(boxes, scores, classes) of one picture, from what a network says of each anchor.

    `offsets` [anchors, 4] are those of `fn.box_encoder` with `stds` of 0.1 and 0.2, `scores` [anchors, 1 + classes] are
    probabilities, the first that of nothing. Boxes are x, y, w, h in pixels, the best ones first.
    """
    low, high = anchors()[:, :2], anchors()[:, 2:]
    middles = (low + high) / 2 + offsets[:, :2] * 0.1 * (high - low)
    extents = (high - low) * np.exp(np.minimum(offsets[:, 2:] * 0.2, 4))
    boxes = np.hstack([middles - extents / 2, extents]) * SIZE
    classes = scores[:, 1:].argmax(1)
    best = scores[:, 1:].max(1)
    kept = []
    for i in np.argsort(-best)[:100]:
        if best[i] < 0.05 or len(kept) == most:
            break
        if all(classes[i] != classes[k] or _overlap(boxes[i], boxes[k]) < overlap for k in kept):
            kept.append(i)
    return boxes[kept], best[kept], classes[kept] + 1


def _overlap(a, b):
    """Intersection over union."""
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[:2] + a[2:], b[:2] + b[2:])
    common = np.prod(np.maximum(high - low, 0))
    return common / (a[2] * a[3] + b[2] * b[3] - common)


def average_precision(annotations, found):
    """AP at an overlap of 0.5, by pycocotools; `found` is a list of (image id, boxes, scores, classes)."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    results: Any = [
        {"image_id": int(image), "category_id": int(one), "bbox": [float(v) for v in box], "score": float(score)}
        for image, boxes, scores, classes in found
        for box, score, one in zip(boxes, scores, classes, strict=True)
    ]
    if not results:
        return 0.0
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO(annotations)
        evaluation = COCOeval(truth, truth.loadRes(results), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return float(evaluation.stats[1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(*make(given.folder, given.count, given.seed))
