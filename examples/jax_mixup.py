"""Mixes each picture with one of another device: dogs with kittens, by a shuffle over the mesh within the pipeline.

    python examples/jax_mixup.py --process 0 --processes 2 &
    python examples/jax_mixup.py --process 1 --processes 2
    mpirun -np 2 python examples/jax_mixup.py --distributed
    srun --ntasks-per-node=2 --gpus-per-node=2 python examples/jax_mixup.py --distributed

Each shard reads a folder of its own: the folders of FOLDER in turn, or of pictures that the example makes. To see
several devices on a computer without GPUs: JAX_NUM_CPU_DEVICES=2. Where several processes share a computer with GPUs,
each needs some of its own: CUDA_VISIBLE_DEVICES=0 for the first, 1 for the second.
"""

import argparse
import pathlib
import tempfile
from functools import partial

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from PIL import Image

import penstock.fn as fn
from penstock.plugin.jax import data_iterator
from penstock.plugin.jax.fn import jax_function

SIZE = 244


def make_pictures(folder):
    """Eight pictures each of dogs (dark) and kittens (light), so that a mixture shows."""
    for name, tone in (("dog", 40), ("kitten", 200)):
        (folder / name).mkdir(parents=True)
        for i in range(8):
            pixels = np.full((60 + 4 * i, 80, 3), tone + 5 * i, np.uint8)
            Image.fromarray(pixels).save(folder / name / f"{name}_{i}.jpg", quality=95)


def mixup_over(sharding):
    """Half of each picture and half of the next device's one, as an operator of pipelines."""
    count = sharding.mesh.size

    @jax_function(sharding=sharding)
    @jax.jit
    @partial(jax.shard_map, mesh=sharding.mesh, in_specs=PartitionSpec("batch"), out_specs=PartitionSpec("batch"))
    @jax.vmap
    def global_mixup(sample):
        other = jax.lax.pshuffle(sample, "batch", [(i + 1) % count for i in range(count)])
        mixed = 0.5 * sample + 0.5 * other
        return jax.numpy.clip(mixed, 0, 255).astype(jax.numpy.uint8)

    return global_mixup


def iterator_over(sharding, folders, batch_per_device):
    global_mixup = mixup_over(sharding)

    @data_iterator(output_map=["images"], sharding=sharding)
    def images(shard_id):
        files = sorted(str(path) for path in folders[shard_id % len(folders)].iterdir())
        jpegs, _ = fn.readers.file(files=files, name="image_reader")
        decoded = fn.decoders.image(jpegs, device="mixed")
        return global_mixup(fn.resize(decoded, size=(SIZE, SIZE)))

    return images(batch_size=sharding.mesh.size * batch_per_device)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, help="with a folder of pictures for each kind")
    parser.add_argument("--coordinator", default="127.0.0.1:12321")
    parser.add_argument("--process", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--distributed", action="store_true", help="let JAX find the processes of Slurm or Open MPI")
    parser.add_argument("--batch-per-device", type=int, default=8)
    parser.add_argument("--out", type=pathlib.Path, help="where to write the first picture of each device")
    options = parser.parse_args()
    if options.distributed:
        jax.distributed.initialize()
    elif options.processes > 1:
        jax.distributed.initialize(options.coordinator, options.processes, options.process)
    sharding = NamedSharding(Mesh(np.array(jax.devices()), ("batch",)), PartitionSpec("batch"))
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or pathlib.Path(made)
        if options.folder is None:
            make_pictures(folder)
        folders = sorted(path for path in folder.iterdir() if path.is_dir())
        batch = next(iterator_over(sharding, folders, options.batch_per_device))
    for shard in batch["images"].addressable_shards:
        pixels = np.asarray(shard.data)
        print(f"rows {shard.index[0]} of {batch['images'].shape} on {shard.device}, mean {pixels.mean():.1f}")
        if options.out:
            Image.fromarray(pixels[0]).save(options.out / f"device_{shard.device.id}.png")


if __name__ == "__main__":
    main()
