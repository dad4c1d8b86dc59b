"""The jobs in DALI's vocabulary. Penstock and DALI run these very lines; `lib` is the package of one or the other.

Each job is a generator that gives the number of samples of every batch, and 0 after the last one of an epoch.
"""

import functools
import importlib

_MEAN, _STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]  # ImageNet's


# What DALI's decoder needs to be at its best on a GPU: room for the pictures beforehand.
_ROOM = {"preallocate_width_hint": 640, "preallocate_height_hint": 640}


def _on_gpu(decoder):
    """Arguments of the decoder there."""
    return {"device": "mixed", **_ROOM, **decoder}


def picture_pipeline(lib, job, read, batch, threads, device_id=None, depth=2, **decoder):
    """A pipeline from JPEG files to batches in host memory, or in a GPU's.

    `read` is a reader that knows where its files are; `decoder` are further arguments of the decoder.

    - train: a random region, resized to 224 x 224, flipped by chance, normalised, CHW; float, on a GPU float16
    - again: the same from the second epoch on, with Penstock's checkpoints; DALI has none
    - augment: train with two operations of RandAugment for each picture, before it is normalised
    - eval: the shorter side resized to 256, antialiased but on a GPU, the middle 224 x 224, normalised likewise
    - decode: RGB pixels
    """
    fn, types, gpu = lib.fn, lib.types, device_id is not None
    decoder = (_on_gpu(decoder) if gpu else {}) | {"output_type": types.RGB}
    if job == "again" and lib.__name__ == "penstock":
        decoder["checkpoints"] = 256

    augment = job == "augment"
    common = {"num_threads": threads, "seed": 1, "device_id": device_id, "prefetch_queue_depth": depth}
    rand_augment = importlib.import_module(f"{lib.__name__}.auto_aug.rand_augment").rand_augment if augment else None

    @lib.pipeline_def(batch_size=batch, enable_conditionals=augment, **common)
    def pipeline():
        jpegs, labels = read(random_shuffle=True, name="files")
        if job == "decode":
            return fn.decoders.image(jpegs, **decoder), labels
        if job in ("train", "again", "augment"):
            images = fn.decoders.image_random_crop(
                jpegs, random_aspect_ratio=[3 / 4, 4 / 3], random_area=[0.08, 1.0], **decoder
            )
            images = fn.resize(images, size=[224, 224], interp_type=types.INTERP_LINEAR, antialias=False)
            if augment:
                images = rand_augment(images, n=2, m=9, shape=[224, 224], fill_value=128)
            mirror = fn.random.coin_flip()
        else:
            images = fn.resize(fn.decoders.image(jpegs, **decoder), resize_shorter=256, antialias=not gpu)
            mirror = 0
        images = fn.crop_mirror_normalize(
            images, output_layout="CHW", crop=(224, 224), mean=_MEAN, std=_STD, mirror=mirror,
            dtype=types.FLOAT16 if gpu else types.FLOAT,
        )  # fmt: skip
        return images, labels

    made = pipeline()
    made.build()
    return made


def pictures(lib, job, root, batch, threads, gpu=False, **decoder):
    """`picture_pipeline` of a folder, on GPU 0 or without."""
    read = functools.partial(lib.fn.readers.file, file_root=root)
    made = picture_pipeline(lib, job, read, batch, threads, 0 if gpu else None, **decoder)
    while True:
        images, _labels = made.run()
        yield len(images)


def digits(lib, job, root, batch, threads, gpu=False, **decoder):
    """An LMDB of JPEG digits, shuffled, to normalised float arrays of JAX, through the library's own JAX iterator."""
    import jax

    iterator = importlib.import_module(f"{lib.__name__}.plugin.jax").DALIGenericIterator
    drop = importlib.import_module(f"{lib.__name__}.plugin.base_iterator").LastBatchPolicy.DROP
    fn, types = lib.fn, lib.types
    del job
    decoder = _on_gpu(decoder) if gpu else {}

    @lib.pipeline_def(batch_size=batch, num_threads=threads, seed=1, device_id=0 if gpu else None)
    def pipeline():
        jpegs, labels = fn.readers.caffe2(path=root, random_shuffle=True, name="digits")
        images = fn.decoders.image(jpegs, output_type=types.GRAY, **decoder)
        images = fn.crop_mirror_normalize(images, dtype=types.FLOAT, std=[255.0], output_layout="CHW")
        return fn.reshape(images, shape=[28 * 28]), labels.gpu() if gpu else labels

    batches = iterator([pipeline()], ["images", "labels"], reader_name="digits", last_batch_policy=drop)
    while True:
        for arrays in batches:
            jax.block_until_ready(arrays)
            yield len(arrays["labels"])
        batches.reset()
        yield 0


JOBS = dict.fromkeys(("train", "again", "augment", "eval", "decode"), pictures) | {"mnist": digits}
