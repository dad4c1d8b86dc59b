"""Prints which samples this process reads; together the processes read each sample once.

    torchrun --nproc-per-node 2 examples/shards.py FOLDER
    mpirun -np 2 python examples/shards.py FOLDER
    srun --ntasks 2 python examples/shards.py FOLDER
    python examples/shards.py FOLDER                         # one process reads all

FOLDER has a folder for each class. Penstock finds rank and number of ranks by itself: a connected torch.distributed or
jax.distributed, else the variables that torchrun, Open MPI, MPICH, MVAPICH and Slurm set.
"""

import argparse
import os
import pathlib

from penstock import fn, pipeline_def
from penstock.torch import Loader


@pipeline_def(batch_size=16)
def numbers(files):
    """Each file's number; a training script would decode the first output."""
    _, label = fn.readers.file(files=files, labels=list(range(len(files))), random_shuffle=True)
    return label


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    files = sorted(str(path) for path in folder.rglob("*.jpg"))
    mine = [int(number) for batch in Loader(numbers(files)) for number in batch[0].ravel()]
    rank = os.environ.get("RANK", os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("SLURM_PROCID", "0")))
    print(f"rank {rank}: {len(mine)} of {len(files)} samples: {' '.join(map(str, mine))}", flush=True)


if __name__ == "__main__":
    main()
