"""Where a pipeline is given no GPU, each process of a host uses one of its own."""

import sys
import types as python_types

import pytest

from penstock import types
from penstock._ranks import own_gpu
from penstock.pipeline import _build


def torch_that(initialized, current=0):
    cuda = python_types.SimpleNamespace(is_initialized=lambda: initialized, current_device=lambda: current)
    return python_types.SimpleNamespace(cuda=cuda)


@pytest.fixture(autouse=True)
def without_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", torch_that(False))


@pytest.mark.parametrize(
    ("environ", "count", "number"),
    [
        ({}, 4, 0),
        ({"LOCAL_RANK": "3"}, 4, 3),
        ({"LOCAL_RANK": "3"}, 1, 0),  # which CUDA_VISIBLE_DEVICES gave it alone
        ({"LOCAL_RANK": "4"}, 4, 0),
        ({"OMPI_COMM_WORLD_LOCAL_RANK": "2"}, 4, 2),
        ({"MPI_LOCALRANKID": "1"}, 4, 1),
        ({"MV2_COMM_WORLD_LOCAL_RANK": "1"}, 4, 1),
        ({"SLURM_LOCALID": "1"}, 4, 0),  # a shell in an allocation
        ({"SLURM_LOCALID": "1", "SLURM_STEP_ID": "0"}, 4, 1),
        ({"SLURM_LOCALID": "1", "SLURM_STEP_ID": "0", "LOCAL_RANK": "2"}, 4, 2),  # torchrun started by srun
    ],
)
def test_launchers_say_which(environ, count, number):
    assert own_gpu(count, environ) == number


def test_what_torch_uses_comes_first(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", torch_that(True, 1))
    assert own_gpu(4, {"LOCAL_RANK": "3"}) == 1
    monkeypatch.setitem(sys.modules, "torch", torch_that(False, 1))
    assert own_gpu(4, {"LOCAL_RANK": "3"}) == 3


def test_no_number_is_refused():
    with pytest.raises(ValueError, match=r"LOCAL_RANK='x', which is no number: unset it, or give device_id="):
        own_gpu(2, {"LOCAL_RANK": "x"})


def test_a_pipeline_takes_it_unless_told_otherwise(monkeypatch):
    monkeypatch.setenv("LOCAL_RANK", "2")
    monkeypatch.setattr(_build, "_core", python_types.SimpleNamespace(gpu_count=lambda: 4))
    chosen = [_build.chosen_gpu(["mixed"], given, strict=False) for given in (None, 0, 3, types.CPU_ONLY_DEVICE_ID)]
    assert chosen == [2, 0, 3, None]
    assert _build.chosen_gpu(["cpu"], None, strict=False) is None
