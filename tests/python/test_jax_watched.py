"""What JAX was told to watch for: transfers that nobody asked for."""

import numpy as np
import pytest

from penstock import Pipeline, _core, fn


def pipe_of(make=lambda x: x, dtype=np.float32):
    """Batches full of their numbers."""
    with Pipeline(batch_size=4) as pipe:
        pipe.set_outputs(make(fn.external_source(lambda i: np.full((4, 3), i, dtype))))
    return pipe


@pytest.fixture
def guarded(jax, monkeypatch):
    """Implicit transfers are refused on all threads."""
    before = {name: getattr(jax.config, name) for name in dir(jax.config) if name.startswith("jax_transfer_guard")}
    jax.config.update("jax_transfer_guard", "disallow")
    yield
    for name in sorted(before):  # that of all transfers comes first
        jax.config.update(name, before[name])


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
@pytest.mark.parametrize("level", ["disallow", "disallow_explicit"])
def test_batches_come_under_a_guard_of_transfers_whichever_thread_makes_them(jax, level, dtype):
    """A guard is heard by the thread that says it: the user's makes some, here nearly all."""
    from penstock.plugin.jax import DALIGenericIterator

    it = DALIGenericIterator(pipe_of(dtype=dtype), ["x"])
    with jax.transfer_guard(level):
        batches = [next(it)["x"] for _ in range(40)]
    assert [float(x.mean()) for x in batches] == list(range(40))


def test_functions_get_and_give_batches_where_transfers_are_guarded(jax, guarded):
    from penstock.plugin.jax.fn import jax_function

    pipe = pipe_of(jax_function(jax.jit(lambda x: x + x)))
    assert [float(pipe.run()[0].as_array().mean()) for _ in range(3)] == [0, 2, 4]


def test_transfers_of_the_functions_themselves_stay_guarded(jax, guarded):
    from penstock.plugin.jax.fn import jax_function

    for sharding in None, jax.sharding.SingleDeviceSharding(jax.devices()[0]):
        pipe = pipe_of(jax_function(lambda x: x + np.ones(3, np.float32), sharding=sharding))
        with pytest.raises(RuntimeError, match="Disallowed host-to-device transfer"):
            pipe.run()


@pytest.mark.skipif(not hasattr(_core, "XLA_FFI_VERSION"), reason="Penstock was built without jaxlib")
def test_a_ticket_is_no_transfer_that_a_guard_refuses(jax, guarded):
    from penstock.plugin.jax import source

    made = source(pipe_of(), ["x"])
    for i in range(2):
        batch, _ = jax.jit(made.next)(made.ticket())
        assert np.asarray(batch["x"]).tolist() == [[i] * 3] * 4
