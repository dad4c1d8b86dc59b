"""Trains on MNIST with JAX on all devices, sharded automatically or device by device as `pmap` takes it.

    python examples/jax_training.py FOLDER [--pmap] [--epochs N] [--batch-size N]

FOLDER holds MNIST's four files, or databases training/ and testing/ as `penstock.packing` makes them. To see several
devices on a computer without GPUs: JAX_NUM_CPU_DEVICES=4.
"""

import argparse
import pathlib
import tempfile
import time

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from model import accuracy, init_model, update, update_parallel

import penstock.fn as fn
import penstock.types as types
from penstock import packing
from penstock.plugin.jax import data_iterator

IMAGE_SIZE = 28
NUM_CLASSES = 10


def decoded(jpegs):
    images = fn.decoders.image(jpegs, device="mixed", output_type=types.GRAY)
    images = fn.crop_mirror_normalize(images, dtype=types.FLOAT, std=[255.0], output_layout="CHW")
    return fn.reshape(images, shape=[IMAGE_SIZE * IMAGE_SIZE])


def training_data(data_path, num_shards, shard_id):
    jpegs, labels = fn.readers.caffe2(
        path=data_path, random_shuffle=True, name="mnist", num_shards=num_shards, shard_id=shard_id
    )
    return decoded(jpegs), fn.one_hot(labels.gpu(), num_classes=NUM_CLASSES)


@data_iterator(output_map=["images", "labels"], reader_name="mnist")
def validation_iterator(data_path):
    jpegs, labels = fn.readers.caffe2(path=data_path, random_shuffle=False, name="mnist")
    return decoded(jpegs), labels.gpu()


MESH = Mesh(np.array(jax.devices()), ("batch",))


def placed(tree, *axes):
    """The arrays on all devices: copies of them, or split along the first axis by the mesh's axis."""
    return jax.device_put(tree, NamedSharding(MESH, PartitionSpec(*axes)))


def one_step_ahead(step, model, batch):
    """Starts a step and waits for the one before it.

    Steps queued without limit keep their batches in memory, and on virtual devices of the CPU they can take all threads
    of XLA, so that devices wait for each other for ever.
    """
    made = step(model, batch)
    jax.block_until_ready(model)
    return made


def train_sharded(iterator, epochs, validate):
    """One model; JAX spreads the work by the sharding of the batches."""
    model = placed(init_model())
    for epoch in range(epochs):
        begun = time.perf_counter()
        for batch in iterator:
            model = one_step_ahead(update, model, batch)
        report(epoch, begun, validate(jax.device_put(model, jax.devices()[0])))


def train_replicated(iterator, epochs, validate):
    """A replica of the model on every device."""
    model = placed(jax.tree.map(lambda x: np.stack([x] * jax.device_count()), init_model()), "batch")
    for epoch in range(epochs):
        begun = time.perf_counter()
        for batch in iterator:
            model = one_step_ahead(update_parallel, model, batch)
        first = jax.tree.map(lambda x: x.addressable_shards[0].data.reshape(x.shape[1:]), model)
        report(epoch, begun, validate(first))


def report(epoch, begun, share):
    print(f"Epoch {epoch} in {time.perf_counter() - begun:.1f} s, test set accuracy {share:.4f}", flush=True)


def databases(folder, cache):
    """The two databases, made from MNIST's files unless they are there."""
    if (folder / "training" / "data.mdb").exists():
        return folder / "training", folder / "testing"
    made = []
    for name, prefix in [("training", "train"), ("testing", "t10k")]:
        images, labels = (next(folder.glob(f"{prefix}-{what}-ubyte*")) for what in ("images-idx3", "labels-idx1"))
        packing.pack_idx(images, labels, cache / name)
        made.append(cache / name)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pmap", action="store_true", help="one replica of the model per device")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=200, help="of all devices together")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        training, testing = databases(options.folder, pathlib.Path(cache))
        if options.pmap:
            where = {"devices": jax.devices()}
        else:
            where = {"sharding": NamedSharding(MESH, PartitionSpec("batch"))}
        make = data_iterator(training_data, output_map=["images", "labels"], reader_name="mnist", **where)
        iterator = make(batch_size=options.batch_size, data_path=str(training))
        validation = validation_iterator(batch_size=options.batch_size, data_path=str(testing))
        print(f"{len(iterator)} batches to train with, {len(validation)} to test with, {jax.device_count()} devices")
        train = train_replicated if options.pmap else train_sharded
        train(iterator, options.epochs, lambda model: accuracy(model, validation))


if __name__ == "__main__":
    main()
