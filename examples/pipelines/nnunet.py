"""The input pipeline of nnU-Net: patches of volumes, every third around an object, zoomed, flipped, noisy and blurred.

usage: nnunet.py VOLUMES LABELS [--library nvidia.dali] [--device gpu] [--patch 96]

VOLUMES and LABELS are folders of .npy files of the same names: FLOAT and UINT8, channels x depth x height x width.
Everything is as DALI's users write it: `--library` runs the same function with DALI.
"""

import argparse
import importlib
import pathlib

from measure import measured


def sometimes(dali, probability, changed, kept):
    """`changed` for so many of the samples, `kept` for the others: both are made."""
    fn, types = dali.fn, dali.types
    choice = fn.cast(fn.random.coin_flip(probability=probability), dtype=types.BOOL)
    return choice * changed + (choice ^ True) * kept


def zoomed(dali, volumes, labels, patch):
    """The middle of 15 % of the patches, 0.7 to 1 times as large, made as large as they are."""
    fn, types = dali.fn, dali.types
    factor = sometimes(dali, 0.15, fn.random.uniform(range=[0.7, 1.0]), 1.0)
    extents = [factor * extent for extent in patch]
    volumes = fn.crop(volumes, crop_d=extents[0], crop_h=extents[1], crop_w=extents[2])
    labels = fn.crop(labels, crop_d=extents[0], crop_h=extents[1], crop_w=extents[2])
    volumes = fn.resize(volumes, interp_type=types.INTERP_CUBIC, antialias=False, size=patch)
    labels = fn.resize(labels, interp_type=types.INTERP_NN, size=patch)
    return volumes, labels


def flipped(dali, *volumes):
    fn = dali.fn
    flips = {axis: fn.random.coin_flip(probability=0.5) for axis in ("horizontal", "vertical", "depthwise")}
    return [fn.flip(one, **flips) for one in volumes]


def coloured(dali, volumes):
    """Noise, blur, brightness and contrast, 15 % of the patches each."""
    fn, math = dali.fn, dali.math
    noisy = volumes + fn.random.normal(volumes, stddev=fn.random.uniform(range=[0.0, 0.33]))
    volumes = sometimes(dali, 0.15, noisy, volumes)
    blurred = fn.gaussian_blur(volumes, sigma=fn.random.uniform(range=[0.5, 1.5]))
    volumes = sometimes(dali, 0.15, blurred, volumes)
    volumes = volumes * sometimes(dali, 0.15, fn.random.uniform(range=[0.7, 1.3]), 1.0)
    scale = sometimes(dali, 0.15, fn.random.uniform(range=[0.65, 1.5]), 1.0)
    return math.clamp(volumes * scale, fn.reductions.min(volumes), fn.reductions.max(volumes))


def pipeline(dali, volumes, labels, patch=(96, 96, 96), oversampling=0.33, device="cpu", **options):
    """Batches of patches (FLOAT, channels x depth x height x width) and their labels (UINT8, 1 x D x H x W).

    `oversampling` is the share of the patches that hold an object at least in part; `device` is where the patches are
    changed once they are read.
    """
    fn = dali.fn
    names = sorted(one.name for one in pathlib.Path(volumes).glob("*.npy"))
    pipe = dali.Pipeline(**options)
    patch = list(patch)
    with pipe:
        order = {"random_shuffle": True, "seed": options["seed"], "files": names}
        inputs = fn.readers.numpy(file_root=volumes, name="Reader", **order)
        targets = fn.readers.numpy(file_root=labels, name="Labels", **order)
        inputs, targets = fn.reshape(inputs, layout="CDHW"), fn.reshape(targets, layout="CDHW")
        start, end = fn.segmentation.random_object_bbox(
            targets, background=0, format="start_end", foreground_prob=oversampling, cache_objects=True
        )  # fmt: skip
        anchor = fn.roi_random_crop(targets, roi_start=start, roi_end=end, crop_shape=[1, *patch])
        anchor = fn.cast(fn.slice(anchor, 1, 3, axes=[0]), dtype=dali.types.INT32)  # without channels
        inputs, targets = fn.slice(
            [inputs, targets], anchor, patch, axis_names="DHW", out_of_bounds_policy="pad", normalized_anchor=False,
            normalized_shape=False
        )  # fmt: skip
        if device != "cpu":
            inputs, targets = inputs.gpu(), targets.gpu()
        inputs, targets = zoomed(dali, inputs, targets, patch)
        inputs, targets = flipped(dali, inputs, targets)
        pipe.set_outputs(coloured(dali, inputs), targets)
    return pipe


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("volumes")
    parser.add_argument("labels")
    parser.add_argument("--library", default="penstock", help="whose operators: penstock or nvidia.dali")
    parser.add_argument("--device", default="cpu", help="where patches are changed: cpu or gpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--batches", type=int, default=20)
    parser.add_argument("--patch", type=int, default=96)
    given = parser.parse_args()
    dali = importlib.import_module(given.library)
    pipe = pipeline(
        dali, given.volumes, given.labels, [given.patch] * 3, device=given.device, batch_size=given.batch,
        num_threads=given.threads, device_id=0 if given.device == "gpu" else None, seed=1
    )  # fmt: skip
    measured(pipe, given)


if __name__ == "__main__":
    main()
