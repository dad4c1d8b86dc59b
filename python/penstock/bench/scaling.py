"""How rates grow with the number of GPUs, and how evenly batches come: of pipelines, and through JAX and PyTorch.

    python -m penstock.bench.scaling [--devices 1 2 4] [--ways pipelines jax pytorch] [--packed] [--depth 2]
                                     [--photos FOLDER] [--json FILE]

The job is `train` at 4:4:4 (see pipelines.py) in batches of 256 for each device, from a file for each picture or, with
--packed, from one LMDB. Each device has the same number of cores, however many there are. Numbers of devices take
turns, each in a process of its own, after a warm-up of 2 s. Where other tenants of a virtual machine's host had a share
of its busy cores' time, that says more than all else how evenly batches come, and with many cores at which rate.

Without GPUs, virtual devices show that it runs.
"""

import argparse
import functools
import itertools
import json
import os
import statistics
import sys

from .. import _containers, _core
from . import block, data, machine
from .process import measured

_FILES = 1000
_BATCHES = 50  # of each device in an epoch, so that its end does not count


def _pipelines(source, count, gpus, batch, threads, depth):
    """One for each device, each with its shard of the source: a folder of pictures, or an LMDB."""
    import penstock

    from .pipelines import picture_pipeline

    readers = [
        functools.partial(_containers.find(source).read, shard_id=i, num_shards=count) for i in range(count)
    ]  # fmt: skip
    return [
        picture_pipeline(penstock, "train", read, batch, threads, i if gpus else None, depth)
        for i, read in enumerate(readers)
    ]


def _alone(pipes, size):
    del size
    while True:
        yield sum(len(pipe.run()[0]) for pipe in pipes)


def _through_jax(pipes, size):
    import jax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    from ..plugin.jax import DALIGenericIterator

    sharding = NamedSharding(Mesh(jax.local_devices()[: len(pipes)], "batch"), PartitionSpec("batch"))
    batches = DALIGenericIterator(pipes, ["images", "labels"], size=size, auto_reset=True, sharding=sharding)
    for arrays in itertools.chain.from_iterable(itertools.repeat(batches)):
        jax.block_until_ready(arrays)
        yield len(arrays["images"])


def _through_pytorch(pipes, size):
    import torch

    from ..plugin.pytorch import DALIGenericIterator

    batches = DALIGenericIterator(pipes, ["images", "labels"], size=size, auto_reset=True)
    for parts in itertools.chain.from_iterable(itertools.repeat(batches)):
        for i, part in enumerate(parts):
            if part["images"].is_cuda:
                torch.cuda.current_stream(i).synchronize()
        yield sum(len(part["images"]) for part in parts)


WAYS = {"pipelines": _alone, "jax": _through_jax, "pytorch": _through_pytorch}


def take_turn(way, seconds, cores, **settings):
    """What `block.timed` says of it in this process, which has these cores from now on."""
    os.sched_setaffinity(0, cores)
    sizes = WAYS[way](_pipelines(**settings), _BATCHES * settings["batch"] * settings["count"])
    block.warm_up(sizes)
    return block.timed(sizes, seconds)


def _in_a_process(**settings):
    """`take_turn` in a process of its own."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={settings['count']}"
    return measured(
        ["-m", __spec__.name, "--block"],
        settings,
        f"{settings['way']} on {settings['count']} devices failed",
        os.environ | {"XLA_FLAGS": flags, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"},
    )


def measure(counts, ways, pairs, say, **settings):
    """way -> number of devices -> what `block.timed` says, once for each turn."""
    cores = sorted(os.sched_getaffinity(0))
    each = len(cores) // max(counts)
    found = {way: {count: [] for count in counts} for way in ways}
    for way, turn in itertools.product(ways, range(pairs)):
        for count in counts if turn % 2 == 0 else reversed(counts):
            some = cores[: max(1, each * count)]
            given = _in_a_process(way=way, cores=some, count=count, threads=max(1, each), **settings)
            found[way][count].append(given)
            say(
                f"{way} on {count}: {given['rate']:,.0f} samples/s; one batch in 100 takes {_unevenness(given):.2f} "
                f"times the median; of busy cores' time others had {given['stolen']:.1%}"
            )
    return found


def _unevenness(found):
    """What one batch in 100 takes, of the median."""
    return found["slow_batch_ms"] / found["batch_ms"]


def table(found):
    """Lines of Markdown."""
    counts = list(next(iter(found.values())))
    heads = ["samples/s on as many devices", *counts]
    heads += ["share of linear", "one batch in 100 takes, of the median", "of busy cores' time others had"]
    yield f"| {' | '.join(map(str, heads))} |"
    yield "| --- " * len(heads) + "|"
    for way, turns in found.items():
        rates = {count: [turn["rate"] for turn in turns[count]] for count in counts}
        uneven = [statistics.median(map(_unevenness, turns[count])) for count in counts]
        stolen = [statistics.median(turn["stolen"] for turn in turns[count]) for count in counts]
        shares = [
            statistics.median(b / a for a, b in zip(rates[counts[0]], rates[count], strict=True)) * counts[0] / count
            for count in counts[1:]
        ]
        cells = [f"{statistics.median(rates[count]):,.0f}" for count in counts]
        parts = [", ".join(f"{one:.2f}" for one in some) for some in (shares, uneven)]
        parts.append(", ".join(f"{one:.1%}" for one in stolen))
        yield f"| {way} | {' | '.join([*cells, *parts])} |"


def main(arguments=None):
    gpus = _core.gpu_count()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", nargs="+", type=int, default=[n for n in (1, 2, 4, 8) if n <= max(gpus, 2)])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--packed", action="store_true", help="read one LMDB instead of a file for each picture")
    parser.add_argument("--depth", type=int, default=2, help="prefetch_queue_depth of the pipelines")
    data.add_arguments(parser)
    parser.add_argument("--block", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.block:
        print(json.dumps(take_turn(**options.block)), flush=True)
        os._exit(0)  # pipelines may be in the middle of a batch
    files = data.picture_set(options.data, "444", _FILES, options.photos)
    found = measure(
        options.devices,
        options.ways,
        options.pairs,
        lambda text: print(f"  {text}", file=sys.stderr, flush=True),
        seconds=options.seconds,
        source=str(data.packed(files, "lmdb") if options.packed else files),
        gpus=gpus > 0,
        batch=options.batch,
        depth=options.depth,
    )
    print("\n".join(table(found)))
    if options.json:
        options.json.write_text(json.dumps({"turns": found, "machine": machine.facts()}, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
