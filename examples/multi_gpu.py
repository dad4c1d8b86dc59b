"""Pipelines on chosen GPUs, and one data set shared out among several of them.

    python examples/multi_gpu.py FOLDER [--out DRAWING.png]

FOLDER holds one folder of pictures per class. Without GPUs the same script runs on the CPU and says so.
"""

import argparse
import pathlib

import penstock.fn as fn
import penstock.types as types
from penstock import Pipeline

BATCH_SIZE = 4
NUM_SHARDS = 2


def sharded_pipeline(image_dir, device_id, shard_id=0, num_shards=1):
    """Reads one shard of the folder and decodes its pictures on one GPU."""
    pipe = Pipeline(batch_size=BATCH_SIZE, num_threads=1, device_id=device_id)
    with pipe:
        jpegs, labels = fn.readers.file(
            file_root=image_dir, random_shuffle=False, shard_id=shard_id, num_shards=num_shards
        )
        images = fn.decoders.image(jpegs, device="mixed", output_type=types.RGB)
        pipe.set_outputs(images, labels)
    return pipe


def show(title, images, labels):
    """One line a sample: its file, the extents of the picture, its label."""
    print(title)
    for image, label in zip(images.as_cpu(), labels.as_array().ravel(), strict=True):
        name = pathlib.Path(image.source_info()).name
        print(f"  {name} {tuple(image.shape())} label {label}")


def draw(rows, path):
    """Draws one row of pictures for each batch into a file."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(rows), BATCH_SIZE, figsize=(16, 4 * len(rows)), squeeze=False)
    for row, batch in zip(axes, rows, strict=True):
        for j, axis in enumerate(row):
            axis.axis("off")
            axis.imshow(batch.at(j))
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--out", help="draw the pictures into this file (needs matplotlib)")
    options = parser.parse_args()

    batches = {"one pipeline": sharded_pipeline(options.folder, device_id=1).run()}
    for shard in range(NUM_SHARDS):
        pipe = sharded_pipeline(options.folder, device_id=shard, shard_id=shard, num_shards=NUM_SHARDS)
        batches[f"shard {shard} of {NUM_SHARDS}"] = pipe.run()
    for title, (images, labels) in batches.items():
        show(title, images, labels)
    if options.out:
        draw([images.as_cpu() for images, _ in batches.values()], options.out)


if __name__ == "__main__":
    main()
