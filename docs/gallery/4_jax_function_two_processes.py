# %% [markdown]
# # A JAX function over two processes
#
# `jax_function` with a sharding turns a function that may use collectives into an operator. Here each picture is mixed
# with one that *another process* has read. The program is a file, because two processes run it.

# %%
import pathlib
import tempfile

folder = pathlib.Path(tempfile.mkdtemp())
program = folder / "mixup.py"
_ = program.write_text("""
import sys
from functools import partial

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from PIL import Image

from penstock import fn
from penstock.plugin.jax import data_iterator
from penstock.plugin.jax.fn import jax_function

process, port, folder = int(sys.argv[1]), sys.argv[2], sys.argv[3]
jax.distributed.initialize(f"127.0.0.1:{port}", 2, process, local_device_ids=[process])
rows = PartitionSpec("batch")
sharding = NamedSharding(Mesh(jax.devices(), "batch"), rows)


@jax_function(sharding=sharding)
@jax.jit
@partial(jax.shard_map, mesh=sharding.mesh, in_specs=rows, out_specs=rows)
def mixed(images):
    others = jax.lax.ppermute(images, "batch", [(0, 1), (1, 0)])  # from the other process
    return ((images.astype("int32") + others) // 2).astype("uint8")


@data_iterator(output_map=["images"], sharding=sharding)
def pictures(shard_id):
    kind = ["boat", "tree"][shard_id]
    files = [f"{folder}/{kind}/00{i}.jpg" for i in range(4)]
    jpegs, _ = fn.readers.file(files=files)
    return mixed(fn.resize(fn.decoders.image(jpegs, device="mixed"), size=(96, 128)))


batch = next(pictures(batch_size=8))["images"]
for piece in batch.addressable_shards:
    pixels = np.asarray(piece.data)
    print(f"process {process}: rows {piece.index[0].start} to {piece.index[0].stop - 1} of {batch.shape}")
    Image.fromarray(np.hstack(list(pixels))).save(f"{folder}/mixed_{process}.png")
""")
# %% [markdown]
# Start both. On two hosts this would be one command on each, with the address of the first. Where the host has GPUs,
# `local_device_ids` gives each process its own; CPUs ignore it. With one GPU there is none for the second process: set
# `JAX_PLATFORMS=cpu` in the environment to run both on the CPU.

# %%
import socket
import subprocess
import sys

sys.path.insert(0, "../../examples")
from scenes import write_scenes

write_scenes(folder, count=4, size=96)
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = str(free.getsockname()[1])
started = [
    subprocess.Popen([sys.executable, program, str(process), port, folder], stdout=subprocess.PIPE, text=True)
    for process in range(2)
]
for one in started:
    print(one.communicate()[0], end="")
    assert one.returncode == 0

# %%
import numpy as np
from PIL import Image

Image.fromarray(np.vstack([np.asarray(Image.open(folder / f"mixed_{process}.png")) for process in range(2)]))

# %% [markdown]
# Each row is what one process holds: boats with trees, and trees with boats. The thread that calls `next` launches
# the function, in the order of the graph, which is the same in every process. What happens when a process fails is in
# the [JAX guide](../jax.md#functions-of-jax-in-a-pipeline).
