"""Where arrays are put: which device and memory, whichever thread makes them and wherever their parts lie."""

from types import SimpleNamespace

import pytest

NUMBERS = """
def numbers_of_64_bits():
    return fn.external_source(lambda i: np.full((8, 2), i, np.int64))

def seen(it, what):
    import time
    found = []
    for i in range(8):  # the thread that works ahead makes some of them, this one the others
        found.append(what(next(it)["x"]))
        time.sleep(0.05 * (i % 2))
    return found
"""


def test_arrays_are_made_as_jax_was_told_where_the_iterator_was_made(on_four_devices, numbered):
    devices, plain, sharded, function = on_four_devices(
        NUMBERS
        + """
from penstock.plugin.jax.fn import jax_function
make = data_iterator(numbers_of_64_bits, output_map=["x"])
with jax.default_device(jax.devices()[2]):
    it = make(batch_size=8)
tell(seen(it, lambda x: x.device.id))
with jax.enable_x64(True):
    it = make(batch_size=8)
    tell(seen(it, lambda x: str(x.dtype)))
    places = NamedSharding(Mesh(np.array(jax.devices()[:1]), ("batch",)), P("batch"))
    it = data_iterator(numbers_of_64_bits, output_map=["x"], sharding=places)(batch_size=8)
    tell(seen(it, lambda x: str(x.dtype)))
    def converted():
        return jax_function(lambda x: x + 1)(numbers_of_64_bits())
    it = data_iterator(converted, output_map=["x"])(batch_size=8)
    tell(seen(it, lambda x: str(x.dtype)))
""",
        numbered(1),
    )
    assert devices == [2] * 8
    assert plain == sharded == function == ["int64"] * 8


def test_arrays_go_to_the_memory_that_the_sharding_names(on_four_devices, numbered):
    for kind, placed, valid in on_four_devices(
        """
def padded(num_shards, shard_id):
    return graph(num_shards, shard_id, epoch_end="pad")

for kind in ("unpinned_host", "pinned_host"):
    spread = NamedSharding(mesh, P("batch", None), memory_kind=kind)
    batch = next(data_iterator(padded, sharding=spread, **names)(batch_size=8))
    tell([kind, by_device(batch["x"]), batch["valid"].sharding.memory_kind])
""",
        numbered(24),
    ):
        assert placed == {"0": [0, 1], "1": [6, 7], "2": [12, 13], "3": [18, 19]}
        assert valid == kind


def test_parts_on_several_devices_are_brought_together(on_four_devices, numbered):
    """As GPUs make them, with arrays on devices of the CPU in the place of a GPU's."""
    holders, rows, halves, stacked = on_four_devices(
        """
from penstock.plugin.jax._target import spread_of, target_of
d = np.array(jax.devices())
halves = NamedSharding(Mesh(d[:1:-1], ("batch",)), P("batch"))
spread = spread_of({"x": NamedSharding(mesh, P("batch")), "y": NamedSharding(mesh, P()), "z": halves}, ["x", "y", "z"])
holders = [spread.layout.device_of(shard) for shard in spread.local]
tell([device.id for device in holders])
parts = [jax.device_put(np.full((1, 2), i), device) for i, device in enumerate(holders)]
tell(by_device(spread.place("y", parts)))
tell(by_device(spread.place("z", parts)))

with Pipeline(batch_size=2) as pipe:
    pipe.set_outputs(*graph())
tell(by_device(target_of(None, ["x"], [pipe, pipe], None).place("x", parts[2:0:-1])))
""",
        numbered(4),
    )
    assert holders == [0, 1, 2, 3]
    assert rows == {str(device): [0, 0, 1, 1, 2, 2, 3, 3] for device in range(4)}
    assert halves == {"3": [0, 0, 1, 1], "2": [2, 2, 3, 3]}
    assert stacked == {"2": [2, 2], "1": [1, 1]}


def test_what_cannot_be_placed_is_named(jax):
    import numpy as np

    from penstock import fn
    from penstock.plugin.jax import data_iterator

    for devices in [], jax.devices()[:1] * 2, "cpu":
        with pytest.raises(ValueError, match="`devices` must be a list of different devices"):
            data_iterator(lambda: None, output_map=["x"], devices=devices)(batch_size=2)

    def ragged():
        return tuple(fn.external_source(lambda i: ([np.zeros(2)] * 2, [np.zeros(1), np.zeros(2)]), num_outputs=2))

    with pytest.raises(RuntimeError, match="must have the same shape") as raised:
        next(data_iterator(ragged, output_map=["even", "ragged"])(batch_size=2))
    assert "outputs with samples of different shapes: ['ragged']" in raised.value.__notes__


def test_samples_that_only_fill_a_batch_are_known(on_four_devices, numbered):
    padded, carried, spread, refused = on_four_devices(
        """
from penstock.plugin.jax import peekable_data_iterator

def masks(make, batch_size=8, **options):
    it = peekable_data_iterator(make, **names, **options)(batch_size=batch_size)
    return [numbers(it.is_nonpadding) for epoch in range(2) for _ in it]

tell(masks(lambda: graph(pad_last_batch=True))), tell(masks(lambda: graph()))
tell(masks(lambda num_shards, shard_id: graph(num_shards, shard_id, pad_last_batch=True),
           sharding=NamedSharding(mesh, P("batch"))))
try:
    masks(lambda: graph(epoch_end="pad"))
except AttributeError as e:
    tell(str(e))
""",
        numbered(22),
    )
    full = [1] * 8
    assert padded == [full, full, [1] * 6 + [0] * 2] * 2
    assert carried == [full, full, [1] * 6 + [0] * 2, full, full, [1] * 4 + [0] * 4]  # as DALI 2.4 has it
    assert spread[:3] == [full, full, [1, 0, 1, 1, 1, 0, 1, 1]]
    assert "each batch has `valid`" in refused


