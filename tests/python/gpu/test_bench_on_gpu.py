"""The benchmark's jobs run on a GPU."""

import pytest

from penstock.bench import block, data, latency


@pytest.mark.parametrize("job", ["train", "eval", "decode"])
def test_jobs_run(tmp_path, job):
    root = data.picture_set(tmp_path, "420", 40)
    settings = {"library": "penstock", "job": job, "root": str(root), "batch": 16, "threads": 2, "gpu": True}
    found = block.measure(settings | {"seconds": 0.2})
    assert found["rate"] > 0 and found["slow_batch_ms"] >= found["batch_ms"] > 0


def test_latency_is_measured_beside_nvjpeg(tmp_path):
    pytest.importorskip("torch")
    found = latency.measure(data.picture_set(tmp_path, "420", 1), 1, 1)
    assert found["penstock"][0] > 0
    assert found["nvjpeg"]["default"][0] > 0, "the backend that every GPU has"
