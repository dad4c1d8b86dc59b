"""Batches as JAX has them: types, how long they are valid, and what ends with the iterator."""

import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np

from penstock import Pipeline, fn
from penstock.plugin.jax import _ffi, _handoff, _programs
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

    seen, plain = [], _handoff.Handoff.columns
    _handoff.Handoff.columns = lambda *args, **options: [
        seen.append(threading.current_thread().name), plain(*args, **options)][1]
    it = data_iterator(slow, **names)(batch_size=2)
    for _ in range(8):
        next(it)
        time.sleep(user_takes)
    _handoff.Handoff.columns = plain
    return seen[-6:]

tell(makers(0, 0.2)), tell(makers(0.1, 0))
""",
        numbered(24),
        devices=1,
    )
    assert set(patient) == {"penstock-ahead"}
    assert set(hurried) == {"MainThread"}


def test_this_jax_knows_programs_that_call_the_engine(jax):
    _ffi.can_register.cache_clear()
    assert _ffi.can_register()


def test_an_older_jax_gets_views(monkeypatch):
    def refuse():
        raise RuntimeError("unsupported API version")

    monkeypatch.setattr(_ffi, "register", refuse)
    _ffi.can_register.cache_clear()
    assert not _ffi.can_register()
    _ffi.can_register.cache_clear()


def test_views_are_copied_and_let_go(jax, monkeypatch):
    """With batches in host memory in the place of a GPU's."""
    monkeypatch.setattr(_programs, "TensorListGPU", TensorListCPU)
    monkeypatch.setattr(_handoff, "can_register", lambda: False)
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    handoff, counter = _handoff.Handoff(), iter(range(100))
    with Pipeline(batch_size=4) as pipe:
        pipe.set_outputs(fn.external_source(source=lambda: np.full((4, 3), next(counter), np.float32)))
    kept = [handoff.arrays(pipe.run())[0] for _ in range(10)]
    jax.block_until_ready(kept)
    assert [float(one.mean()) for one in kept] == list(range(10))
    handoff.arrays(pipe.run())
    assert len(handoff._views._held) == 1  # that of the last batch


def test_two_threads_that_copy_views_let_each_go_once(jax, monkeypatch):
    """Both may find the same one copied: an epoch's last batch is cut while another thread makes the next."""

    def ready():
        time.sleep(0.05)
        return True

    monkeypatch.setattr(jax, "jit", lambda function: lambda views: (views, None))
    views = _handoff.Views()
    marks = {"copied": SimpleNamespace(is_ready=ready), "not yet": SimpleNamespace(is_ready=lambda: False)}
    views._held.extend(marks.items())
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(views._copies, [[], []]))
    assert views._held[0][0] == "not yet"
