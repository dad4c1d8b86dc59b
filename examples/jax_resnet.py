"""Trains a small ResNet on a folder of pictures with Flax NNX and Optax, on all devices of one process or of several.

    python examples/jax_resnet.py FOLDER [--model-axis 2] [--epochs N] [--batch-size N] [--size PIXELS]
    mpirun -np 4 python examples/jax_resnet.py FOLDER --distributed
    srun --ntasks-per-node=4 --gpus-per-node=4 python examples/jax_resnet.py FOLDER --distributed

FOLDER holds one folder of JPEGs for each class. Devices form a mesh of two axes, `data` and `model`: batches are split
along the first and equal along the second, where each is read and decoded once; the weights of the last layer are split
along the second. To see several devices on a computer without GPUs: JAX_NUM_CPU_DEVICES=4. With --distributed JAX finds
out from Slurm or Open MPI which process this is.
"""

import argparse
import pathlib
import time

import jax
import numpy as np
import optax
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import penstock.fn as fn
import penstock.types as types
from penstock.plugin.jax import data_iterator

MEAN, STD = [0.485 * 255, 0.456 * 255, 0.406 * 255], [0.229 * 255, 0.224 * 255, 0.225 * 255]


class Block(nnx.Module):
    """Two convolutions beside a shortcut, which is projected where shapes change."""

    def __init__(self, before, after, stride, rngs):
        self.first = nnx.Conv(before, after, (3, 3), strides=stride, use_bias=False, rngs=rngs)
        self.second = nnx.Conv(after, after, (3, 3), use_bias=False, rngs=rngs)
        self.norms = nnx.List([nnx.GroupNorm(after, num_groups=8, rngs=rngs) for _ in range(2)])
        same = before == after and stride == 1
        self.shortcut = None if same else nnx.Conv(before, after, (1, 1), strides=stride, use_bias=False, rngs=rngs)

    def __call__(self, x):
        y = nnx.relu(self.norms[0](self.first(x)))
        y = self.norms[1](self.second(y))
        return nnx.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class ResNet(nnx.Module):
    """A stem, stages of growing width and a linear layer; groups are normalised, so that devices need not talk."""

    def __init__(self, classes, rngs, widths=(32, 64, 128)):
        self.stem = nnx.Conv(3, widths[0], (3, 3), strides=2, rngs=rngs)
        pairs = zip((widths[0], *widths[:-1]), widths, strict=True)
        self.blocks = nnx.List([Block(before, after, 2, rngs) for before, after in pairs])
        self.head = nnx.Linear(widths[-1], classes, rngs=rngs)

    def __call__(self, images):
        x = nnx.relu(self.stem(images))
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(axis=(1, 2)))


def pictures(folder, size, training):
    """A pipeline definition: (images normalised HWC float, labels)."""

    def graph(num_shards, shard_id):
        jpegs, labels = fn.readers.file(
            file_root=str(folder), random_shuffle=training, num_shards=num_shards, shard_id=shard_id, epoch_end="pad",
            name="pictures",
        )  # fmt: skip
        if training:
            images = fn.decoders.image_random_crop(jpegs, device="mixed", random_area=[0.3, 1.0])
            images = fn.resize(images, size=(size, size))
        else:
            images = fn.resize(fn.decoders.image(jpegs, device="mixed"), size=(size, size))
        mirror = fn.random.coin_flip() if training else 0
        images = fn.crop_mirror_normalize(
            images, dtype=types.FLOAT, mean=MEAN, std=STD, mirror=mirror, output_layout="HWC"
        )
        return images, labels.gpu()

    return graph


def loss_of(model, batch):
    logits = model(batch["images"])
    labels = batch["labels"].reshape(-1)
    each = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
    right = (logits.argmax(axis=1) == labels) & batch["valid"]
    return (each * batch["valid"]).sum() / batch["valid"].sum(), right.sum()


@nnx.jit
def train_step(model, optimizer, batch):
    (loss, _), gradients = nnx.value_and_grad(loss_of, has_aux=True)(model, batch)
    optimizer.update(model, gradients)
    return loss


@nnx.jit
def right_answers(model, batch):
    return loss_of(model, batch)[1], batch["valid"].sum()


def spread(model, mesh):
    """Puts the model on the mesh: the last layer split along `model`, all else on every device."""

    def place(path, value):
        wide = "head" in path and "kernel" in path
        axes = PartitionSpec("model", None) if wide else PartitionSpec()
        return jax.device_put(value, NamedSharding(mesh, axes))

    state = nnx.state(model)
    flat = {path: value.replace(place(path, value[...])) for path, value in nnx.to_flat_state(state)}
    nnx.update(model, nnx.from_flat_state(flat))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--model-axis", type=int, default=1, help="devices that share each part of a batch")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=32, help="of all devices together")
    parser.add_argument("--size", type=int, default=64, help="pixels of a picture's edge")
    parser.add_argument("--distributed", action="store_true", help="one of several processes")
    options = parser.parse_args()
    if options.distributed:
        jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()).reshape(-1, options.model_axis), ("data", "model"))
    sharding = NamedSharding(mesh, PartitionSpec("data"))
    training, testing = (
        data_iterator(pictures(options.folder, options.size, shuffled), output_map=["images", "labels"],
                      sharding=sharding)(batch_size=options.batch_size)
        for shuffled in (True, False)
    )  # fmt: skip
    classes = sum(path.is_dir() for path in options.folder.iterdir())
    model = ResNet(classes, nnx.Rngs(0))
    spread(model, mesh)
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    loss = jax.numpy.nan
    for epoch in range(options.epochs):
        begun = time.perf_counter()
        for batch in training:
            loss = train_step(model, optimizer, batch)
            loss.block_until_ready()  # virtual devices of the CPU must not be given steps without limit
        counts = [right_answers(model, batch) for batch in testing]
        right, total = (int(sum(column)) for column in zip(*counts, strict=True))
        if jax.process_index() == 0:
            seconds = time.perf_counter() - begun
            print(f"Epoch {epoch} in {seconds:.1f} s, loss {loss:.3f}, {right} of {total} right", flush=True)


if __name__ == "__main__":
    main()
