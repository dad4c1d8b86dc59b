"""Batches that consumers read late are never overwritten before; see handoff_stress.py."""

import os
import pathlib

import pytest

STEPS = int(os.environ.get("PENSTOCK_STRESS_STEPS", 60))  # 2,000 for the whole of it: 100 s


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_late_readers_see_their_own_batches(script, framework):
    pytest.importorskip(framework)
    stress = pathlib.Path(__file__).with_name("handoff_stress.py")
    settings = {"PENSTOCK_POISON": "1", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    out = script(stress, framework, STEPS, timeout=60 + STEPS, **settings)
    gpus, batches, wrong = map(int, out.split()[:3])
    assert gpus >= 1 and batches >= STEPS
    assert wrong == 0
