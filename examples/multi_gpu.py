"""Pipelines on chosen GPUs, and one data set shared out among several of them.

    python examples/multi_gpu.py FOLDER [--out DRAWING.png]

FOLDER holds one folder of pictures per class. Without GPUs the same script runs on the CPU and says so.
"""

import argparse

import penstock.fn as fn
import penstock.types as types
from penstock import Pipeline

BATCH_SIZE = 4


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


def show_images(rows, path):
    """Draws one row of pictures for each shard into a file."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(rows), BATCH_SIZE, figsize=(16, 4 * len(rows)), squeeze=False)
    for row, batch in zip(axes, rows, strict=True):
        for j, axis in enumerate(row):
            axis.axis("off")
            axis.imshow(batch.at(j))
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--out", help="draw the pictures into this file (needs matplotlib)")
    options = parser.parse_args()

    images, labels = sharded_pipeline(options.folder, device_id=1).run()
    print("one pipeline:", [shape[:2] for shape in images.shape()], labels.as_array().ravel().tolist())

    rows = []
    for shard in range(2):
        pipe = sharded_pipeline(options.folder, device_id=shard, shard_id=shard, num_shards=2)
        images, labels = pipe.run()
        print(f"shard {shard} of 2: samples", names_of(images), "labels", labels.as_array().ravel().tolist())
        rows.append(images.as_cpu())
    if options.out:
        show_images(rows, options.out)


def names_of(images):
    """Names of the files that the pictures were read from."""
    return [source.rpartition("/")[2] for source in images.source_info()]


if __name__ == "__main__":
    main()
