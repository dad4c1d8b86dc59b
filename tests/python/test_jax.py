"""The iterators for JAX, on virtual devices of the CPU: what comes to which device."""

import pytest


def test_a_sharded_batch_holds_each_shard_on_its_device(on_four_devices, numbered):
    shape, devices, sharding_kept, length = on_four_devices(
        """
sharding = NamedSharding(mesh, P("batch"))
it = data_iterator(sharded, sharding=sharding, **names)(batch_size=batch_size)
batch = next(it)
tell(batch["x"].shape), tell(by_device(batch["x"])), tell(batch["x"].sharding == sharding), tell(len(it))
""",
        numbered(24),
    )
    assert shape == [8, 1]
    assert devices == {"0": [0, 1], "1": [6, 7], "2": [12, 13], "3": [18, 19]}
    assert sharding_kept
    assert length == 3


def test_the_part_of_a_device_comes_from_the_index_map_not_from_its_number(on_four_devices, numbered):
    reversed_mesh, two_axes, replicated = on_four_devices(
        """
def parts(mesh, spec):
    it = data_iterator(sharded, sharding=NamedSharding(mesh, spec), **names)(batch_size=batch_size)
    return by_device(next(it)["x"])

tell(parts(Mesh(np.array(jax.devices())[::-1], ("batch",)), P("batch")))
square = Mesh(np.array(jax.devices()).reshape(2, 2), ("data", "model"))
tell(parts(square, P("data")))
tell(parts(square, P()))
""",
        numbered(24),
    )
    assert reversed_mesh == {"3": [0, 1], "2": [6, 7], "1": [12, 13], "0": [18, 19]}
    assert two_axes == {"0": [0, 1, 2, 3], "1": [0, 1, 2, 3], "2": [12, 13, 14, 15], "3": [12, 13, 14, 15]}
    assert replicated == {str(device): list(range(8)) for device in range(4)}


def test_devices_give_a_leading_axis(on_four_devices, numbered):
    shape, devices, first, summed, subset = on_four_devices(
        """
it = data_iterator(sharded, devices=jax.devices(), **names)(batch_size=batch_size)
batch = next(it)
tell(batch["x"].shape), tell(by_device(batch["x"])), tell(numbers(batch["x"][1]))
total = jax.pmap(lambda x: jax.lax.psum(x.astype("int32").sum(), "d"), axis_name="d")
tell(numbers(total(batch["x"])))
it = data_iterator(sharded, devices=jax.devices()[2:], **names)(batch_size=4)
tell(by_device(next(it)["x"]))
""",
        numbered(24),
    )
    assert shape == [4, 2, 1]
    assert devices == {"0": [0, 1], "1": [6, 7], "2": [12, 13], "3": [18, 19]}
    assert first == [6, 7]
    assert summed == [76] * 4
    assert subset == {"2": [0, 1], "3": [12, 13]}


@pytest.mark.parametrize("devices", [1, 4])
def test_batches_stay_valid_after_later_ones_were_drawn(on_four_devices, pictures, devices):
    drawn, later, distinct = on_four_devices(
        """
def decoded(num_shards, shard_id):
    x, y = fn.readers.file(file_root=root, name="Reader", num_shards=num_shards, shard_id=shard_id)
    return fn.decoders.image(x), y

def sums(batch):
    return numbers(batch["x"].astype("int32").sum((1, 2, 3)))

it = data_iterator(decoded, sharding=NamedSharding(mesh, P("batch")), **names)(batch_size=4)
kept, drawn = [], []
for epoch in range(8):
    for batch in it:
        kept.append(batch)
        drawn.append(sums(batch))
tell(drawn), tell([sums(batch) for batch in kept]), tell(len(set(map(str, drawn))))
""",
        pictures,
        devices,
    )
    assert len(drawn) == 24
    assert distinct >= 3
    assert drawn == later


@pytest.mark.parametrize("devices", [1, 3, 8])
def test_an_epoch_on_any_number_of_devices_holds_every_sample_once(on_four_devices, numbered, devices):
    epochs = on_four_devices(
        """
def padded(num_shards, shard_id):
    return graph(num_shards, shard_id, epoch_end="pad", random_shuffle=True)

it = data_iterator(padded, output_map=["x", "y"], sharding=NamedSharding(mesh, P("batch")))(batch_size=24)
for epoch in range(2):
    got = []
    for batch in it:
        assert batch["valid"].sharding == batch["x"].sharding
        got += numbers(batch["x"][np.asarray(batch["valid"])])
    tell(got)
""",
        numbered(50),
        devices,
    )
    assert [sorted(epoch) for epoch in epochs] == [list(range(50))] * 2
    assert epochs[0] != epochs[1]


