"""The input pipeline of SSD300: COCO's pictures cut so that objects stay, coloured at random, boxes matched to anchors.

usage: ssd.py PICTURES ANNOTATIONS [--library nvidia.dali] [--device mixed]

Everything is as DALI's users write it: `--library` runs the same function with DALI.
"""

import itertools
import math

from measure import main

MEAN, STD = [0.485 * 255, 0.456 * 255, 0.406 * 255], [0.229 * 255, 0.224 * 255, 0.225 * 255]


def anchors(size=300):
    """The 8,732 default boxes of SSD300: left, top, right, bottom of each, one behind the other."""
    cells, steps = [38, 19, 10, 5, 3, 1], [8, 16, 32, 64, 100, 300]
    scales = [21, 45, 99, 153, 207, 261, 315]
    ratios = [[2], [2, 3], [2, 3], [2, 3], [2], [2]]
    made = []
    for k, count in enumerate(cells):
        small, between = scales[k] / size, math.sqrt(scales[k] * scales[k + 1]) / size
        shapes = [(small, small), (between, between)]
        for ratio in ratios[k]:
            wide = (small * math.sqrt(ratio), small / math.sqrt(ratio))
            shapes += [wide, wide[::-1]]
        for (w, h), i, j in itertools.product(shapes, range(count), range(count)):
            x, y = (j + 0.5) * steps[k] / size, (i + 0.5) * steps[k] / size
            made += [max(x - w / 2, 0.0), max(y - h / 2, 0.0), min(x + w / 2, 1.0), min(y + h / 2, 1.0)]
    return made


def pipeline(dali, pictures, annotations, device="cpu", **options):
    """Batches of pictures (FLOAT, 3 x 300 x 300), boxes (8732 x 4: distances to the anchors), labels and ids."""
    fn, types = dali.fn, dali.types
    pipe = dali.Pipeline(**options)
    with pipe:
        files, boxes, labels, ids = fn.readers.coco(
            file_root=pictures, annotations_file=annotations, skip_empty=True, ratio=True, ltrb=True, image_ids=True,
            random_shuffle=True, name="Reader"
        )  # fmt: skip
        corner, extent, boxes, labels = fn.random_bbox_crop(
            boxes, labels, aspect_ratio=[0.5, 2.0], thresholds=[0, 0.1, 0.3, 0.5, 0.7, 0.9], scaling=[0.3, 1.0],
            bbox_layout="xyXY", allow_no_crop=True, num_attempts=50
        )  # fmt: skip
        images = fn.decoders.image_slice(files, corner, extent, device=device, output_type=types.RGB)
        images = fn.resize(images, resize_x=300, resize_y=300, min_filter=types.INTERP_TRIANGULAR)
        images = fn.hsv(
            images, dtype=types.FLOAT, hue=fn.random.uniform(range=[-18.0, 18.0]),
            saturation=fn.random.uniform(range=[0.5, 1.5])
        )  # fmt: skip
        images = fn.brightness_contrast(
            images, contrast_center=128, dtype=types.UINT8, brightness=fn.random.uniform(range=[0.875, 1.125]),
            contrast=fn.random.uniform(range=[0.5, 1.5])
        )  # fmt: skip
        flip = fn.random.coin_flip(probability=0.5)
        images = fn.crop_mirror_normalize(
            images, mirror=flip, mean=MEAN, std=STD, dtype=types.FLOAT, output_layout="CHW"
        )  # fmt: skip
        boxes = fn.bb_flip(boxes, ltrb=True, horizontal=flip)
        boxes, labels = fn.box_encoder(
            boxes, labels, criteria=0.5, anchors=anchors(), offset=True, stds=[0.1, 0.1, 0.2, 0.2], scale=300
        )  # fmt: skip
        pipe.set_outputs(images, boxes, labels, ids)
    return pipe


if __name__ == "__main__":
    main(pipeline, __doc__)
