"""The iterators for JAX in several processes, on virtual devices of the CPU, joined by gloo."""

import pytest
from jax_processes import GRAPH, ITERATOR


@pytest.mark.parametrize("processes,devices", [(2, 1), (2, 2), (4, 1)])
def test_every_device_gets_its_rows_once(in_processes, numbered, processes, devices):
    results = in_processes(
        GRAPH
        + """
sharding = NamedSharding(Mesh(devices[::-1], ("batch",)), P("batch"))
it = data_iterator(graph, sharding=sharding, **names)(batch_size=8)
total = jax.jit(lambda b: (b["x"].astype("int32").ravel() * b["valid"]).sum())
steps = [(local(batch["x"]), int(total(batch))) for batch in it]
tell([len(it), steps])
""",
        numbered(22),
        processes,
        devices,
    )
    lengths = {length for [[length, _]] in results}
    totals = [[total for _, total in steps] for [[_, steps]] in results]
    assert lengths == {3}
    assert totals == [totals[0]] * processes
    assert sum(totals[0]) == sum(range(22))
    rows = {}
    for [[_, steps]] in results:
        for i, (parts, _) in enumerate(steps):
            for start, numbers in parts.items():
                rows[i, int(start)] = numbers
    assert len(rows) == 3 * processes * devices
    assert sorted({number for numbers in rows.values() for number in numbers}) == list(range(22))


def test_a_model_axis_across_processes_gets_the_same_rows_and_outputs_have_shardings_of_their_own(
    in_processes, numbered
):
    results = in_processes(
        GRAPH
        + """
grid = devices.reshape(2, 2).T  # the model axis runs from one process to the other
mesh = Mesh(grid, ("data", "model"))
s = {"x": NamedSharding(mesh, P("data")), "y": NamedSharding(mesh, P())}
it = data_iterator(graph, sharding=s, **names)(batch_size=4)
batch = next(it)
tell([local(batch["x"]), local(batch["y"]), len(it._pipes)])

it = data_iterator(graph, devices=jax.devices(), **names)(batch_size=8)
batch = next(it)
tell([list(batch["x"].shape), local(batch["x"]), local(batch["valid"])])
""",
        numbered(8),
        2,
        2,
    )
    for spread, stacked in results:
        x, y, pipelines = spread
        assert x == {"0": [0, 1], "2": [4, 5]}
        assert y == {"0": [0] * 4}
        assert pipelines == 2
        assert stacked[0] == [4, 2, 1]
    assert {**results[0][1][1], **results[1][1][1]} == {str(i): [2 * i, 2 * i + 1] for i in range(4)}


def test_processes_that_do_not_fit_together_all_say_so(in_processes, numbered):
    results = in_processes(
        GRAPH
        + """
sharding = NamedSharding(Mesh(devices, ("batch",)), P("batch"))
def make(batch_size, **options):
    return data_iterator(graph, sharding=sharding, **names)(batch_size=batch_size, **options)

tell(attempt(lambda: make(4 + 2 * process)))
tell(attempt(lambda: make(4, shuffle_seed=process)))
tell(attempt(lambda: make(5)))

def of_files(num_shards, shard_id):
    files = sorted(os.path.join(root, "class", name) for name in os.listdir(os.path.join(root, "class")))
    return tuple(fn.readers.file(files=files[process:][:7], name="Reader", num_shards=num_shards, shard_id=shard_id))

tell(attempt(lambda: data_iterator(of_files, sharding=sharding, **names)(batch_size=4)))

def with_function(function, over):
    def graph_with(num_shards, shard_id):
        x, y = graph(num_shards, shard_id)
        return jax_function(function, sharding=over)(x), y
    return data_iterator(graph_with, sharding=sharding, **names)(batch_size=4)

def on_axis(x):
    return jax.shard_map(lambda x: x, mesh=sharding.mesh, in_specs=P("model"), out_specs=P("batch"))(x)

tell(attempt(lambda: with_function(on_axis, sharding)))
tell(attempt(lambda: with_function(lambda x: x, NamedSharding(Mesh(devices[::-1], ("batch",)), P("batch")))))
tell(attempt(lambda: with_function([len, max][process], sharding)))
os.environ["PENSTOCK_AGREE_SECONDS"] = "2"
tell(attempt(lambda: make(4)) if process == 0 else "made none")
""",
        numbered(8),
    )
    for own, (sizes, seeds, uneven, files, axis, reversed_rows, functions, absent) in enumerate(results):
        assert f"processes {own} and {1 - own} differ in samples per shard and batch" in sizes
        assert "differ in shuffle seed of reader `Reader`" in seeds
        assert "batch_size=5 does not divide into 2 equal shards; use 4 or 6" in uneven
        assert "differ in fingerprint of the data set of reader `Reader`" in files
        assert "ValueError" in axis
        assert "model" in axis
        assert "cuts the rows into 2 pieces that do not fit the iterator's 2 shards" in reversed_rows
        assert f"processes {own} and {1 - own} differ in functions with a sharding" in functions
        assert own == 1 or "process 1 made no such iterator within 2 s" in absent


def test_functions_work_among_some_of_the_processes(in_processes, numbered):
    some = ITERATOR.replace("jax.devices()", "jax.devices()[1:]")
    work = "if process > 0:\n    it = iterator_of(swapped)\n    tell([local(batch['x']) for batch in it])\n"
    none, first, second = in_processes(some + work, numbered(8), 3)
    assert none == []
    assert first == [[{"0": [4, 5]}, {"0": [6, 7]}]]
    assert second == [[{"2": [0, 1]}, {"2": [2, 3]}]]
