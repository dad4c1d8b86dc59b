"""Trains a small detector with Flax NNX on shapes that it draws itself, in COCO's format, on all devices of JAX.

    python examples/detector_jax.py [FOLDER] [--epochs 12]

The pipeline rotates, cuts and colours pictures at random; `fn.follow` moves the boxes with them. Batches are split over
the devices. To see several on a computer without GPUs: JAX_NUM_CPU_DEVICES=4. Needs pycocotools for the average
precision.
"""

import argparse
import pathlib
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import optax
import shapes
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from penstock import DataNode, fn, types
from penstock.plugin.jax import data_iterator


def training(pictures, annotations, num_shards, shard_id):
    """Pictures, and for each anchor the offsets and the class of its box (0: none)."""
    files, boxes, labels = fn.readers.coco(
        file_root=pictures, annotations_file=annotations, ltrb=True, ratio=True, random_shuffle=True,
        num_shards=num_shards, shard_id=shard_id, name="shapes"
    )  # fmt: skip
    images = fn.decoders.image(files, device="mixed")
    images = fn.rotate(images, angle=fn.random.uniform(range=[-8.0, 8.0]), fill_value=45, keep_size=True)
    images = fn.random_resized_crop(images, size=shapes.SIZE, random_area=[0.6, 1.0], random_aspect_ratio=[0.8, 1.25])
    images = fn.hsv(images, hue=fn.random.uniform(range=[-90.0, 90.0]), saturation=fn.random.uniform(range=[0.6, 1.2]))
    images = normal(images, mirror=fn.random.coin_flip())
    boxes, labels, _ = fn.follow(boxes, images, kind="boxes", ltrb=True, ratio=True, min_visible=0.4, labels=labels)
    offsets, classes = fn.box_encoder(
        boxes, labels, anchors=shapes.anchors().ravel().tolist(), criteria=0.45, offset=True, stds=[0.1, 0.1, 0.2, 0.2]
    )
    return images, offsets.gpu(), classes.gpu()


def testing(pictures, annotations, num_shards, shard_id):
    """Pictures as they are, and their ids."""
    files, _, _, ids = fn.readers.coco(
        file_root=pictures, annotations_file=annotations, image_ids=True, num_shards=num_shards, shard_id=shard_id,
        epoch_end="pad", name="shapes"
    )  # fmt: skip
    return normal(fn.decoders.image(files, device="mixed")), ids.gpu()


def normal(images, mirror: DataNode | int = 0):
    return fn.crop_mirror_normalize(
        images, dtype=types.FLOAT, mean=[110.0], std=[60.0], mirror=mirror, output_layout="HWC"
    )


class Detector(nnx.Module):
    """Strided convolutions to a map of places; three anchors at each, with four offsets and a score for each class."""

    def __init__(self, classes, rngs):
        anchors, widths = len(shapes.ANCHOR_SIDES), ((3, 24, 5, 4), (24, 48, 3, 2), (48, 48, 3, 1))
        self.classes = classes
        self.layers = nnx.List([nnx.Conv(a, b, (n, n), strides=stride, rngs=rngs) for a, b, n, stride in widths])
        self.norms = nnx.List([nnx.GroupNorm(width, num_groups=8, rngs=rngs) for _, width, _, _ in widths])
        self.offsets = nnx.Conv(48, 4 * anchors, (3, 3), rngs=rngs)
        self.scores = nnx.Conv(48, (1 + classes) * anchors, (3, 3), rngs=rngs)

    def __call__(self, places):
        for layer, norm in zip(self.layers, self.norms, strict=True):
            places = nnx.relu(norm(layer(places)))
        offsets, scores = self.offsets(places), self.scores(places)
        count = len(places)
        return offsets.reshape(count, -1, 4), scores.reshape(count, -1, 1 + self.classes)


def loss_of(model, images, wanted_offsets, wanted):
    """Offsets where there is a box; scores there, and at the three times as many anchors that are most wrong."""
    offsets, scores = model(images)
    there = wanted > 0
    costs = optax.softmax_cross_entropy_with_integer_labels(scores, wanted)
    count = jnp.maximum(there.sum(1, keepdims=True), 1)
    ranks = jnp.argsort(jnp.argsort(-jnp.where(there, 0, jax.lax.stop_gradient(costs)), axis=1), axis=1)
    box_costs = optax.huber_loss(offsets, wanted_offsets).sum(-1) * there
    return ((costs * (there | (ranks < 3 * count))).sum() + box_costs.sum()) / count.sum()


@nnx.jit
def train_step(model, optimizer, images, offsets, classes):
    loss, gradients = nnx.value_and_grad(loss_of)(model, images, offsets, classes)
    optimizer.update(model, gradients)
    return loss


@nnx.jit
def predicted(model, images):
    offsets, scores = model(images)
    return offsets, jax.nn.softmax(scores)


def average_precision(model, batches, annotations):
    found = {}
    for batch in batches:
        rows = zip(np.ravel(batch["ids"]), *map(np.asarray, predicted(model, batch["images"])), strict=True)
        found |= {int(number): shapes.decoded(*row) for number, *row in rows}  # what pads the last batch: once
    return shapes.average_precision(annotations, [(number, *one) for number, one in found.items()])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="where the data set goes; a temporary one when not given")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--pictures", type=int, default=320, help="to train with")
    parser.add_argument("--batch-size", type=int, default=16, help="of all devices together")
    options = parser.parse_args()
    sharding = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), PartitionSpec("data"))
    model = Detector(len(shapes.CLASSES), nnx.Rngs(0))
    state = jax.device_put(nnx.state(model), NamedSharding(sharding.mesh, PartitionSpec()))
    nnx.update(model, state)
    optimizer = nnx.Optimizer(model, optax.adam(2e-3), wrt=nnx.Param)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.folder or temporary)
        train, test = shapes.make(folder / "train", options.pictures, 0), shapes.make(folder / "test", 64, 1)
        make = data_iterator(training, output_map=["images", "offsets", "classes"], reader_name="shapes",
                             sharding=sharding)  # fmt: skip
        batches = make(*train, batch_size=options.batch_size)
        for epoch in range(options.epochs):
            losses = []
            for batch in batches:
                losses.append(float(train_step(model, optimizer, batch["images"], batch["offsets"], batch["classes"])))
            print(f"epoch {epoch}: loss {np.mean(losses):.3f}", flush=True)
        make = data_iterator(testing, output_map=["images", "ids"], reader_name="shapes", sharding=sharding)
        try:
            precision = average_precision(model, make(*test, batch_size=options.batch_size), test[1])
            print(f"average precision {precision:.3f}")
        except ImportError:
            print("no average precision: pycocotools is not installed")


if __name__ == "__main__":
    main()
