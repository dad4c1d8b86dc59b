"""Pictures with a box, and pipelines that move them."""

import numpy as np

from penstock import fn, pipeline_def

HEIGHT, WIDTH = 96, 128


def square(rng):
    """(picture, box): a white rectangle on black; left, top, right, bottom."""
    w, h = rng.integers(16, 40, 2)
    x, y = rng.integers(8, WIDTH - w - 8), rng.integers(8, HEIGHT - h - 8)
    picture = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    picture[y : y + h, x : x + w] = 255
    return picture, np.float32([[x, y, x + w, y + h]])


def run(define, samples, seed=3, **options):
    """[output][sample] of one batch of (picture, box) samples."""

    @pipeline_def(batch_size=len(samples), num_threads=2, device_id=None, seed=seed, **options)
    def pipe():
        images, boxes = fn.external_source(lambda: tuple(map(list, zip(*samples, strict=True))), num_outputs=2)
        return define(fn.reshape(images, layout="HWC"), boxes)

    return [[np.array(one) for one in output] for output in pipe().run()]