def test_partial_batches_have_as_many_rows_as_the_longest_shard_has_left(on_four_devices, numbered):
    one, spread = on_four_devices(
        """
def epochs(make):
    return [[(numbers(b["x"]), numbers(b["valid"]) if "valid" in b else None) for b in it] for it in [make] * 2]

def padded(num_shards=1, shard_id=0):
    return graph(num_shards, shard_id, pad_last_batch=True, stick_to_shard=True)

options = dict(last_batch_policy=LastBatchPolicy.PARTIAL, **names)
tell(epochs(data_iterator(padded, **options)(batch_size=4)))
tell(epochs(data_iterator(padded, sharding=NamedSharding(mesh, P("batch")), **options)(batch_size=12)))
""",
        numbered(17),
    )
    assert one[0] == one[1]
    assert [len(x) for x, _ in one[0]] == [4, 4, 4, 4, 1]
    assert all(valid is None for _, valid in one[0])
    assert spread[0] == spread[1]
    assert [len(x) for x, _ in spread[0]] == [12, 8]  # shards of 4, 4, 4 and 5 samples
    kept = [x for rows, valid in spread[0] for x, ok in zip(rows, valid, strict=True) if ok]
    assert sorted(kept) == list(range(17))


def test_outputs_have_shardings_of_their_own_and_columns_are_cut(on_four_devices, numbered):
    x, y, pipelines = on_four_devices(
        """
square = Mesh(np.array(jax.devices()).reshape(2, 2), ("data", "model"))

def wide(num_shards, shard_id):
    x, y = graph(num_shards, shard_id)
    return fn.cat(x, fn.cast_like(x + 100, x), axis=0), y

both = {"x": NamedSharding(square, P("data", "model")), "y": NamedSharding(square, P(("model", "data")))}
it = data_iterator(wide, sharding=both, **names)(batch_size=8)
batch = next(it)
tell(by_device(batch["x"])), tell(by_device(batch["y"])), tell(len(it._pipes))
""",
        numbered(24),
    )
    assert x == {
        "0": [0, 1, 6, 7], "1": [100, 101, 106, 107], "2": [12, 13, 18, 19], "3": [112, 113, 118, 119]
    }  # fmt: skip
    assert set(map(tuple, y.values())) == {(0, 0)}
    assert pipelines == 4


def test_functions_get_the_shard_only_if_they_ask_for_it(on_four_devices, numbered):
    seen, alike = on_four_devices(
        """
def only_id(shard_id):
    seen.append(shard_id)
    return graph()

seen = []
data_iterator(only_id, sharding=NamedSharding(mesh, P("batch")), **names)(batch_size=8)
tell(seen)
it = data_iterator(sharded, devices=jax.devices(), pmap_compatible=False, **names)(batch_size=8)
tell(next(it)["x"].shape)
""",
        numbered(8),
    )
    assert seen == [0, 1, 2, 3]
    assert alike == [8, 1]


def test_several_pipelines_without_a_sharding_are_stacked(on_four_devices, numbered):
    shape, values = on_four_devices(
        """
pipes = []
for shard in range(2):
    with Pipeline(batch_size=2) as pipe:
        pipe.set_outputs(*graph(2, shard))
    pipes.append(pipe)
batch = next(DALIGenericIterator(pipes, ["x", "y"], reader_name="Reader"))
tell(batch["x"].shape), tell(numbers(batch["x"]))
""",
        numbered(8),
    )
    assert shape == [2, 2, 1]
    assert values == [0, 1, 4, 5]


def test_checkpoints_restore_all_pipelines(on_four_devices, numbered):
    expected, resumed, refused = on_four_devices(
        """
make = data_iterator(sharded, sharding=NamedSharding(mesh, P("batch")), **names)
it = make(batch_size=batch_size, enable_checkpointing=True, seed=1)
next(it)
saved = it.checkpoints()
tell([numbers(batch["x"]) for batch in [next(it), next(it)]])
again = make(batch_size=batch_size, enable_checkpointing=True, seed=1, checkpoints=saved)
tell([numbers(batch["x"]) for batch in again])
try:
    make(batch_size=batch_size, checkpoints=saved[:2])
except RuntimeError as e:
    tell(str(e))
""",
        numbered(24),
    )
    assert expected == resumed
    assert "(2)" in refused
    assert "(4)" in refused


def test_iterator_and_decorator_agree_as_dalis_do(jax):
    del jax
    import inspect

    from penstock.plugin.jax import DALIGenericIterator, data_iterator

    iterator = inspect.getfullargspec(DALIGenericIterator.__init__).args[2:]
    decorator = inspect.getfullargspec(data_iterator).args[1:]
    decorator.remove("devices")
    assert iterator == decorator
    shared = [text.split("output_map", 1)[1].split("sharding")[0] for text in (
        DALIGenericIterator.__doc__, data_iterator.__doc__)]  # fmt: skip
    assert shared[0] == shared[1]
