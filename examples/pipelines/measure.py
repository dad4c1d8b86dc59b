"""Runs an input pipeline and says how many pictures a second it makes."""

import argparse
import importlib
import time


def rate(pipe, batches, batch_size):
    """Pictures a second over so many batches, after a few."""
    for _ in range(3):
        pipe.run()
    start = time.perf_counter()
    for _ in range(batches):
        pipe.run()
    return batches * batch_size / (time.perf_counter() - start)


def main(pipeline, doc):
    """The command line of an example whose function is `pipeline`."""
    parser = argparse.ArgumentParser(description=doc.partition("\n")[0])
    parser.add_argument("pictures", help="folder that `file_name` of images starts from")
    parser.add_argument("annotations", help="COCO's JSON file")
    parser.add_argument("--library", default="penstock", help="whose operators: penstock or nvidia.dali")
    parser.add_argument("--device", default="cpu", help="where pictures are decoded: cpu or mixed")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--batches", type=int, default=20)
    given = parser.parse_args()
    dali = importlib.import_module(given.library)
    for part in ("fn", "math", "types"):
        importlib.import_module(f"{given.library}.{part}")
    pipe = pipeline(
        dali, given.pictures, given.annotations, given.device, batch_size=given.batch, num_threads=given.threads,
        device_id=0 if given.device == "mixed" else None, seed=1
    )  # fmt: skip
    measured(pipe, given)


def measured(pipe, given):
    """Says how fast the pipeline is of what the command line gave."""
    pipe.build()
    made = rate(pipe, given.batches, given.batch)
    print(f"{given.library}: {made:.0f} pictures a second")
