"""Makes data to measure the pipelines of this folder with: pictures with COCO's annotations, volumes with labels.

usage: make_data.py FOLDER [--pictures 256] [--volumes 4]

FOLDER gets `pictures/` (JPEG, 640 x 480, two to eight ellipses each), `annotations.json` (boxes and polygons),
`volumes/` (.npy, FLOAT, 4 x 155 x 240 x 240, as BraTS's) and `labels/` (UINT8, 1 x 155 x 240 x 240, balls).
"""

import argparse
import json
import pathlib

import numpy as np
from PIL import Image, ImageDraw

WIDTH, HEIGHT = 640, 480
VOLUME = (155, 240, 240)
CATEGORIES = 20


def background(rng):
    """Noise of several sizes: JPEG files of it are about as large as those of photographs."""
    sizes = [(10, 8), (80, 60), (WIDTH, HEIGHT)]
    layers = [Image.fromarray(rng.integers(0, 256, (h, w, 3), np.uint8)).resize((WIDTH, HEIGHT)) for w, h in sizes]
    mixed = np.average([np.asarray(layer, np.float32) for layer in layers], axis=0, weights=[0.6, 0.3, 0.1])
    return Image.fromarray(mixed.astype(np.uint8))


def ellipse(rng):
    """An ellipse's corners as COCO lists them: x and y in turns."""
    w, h = rng.uniform(40, 240), rng.uniform(40, 200)
    x, y = rng.uniform(0, WIDTH - w), rng.uniform(0, HEIGHT - h)
    turns = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    corners = np.stack([x + w / 2 * (1 + np.cos(turns)), y + h / 2 * (1 + np.sin(turns))], 1)
    return [round(float(one), 2) for one in corners.reshape(-1)], [x, y, w, h], np.pi / 4 * w * h


def make_pictures(folder, count, rng):
    content = {"images": [], "annotations": [], "categories": []}
    content["categories"] = [{"id": i + 1, "name": f"colour {i}"} for i in range(CATEGORIES)]
    colours = rng.integers(0, 256, (CATEGORIES, 3))
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    for number in range(1, count + 1):
        name, picture = f"{number:06d}.jpg", background(rng)
        for _ in range(rng.integers(2, 9)):
            corners, box, area = ellipse(rng)
            category = int(rng.integers(CATEGORIES))
            ImageDraw.Draw(picture).polygon(corners, tuple(int(one) for one in colours[category]))
            content["annotations"].append(
                {"id": len(content["annotations"]) + 1, "image_id": number, "category_id": category + 1, "iscrowd": 0,
                 "bbox": [round(float(one), 2) for one in box], "area": float(area), "segmentation": [corners]}
            )  # fmt: skip
        picture.save(folder / "pictures" / name, quality=90)
        content["images"].append({"id": number, "file_name": name, "width": WIDTH, "height": HEIGHT})
    (folder / "annotations.json").write_text(json.dumps(content))


def make_volumes(folder, count, rng):
    axes = np.ogrid[tuple(slice(extent) for extent in VOLUME)]
    for kind in ("volumes", "labels"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    for number in range(count):
        labels = np.zeros(VOLUME, np.uint8)
        for value in rng.integers(1, 4, 6):
            middle, radius = [rng.uniform(20, extent - 20) for extent in VOLUME], rng.uniform(8, 30)
            away = sum((axis - at) ** 2 for axis, at in zip(axes, middle, strict=True))
            labels[away < radius**2] = value
        volume = rng.standard_normal((4, *VOLUME), np.float32) + labels
        np.save(folder / "volumes" / f"{number:03d}.npy", volume.astype(np.float32))
        np.save(folder / "labels" / f"{number:03d}.npy", labels[np.newaxis])


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pictures", type=int, default=256)
    parser.add_argument("--volumes", type=int, default=4)
    given = parser.parse_args()
    make_pictures(given.folder, given.pictures, np.random.default_rng(1))
    make_volumes(given.folder, given.volumes, np.random.default_rng(2))


if __name__ == "__main__":
    main()
