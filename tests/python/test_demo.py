import os
import re
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("jax")
pytest.importorskip("sklearn")
Image = pytest.importorskip("PIL.Image")


def test_the_demo_learns_and_shows_what_each_device_got(tmp_path):
    environment = os.environ | {"JAX_NUM_CPU_DEVICES": "4", "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "penstock.demo", "--epochs", "2", "--out", str(tmp_path)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=280)
    assert run.returncode == 0, run.stderr
    accuracies = [float(share) for share in re.findall(r"accuracy +([0-9.]+)%", run.stdout)]
    assert len(accuracies) == 2
    assert accuracies[-1] > 80
    picture = np.asarray(Image.open(tmp_path / "digits" / "shards.png"))
    assert len({tuple(colour) for colour in picture.reshape(-1, 3)[picture.reshape(-1, 3).std(1) > 20]}) >= 4
