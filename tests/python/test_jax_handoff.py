"""Batches as JAX has them: types, how long they are valid, and what ends with the iterator."""

import queue

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.plugin.jax import _handoff
from penstock.tensors import TensorListCPU


def test_next_neither_recompiles_nor_changes_types(on_four_devices, numbered):
    compiled, avals = on_four_devices(
        """
it = data_iterator(sharded, sharding=NamedSharding(mesh, P("batch")), **names)(batch_size=8)
count = []

@jax.jit
def step(batch):
    count.append(1)
    return batch["x"].sum() + batch["y"].sum()

kinds = set()
for _ in range(3):
    for batch in it:
        step(batch)
        kinds.add(str({k: (str(v.dtype), v.weak_type) for k, v in batch.items()}))
tell(len(count)), tell(sorted(kinds))
""",
        numbered(24),
    )
    assert compiled == 1
    assert len(avals) == 1


def test_an_iterator_that_nobody_has_any_more_ends_its_thread_and_its_pipelines(on_four_devices, numbered):
    [before, during, after] = on_four_devices(
        """
import gc, threading, time, weakref
def count():
    return sum(thread.name == "penstock-ahead" for thread in threading.enumerate())

tell(count())
it = data_iterator(sharded, sharding=NamedSharding(mesh, P("batch")), **names)(batch_size=8)
next(it)
tell(count())
pipe = weakref.ref(it._pipes[0])
del it
end = time.monotonic() + 20
while (count() or pipe()) and time.monotonic() < end:
    gc.collect()
    time.sleep(0.01)
tell([count(), pipe() is None])
""",
        numbered(24),
    )
    assert (before, during, after) == (0, 1, [0, True])


def test_batches_may_be_donated(on_four_devices, numbered):
    [sums] = on_four_devices(
        """
it = data_iterator(sharded, sharding=NamedSharding(mesh, P("batch")), **names)(batch_size=8)
bump = jax.jit(lambda x: x + 1, donate_argnums=0)
held = [(numbers(batch["x"]), bump(batch["x"])) for batch in it]
list(it)
tell([[b - a for a, b in zip(before, numbers(after))] for before, after in held])
""",
        numbered(24),
    )
    assert sums == [[1] * 8] * 3


def test_batches_of_one_device_stay_valid_and_loops_go_epoch_after_epoch(on_four_devices, numbered):
    shapes, epochs, fresh = on_four_devices(
        """
@data_iterator(**names)
def plain():
    return graph(pad_last_batch=True)

it = plain(batch_size=4)
kept = [[batch["x"] for batch in it] for _ in range(2)]
tell([list(x.shape) for x in kept[0]]), tell([[numbers(x) for x in epoch] for epoch in kept])
for batch in it:
    break
tell([numbers(batch["x"]) for batch in it])
""",
        numbered(10),
    )
    epoch = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 9, 9]]
    assert shapes == [[4, 1]] * 3
    assert epochs == [epoch, epoch]
    assert fresh == epoch


def test_arrays_are_committed_copies_or_views_that_nobody_writes(on_four_devices, numbered):
    [same] = on_four_devices(
        """
it = data_iterator(sharded, sharding=NamedSharding(mesh, P("batch")), **names)(batch_size=batch_size)
batches = [next(it) for _ in range(3)]
before = [numbers(batch["x"]) for batch in batches]
for _ in it:
    pass
list(it)
tell(before == [numbers(batch["x"]) for batch in batches])
""",
        numbered(24),
    )
    assert same


def test_whoever_waits_makes_the_arrays(on_four_devices, numbered):
    patient, hurried = on_four_devices(
        """
import threading, time
from penstock.plugin.jax import _handoff

def makers(pipeline_takes, user_takes):
    def delayed(sample):
        time.sleep(pipeline_takes)
        return sample

    def slow():
        x, y = graph()
        return fn.python_function(x, function=delayed), y

    seen, plain = [], _handoff.Handoff.arrays
    _handoff.Handoff.arrays = lambda *args: [seen.append(threading.current_thread().name), plain(*args)][1]
    it = data_iterator(slow, **names)(batch_size=2)
    for _ in range(8):
        next(it)
        time.sleep(user_takes)
    _handoff.Handoff.arrays = plain
    return seen[-6:]

tell(makers(0, 0.2)), tell(makers(0.1, 0))
""",
        numbered(24),
        devices=1,
    )
    assert set(patient) == {"penstock-ahead"}
    assert set(hurried) == {"MainThread"}


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


def fed_pipeline(*names):
    with Pipeline(batch_size=4) as pipe:
        pipe.set_outputs(*(fn.external_source(name=name) for name in names))
    return pipe


@pytest.fixture
def copies(monkeypatch):
    """With programs that give the batches themselves, as they were put on their shelf."""
    made, shelf = _handoff.Copies([True, True, True, False]), queue.SimpleQueue()
    monkeypatch.setattr(made, "_compiled", lambda batches: (shelf, shelf.get_nowait))
    return made


def test_a_program_takes_small_outputs_of_the_host_along(copies):
    pipe = fed_pipeline("small", "large", "wide", "elsewhere")
    for rows in (4, 3):
        fed = {
            "small": np.arange(rows * 4096, dtype=np.float32).reshape(rows, 4096),  # 64 KB at most
            "large": np.ones((rows, 4, 4097), np.float32),
            "wide": np.arange(rows),
            "elsewhere": np.ones(rows, np.float32),
        }
        for name, array in fed.items():
            pipe.feed_input(name, array)
        small, large, wide, elsewhere = copies(pipe.run())
        assert [type(array) for array in (small, large, wide)] == [TensorListCPU, np.ndarray, np.ndarray]
        assert isinstance(elsewhere, np.ndarray)
        np.testing.assert_array_equal(small.as_array(), fed["small"])
        np.testing.assert_array_equal(large, fed["large"])
        np.testing.assert_array_equal(wide, fed["wide"])
    assert len(copies._programs) == 2


def test_outputs_of_the_host_that_change_their_shapes_soon_stay_there(copies):
    pipe = fed_pipeline("boxes")
    for count in range(1, 30):
        pipe.feed_input("boxes", np.full((4, count), count, np.float32))
        (boxes,) = copies(pipe.run())
        assert isinstance(boxes, TensorListCPU if count <= 8 else np.ndarray)
        np.testing.assert_array_equal(boxes.as_array() if count <= 8 else boxes, np.full((4, count), count))
    assert len(copies._programs) == 9
