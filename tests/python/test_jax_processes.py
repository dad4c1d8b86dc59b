"""The iterators for JAX in several processes, on virtual devices of the CPU, joined by gloo."""

import pytest
from jax_processes import GRAPH, ITERATOR, SWAPPED


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


def test_processes_that_would_make_different_arrays_all_say_so(in_processes, numbered):
    results = in_processes(
        GRAPH
        + """
sharding, reverse = (NamedSharding(Mesh(d, ("batch",)), P("batch")) for d in (devices, devices[::-1]))

def made(sharding=sharding, change=lambda x: x, **options):
    def changed(num_shards, shard_id):
        x, y = graph(num_shards, shard_id)
        return change(x), y
    tell(attempt(lambda: data_iterator(changed, sharding=sharding, **names, **options)(batch_size=4)))

made(reverse if process else sharding)
made({"x": sharding, "y": reverse if process else sharding, "valid": sharding})
made(change=lambda x: fn.cast(x, dtype=[types.INT32, types.FLOAT][process]))
made(change=lambda x: fn.reshape(fn.cat(x, x, axis=0), shape=[[2, 1], [1, 2]][process]))
made(last_batch_policy=[LastBatchPolicy.FILL, LastBatchPolicy.DROP][process])
with jax.enable_x64(bool(process)):
    made()

def refuse(x):
    if process:
        raise ValueError("no such sample")
    return x

made(change=lambda x: fn.python_function(x, function=refuse))
""",
        numbered(8),
    )
    for own, (rows, labels, types, shapes, policies, bits, broken) in enumerate(results):
        between = f"RuntimeError: the iterators of processes {own} and {1 - own} differ in "
        assert rows.startswith(between + "the places of `x`: NamedSharding(")
        assert labels.startswith(between + "the places of `y`: NamedSharding(")
        kinds = ["int32[4, 1]", "float32[4, 1]"]
        assert types == f"{between}`x` of the first batch: {kinds[own]} here, {kinds[1 - own]} there"
        assert f"{between}`x` of the first batch: uint8[4, " in shapes
        assert policies.startswith(between + "last_batch_policy: ")
        assert bits.startswith(between + "numbers of 64 bits (`jax_enable_x64`): ")
        assert "no such sample" in broken
        assert own or broken.startswith("RuntimeError: process 1 could not make its first batch: ")


def test_an_iterator_that_one_process_failed_to_make_can_be_made_again(in_processes, numbered):
    results = in_processes(
        GRAPH
        + """
import time
sharding, tries = NamedSharding(Mesh(devices, ("batch",)), P("batch")), []

def sometimes(num_shards, shard_id):
    tries.append(0)
    if process == 1 and len(tries) == 1:
        raise OSError("the disk is busy")
    return graph(num_shards, shard_id)

os.environ["PENSTOCK_AGREE_SECONDS"] = "2"
tell(attempt(lambda: data_iterator(sometimes, sharding=sharding, **names)(batch_size=4)))
time.sleep(4 * process)  # else its second attempt is in time for the other's first
os.environ["PENSTOCK_AGREE_SECONDS"] = "60"
for size in (4, 8):
    tell(local(next(data_iterator(sometimes, sharding=sharding, **names)(batch_size=size))["x"]))
""",
        numbered(16),
    )
    (absent, *again), (failed, *others) = results
    assert "process 1 made no such iterator within 2 s" in absent
    assert "the disk is busy" in failed
    assert again == [{"0": [0, 1]}, {"0": [0, 1, 2, 3]}]
    assert others == [{"2": [8, 9]}, {"4": [8, 9, 10, 11]}]


def test_batches_of_other_sizes_in_other_processes_are_refused(in_processes, numbered):
    results = in_processes(
        GRAPH
        + SWAPPED
        + """
def batches(i):
    return np.full((1 if process and i == 1 else 2, 3), i, np.float32)

function = jax_function(swapped, sharding=sharding)
for make in (lambda: fn.external_source(batches), lambda: function(fn.external_source(batches))):
    it = data_iterator(make, output_map=["x"], sharding=sharding)(batch_size=4)
    tell([attempt(lambda: numbers(next(it)["x"].addressable_data(0))) for _ in range(3)])

def ends_early():
    return function(fn.readers.file(file_root=root, num_shards=2, shard_id=process, epoch_end="partial")[0])

tell(attempt(lambda: data_iterator(ends_early, output_map=["x"])(batch_size=2)))
""",
        numbered(3),
    )
    for own, (plain, swapped, early) in enumerate(results):
        assert plain[::2] == swapped[::2] == [[0] * 6, [2] * 6]
        assert swapped[1].startswith("RuntimeError: the processes come to the function swapped on NamedSharding(")
        assert swapped[1].endswith(" with different batches, float32[2, 3] in process 0, float32[1, 3] in process 1")
        assert plain[1] == [1] * 6 if own == 0 else "ValueError: batches of [1] samples came where" in plain[1]
        assert early.startswith('ValueError: epoch_end="partial" ends shards with batches of different lengths')


def test_functions_work_among_some_of_the_processes(in_processes, numbered):
    some = ITERATOR.replace("jax.devices()", "jax.devices()[1:]")
    work = "if process > 0:\n    it = iterator_of(swapped)\n    tell([local(batch['x']) for batch in it])\n"
    none, first, second = in_processes(some + work, numbered(8), 3)
    assert none == []
    assert first == [[{"0": [4, 5]}, {"0": [6, 7]}]]
    assert second == [[{"2": [0, 1]}, {"2": [2, 3]}]]
