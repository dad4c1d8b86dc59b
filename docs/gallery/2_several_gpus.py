# %% [markdown]
# # Several GPUs
#
# Several pipelines share a data set: each reads one *shard*. This notebook runs on the CPU. On a host with GPUs the
# only change is `device_id`: pipeline *i* gets GPU *i*.

# %%
import sys
import tempfile

sys.path.insert(0, "../../examples")
from scenes import write_scenes

folder = str(write_scenes(tempfile.mkdtemp(), count=8, size=96))

# %%
import numpy as np
from PIL import Image

from penstock import fn, pipeline_def, types

NUM_SHARDS = 2


@pipeline_def(batch_size=4)
def shard(shard_id):
    files, labels = fn.readers.file(
        file_root=folder, random_shuffle=True, shard_id=shard_id, num_shards=NUM_SHARDS, name="train"
    )
    images = fn.decoders.image(files, device="mixed", output_type=types.RGB)
    return fn.resize(images, size=(96, 128)), labels


# with GPUs: shard(i, device_id=i)
pipes = [shard(i, device_id=types.CPU_ONLY_DEVICE_ID) for i in range(NUM_SHARDS)]
batches = [pipe.run() for pipe in pipes]
for i, (images, labels) in enumerate(batches):
    print(f"shard {i}: {images.shape()}, labels {np.asarray(labels.as_tensor()).ravel()}")

# %% [markdown]
# One row for each shard:

# %%
Image.fromarray(np.vstack([np.hstack([np.asarray(image) for image in images.as_cpu()]) for images, _ in batches]))

# %% [markdown]
# No picture is read twice. The shards of one epoch together are the data set:

# %%
seen = []
for pipe in (shard(i, device_id=types.CPU_ONLY_DEVICE_ID) for i in range(NUM_SHARDS)):
    for _ in range(pipe.epoch_size("train") // NUM_SHARDS // 4):
        images, _ = pipe.run()
        seen += [images[j].source_info() for j in range(len(images))]
print(f"{len(seen)} pictures read, {len(set(seen))} different ones, of {pipe.epoch_size('train')}")
assert len(set(seen)) == len(seen) == pipe.epoch_size("train")

# %% [markdown]
# In training use an iterator: `penstock.plugin.jax.data_iterator` with a sharding, or `penstock.torch.Loader` with
# one process for each GPU. Both give the readers their shards. Pack many small files before you feed several GPUs:
# `penstock pack FOLDER DATABASE`.
