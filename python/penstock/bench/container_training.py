"""What a container costs: `train` from a file for each picture, and from LMDB, tar, TFRecord and Parquet files of them.

    python -m penstock.bench.container_training [--pairs 4] [--seconds 2] [--kinds lmdb tar ...] [--photos FOLDER]
                                                [--json FILE]

The job is `train` at 4:4:4 (see pipelines.py), shuffled, on GPU 0 where there is one, batches of 256 there and of 64
without. Containers take turns, forwards and backwards, each block in a process of its own after a warm-up; what is
compared with LMDB is the median of the rates of one turn.
"""

import argparse
import json
import os
import statistics
import sys

from .. import _containers, _core
from . import block, data, machine
from .process import measured
from .report import table

_FILES = 1000
_FIRST = "lmdb"  # which the others are compared with


def take_turn(source, seconds, gpu, batch, threads):
    """What `block.timed` says of `train` from this data set in this process."""
    import penstock

    from .pipelines import picture_pipeline

    read = _containers.find(source).read
    made = picture_pipeline(penstock, "train", read, batch, threads, 0 if gpu else None)
    sizes = (len(made.run()[0]) for _ in iter(int, 1))
    block.warm_up(sizes)
    return block.timed(sizes, seconds)


def measure(sources, pairs, say, **settings):
    """kind -> what `block.timed` says, once for each turn."""
    found = {kind: [] for kind in sources}
    for turn in range(pairs):
        for kind in sources if turn % 2 == 0 else reversed(sources):
            command = ["-m", __spec__.name, "--block"]
            given = measured(command, {"source": str(sources[kind]), **settings}, f"train from {kind} failed")
            found[kind].append(given)
            say(f"{kind}: {given['rate']:,.0f} samples/s")
    return found


def rows(found):
    """Of the table: kind, rate, ratio to LMDB, its range, and CPU time of a sample."""
    first = [turn["rate"] for turn in found[_FIRST]]
    for kind, turns in found.items():
        ratios = [turn["rate"] / rate for turn, rate in zip(turns, first, strict=True)]
        rate = statistics.median(turn["rate"] for turn in turns)
        cpu = statistics.median(turn["cpu_ms"] for turn in turns)
        ends = f"{min(ratios):.2f} to {max(ratios):.2f}"
        yield [kind, f"{rate:,.0f}", f"**{statistics.median(ratios):.2f}**", ends, f"{cpu:.3f}"]


def main(arguments=None):
    gpu = _core.gpu_count() > 0
    cores = _core.usable_cores()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = ("folder", "lmdb", "tar", "tfrecord", "parquet")
    parser.add_argument("--kinds", nargs="+", choices=kinds, default=list(kinds[:-1]))
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=2)
    data.add_arguments(parser)
    parser.add_argument("--block", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.block:
        print(json.dumps(take_turn(**options.block)), flush=True)
        os._exit(0)  # the pipeline may be in the middle of a batch
    files = data.picture_set(options.data, "444", _FILES, options.photos)
    wanted = dict.fromkeys([_FIRST, *options.kinds])
    found = measure(
        {kind: files if kind == "folder" else data.packed(files, kind) for kind in wanted},
        options.pairs,
        lambda text: print(f"  {text}", file=sys.stderr, flush=True),
        seconds=options.seconds,
        gpu=gpu,
        batch=256 if gpu else 64,
        threads=cores,
    )
    heads = ["container", "samples/s", "of LMDB", "range", "CPU ms of a sample"]
    print(table(heads, list(rows(found))))
    if options.json:
        options.json.write_text(json.dumps({"turns": found, "machine": machine.facts()}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
