"""Programs that ask the engine for batches: what they take, for how many GPUs, and in which order."""

import queue
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.plugin.jax import _handoff, _programs
from penstock.tensors import TensorListCPU


def fed_pipeline(*names):
    with Pipeline(batch_size=4) as pipe:
        pipe.set_outputs(*(fn.external_source(name=name) for name in names))
    return pipe


@pytest.fixture
def handoff(jax, monkeypatch):
    """As on a GPU, with programs that give the batches themselves."""
    monkeypatch.setattr(_programs, "_program_for", lambda taken, goes, place: lambda batches, _: (batches[0], ()))
    monkeypatch.setattr(_handoff, "can_register", lambda: True)
    monkeypatch.setattr(_handoff.Handoff, "_on_gpu", lambda self, outputs: True)
    return _handoff.Handoff(along=[True, True, True, False])


def test_a_program_takes_small_outputs_of_the_host_along(handoff):
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
        small, large, wide, elsewhere = handoff.arrays(pipe.run())
        assert [type(array) for array in (small, large, wide)] == [TensorListCPU, np.ndarray, np.ndarray]
        assert isinstance(elsewhere, np.ndarray)
        np.testing.assert_array_equal(small.as_array(), fed["small"])
        np.testing.assert_array_equal(large, fed["large"])
        np.testing.assert_array_equal(wide, fed["wide"])
    assert len(handoff._programs._known) == 2


def test_outputs_of_the_host_that_change_their_shapes_soon_stay_there(handoff):
    pipe = fed_pipeline("boxes")
    for count in range(1, 30):
        pipe.feed_input("boxes", np.full((4, count), count, np.float32))
        (boxes,) = handoff.arrays(pipe.run())
        assert isinstance(boxes, TensorListCPU if count <= 8 else np.ndarray)
        np.testing.assert_array_equal(boxes.as_array() if count <= 8 else boxes, np.full((4, count), count))
    assert len(handoff._programs._known) == 9


def test_two_threads_that_take_batches_get_their_own(monkeypatch):
    mailbox = queue.SimpleQueue()

    def program(batches, _):
        mailbox.put(batches[0])
        time.sleep(0.001)
        return mailbox.get_nowait(), ()

    described = SimpleNamespace(jax_described=lambda outputs, along: ([True], "all alike", [None]))
    monkeypatch.setattr(_programs, "_core", described)
    programs = _programs.Programs([True])
    programs._known[False, "all alike"] = program
    with ThreadPoolExecutor(2) as threads:
        batches = [[i] for i in range(100)]
        taken = threads.map(lambda batch: programs.take([batch]), batches)
        assert [arrays for _, arrays in taken] == batches


@pytest.fixture
def programs(monkeypatch):
    """Programs for batches that are named as their shapes, and the shapes for which they were compiled."""
    programs, compiled = _programs.Programs([True]), []

    def program_for(taken, goes, place):
        compiled.append(taken[0])
        return lambda batches, _: (f"by number {compiled.index(batches[0])}", ())

    described = SimpleNamespace(jax_described=lambda outputs, along: ([True], outputs[0], [None]))
    monkeypatch.setattr(_programs, "_core", described)
    monkeypatch.setattr(_programs, "_program_for", program_for)
    monkeypatch.setattr(_programs, "_OnOne", lambda batches: None)
    programs.compiled = compiled
    return programs


def test_programs_are_bounded_in_number_and_those_in_use_are_kept(programs):
    for i in range(1000):
        programs.take([["always there" if i % 2 else i]])
    assert len(programs._known) == _programs._MOST
    assert len(programs.compiled) == 501
    in_turns = list(range(2000, 2000 + _programs._MOST))
    for shape in in_turns * 3:
        programs.take([[shape]])
    assert programs.compiled[501:] == [[shape] for shape in in_turns]


def test_an_array_that_a_forgotten_program_lent_is_copied(programs, jax, monkeypatch):
    """Another program of its shapes cannot say that the array is one of its own."""
    mailbox = SimpleNamespace(number=0, put=lambda gpu, batches: SimpleNamespace(results=[]))
    monkeypatch.setattr(_programs._core, "JaxMailbox", lambda: mailbox, raising=False)
    runs = []
    place = SimpleNamespace(gpus=[0], compiled=lambda *_: lambda: [runs.append(1) or "a copy"])
    array = jax.ShapeDtypeStruct((), "int32")
    monkeypatch.setattr(_programs, "_program_for", lambda *_: _programs._Program([array], [True], place))
    lender = None
    described = lambda outputs, along: ([True], outputs[0], [lender])  # noqa: E731
    monkeypatch.setattr(_programs._core, "jax_described", described)
    programs.take([["shape"]])
    lender = programs._known[False, "shape"], "lent"
    assert programs.take([["shape"]]) == ([True], ["lent"])
    for i in range(_programs._MOST):
        programs.take([[i]])
    assert programs.take([["shape"]]) == ([True], ["a copy"])
    assert programs._known[False, "shape"] is not lender[0]


