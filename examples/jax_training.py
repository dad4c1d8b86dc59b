"""Trains on MNIST with JAX on all devices, sharded automatically or device by device as `pmap` takes it.

    python examples/jax_training.py FOLDER [--pmap | --both] [--epochs N] [--batch-size N]
    mpirun -np 4 python examples/jax_training.py FOLDER --distributed
    srun --ntasks-per-node=4 --gpus-per-node=4 python examples/jax_training.py FOLDER --distributed

FOLDER holds MNIST's four files, or databases training/ and testing/ as `penstock.packing` makes them. To see several
devices on a computer without GPUs: JAX_NUM_CPU_DEVICES=4. With --distributed JAX finds out from Slurm or Open MPI which
process this is.
"""

import argparse
import pathlib
import tempfile
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from mnist import databases
from model import accuracy, init_model, update, update_parallel

import penstock.fn as fn
import penstock.types as types
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
    jpegs, labels = fn.readers.caffe2(path=data_path, random_shuffle=False, epoch_end="pad", name="mnist")
    return decoded(jpegs), labels.gpu()


def spread(*axes):
    """Over all devices of all processes: copies, or split along the first axis by the mesh's axis."""
    return NamedSharding(Mesh(np.array(jax.devices()), ("batch",)), PartitionSpec(*axes))


def first_copy(tree):
    """What this process's first device holds."""
    return jax.tree.map(lambda x: x.addressable_shards[0].data, tree)


def one_step_ahead(step, model, batch):
    """Starts a step and waits for the one before it.

    Steps queued without limit keep their batches in memory, and on virtual devices of the CPU they can take all threads
    of XLA, so that devices wait for each other for ever.
    """
    made = step(model, batch)
    jax.block_until_ready(model)
    return made


def train_sharded(model, iterator, epochs, validate):
    """One model; JAX spreads the work by the sharding of the batches."""
    model = jax.device_put(model, spread())
    for epoch in range(epochs):
        begun = time.perf_counter()
        for batch in iterator:
            model = one_step_ahead(update, model, batch)
        report(epoch, begun, validate(first_copy(model)))


def train_replicated(model, iterator, epochs, validate):
    """A replica of the model on every device."""
    model = jax.device_put(jax.tree.map(lambda x: np.stack([x] * jax.device_count()), model), spread("batch"))
    for epoch in range(epochs):
        begun = time.perf_counter()
        for batch in iterator:
            model = one_step_ahead(update_parallel, model, batch)
        report(epoch, begun, validate(jax.tree.map(lambda x: x[0], first_copy(model))))


def report(epoch, begun, share):
    if jax.process_index() == 0:
        print(f"Epoch {epoch} in {time.perf_counter() - begun:.1f} s, test set accuracy {share:.4f}", flush=True)


# How to train, and where that wants its batches.
Style = tuple[Callable[..., None], Callable[[], dict[str, Any]]]
SHARDED: Style = train_sharded, lambda: {"sharding": spread("batch")}
REPLICATED: Style = train_replicated, lambda: {"devices": jax.devices()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    style = parser.add_mutually_exclusive_group()
    style.add_argument("--pmap", action="store_true", help="one replica of the model per device")
    style.add_argument("--both", action="store_true", help="sharded, then replicated, as DALI's tutorial does it")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=200, help="of all devices together")
    parser.add_argument("--distributed", action="store_true", help="one of several processes")
    options = parser.parse_args()
    if options.distributed:
        jax.distributed.initialize()
    styles = [SHARDED, REPLICATED] if options.both else [REPLICATED if options.pmap else SHARDED]
    # The tutorial draws both networks from one generator, the replicated one second: its accuracies belong to those
    # weights, also where it is trained alone.
    random = np.random.RandomState(0)
    models = [init_model(random), init_model(random)]
    with tempfile.TemporaryDirectory() as cache:
        training, testing = databases(options.folder, pathlib.Path(cache))
        validation = validation_iterator(batch_size=options.batch_size, data_path=testing)
        for one in styles:
            train, where = one
            make = data_iterator(training_data, output_map=["images", "labels"], reader_name="mnist", **where())
            iterator = make(batch_size=options.batch_size, data_path=training)
            print(
                f"{len(iterator)} batches to train with, {len(validation)} to test with, {jax.device_count()} devices"
            )
            train(models[one is REPLICATED], iterator, options.epochs, lambda model: accuracy(model, validation))


if __name__ == "__main__":
    main()
