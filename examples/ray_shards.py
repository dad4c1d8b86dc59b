"""Prints which samples each worker of Ray Train reads; together the workers read each sample once.

    python examples/ray_shards.py FOLDER [--workers 2]

Ray's TorchTrainer connects torch.distributed in each worker before it calls the function, so that Penstock's loader
finds rank and number of ranks there. FOLDER must be at one place on all hosts, and this file's folder, too.
"""

import argparse
import os
import pathlib

os.environ.setdefault("RAY_DEDUP_LOGS", "0")  # else Ray hides lines of workers that are alike
import ray  # noqa: E402
import shards  # noqa: E402
import torch  # noqa: E402
from ray.train import ScalingConfig  # noqa: E402
from ray.train.torch import TorchTrainer  # noqa: E402


def work(config):
    """What each worker does; a training loop would stand here."""
    shards.show(config["folder"])


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    ray.init()
    scaling = ScalingConfig(num_workers=options.workers, use_gpu=torch.cuda.is_available())
    TorchTrainer(work, train_loop_config={"folder": str(options.folder.resolve())}, scaling_config=scaling).fit()


if __name__ == "__main__":
    main()
