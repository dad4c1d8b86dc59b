"""Which part of the work this process does, and on which GPU.

The frameworks that are loaded are asked first, then launchers' variables.
"""

import os
import sys
from typing import NamedTuple

# Rank and number of ranks, the innermost launcher first: torchrun started by srun is torchrun to its processes.
_VARIABLES = (
    ("RANK", "WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
)
_LOCAL_RANKS = (
    "LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID",
)  # fmt: skip


class Ranks(NamedTuple):
    """Process `rank` of `size`, as `source` says."""

    rank: int
    size: int
    source: str


def discover(environ=os.environ):
    """The `Ranks` of this process; rank 0 of 1 where nothing speaks of others.

    Frameworks are looked at, never imported, and only once they were initialised: what they know is what collectives
    will do. `RuntimeError` where torch.distributed contradicts jax.distributed, or torchrun's variables.
    """
    found = [*_of_frameworks(), *_of_launchers(environ)]
    certain = [one for one in found if one.source.endswith(".distributed") or one.source == "RANK"]
    for other in certain[1:]:
        if other[:2] != certain[0][:2]:
            raise RuntimeError(
                f"{certain[0].source} says that this is rank {certain[0].rank} of {certain[0].size}, {other.source} "
                f"that it is rank {other.rank} of {other.size}; give the right ones as shard=(rank, size)"
            )
    return found[0] if found else Ranks(0, 1, "a single process")


def own_gpu(count, environ=os.environ):
    """The number of the GPU, of `count` that this process sees, that it should use unless it is told one.

    PyTorch's current device where `torch.cuda` is in use, else the process's rank on its host, else 0. A process that
    sees fewer GPUs than its rank says has been given GPUs of its own: 0.
    """
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return torch.cuda.current_device()
    for name in _LOCAL_RANKS:
        if name in environ and _in_step(name, environ):
            local = _number(environ, name, "device_id=")
            return local if 0 <= local < count else 0
    return 0


def _of_frameworks():
    torch = sys.modules.get("torch.distributed")
    if torch is not None and torch.is_available() and torch.is_initialized():
        yield Ranks(torch.get_rank(), torch.get_world_size(), "torch.distributed")
    jax = sys.modules.get("jax")
    # jax.process_count() would start the backend, so it is asked only where the user has connected the processes.
    if jax is not None and jax.distributed.is_initialized():
        yield Ranks(jax.process_index(), jax.process_count(), "jax.distributed")


def _of_launchers(environ):
    for rank, size in _VARIABLES:
        if rank in environ and size in environ and _in_step(rank, environ):
            yield Ranks(*(_number(environ, name, "shard=(rank, size)") for name in (rank, size)), rank)


def _in_step(name, environ):
    """Whether a variable is that of a rank: a shell inside an allocation of Slurm's carries them, too."""
    return not name.startswith("SLURM") or "SLURM_STEP_ID" in environ


def _number(environ, name, remedy):
    try:
        return int(environ[name])
    except ValueError:
        raise ValueError(
            f"the environment says {name}={environ[name]!r}, which is no number: unset it, or give {remedy}"
        ) from None