def test_arrays_of_one_device_are_made_under_a_mesh_of_several(on_four_devices, numbered):
    [place] = on_four_devices(
        """
from penstock.plugin.jax._handoff import Handoff
one = jax.sharding.SingleDeviceSharding(jax.devices()[1])
program = jax.jit(lambda: jax.numpy.zeros((8, 1)), out_shardings=one)  # what copies batches on a GPU is such a program
Handoff.arrays = lambda self, outputs, pipe: [program() for _ in outputs]
def whole():
    return graph()

with jax.set_mesh(mesh):
    it = data_iterator(whole, **names)(batch_size=8)
    tell([[batch["x"].device.id for batch in (next(it), next(it))], jax.sharding.get_abstract_mesh().size])
""",
        numbered(24),
    )
    assert place == [[1, 1], 4]


def test_parts_that_share_devices_are_stacked_on_one(on_four_devices, numbered):
    [stacked] = on_four_devices(
        """
from penstock.plugin.jax._target import Here
pipes = [Pipeline(batch_size=2, device_id=device) for device in (0, 0, 1, 1)]
parts = [jax.device_put(np.full(2, i), jax.devices()[pipe.device_id]) for i, pipe in enumerate(pipes)]
tell(by_device(Here(pipes, stack=True).place("x", parts)))
""",
        numbered(1),
    )
    assert stacked == {"0": [0, 0, 1, 1, 2, 2, 3, 3]}


def test_numbers_of_cpu_devices_are_no_numbers_of_gpus(on_four_devices, numbered):
    [gpus] = on_four_devices(
        """
it = data_iterator(sharded, sharding=NamedSharding(mesh, P("batch")), **names)(batch_size=8)
tell([pipe.device_id for pipe in it._pipes])
""",
        numbered(8),
    )
    assert gpus == [0] * 4


@pytest.fixture
def process_with_gpu_3(monkeypatch, jax):
    gpu = SimpleNamespace(platform="gpu", local_hardware_id=3, id=7)
    monkeypatch.setattr(jax, "local_devices", lambda backend=None: [gpu])
    return gpu


def test_a_gpu_has_the_number_that_cuda_gave_it(process_with_gpu_3):
    from penstock.plugin.jax import _gpus, _target

    assert _gpus.default_number() == 3
    assert _gpus.of_number(3) is process_with_gpu_3
    with pytest.raises(ValueError, match=r"the batch lies on GPU 0, and JAX has \[3\] in this process"):
        _gpus.of_number(0)
    assert _target._device_of([SimpleNamespace(device_id=3)]) is process_with_gpu_3
    assert _target._device_of([SimpleNamespace(device_id=0)]) is None


@pytest.mark.parametrize(
    ("platform", "memory", "parts", "axis", "stays"),
    [
        ("gpu", "device", [(0,), (1,)], False, True),
        ("cpu", "device", [(0,), (1,)], False, False),
        ("gpu", "pinned_host", [(0,), (1,)], False, False),
        ("gpu", "device", [(0, 1), (0, 1)], False, False),  # whole on each
        ("gpu", "device", [(0, 1), (2, 3)], False, False),  # two on each
        ("gpu", "device", [(0,), (0,)], False, False),  # along another axis
        ("gpu", "device", [(0,), (1,)], True, False),
    ],
)
def test_parts_that_stay_on_their_gpu_are_known(platform, memory, parts, axis, stays):
    from penstock.plugin.jax._placement import Sharded

    kind = SimpleNamespace(kind="device")
    devices = [SimpleNamespace(platform=platform, default_memory=lambda: kind, id=i) for i in range(2)]
    sharding = SimpleNamespace(addressable_devices=devices, memory_kind=memory)
    layout = SimpleNamespace(positions=lambda sharding, device: parts[device.id])
    assert Sharded(sharding, layout, axis).keeps() == stays


def test_integers_that_jax_would_cut_to_32_bits_are_refused(on_four_devices, numbered):
    whole, kept, *refused = on_four_devices(
        """
def of(number, dtype, **how):
    def numbers():
        return fn.external_source(lambda i: np.array([[0], [number]], dtype))
    return data_iterator(numbers, output_map=["ids"], prepare_first_batch=False, **how)(batch_size=8)

with jax.enable_x64(True):
    tell(int(next(of(2**40 + 7, np.int64))["ids"][-1, 0]))
tell([
    int(next(of(number, dtype))["ids"][-1, 0])
    for number, dtype in ((2**31 - 1, np.int64), (-(2**31), np.int64), (2**32 - 1, np.uint64))
])
for how in ({}, {"sharding": NamedSharding(mesh, P("batch"))}, {"devices": jax.devices()}):
    for number, dtype in ((2**31, np.int64), (-(2**40), np.int64), (2**32, np.uint64)):
        it = of(number, dtype, **how)
        for _ in range(2):
            try:
                tell(str(next(it)))
            except OverflowError as error:
                tell(str(error))
""",
        numbered(1),
    )
    assert whole == 2**40 + 7
    assert kept == [2**31 - 1, -(2**31), 2**32 - 1]
    numbers = [number for number in (2**31, -(2**40), 2**32) for _ in range(2)] * 3
    for number, text in zip(numbers, refused, strict=True):
        assert f"output `ids` has {number}, of which JAX keeps the lower 32 bits" in text
        assert "jax.enable_x64(True)" in text
