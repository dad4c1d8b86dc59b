"""The input pipeline of RetinaNet: COCO's pictures cut so that objects stay, flipped, coloured, laid on one canvas.

usage: retinanet.py PICTURES ANNOTATIONS [--library nvidia.dali] [--device mixed]

Everything is as DALI's users write it: `--library` runs the same function with DALI.
"""

from measure import main

MEAN, STD = [0.485 * 255, 0.456 * 255, 0.406 * 255], [0.229 * 255, 0.224 * 255, 0.225 * 255]
SIZE = 640


def pipeline(dali, pictures, annotations, device="cpu", **options):
    """Batches of pictures (FLOAT, 3 x 640 x 640, the rest of the canvas black), boxes (left, top, right, bottom in
    parts of the picture), labels, height and width of the picture on the canvas, and ids.
    """
    fn, types = dali.fn, dali.types
    pipe = dali.Pipeline(**options)
    with pipe:
        files, boxes, labels, ids = fn.readers.coco(
            file_root=pictures, annotations_file=annotations, ltrb=True, ratio=True, image_ids=True,
            shuffle_after_epoch=True, name="Reader"
        )  # fmt: skip
        corner, extent, boxes, labels = fn.random_bbox_crop(
            boxes, labels, bbox_layout="xyXY", scaling=[0.3, 1.0], thresholds=[0.1, 0.3, 0.5, 0.7, 0.9],
            total_num_attempts=100, quiet=True
        )  # fmt: skip
        images = fn.decoders.image_slice(files, corner, extent, device=device, output_type=types.RGB)
        flip = fn.random.coin_flip(probability=0.5)
        boxes = fn.bb_flip(boxes, horizontal=flip, ltrb=True)
        images = fn.flip(images, horizontal=flip)
        images = fn.resize(images, size=[SIZE, SIZE], mode="not_larger", interp_type=types.INTERP_CUBIC)
        images = fn.brightness_contrast(
            images, brightness=fn.random.uniform(range=[0.9, 1.1]), contrast=fn.random.uniform(range=[0.9, 1.1])
        )  # fmt: skip
        images = fn.hsv(
            images, hue=fn.random.uniform(range=[-5.0, 5.0]), saturation=fn.random.uniform(range=[0.9, 1.1])
        )  # fmt: skip
        shapes = fn.slice(images.shape(), start=[0], shape=[2], axes=[0])
        images = fn.paste(images, fill_value=0, ratio=1.0, min_canvas_size=SIZE, paste_x=0, paste_y=0)
        images = fn.crop_mirror_normalize(
            images, crop=(SIZE, SIZE), crop_pos_x=0, crop_pos_y=0, mean=MEAN, std=STD, dtype=types.FLOAT,
            output_layout="CHW"
        )  # fmt: skip
        pipe.set_outputs(images, boxes, labels, shapes, ids)
    return pipe


if __name__ == "__main__":
    main(pipeline, __doc__)
