"""Draws a small data set: pictures of boats, houses and trees, one folder for each class.

The notebooks and the pictures of the documentation are made of these, so they need no data from elsewhere.

usage: scenes.py FOLDER [--count 40] [--size 160]
"""

import argparse
import colorsys
import math
import pathlib
import random

from PIL import Image, ImageDraw

CLASSES = ("boat", "house", "tree")
_FINE = 3  # pictures are drawn larger and shrunk, so that edges are smooth


def _colour(draw, hue, saturation, value, spread=0.05):
    channels = (hue + draw.uniform(-spread, spread), saturation, value * draw.uniform(0.85, 1.1))
    return tuple(round(255 * min(max(one, 0), 1)) for one in colorsys.hsv_to_rgb(channels[0] % 1, *channels[1:]))


def _blend(first, second, share):
    return tuple(round(a + (b - a) * share) for a, b in zip(first, second, strict=True))


def _landscape(draw, width, height):
    """(picture, pen, horizon): a sky that fades, a sun, hills, and ground or water below."""
    picture = Image.new("RGB", (width, height))
    pen = ImageDraw.Draw(picture)
    horizon = round(height * draw.uniform(0.5, 0.62))
    high, low = _colour(draw, 0.58, 0.55, 0.9), _colour(draw, 0.1, 0.2, 0.98)
    for y in range(horizon):
        pen.line((0, y, width, y), fill=_blend(high, low, y / horizon))
    radius, x, y = height * 0.07, width * draw.uniform(0.1, 0.9), height * draw.uniform(0.1, 0.3)
    pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=(255, 236, 170))
    start, pitch = draw.uniform(0, 6), draw.uniform(1.5, 3)
    hills = [(i * width / 40, horizon - height * 0.06 * (1.2 + math.sin(start + i * pitch * 0.16))) for i in range(41)]
    pen.polygon([*hills, (width, horizon), (0, horizon)], fill=_colour(draw, 0.37, 0.35, 0.6))
    return picture, pen, horizon


def _boat(draw, pen, size, horizon):
    width, height = size
    sea = _colour(draw, 0.56, 0.6, 0.65)
    pen.rectangle((0, horizon, width, height), fill=sea)
    for _ in range(26):
        x, y = draw.uniform(0, width), draw.uniform(horizon, height)
        pen.line((x, y, x + width * 0.07, y), fill=_blend(sea, (255, 255, 255), 0.35), width=_FINE)
    x, y, unit = width * draw.uniform(0.32, 0.68), height * draw.uniform(0.7, 0.82), height * draw.uniform(0.2, 0.28)
    hull = [(x - unit, y - unit * 0.25), (x + unit, y - unit * 0.25), (x + unit * 0.7, y), (x - unit * 0.7, y)]
    pen.polygon(hull, fill=_colour(draw, draw.random(), 0.7, 0.6))
    pen.line((x, y - unit * 0.25, x, y - unit * 2), fill=(90, 60, 40), width=_FINE * 2)
    sail = _colour(draw, draw.random(), 0.35, 0.98)
    pen.polygon([(x + 4, y - unit * 1.95), (x + 4, y - unit * 0.35), (x + unit * 0.9, y - unit * 0.4)], fill=sail)
    pen.polygon(
        [(x - 4, y - unit * 1.7), (x - 4, y - unit * 0.35), (x - unit * 0.7, y - unit * 0.4)], fill=(250, 250, 245)
    )


def _house(draw, pen, size, horizon):
    width, height = size
    pen.rectangle((0, horizon, width, height), fill=_colour(draw, 0.27, 0.5, 0.65))
    x, y, unit = width * draw.uniform(0.3, 0.7), height * draw.uniform(0.74, 0.86), height * draw.uniform(0.18, 0.24)
    wall = _colour(draw, draw.random(), 0.25, 0.92)
    pen.rectangle((x - unit, y - unit * 1.1, x + unit, y), fill=wall)
    roof = _colour(draw, 0.02, 0.65, 0.6)
    pen.polygon([(x - unit * 1.2, y - unit * 1.1), (x + unit * 1.2, y - unit * 1.1), (x, y - unit * 1.95)], fill=roof)
    pen.rectangle((x - unit * 0.18, y - unit * 0.6, x + unit * 0.18, y), fill=_blend(roof, (0, 0, 0), 0.35))
    for side in (-0.65, 0.65):
        middle = x + unit * side
        pane = (middle - unit * 0.18, y - unit * 0.8, middle + unit * 0.18, y - unit * 0.42)
        pen.rectangle(pane, fill=(190, 220, 240), outline=(70, 60, 60), width=_FINE)


def _tree(draw, pen, size, horizon):
    width, height = size
    pen.rectangle((0, horizon, width, height), fill=_colour(draw, 0.2, 0.5, 0.7))
    x, y, unit = width * draw.uniform(0.3, 0.7), height * draw.uniform(0.78, 0.9), height * draw.uniform(0.2, 0.26)
    pen.rectangle((x - unit * 0.13, y - unit * 1.4, x + unit * 0.13, y), fill=_colour(draw, 0.07, 0.55, 0.4))
    hue = draw.choice([0.33, 0.28, 0.08, 0.13])
    for _ in range(14):
        angle, far, radius = draw.uniform(0, 6.3), unit * draw.uniform(0.1, 0.6), unit * draw.uniform(0.3, 0.5)
        cx, cy = x + far * math.cos(angle), y - unit * 1.9 + far * math.sin(angle)
        pen.ellipse((cx - radius, cy - radius, cx + radius, cy + radius), fill=_colour(draw, hue, 0.6, 0.6, 0.02))


_SUBJECTS = {"boat": _boat, "house": _house, "tree": _tree}


def scene(subject, seed, size=160):
    """A picture of a boat, a house or a tree, 4 : 3. The same seed draws the same picture."""
    draw = random.Random(f"{subject} {seed}")
    large = (size * 4 // 3 * _FINE, size * _FINE)
    picture, pen, horizon = _landscape(draw, *large)
    _SUBJECTS[subject](draw, pen, large, horizon)
    return picture.resize((large[0] // _FINE, large[1] // _FINE), Image.Resampling.LANCZOS)


def write_scenes(folder, count=40, size=160):
    """Writes `count` JPEG files of each class into `folder`/<class>; returns the folder."""
    folder = pathlib.Path(folder)
    for subject in CLASSES:
        (folder / subject).mkdir(parents=True, exist_ok=True)
        for seed in range(count):
            scene(subject, seed, size).save(folder / subject / f"{seed:03}.jpg", quality=90)
    return folder


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=40, help="pictures of each class")
    parser.add_argument("--size", type=int, default=160, help="rows of a picture")
    options = parser.parse_args()
    write_scenes(options.folder, options.count, options.size)
    print(f"{len(CLASSES) * options.count} pictures in {options.folder}")


if __name__ == "__main__":
    main()
