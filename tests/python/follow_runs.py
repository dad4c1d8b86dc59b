"""Pictures with a box, operators that move pixels, and pipelines that move labels along."""

import numpy as np

from penstock import fn, pipeline_def, types

HEIGHT, WIDTH = 96, 128


def square(rng):
    """(picture, box): a white rectangle on black; left, top, right, bottom."""
    w, h = rng.integers(16, 40, 2)
    x, y = rng.integers(8, WIDTH - w - 8), rng.integers(8, HEIGHT - h - 8)
    picture = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    picture[y : y + h, x : x + w] = 255
    return picture, np.float32([[x, y, x + w, y + h]])


def uniform(low, high):
    return fn.random.uniform(range=[low, high])


def warp(images):
    a, b = uniform(-0.4, 0.4), uniform(0.8, 1.3)
    turned = fn.transforms.rotation(angle=a * 60, center=[WIDTH / 2, HEIGHT / 2])
    return fn.warp_affine(
        images, fn.transforms.combine(turned, fn.transforms.scale(scale=[b, b])), fill_value=0, inverse_map=False
    )  # fmt: skip


def bend(images):
    matrix = fn.stack(
        uniform(0.9, 1.1), uniform(-0.1, 0.1), uniform(-5, 5), uniform(-0.1, 0.1), uniform(0.9, 1.1), uniform(-5, 5),
        uniform(-0.001, 0.001), uniform(-0.001, 0.001), 1.0
    )  # fmt: skip
    return fn.experimental.warp_perspective(images, matrix=matrix, fill_value=[0])


MOVES = {
    "resize": lambda x: fn.resize(x, resize_x=uniform(60, 200), resize_y=uniform(60, 200)),
    "not_larger": lambda x: fn.resize(x, size=[90, 130], mode="not_larger"),
    "shorter": lambda x: fn.resize(x, resize_shorter=uniform(60, 150)),
    "roi": lambda x: fn.resize(x, size=[100, 100], roi_start=[0.1, 0.05], roi_end=[0.9, 1], roi_relative=True),
    "turned roi": lambda x: fn.resize(x, size=[100, 100], roi_start=[1.0, 0.05], roi_end=[0.1, 1], roi_relative=True),
    "tensor_resize": lambda x: fn.tensor_resize(x, sizes=[80, 100], axes=[0, 1]),
    "crop": lambda x: fn.crop(
        x, crop_h=80, crop_w=90, crop_pos_x=uniform(0, 1), crop_pos_y=uniform(0, 1), out_of_bounds_policy="pad"
    ),
    "slice": lambda x: fn.slice(x, rel_start=[0.1, 0.2], rel_shape=[0.7, 0.8], axis_names="HW"),
    "slice beyond": lambda x: fn.slice(x, start=[-5, 10], shape=[100, 100], axes=[0, 1], out_of_bounds_policy="pad"),
    "flip": lambda x: fn.flip(x, horizontal=fn.random.coin_flip(), vertical=fn.random.coin_flip()),
    "rotate": lambda x: fn.rotate(x, angle=uniform(-180, 180), fill_value=0),
    "rotate in place": lambda x: fn.rotate(x, angle=uniform(-40, 40), fill_value=0, keep_size=True),
    "warp_affine": warp,
    "warp_perspective": bend,
    "paste": lambda x: fn.paste(x, fill_value=0, ratio=uniform(1, 1.5), paste_x=uniform(0, 1), paste_y=uniform(0, 1)),
    "random_resized_crop": lambda x: fn.random_resized_crop(x, size=[110, 120], random_area=[0.5, 1.0]),
    "mirrored": lambda x: fn.crop_mirror_normalize(
        x, mirror=fn.random.coin_flip(), crop=(70, 80), crop_pos_x=uniform(0, 1), dtype=types.UINT8,
        output_layout="HWC", out_of_bounds_policy="pad"
    ),
    "resize_crop_mirror": lambda x: fn.resize_crop_mirror(
        x, resize_x=150, resize_y=140, crop=(100, 120), crop_pos_x=uniform(0, 1), mirror=fn.random.coin_flip()
    ),
    "coloured": lambda x: fn.brightness(x, brightness=uniform(0.9, 1.0)),
    "blurred": lambda x: fn.gaussian_blur(x, sigma=0.5),
}  # fmt: skip


def chain(names, images):
    for name in names:
        images = MOVES[name](images)
    return images


def run(define, samples, seed=3, **options):
    """[output][sample] of one batch of (picture, box) samples."""

    @pipeline_def(batch_size=len(samples), num_threads=2, device_id=None, seed=seed, **options)
    def pipe():
        images, boxes = fn.external_source(lambda: tuple(map(list, zip(*samples, strict=True))), num_outputs=2)
        return define(fn.reshape(images, layout="HWC"), boxes)

    return [[np.array(one) for one in output] for output in pipe().run()]
