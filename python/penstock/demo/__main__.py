"""Trains on digits with JAX, each device getting its own shard of every batch.

usage: python -m penstock.demo [--mnist FOLDER] [--epochs N] [--out FOLDER]
"""

import argparse
import os
import pathlib
import time
import warnings

os.environ.setdefault("JAX_NUM_CPU_DEVICES", "4")  # so that there is something to shard over where no GPU is

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import penstock
from penstock import fn, types
from penstock._progress import counted
from penstock.plugin.jax import data_iterator

from .data import mnist, scikit_digits
from .model import accuracy, init_model, update
from .picture import draw_shards

IMAGE_SIZE = 28
NUM_CLASSES = 10


def _pixels(jpegs):
    images = fn.decoders.image(jpegs, device="mixed", output_type=types.GRAY)
    images = fn.crop_mirror_normalize(images, dtype=types.FLOAT, std=[255.0], output_layout="CHW")
    return fn.reshape(images, shape=[IMAGE_SIZE * IMAGE_SIZE])


def training_iterator(sharding, batch_size, path):
    """Batches of images and one-hot labels, sharded over the devices."""

    @data_iterator(output_map=["images", "labels"], reader_name="training", sharding=sharding)
    def iterator(data_path, num_shards, shard_id):
        jpegs, labels = fn.readers.caffe2(
            path=data_path, random_shuffle=True, name="training", num_shards=num_shards, shard_id=shard_id
        )
        return _pixels(jpegs), fn.one_hot(labels.gpu(), num_classes=NUM_CLASSES)

    return iterator(batch_size=batch_size, data_path=str(path))


def testing_iterator(batch_size, path):
    """Batches of images and labels on one device."""

    @data_iterator(output_map=["images", "labels"], reader_name="testing")
    def iterator(data_path):
        jpegs, labels = fn.readers.caffe2(path=data_path, random_shuffle=False, name="testing")
        return _pixels(jpegs), labels.gpu()

    return iterator(batch_size=batch_size, data_path=str(path))


def train(digits, epochs, picture):
    """One line an epoch; writes a picture of the first batch."""
    mesh = Mesh(jax.devices(), "batch")
    batch_size = digits.batch_size // mesh.size * mesh.size
    training = training_iterator(NamedSharding(mesh, PartitionSpec("batch")), batch_size, digits.training)
    testing = testing_iterator(digits.test_batch_size, digits.testing)
    model = jax.device_put(init_model(), NamedSharding(mesh, PartitionSpec()))
    for epoch in range(1, epochs + 1):
        start, samples = time.perf_counter(), 0
        for batch in counted(training, len(training), f"  epoch {epoch} ", " batches"):
            if epoch == 1 and samples == 0:
                draw_shards(batch["images"], picture)
            model = update(model, batch, digits.step_size)
            samples += len(batch["images"])
        jax.block_until_ready(model)
        rate = samples / (time.perf_counter() - start)
        share = accuracy(jax.device_put(model, jax.devices()[0]), testing)
        print(f"  epoch {epoch:2}   accuracy {share:6.1%}   {rate:9,.0f} samples/s", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="python -m penstock.demo", description="Trains on digits with JAX.")
    parser.add_argument("--mnist", type=pathlib.Path, metavar="FOLDER", help="MNIST as IDX files or as LMDBs")
    parser.add_argument("--epochs", type=int, metavar="N")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo"), metavar="FOLDER")
    options = parser.parse_args()
    folder = options.out / ("mnist" if options.mnist else "digits")
    folder.mkdir(parents=True, exist_ok=True)
    digits = mnist(options.mnist, folder) if options.mnist else scikit_digits(folder)
    devices = jax.devices()
    warnings.filterwarnings("ignore", "there is no GPU")  # the next line says what there is
    print(f"\n  Penstock {penstock.__version__}, JAX {jax.__version__}, {len(devices)} x {devices[0].device_kind}")
    print(f"  {digits.source}\n")
    picture = folder / "shards.png"
    train(digits, options.epochs or digits.epochs, picture)
    print(f"\n  What each device got of the first batch: {picture}\n")


if __name__ == "__main__":
    main()
