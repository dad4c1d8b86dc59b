"""Records which samples DALI's file reader returns, without shuffling, over a grid of shards and batch sizes.

Run with nvidia-dali installed (no GPU is needed) from the root of the repository:
    python tools/golden/dali_order.py > tests/golden/dali_order.json
"""

import itertools
import json
import tempfile
from pathlib import Path

import numpy as np
import nvidia.dali as dali
from nvidia.dali import fn, pipeline_def

SIZES = (1, 3, 5, 7, 10, 13)
SHARDS = (1, 2, 3, 5)
BATCHES = (1, 2, 4)
BATCHES_READ = 8


def record(files, num_shards, batch):
    """One dictionary for each reader of (shard, pad_last_batch, stick_to_shard)."""
    readers = list(itertools.product(range(num_shards), (False, True), (False, True)))

    @pipeline_def(batch_size=batch, num_threads=1, device_id=None)
    def read_all():
        return tuple(
            fn.readers.file(
                files=files,
                labels=list(range(len(files))),
                num_shards=num_shards,
                shard_id=shard,
                pad_last_batch=pad,
                stick_to_shard=stick,
            )[1]
            for shard, pad, stick in readers
        )

    pipe = read_all()
    pipe.build()
    steps = [[out.as_array().ravel() for out in pipe.run()] for _ in range(BATCHES_READ)]
    return [
        {
            "size": len(files),
            "num_shards": num_shards,
            "shard_id": shard,
            "batch": batch,
            "pad_last_batch": pad,
            "stick_to_shard": stick,
            "labels": np.concatenate([step[i] for step in steps]).tolist(),
        }
        for i, (shard, pad, stick) in enumerate(readers)
    ]


def main():
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{i:02}.bin") for i in range(max(SIZES))]
        for file in files:
            file.write_bytes(b"x")
        cases = [
            case
            for size, num_shards, batch in itertools.product(SIZES, SHARDS, BATCHES)
            if num_shards <= size
            for case in record([str(f) for f in files[:size]], num_shards, batch)
        ]
    head = f'{{"dali": "{dali.__version__}", "batches": {BATCHES_READ}, "cases": [\n'
    print(head + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]}")


if __name__ == "__main__":
    main()
