"""Data sets in COCO's format, made by the seed."""

import json
import os

import numpy as np

from penstock import Pipeline, fn

CATEGORIES = [7, 3, 90]


def polygons_in(rng, box):
    """Two outlines inside a box: a triangle, and one with as many corners as comes."""
    x, y, w, h = box
    corners = rng.uniform([x, y], [x + w, y + h], (rng.integers(3, 9), 2))
    return [[x, y, x + w, y, x + w, y + h], [round(float(v), 2) for v in corners.ravel()]]


def run_lengths(mask):
    """COCO's run lengths of a mask: column by column, in turn outside and inside."""
    flat = np.asarray(mask, bool).T.ravel()
    ends = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    counts = np.diff([0, *ends, flat.size]).tolist()
    return ([0] if flat[0] else []) + counts


def compressed(counts):
    """The text form of run lengths."""
    text = ""
    for i, count in enumerate(counts):
        value = count - counts[i - 2] if i > 2 else count
        while True:
            bits, value = value & 31, value >> 5
            done = value == (-1 if bits & 16 else 0)
            text += chr((bits | (0 if done else 32)) + 48)
            if done:
                break
    return text


def annotations(images=6, seed=0, kinds=("polygons", "counts", "text"), objects=4):
    """The content of an annotation file. Images have falling ids, and none to `objects` - 1 objects."""
    rng = np.random.default_rng(seed)
    made, listed = [], []
    for i in range(images):
        width, height = int(40 + 8 * (i % 5)), int(48 + 4 * (i % 3))
        listed.append({"id": 1000 - i, "width": width, "height": height, "file_name": f"{i}.jpg"})
        for k in range(i % objects):
            corner, extent = rng.uniform(0, 18, 2), rng.uniform(2, 20, 2)
            box = [round(float(v), 2) for v in (*corner, *extent)]
            kind = kinds[(i + k) % len(kinds)]
            made.append({
                "id": len(made), "image_id": 1000 - i, "category_id": CATEGORIES[k % 3], "bbox": box,
                "area": box[2] * box[3], "iscrowd": int(kind != "polygons"),
                "segmentation": _segmentation(rng, kind, box, height, width),
            })  # fmt: skip
    return {
        "info": {"year": 2026}, "licenses": [], "images": listed,
        "categories": [{"id": one, "name": f"class {one}", "supercategory": "any"} for one in CATEGORIES],
        "annotations": made,
    }  # fmt: skip


def _segmentation(rng, kind, box, height, width):
    if kind == "polygons":
        return polygons_in(rng, box)
    x, y, w, h = (int(v) for v in box)
    mask = np.zeros((height, width), bool)
    mask[y : y + h + 1, x : x + w + 1] = rng.random((h + 1, w + 1)) < 0.7
    counts = run_lengths(mask)
    return {"size": [height, width], "counts": compressed(counts) if kind == "text" else counts}


def write(folder, content, picture):
    """Writes `pictures/` and `annotations.json`; `picture(i)` is what the file of image i holds."""
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    for i, image in enumerate(content["images"]):
        (folder / "pictures" / image["file_name"]).write_bytes(picture(i))
    path = folder / "annotations.json"
    path.write_text(json.dumps(content))
    return str(folder / "pictures"), str(path)


def epoch_of(module, root, file=None, **arguments):
    """[outputs of a sample] of an epoch, each an array."""
    pipe = module.Pipeline(batch_size=1, num_threads=1, device_id=None)
    if file is not None:
        arguments["annotations_file"] = file
    with pipe:
        pipe.set_outputs(*module.fn.readers.coco(file_root=root, name="Reader", **arguments))
    pipe.build()
    samples = []
    for _ in range(pipe.epoch_size("Reader")):
        outputs = pipe.run()
        samples.append([np.array(one.at(0)) for one in outputs])
    return samples


def build(files, content=None, text=None, **arguments):
    """A pipeline that reads (root, annotations file), or the root with other annotations."""
    root, file = files
    if content is not None or text is not None:
        file = os.path.join(root, "bad.json")
        with open(file, "w") as out:
            out.write(json.dumps(content) if text is None else text)
    with Pipeline(1) as pipe:
        pipe.set_outputs(*fn.readers.coco(file_root=root, annotations_file=file, **arguments))
    pipe.build()
    return pipe
