"""The iterators for JAX in several processes, on virtual devices of the CPU, joined by gloo."""

import jax_processes
import pytest


@pytest.fixture
def run_in_processes(tmp_path, jax):
    """Runs code after the prelude in processes; how each of them ended."""
    del jax

    def run(code, root, processes=2, devices=1, **options):
        path = tmp_path / "code.py"
        path.write_text(jax_processes.PRELUDE + code)
        return jax_processes.run(path, root, processes, devices, **options)

    return run


@pytest.fixture
def in_processes(run_in_processes):
    """Likewise; all of them must have come to a good end, and what each told is returned."""
    return lambda *arguments, **options: jax_processes.told_by(run_in_processes(*arguments, **options))


GRAPH = """
def graph(num_shards, shard_id):
    data, labels = fn.readers.file(
        file_root=root, name="Reader", num_shards=num_shards, shard_id=shard_id, epoch_end="pad")
    return fn.reshape(data, shape=[1]), labels

names = dict(output_map=["x", "y"], reader_name="Reader")
devices = np.array(jax.devices())
"""


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


SWAPPED = """
from functools import partial
mesh = Mesh(devices, ("batch",))
sharding = NamedSharding(mesh, P("batch"))

@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=P("batch"), out_specs=P("batch"))
def swapped(x):
    return jax.lax.ppermute(x, "batch", [(0, 1), (1, 0)])
"""


def test_an_error_in_one_process_comes_out_in_all_and_they_go_on_together(in_processes, numbered):
    results = in_processes(
        GRAPH
        + SWAPPED
        + """
calls = []
def fails_at_its_third(x):
    calls.append(0)
    if process == 0 and len(calls) == 3:
        raise ZeroDivisionError("the user's own")
    return x

def refuse(number):
    def function(x):
        if process == 1 and x[0] == number:
            raise ValueError(f"no {number}")
        return x
    return function

def with_functions(num_shards, shard_id):
    x, y = graph(num_shards, shard_id)
    x = jax_function(swapped, sharding=sharding)(fn.python_function(x, function=refuse(13)))
    x = jax_function(fails_at_its_third, sharding=sharding)(x)
    return fn.python_function(x, function=refuse(9)), y

it = data_iterator(with_functions, sharding=sharding, **names)(batch_size=4)
for _ in range(5):
    tell(attempt(lambda: local(next(it)["x"])))
""",
        numbered(20),
        limit=60,
    )
    # Process 0 reads 0 to 9 and process 1 reads 10 to 19, two at a time; then they swap.
    assert [told[0] for told in results] == [{"0": [10, 11]}, {"2": [0, 1]}]
    before, meanwhile, behind = ([told[i] for told in results] for i in (1, 3, 4))
    assert "RuntimeError: process 1 could not make its part of the batch" in before[0]
    assert "no 13" in before[0]
    assert "no 13" in before[1]
    assert [told[2] for told in results] == [{"0": [14, 15]}, {"2": [4, 5]}]
    assert meanwhile[0].startswith("ZeroDivisionError: the user's own")
    assert "process 0 could not make its part" in meanwhile[1]
    assert "ZeroDivisionError: the user's own" in meanwhile[1]
    assert "process 1 could not make its part" in behind[0]
    assert "no 9" in behind[0]
    assert "no 9" in behind[1]


STEPS = """
def iterator_of(function):
    def with_function(num_shards, shard_id):
        x, y = graph(num_shards, shard_id)
        return jax_function(function, sharding=sharding)(x), y
    return data_iterator(with_function, sharding=sharding, **names)(batch_size=4)
"""


def test_leaving_a_function_between_two_collectives_is_an_error_in_all_processes(run_in_processes, numbered):
    first, second = run_in_processes(
        GRAPH
        + SWAPPED
        + STEPS
        + """
calls = []
def leaves(x):
    y = swapped(x)
    calls.append(0)
    if process == 0 and len(calls) == 2:
        raise ZeroDivisionError("the user's own")
    return swapped(y)

it = iterator_of(leaves)
tell(local(next(it)["x"]))
tell(attempt(lambda: next(it)))
os._exit(0)
""",
        numbered(16),
        limit=60,
    )
    assert first.told == [{"0": [0, 1]}, "ZeroDivisionError: the user's own"]
    # The first one's end may break the connection before the second has come to its own.
    assert second.told[0] == {"2": [8, 9]}
    assert second.status != 0 or "Error" in second.told[1]
    assert "penstock: process 1 waits in the function leaves on NamedSharding" in second.out
    assert "process 0 left it: ZeroDivisionError: the user's own" in second.out


def test_a_collective_that_one_process_alone_launches_ends_in_an_error_in_all_of_them(run_in_processes, numbered):
    first, second = run_in_processes(
        GRAPH
        + SWAPPED
        + STEPS
        + """
calls = []
def alone(x):
    calls.append(0)
    return swapped(x) if process == 0 or len(calls) == 1 else x

it = iterator_of(alone)
tell(local(next(it)["x"]))
tell(attempt(lambda: next(it)))
os._exit(0)
""",
        numbered(16),
        limit=60,
        PENSTOCK_STEP_SECONDS="4",
    )
    assert first.told == [{"0": [8, 9]}]
    assert first.status == 1
    assert "penstock: process 0 waits in the function alone on NamedSharding" in first.out
    assert second.told[0] == {"2": [0, 1]}
    # Who comes first to the end of his patience tells the other.
    late, left = "processes [0] did not come to the end of a batch within 4 s", "process 0 could not make its part"
    assert late in second.told[1] or left in second.told[1], second.told


def test_a_process_that_takes_no_more_batches_is_named_within_a_time_limit(in_processes, numbered):
    results = in_processes(
        GRAPH
        + SWAPPED
        + STEPS
        + """
import time
it = iterator_of(swapped)
next(it)
begun = time.monotonic()
time.sleep(4 * process)
tell(attempt(lambda: next(it)))
tell(time.monotonic() - begun)
time.sleep(max(0, begun + 5 - time.monotonic()))
tell(local(next(it)["x"]))
""",
        numbered(16),
        limit=60,
        PENSTOCK_STEP_SECONDS="2",
    )
    (missing, seconds, rows), (late, _, others) = results
    assert missing.startswith("RuntimeError: processes [1] did not come to the function")
    assert "PENSTOCK_STEP_SECONDS" in missing
    assert 2 < seconds < 4
    assert late.startswith("RuntimeError: process 1 came too late to the function")
    assert (rows, others) == ({"0": [12, 13]}, {"2": [4, 5]})  # the third batches: they go on together


def test_a_process_that_dies_ends_the_others_with_an_error(jax, tmp_path, numbered):
    del jax
    path = tmp_path / "code.py"
    path.write_text(
        jax_processes.PRELUDE
        + GRAPH
        + SWAPPED
        + """
def with_function(num_shards, shard_id):
    x, y = graph(num_shards, shard_id)
    return jax_function(swapped, sharding=sharding)(x), y

it = data_iterator(with_function, sharding=sharding, **names)(batch_size=4)
tell(local(next(it)["x"]))
if process == 1:
    os._exit(3)
tell(attempt(lambda: [next(it) for _ in range(3)]))
os._exit(4)
"""
    )
    first, second = jax_processes.run(path, numbered(16), 2, limit=100)
    assert first.told[0] == {"0": [8, 9]}
    assert second.told == [{"2": [0, 1]}]
    assert second.status == 3
    assert first.status != 0
    assert len(first.told) == 1 or "Error" in first.told[1], first.out