def test_what_a_program_did_not_take_is_put_away(jax, monkeypatch):
    put, seen = [], []
    mailbox = SimpleNamespace(number=0, put=lambda *given: put.append(given), clear=put.clear)
    monkeypatch.setattr(_programs._core, "JaxMailbox", lambda: mailbox)

    def fails():
        seen.extend(put)
        raise RuntimeError("out of memory")

    program = _programs._Program([], [True], SimpleNamespace(gpus=[3, 1], compiled=lambda take, goes: fails))
    with pytest.raises(RuntimeError, match="out of memory"):
        program([["of 3"], ["of 1"]], [[None], [None]])
    assert seen == [(3, ["of 3"]), (1, ["of 1"])]
    assert not put


def test_batches_of_different_shapes_or_elsewhere_have_no_program_together(jax):
    pipes = [fed_pipeline("x") for _ in range(2)]

    def compiled(rows, gpus=(None, None), dtype=np.float32):
        for pipe, count in zip(pipes, rows, strict=True):
            pipe.feed_input("x", np.ones((count, 2), dtype))
        place = SimpleNamespace(gpus=list(gpus), compiled=lambda take, goes: "a program")
        return _programs._program_for([list(pipe.run()) for pipe in pipes], [True], place)

    assert compiled((4, 4)) is not None
    assert compiled((4, 3)) is None
    assert compiled((4, 4), gpus=(0, 1)) is None
    assert compiled((4, 4), dtype=np.float64) is None


@pytest.mark.parametrize("which", [[0, 1, 2, 3], [0, 3]], ids=["all", "some"])
def test_one_program_makes_arrays_over_the_devices(on_four_devices, numbered, which):
    """With devices of the host in the place of GPUs, and programs that write their place instead of the batch."""
    found, rows, order, kept = on_four_devices(
        f"""
mesh = Mesh(np.array(jax.devices())[{which}], ("batch",))
"""
        """
from penstock.plugin.jax import _handoff, _placement, _programs
_placement.Sharded.keeps = lambda self: True
_handoff.Handoff._on_gpu = lambda self, outputs: True
_handoff.can_register = lambda: True
taken = []

class Program:
    def __init__(self, specs, goes, place):
        place_of = lambda: jax.lax.axis_index("gpu")
        self.run = place.compiled(lambda: [jax.numpy.full(one.shape, place_of(), one.dtype) for one in specs], goes)

    def __call__(self, batches, _):
        taken.append([numbers(batch[0].as_array()) for batch in batches])
        return self.run(), ()

_programs._Program = Program

def graph_of_two(num_shards, shard_id):
    x, y = graph(num_shards, shard_id)
    return x, fn.cast(y, dtype=types.INT64)  # such ones do not go along

shardings = {"x": NamedSharding(mesh, P("batch", None)), "y": NamedSharding(mesh, P("batch"))}
it = data_iterator(graph_of_two, sharding=shardings, **names)(batch_size=8)
batches = [next(it) for _ in range(3)]
tell([by_device(batch["x"]) for batch in batches])
tell(taken[:3])
arrays = [(batch[name], shardings[name]) for batch in batches for name in shardings]
tell([[shard.device.id for shard in array.addressable_shards] for array, _ in arrays])
tell(all(array.sharding == sharding for array, sharding in arrays))
""",
        numbered(24),
    )
    count, each = len(which), 8 // len(which)
    assert found == [{str(device): [i] * each for i, device in enumerate(which)}] * 3
    shards = [range(24 * shard // count, 24 * (shard + 1) // count) for shard in range(count)]
    assert rows == [[list(shard[each * i : each * (i + 1)]) for shard in shards] for i in range(3)]
    assert order == [which] * 6
    assert kept


def test_arrays_over_gpus_need_each_part_on_its_own_in_order(on_four_devices, numbered):
    told = on_four_devices(
        """
from penstock.plugin.jax import _placement
from penstock.plugin.jax._target import spread_of
square = Mesh(np.array(jax.devices()).reshape(2, 2), ("a", "b"))

def there_are(*specs, mesh=mesh):
    shardings = {str(i): NamedSharding(mesh, spec) for i, spec in enumerate(specs)}
    tell(spread_of(shardings, list(shardings)).over_gpus(list(shardings)) is not None)

there_are(P("batch"))  # on the host
_placement.Sharded.keeps = lambda self: True
there_are(P("batch"), P("batch", None))
there_are(P(("a", "b")), mesh=square)
there_are(P(("b", "a")), mesh=square)  # rows go another way over them
there_are(P("a"), mesh=square)
there_are(P("batch"), P())
there_are(P("batch"), mesh=Mesh(np.array(jax.devices()[::-1]), ("batch",)))
there_are(P("batch"), mesh=Mesh(np.array(jax.devices()[::3]), ("batch",)))
one = jax.sharding.SingleDeviceSharding(jax.devices()[0])
tell(spread_of(one, ["x"]).over_gpus(["x"]) is not None)
""",
        numbered(1),
    )
    assert told == [False, True, True, False, False, False, False, True, False]
