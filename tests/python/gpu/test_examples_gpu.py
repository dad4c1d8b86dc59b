"""Programs of examples/ on as many GPUs as there are."""

import pathlib
import re

import numpy as np
import pytest
from idx import write_idx

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


@pytest.mark.skipif(GPUS < 2, reason="needs two GPUs")
def test_pipelines_on_two_gpus_share_a_folder(script, pictures):
    lines = script(EXAMPLES / "multi_gpu.py", pictures).splitlines()
    seen = [[line.split(".jpg (48, 64, 3) label ") for line in lines[i + 1 : i + 5]] for i in range(0, len(lines), 5)]
    assert lines[::5] == ["one pipeline", "shard 0 of 2", "shard 1 of 2"]
    assert seen == [[[f"  {i}", str(label)] for i in range(4)] for label in (0, 0, 1)]


@pytest.fixture(scope="module")
def patterns(tmp_path_factory):
    """A folder with files as MNIST's four are, of ten patterns with noise."""
    folder, random = tmp_path_factory.mktemp("patterns"), np.random.default_rng(3)
    each = random.integers(0, 160, (10, 28, 28))
    for name, count in (("train", 2000), ("t10k", 400)):
        labels = random.integers(0, 10, count, np.uint8)
        images = (each[labels] + random.integers(0, 96, (count, 28, 28))).astype(np.uint8)
        for kind, array in (("images", images), ("labels", labels)):
            write_idx(folder / f"{name}-{kind}-idx{array.ndim}-ubyte", array)
    return folder


@pytest.mark.usefixtures("jax")
@pytest.mark.parametrize("style", [[], ["--pmap"]], ids=["sharding", "pmap"])
def test_jax_trains_on_all_gpus(script, patterns, style):
    options = ["--epochs", 2, "--batch-size", 10 * GPUS, *style]
    out = script(EXAMPLES / "jax_training.py", patterns, *options, XLA_PYTHON_CLIENT_PREALLOCATE="false")
    assert f", {GPUS} devices" in out
    accuracies = [float(share) for share in re.findall(r"accuracy ([0-9.]+)", out)]
    assert len(accuracies) == 2 and accuracies[-1] > 0.8
