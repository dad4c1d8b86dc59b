"""Draws the README's contact sheet: pictures of examples/scenes.py, and what one pipeline makes of each.

usage: draw_sheet.py [--out docs/pictures/augmented.png]
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np

import penstock
from penstock import _sheet, fn, types

ROOT = pathlib.Path(__file__).parent.parent
ROWS, COLUMNS, SIDE = 3, 7, 112


@penstock.pipeline_def(batch_size=COLUMNS, seed=8)
def augmented(files):
    jpegs, _ = fn.readers.file(files=files)
    images = fn.decoders.image(jpegs, output_type=types.RGB)
    whole = fn.resize(images, size=(SIDE, SIDE * 4 // 3))
    images = fn.random_resized_crop(images, size=(SIDE, SIDE * 4 // 3), random_area=(0.45, 1.0))
    images = fn.flip(images, horizontal=fn.random.coin_flip())
    images = fn.rotate(images, angle=fn.random.uniform(range=(-12.0, 12.0)), keep_size=True)
    images = fn.color_twist(
        images,
        hue=fn.random.uniform(range=(-35.0, 35.0)),
        saturation=fn.random.uniform(range=(0.5, 1.6)),
        brightness=fn.random.uniform(range=(0.75, 1.25)),
    )
    images = fn.gaussian_blur(images, sigma=fn.random.uniform(range=(0.1, 1.6)))
    return whole, images


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/pictures/augmented.png")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "examples"))
    from scenes import CLASSES, write_scenes

    with tempfile.TemporaryDirectory() as folder:
        write_scenes(folder, 1, 240)
        pictures, captions = [], []
        for subject in CLASSES[:ROWS]:
            whole, made = augmented([f"{folder}/{subject}/000.jpg"] * COLUMNS).run()
            pictures += [np.asarray(whole[0]), *(np.asarray(one) for one in made)]
            captions += [subject, *[f"{subject} {i + 1}" for i in range(COLUMNS)]]
    _sheet.write_png(options.out, _sheet.contact_sheet(pictures, captions, COLUMNS + 1))
    print(f"{len(pictures)} pictures in {options.out}")


if __name__ == "__main__":
    main()
