# %% [markdown]
# # Training in JAX with `pmap`
#
# Functions made by `jax.pmap` take arrays whose first axis is the device. `devices=` gives batches in that form: each
# device has its own part of the batch in its own memory. The devices are four virtual ones of the CPU here. On a host
# with GPUs, leave the first two lines out.

# %%
import os

os.environ["JAX_NUM_CPU_DEVICES"] = "4"

import sys
import tempfile
from functools import partial

import jax
import jax.numpy as jnp

sys.path.insert(0, "../../examples")
from scenes import write_scenes

folder = str(write_scenes(tempfile.mkdtemp(), count=60, size=64))
devices = jax.devices()
print(len(devices), "devices")

# %%
from penstock import fn
from penstock.plugin.jax import data_iterator


@data_iterator(output_map=["images", "labels"], devices=devices)
def training(shard_id, num_shards):
    files, labels = fn.readers.file(
        file_root=folder, random_shuffle=True, epoch_end="drop", shard_id=shard_id, num_shards=num_shards
    )
    images = fn.resize(fn.decoders.image(files, device="mixed"), size=(24, 32))
    images = fn.crop_mirror_normalize(images, mean=[127.5], std=[64.0], output_layout="HWC")
    return images, fn.one_hot(labels, num_classes=3)


batches = training(batch_size=36)
batch = next(batches)
print(batch["images"].shape)
for piece in batch["labels"].addressable_shards:
    print(f"  {piece.device}: {piece.data.shape[1]} samples")

# %% [markdown]
# Each device computes the gradient of its own samples, and `pmean` averages the gradients. Every device therefore
# takes the same step, and the replicas of the model stay equal.


# %%
@partial(jax.pmap, axis_name="device")
def step(model, images, labels):
    def loss(model):
        scores = images.reshape(len(images), -1) @ model["weights"] + model["bias"]
        return -jnp.mean(jnp.sum(labels * jax.nn.log_softmax(scores), axis=1))

    value, gradient = jax.value_and_grad(loss)(model)
    gradient = jax.lax.pmean(gradient, axis_name="device")
    model = jax.tree.map(lambda weight, slope: weight - 0.003 * slope, model, gradient)
    return model, jax.lax.pmean(value, axis_name="device")


one = {"weights": jnp.zeros((24 * 32 * 3, 3)), "bias": jnp.zeros(3)}
model = jax.tree.map(lambda weight: jnp.broadcast_to(weight, (len(devices), *weight.shape)), one)
losses = []
for _epoch in range(12):
    for batch in batches:
        model, value = step(model, batch["images"], batch["labels"])
    losses.append(float(value[0]))
print(f"loss {losses[0]:.2f} after the first epoch, {losses[-1]:.2f} after the last")
assert losses[-1] < losses[0]
assert (model["bias"][0] == model["bias"]).all()

# %% [markdown]
# The [notebook with a sharding](3_jax_sharding.ipynb) trains the same model with one `jax.Array` over all devices. JAX
# recommends that form for new code.
