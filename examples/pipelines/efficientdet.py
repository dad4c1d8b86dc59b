"""The input pipeline of EfficientDet: COCO's pictures scaled at random onto one canvas, four pasted to one, grid masks.

usage: efficientdet.py PICTURES ANNOTATIONS [--library nvidia.dali] [--device mixed]

Everything is as DALI's users write it: `--library` runs the same function with DALI.
"""

import math

import numpy as np
from measure import main

MEAN, STD = [0.485 * 255, 0.456 * 255, 0.406 * 255], [0.229 * 255, 0.224 * 255, 0.225 * 255]
SIZE = 512
MOST_BOXES = 100


def chosen(dali, probability, changed, kept):
    """`changed` for so many of the samples, `kept` for the others: both are made."""
    fn, types = dali.fn, dali.types
    choice = fn.cast(fn.random.coin_flip(probability=probability), dtype=types.BOOL)
    return choice * changed + (choice ^ True) * kept


def masked(dali, images):
    """Squares of a grid that is turned at random are black."""
    fn, types = dali.fn, dali.types
    side = SIZE / 2 * fn.random.uniform(range=[0.2, 1.0])
    angle = fn.random.normal(mean=0.0, stddev=10 * math.pi / 180)
    ratio = 0.4 * fn.cast(fn.random.coin_flip(probability=0.3), dtype=types.FLOAT)
    return fn.grid_mask(images, ratio=ratio, angle=angle, tile=fn.cast(side + 10, dtype=types.INT32))


def scaled(dali, images, boxes, labels, shapes):
    """A window of SIZE x SIZE of pictures that were made 0.5 to 1.5 times as large as it; boxes that it shows."""
    fn, types = dali.fn, dali.types
    extents = fn.cast(fn.slice(shapes, start=[0], shape=[2], axes=[0]), dtype=types.FLOAT)
    factor = SIZE * fn.random.uniform(range=[0.5, 1.5]) / fn.reductions.max(extents)
    sizes = dali.math.max(dali.math.floor(extents * factor), 1.0)
    images = fn.resize(images, size=sizes)
    window = fn.stack(SIZE / sizes[1], SIZE / sizes[0])
    begin = fn.random.uniform(range=[0.0, 1.0]) * dali.math.max(1.0 - window, 0.0)  # x and y in parts of the picture
    images = fn.slice(
        images, begin, window, axis_names="WH", normalized_anchor=True, normalized_shape=True,
        out_of_bounds_policy="pad"
    )  # fmt: skip
    images = fn.resize(images, size=[SIZE, SIZE])  # what rounding made of the window
    twice = fn.cat(begin, begin), fn.cat(window, window)
    boxes = dali.math.clamp((boxes - twice[0]) / twice[1], 0.0, 1.0)
    return images, boxes, labels


def pasted(dali, images, boxes, labels, batch_size):
    """Four pictures of the batch, a quarter of the canvas each; the first is the sample's own."""
    fn, types = dali.fn, dali.types
    others = [fn.batch_permutation() for _ in range(3)]
    cut = fn.cast(SIZE * fn.random.uniform(range=[0.3, 0.7], shape=[2]), dtype=types.INT32)  # y, x of the middle
    y, x, whole = cut[0], cut[1], fn.constant(idata=SIZE, shape=[])
    zero = fn.constant(idata=0, shape=[])
    own = fn.external_source(source=[np.arange(batch_size, dtype=np.int32)], cycle=True, batch=True)
    anchors = fn.stack(fn.stack(zero, zero), fn.stack(zero, x), fn.stack(y, zero), fn.stack(y, x))
    extents = fn.stack(fn.stack(y, x), fn.stack(y, whole - x), fn.stack(whole - y, x), fn.stack(whole - y, whole - x))
    images = fn.multi_paste(
        images, in_ids=fn.stack(own, *others), output_size=[SIZE, SIZE], in_anchors=anchors, out_anchors=anchors,
        shapes=extents
    )  # fmt: skip
    parts = []
    for k, source in enumerate([None, *others]):
        its = boxes if source is None else fn.permute_batch(boxes, indices=source)
        low = fn.cast(fn.stack(anchors[k, 1], anchors[k, 0]), dtype=types.FLOAT) / SIZE
        high = low + fn.cast(fn.stack(extents[k, 1], extents[k, 0]), dtype=types.FLOAT) / SIZE
        parts.append(dali.math.min(dali.math.max(its, fn.cat(low, low)), fn.cat(high, high)))
    permuted = [labels, *(fn.permute_batch(labels, indices=source) for source in others)]
    return images, fn.cat(*parts, axis=0), fn.cat(*permuted, axis=0)


def pipeline(dali, pictures, annotations, device="cpu", **options):
    """Batches of pictures (FLOAT, 3 x 512 x 512), boxes (100 x 4: left, top, right, bottom in parts of the picture, -1
    where there is none; without area where nothing is seen), labels (100) and ids.
    """
    fn, types = dali.fn, dali.types
    pipe = dali.Pipeline(**options)
    with pipe:
        files, boxes, labels, ids = fn.readers.coco(
            file_root=pictures, annotations_file=annotations, skip_empty=True, ratio=True, ltrb=True, image_ids=True,
            random_shuffle=True, name="Reader"
        )  # fmt: skip
        shapes = fn.peek_image_shape(files)
        images = fn.decoders.image(files, device=device, output_type=types.RGB)
        flip = fn.random.coin_flip(probability=0.5)
        images, boxes = fn.flip(images, horizontal=flip), fn.bb_flip(boxes, horizontal=flip, ltrb=True)
        images, boxes, labels = scaled(dali, images, boxes, labels, shapes)
        images, boxes, labels = pasted(dali, images, boxes, labels, options["batch_size"])
        images = masked(dali, images)
        images = fn.crop_mirror_normalize(images, mean=MEAN, std=STD, dtype=types.FLOAT, output_layout="CHW")
        boxes = fn.pad(boxes, fill_value=-1, shape=[MOST_BOXES, 4])
        labels = fn.pad(labels, fill_value=-1, shape=[MOST_BOXES])
        boxes = fn.slice(boxes, start=[0], shape=[MOST_BOXES], axes=[0])
        labels = fn.slice(labels, start=[0], shape=[MOST_BOXES], axes=[0])
        pipe.set_outputs(images, boxes, labels, ids)
    return pipe


if __name__ == "__main__":
    main(pipeline, __doc__)
