"""Warnings name the user's own line and the right cause."""

import ctypes
import warnings

import numpy as np
import pytest

from penstock import Pipeline, _core, fn, pipeline_def
from penstock.pipeline import _build


def warned(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return caught


def for_gpu():
    with Pipeline(batch_size=1) as pipe:
        pipe.set_outputs(fn.external_source([np.zeros((1, 2, 2), np.uint8)] * 9, cycle=True).gpu())
    return pipe


def by_build():
    for_gpu().build()


def by_run():
    for_gpu().run()


def by_facts():
    for_gpu().reader_meta()


def by_iterator():
    pytest.importorskip("torch")
    from penstock.plugin.pytorch import DALIGenericIterator

    DALIGenericIterator(for_gpu(), ["x"])


def by_iterator_of_jax():
    pytest.importorskip("jax")
    from penstock.plugin.jax import DALIGenericIterator

    DALIGenericIterator(for_gpu(), ["x"])


@pytest.mark.skipif(_core.gpu_count() > 0, reason="needs a machine without a GPU")
@pytest.mark.parametrize("call", [by_build, by_run, by_facts, by_iterator, by_iterator_of_jax])
def test_what_the_cpu_does_for_a_gpu_is_told_at_the_users_line(call, monkeypatch):
    monkeypatch.setattr(_build, "_warned_no_gpu", False)
    [one] = [one for one in warned(call) if "run on the CPU" in str(one.message)]
    assert one.filename == __file__


@pytest.mark.skipif(_core.gpu_count() > 0, reason="needs a machine without a GPU")
def test_a_machine_without_a_driver_is_told_so():
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        why = _core.why_no_gpu()
        assert "no NVIDIA driver" in why or "libpenstock_cuda" in why
    else:
        pytest.skip("there is a driver")


@pytest.mark.parametrize(
    "call",
    [
        lambda: Pipeline(batch_size=1, seed=-3),
        lambda: Pipeline(batch_size=1, max_streams=2),
        lambda: pipeline_def(lambda: None)(batch_size=1, seed=-3),
    ],
)
def test_other_warnings_are_told_there_too(call):
    [one] = warned(call)
    assert one.filename == __file__
