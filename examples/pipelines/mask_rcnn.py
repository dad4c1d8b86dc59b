"""The input pipeline of Mask R-CNN: COCO's pictures at one of some scales, flipped, with boxes, outlines and labels.

usage: mask_rcnn.py PICTURES ANNOTATIONS [--library nvidia.dali] [--device mixed]

Everything is as DALI's users write it: `--library` runs the same function with DALI.
"""

from measure import main

MEAN, STD = [0.485 * 255, 0.456 * 255, 0.406 * 255], [0.229 * 255, 0.224 * 255, 0.225 * 255]
SHORTER, LONGEST = [640.0, 672.0, 704.0, 736.0, 768.0, 800.0], 1333


def pipeline(dali, pictures, annotations, device="cpu", shorter=None, longest=LONGEST, **options):
    """Batches of pictures (FLOAT, 3 x H x W: of one size, a multiple of 32, the rest of each 0), boxes (left, top,
    right, bottom in pixels), labels, polygons (mask, first vertex, vertex past the last), vertices (x, y in pixels),
    height and width of the picture on the canvas, and ids.

    `shorter` are the lengths that the shorter side gets, one drawn for each picture; `longest` is the most for the
    longer one.
    """
    fn, types = dali.fn, dali.types
    pipe = dali.Pipeline(**options)
    with pipe:
        files, boxes, labels, polygons, vertices, ids = fn.readers.coco(
            file_root=pictures, annotations_file=annotations, skip_empty=True, ratio=True, ltrb=True,
            polygon_masks=True, image_ids=True, random_shuffle=True, name="Reader"
        )  # fmt: skip
        images = fn.decoders.image(files, device=device, output_type=types.RGB)
        side = fn.random.uniform(values=shorter or SHORTER)
        images = fn.resize(images, resize_shorter=side, max_size=longest)
        flip = fn.random.coin_flip(probability=0.5)
        shapes = fn.slice(images.shape(), start=[0], shape=[2], axes=[0])
        images = fn.crop_mirror_normalize(
            images, mirror=flip, mean=MEAN, std=STD, dtype=types.FLOAT, output_layout="CHW"
        )  # fmt: skip
        images = fn.pad(images, axis_names="HW", align=32, fill_value=0)
        boxes = fn.bb_flip(boxes, horizontal=flip, ltrb=True)
        vertices = fn.coord_flip(vertices, flip_x=flip, flip_y=0)
        extents = fn.cast(fn.stack(shapes[1], shapes[0]), dtype=types.FLOAT)
        boxes, vertices = boxes * fn.cat(extents, extents), vertices * extents
        pipe.set_outputs(images, boxes, labels, polygons, vertices, shapes, ids)
    return pipe


if __name__ == "__main__":
    main(pipeline, __doc__)
