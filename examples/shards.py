"""Prints which samples this process reads; together the processes read each sample once.

    torchrun --nproc-per-node 2 examples/shards.py FOLDER
    mpirun -np 2 python examples/shards.py FOLDER
    srun --ntasks 2 python examples/shards.py FOLDER
    srun --ntasks 2 python examples/shards.py FOLDER --distributed    # with JAX's processes connected
    python examples/shards.py FOLDER                                  # one process reads all

FOLDER has a folder for each class. Penstock finds rank and number of ranks by itself: a connected torch.distributed or
jax.distributed, else the variables that torchrun, Open MPI, MPICH, MVAPICH and Slurm set.
"""

import argparse
import pathlib

from penstock import fn, pipeline_def
from penstock.torch import Loader


@pipeline_def(batch_size=16)
def numbers(files):
    """Each file's number; a training script would decode the first output."""
    _, label = fn.readers.file(files=files, labels=list(range(len(files))), random_shuffle=True)
    return label


def show(folder):
    """Reads the shard of this process and prints its rank and the numbers of the samples."""
    files = sorted(str(path) for path in pathlib.Path(folder).rglob("*.jpg"))
    loader = Loader(numbers(files))
    mine = [int(number) for batch in loader for number in batch[0].ravel()]
    rank, size = loader.shard
    print(f"rank {rank} of {size}: {len(mine)} of {len(files)} samples: {' '.join(map(str, mine))}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--distributed", action="store_true", help="let JAX find the processes of Slurm or Open MPI")
    parser.add_argument("--coordinator", default="127.0.0.1:12321", help="where JAX's process 0 listens")
    parser.add_argument("--processes", type=int, help="of JAX, started by hand")
    parser.add_argument("--process", type=int, help="which of them this is")
    options = parser.parse_args()
    if options.distributed or options.processes:
        import jax

        by_hand = (options.coordinator, options.processes, options.process) if options.processes else ()
        jax.distributed.initialize(*by_hand)
    show(options.folder)


if __name__ == "__main__":
    main()
