"""Programs of examples/ on as many GPUs as there are."""

import pathlib
import re

import pytest

from penstock import _core

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
GPUS = max(_core.gpu_count(), 1)
STEPS, BATCH_SIZE = 128, 16  # of each GPU; some seconds, so that nvidia-smi has something to tell


@pytest.fixture(scope="module")
def many_pictures(pictures, tmp_path_factory):
    """A folder with the same picture over and over in each of two classes."""
    root = tmp_path_factory.mktemp("many")
    for label in ("cat", "dog"):
        (root / label).mkdir()
        for i in range(STEPS * BATCH_SIZE * GPUS // 2):
            (root / label / f"{i}.jpg").symlink_to(pictures / label / "0.jpg")
    return root


@pytest.mark.usefixtures("torchvision")
@pytest.mark.parametrize("loader", ["penstock", "torch"])
@pytest.mark.parametrize(
    "launcher,batch_size",
    [
        ([], BATCH_SIZE * GPUS),
        (["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", GPUS], BATCH_SIZE),
    ],
    ids=["DataParallel", "torchrun"],
)
def test_a_resnet_trains_and_tells_how_busy_gpus_were(script, many_pictures, launcher, batch_size, loader):
    options = ["--batch-size", batch_size, "--epochs", 1, "--loader", loader]
    out = script(*launcher, EXAMPLES / "folder_training.py", many_pictures, *options)
    [(speed, percent)] = re.findall(
        rf"loss [0-9.]+, ([0-9.]+) pictures/s in {STEPS} steps, GPU utilisation: (\d+) %", out
    )
    assert float(speed) > 0
    assert 0 < int(percent) <= 100
