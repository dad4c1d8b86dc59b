"""How JAX gets batches of a GPU: what can be told without one."""

import numpy as np

from penstock import Pipeline, fn
from penstock.plugin.jax import _handoff
from penstock.tensors import TensorListCPU


def test_this_jax_knows_programs_that_call_the_engine(jax):
    _handoff._can_tell.cache_clear()
    assert _handoff._can_tell()


def test_an_older_jax_gets_views(monkeypatch):
    def refuse():
        raise RuntimeError("unsupported API version")

    monkeypatch.setattr(_handoff, "_register", refuse)
    _handoff._can_tell.cache_clear()
    assert not _handoff._can_tell()
    _handoff._can_tell.cache_clear()


def test_views_are_copied_and_let_go(jax, monkeypatch):
    """With batches in host memory in the place of a GPU's."""
    monkeypatch.setattr(_handoff, "TensorListGPU", TensorListCPU)
    monkeypatch.setattr(_handoff, "_can_tell", lambda: False)
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    handoff, counter = _handoff.Handoff(), iter(range(100))
    with Pipeline(batch_size=4) as pipe:
        pipe.set_outputs(fn.external_source(source=lambda: np.full((4, 3), next(counter), np.float32)))
    kept = [handoff.arrays(pipe.run())[0] for _ in range(10)]
    jax.block_until_ready(kept)
    assert isinstance(handoff._take, _handoff.Views)
    assert [float(one.mean()) for one in kept] == list(range(10))
    handoff.arrays(pipe.run())
    assert len(handoff._take._held) == 1  # that of the last batch
