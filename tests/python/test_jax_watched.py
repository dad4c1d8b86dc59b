"""What JAX was told to watch for: transfers that nobody asked for, NaN, functions before they are compiled."""

from types import SimpleNamespace

import numpy as np
import pytest

from penstock import Pipeline, _core, fn
from penstock.plugin.jax import DALIGenericIterator, _handoff, _programs


def pipe_of(make=lambda x: x, dtype=np.float32):
    """Batches full of their numbers."""
    with Pipeline(batch_size=4) as pipe:
        pipe.set_outputs(make(fn.external_source(lambda i: np.full((4, 3), i, dtype))))
    return pipe


@pytest.fixture
def told(jax):
    """Tells JAX something for all threads, until the test ends."""
    before = {}

    def tell(**options):
        for name, value in options.items():
            before.setdefault(name, getattr(jax.config, name))
            jax.config.update(name, value)

    yield tell
    for name, value in before.items():
        jax.config.update(name, value)


@pytest.fixture
def guarded(told):
    """Implicit transfers are refused on all threads."""
    told(jax_transfer_guard="disallow")


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
@pytest.mark.parametrize("level", ["disallow", "disallow_explicit"])
def test_batches_come_under_a_guard_of_transfers_whichever_thread_makes_them(jax, level, dtype):
    """A guard is heard by the thread that says it: the user's makes some, here nearly all."""
    it = DALIGenericIterator(pipe_of(dtype=dtype), ["x"])
    with jax.transfer_guard(level):
        batches = [next(it)["x"] for _ in range(40)]
    assert [float(x.mean()) for x in batches] == list(range(40))


@pytest.mark.parametrize("level", ["disallow", "disallow_explicit"])
@pytest.mark.parametrize("sharded", [False, True])
def test_functions_get_and_give_batches_where_transfers_are_guarded(jax, told, level, sharded):
    from penstock.plugin.jax.fn import jax_function

    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0]) if sharded else None
    told(jax_transfer_guard=level)
    pipe = pipe_of(jax_function(jax.jit(lambda x: x + x), sharding=sharding))
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


@pytest.mark.parametrize("found", [np.nan, np.inf])
def test_a_batch_with_nan_comes_from_a_single_run_of_its_program(jax, told, monkeypatch, found):
    """As on a GPU; where JAX finds NaN in what a program gives it runs that again, and no batch is there any more."""
    waiting, array = [], jax.ShapeDtypeStruct((4, 3), np.float32)

    def put(gpu, batches):
        waiting.append(batches)
        return SimpleNamespace(results=[])

    def delivered():
        waiting.pop()
        return np.full((4, 3), found, np.float32)

    mailbox = SimpleNamespace(number=0, put=put, clear=waiting.clear)
    place = SimpleNamespace(gpus=[0], compiled=lambda *_: jax.jit(lambda: [jax.pure_callback(delivered, array)]))
    monkeypatch.setattr(_programs._core, "JaxMailbox", lambda: mailbox)
    monkeypatch.setattr(_programs, "_program_for", lambda *_: _programs._Program([array], [True], place))
    monkeypatch.setattr(_handoff, "can_register", lambda: True)
    monkeypatch.setattr(_handoff.Handoff, "_on_gpu", lambda self, outputs: True)
    told(jax_debug_nans=True, jax_debug_infs=True)
    it = DALIGenericIterator(pipe_of(), ["x"])
    arrays = [next(it)["x"] for _ in range(5)]
    told(jax_debug_nans=False, jax_debug_infs=False)
    assert all(np.array_equal(x, np.full((4, 3), found), equal_nan=True) for x in arrays)


def test_arrays_come_to_their_gpu_where_jax_was_told_not_to_compile(on_four_devices, numbered):
    """With a device of the host in the place of a GPU, and a program that writes its place."""
    [places] = on_four_devices(
        """
from penstock.plugin.jax import _handoff, _programs
_handoff.Handoff._on_gpu = lambda self, outputs: True
_handoff.can_register = lambda: True
_programs.of_number = lambda number: jax.devices()[2]

class Program:
    def __init__(self, specs, goes, place):
        self.run = place.compiled(lambda: [jax.numpy.zeros(one.shape, one.dtype) for one in specs], goes)

    def __call__(self, batches, _):
        return self.run(), ()

_programs._Program = Program
jax.config.update("jax_disable_jit", True)
it = data_iterator(lambda: graph(), **names)(batch_size=8)
tell([array.device.id for _ in range(3) for array in next(it).values()])
""",
        numbered(24),
    )
    assert places == [2] * 6
