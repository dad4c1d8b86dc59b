"""What scripts take from DALI's library itself: names of operators, versions, memory."""

import sys
from types import SimpleNamespace

import oracle
import pytest


@pytest.fixture(autouse=True)
def beside_dali():
    oracle.dali()  # skips where it is not installed


def test_operators_have_the_names_that_dali_has_for_them():
    from nvidia.dali import backend as library
    from nvidia.dali import fn as functions
    from nvidia.dali import ops as classes

    from penstock.dali import _spelling, backend

    names = [*library.RegisteredCPUOps(), *library.RegisteredGPUOps()]
    for name in (*names, "_LEADing", "XYZ1ABC", "trailing__", "STFT_CPU"):
        assert _spelling.snake_case(name) == functions._to_snake_case(name)
    for api in ("fn", "ops"):
        assert [_spelling.operator_name(one, api) for one in names] == [classes._op_name(one, api) for one in names]
    assert backend.GetSchema("readers__TFRecord").name == "readers.tfrecord"
    assert backend.GetSchema("Slice").name == "slice"
    with pytest.raises(KeyError, match="'Slicer' not registered"):
        backend.GetSchema("Slicer")
    assert backend.TryGetSchema("Slice").name == "slice"
    assert backend.TryGetSchema("Slicer") is None


def test_the_backend_has_the_names_that_scripts_ask_for(monkeypatch):
    from nvidia.dali import backend as library

    from penstock.dali import backend

    functions = [name for name in backend.__all__ if callable(getattr(backend, name)) and name[0].isupper()]
    assert len(functions) >= 14
    for name in functions:
        assert hasattr(library, name), name
    assert backend.GetNvjpegVersion() == library.GetNvjpegVersion() == -1
    assert backend.RestrictPinnedMemUsage() is False
    backend.PreallocateDeviceMemory(1 << 20, 0)
    backend.PreallocatePinnedMemory(1 << 20)
    backend.ReleaseUnusedMemory()
    monkeypatch.setattr(backend, "_core", SimpleNamespace(gpu_count=lambda: 2))
    monkeypatch.setenv("LOCAL_RANK", "1")
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert backend.GetCUDACurrentDevice() == 1
    monkeypatch.setattr(backend, "_core", SimpleNamespace(gpu_count=lambda: 0, why_no_gpu=lambda: "none"))
    with pytest.raises(RuntimeError, match="no GPU that Penstock can use"):
        backend.GetCUDACurrentDevice()
