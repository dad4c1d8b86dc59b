# %% [markdown]
# # Training in JAX with a sharding
#
# A batch becomes one `jax.Array` over all devices. Here the devices are four virtual ones of the CPU. On a host with
# GPUs, leave the first two lines out.

# %%
import os

os.environ["JAX_NUM_CPU_DEVICES"] = "4"

import sys
import tempfile

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec

sys.path.insert(0, "../../examples")
from scenes import write_scenes

folder = str(write_scenes(tempfile.mkdtemp(), count=60, size=64))
mesh = Mesh(jax.devices(), "batch")
rows, everywhere = NamedSharding(mesh, PartitionSpec("batch")), NamedSharding(mesh, PartitionSpec())
print(len(jax.devices()), "devices")

# %%
from penstock import fn
from penstock.plugin.jax import data_iterator


@data_iterator(output_map=["images", "labels"], sharding=rows)
def training(shard_id, num_shards):
    files, labels = fn.readers.file(
        file_root=folder, random_shuffle=True, epoch_end="drop", shard_id=shard_id, num_shards=num_shards
    )
    images = fn.resize(fn.decoders.image(files, device="mixed"), size=(24, 32))
    images = fn.crop_mirror_normalize(images, mean=[127.5], std=[64.0], output_layout="HWC")
    return images, fn.one_hot(labels, num_classes=3)


batches = training(batch_size=36)
batch = next(batches)
print(batch["images"].shape, batch["images"].sharding.spec)
for piece in batch["labels"].addressable_shards:
    first, stop, _ = piece.index[0].indices(len(batch["labels"]))
    print(f"  {piece.device}: rows {first} to {stop - 1}")

# %% [markdown]
# The step is compiled once. XLA sums the gradients over the devices, because the model is replicated and the batch is
# sharded.


# %%
@jax.jit
def step(model, images, labels):
    def loss(model):
        scores = images.reshape(len(images), -1) @ model["weights"] + model["bias"]
        return -jnp.mean(jnp.sum(labels * jax.nn.log_softmax(scores), axis=1))

    value, gradient = jax.value_and_grad(loss)(model)
    return jax.tree.map(lambda weight, slope: weight - 0.003 * slope, model, gradient), value


model = jax.device_put({"weights": jnp.zeros((24 * 32 * 3, 3)), "bias": jnp.zeros(3)}, everywhere)
losses = []
for _epoch in range(12):
    for batch in batches:
        model, value = step(model, batch["images"], batch["labels"])
    losses.append(float(value))
print(f"loss {losses[0]:.2f} after the first epoch, {losses[-1]:.2f} after the last")
assert losses[-1] < losses[0]

# %% [markdown]
# `examples/jax_training.py` trains on MNIST with a sharding and, with `--pmap`, with replicas.
