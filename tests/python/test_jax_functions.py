"""JAX functions inside pipelines: on a worker, and with a sharding on the thread that takes batches."""

import numpy as np
import pytest

from penstock import Pipeline, fn


@pytest.fixture
def jax_function(jax):
    del jax
    from penstock.plugin.jax.fn import jax_function

    return jax_function


def pipe_of(make, batch_size=2, **options):
    with Pipeline(batch_size=batch_size, **options) as pipe:
        source = fn.external_source(lambda i: np.full((batch_size, 2), i, np.float32), layout="W")
        made = make(source)
        pipe.set_outputs(*(made if isinstance(made, tuple) else (made,)))
    return pipe


def test_functions_take_and_give_batches(jax, jax_function):
    @jax_function(num_outputs=2)
    @jax.jit
    def both(x, y):
        return x + y, (x * y).sum(axis=1)

    pipe = pipe_of(lambda x: both(x, x + 1), prefetch_queue_depth=3)
    for i in range(4):
        total, product = pipe.run()
        assert total.as_array().tolist() == [[2 * i + 1] * 2] * 2
        assert product.as_array().tolist() == [2 * i * (i + 1)] * 2
        assert (total.layout(), product.layout()) == ("W", "")


def test_functions_without_outputs_are_called(jax_function):
    seen = []
    pipe = pipe_of(lambda x: (jax_function(lambda a: seen.append(float(a[0, 0])), num_outputs=0)(x), x)[1])
    pipe.run()
    assert seen[0] == 0


def test_what_is_no_function_or_no_number_of_outputs_is_named_at_once(jax_function):
    with pytest.raises(TypeError, match=r"^\[fn\.jax_function\] function must be callable, got 5$"):
        jax_function(5)
    for wrong in ("2", 1.5, None):
        with pytest.raises(
            TypeError, match=rf"^\[fn\.jax_function\] num_outputs must be a whole number, got {wrong!r}$"
        ):
            jax_function(num_outputs=wrong)
    with pytest.raises(ValueError, match=r"^\[fn\.jax_function\] num_outputs must be 0 or more, got -1$"):
        jax_function(num_outputs=-1)


def test_what_functions_raise_comes_out(jax, jax_function):
    def fails(x):
        raise KeyError("no such thing")

    with pytest.raises(RuntimeError, match="no such thing"):
        pipe_of(jax_function(fails)).run()
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])

    @jax_function(sharding=sharding)
    def sometimes(x):
        if float(x[0, 0]) == 1:
            raise KeyError("no such thing")
        return x

    pipe = pipe_of(sometimes, prefetch_queue_depth=3)
    assert pipe.run()[0].as_array().tolist() == [[0, 0]] * 2
    with pytest.raises(KeyError, match="no such thing"):
        pipe.run()
    assert pipe.run()[0].as_array().tolist() == [[2, 2]] * 2


def test_wrong_results_are_named(jax, jax_function):
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    for options in {}, {"sharding": sharding}:
        with pytest.raises((RuntimeError, ValueError), match="gave 2 outputs, num_outputs=1 was said"):
            pipe_of(jax_function(lambda x: (x, x), **options)).run()
        wrong = (RuntimeError, ValueError)
        with pytest.raises(wrong, match=r"output 0 of the function <lambda> has shape \(1, 2\), the batch has 2 rows"):
            pipe_of(jax_function(lambda x: x[:1], **options)).run()
        with pytest.raises(wrong, match="the first axis must be as long as the batch size"):
            pipe_of(jax_function(lambda x: x[:1], **options)).run()
        with pytest.raises(wrong, match=r"output 0 of the function <lambda> has shape \(\), the batch has 2 rows"):
            pipe_of(jax_function(lambda x: 5.0, **options)).run()
        with pytest.raises((RuntimeError, TypeError), match="output 0 of the function <lambda> is of type dict"):
            pipe_of(jax_function(lambda x: {"x": x}, **options)).run()
        with pytest.raises(ValueError, match="output_layouts has 1 layouts, num_outputs=2 was said"):
            pipe_of(jax_function(lambda x: (x, x), num_outputs=2, output_layouts=["W"], **options))
    with pytest.raises(TypeError) as raised:
        pipe_of(jax_function(lambda x: {"x": x}, sharding=sharding)).run()
    [note] = raised.value.__notes__
    assert "used in the pipeline definition at" in note
    assert __file__ in note
    with pytest.raises(TypeError, match="`sharding` should be an instance"):
        pipe_of(jax_function(lambda x: x, sharding="batch"))


def test_functions_may_write_their_numpy_arrays_again(jax, jax_function):
    sharding, written = jax.sharding.SingleDeviceSharding(jax.devices()[0]), np.zeros((2, 2), np.float32)

    def again(x):
        written[:] = np.asarray(x)
        return written

    for options in {}, {"sharding": sharding}:
        pipe = pipe_of(jax_function(again, **options), prefetch_queue_depth=3)
        batches = [pipe.run()[0] for _ in range(5)]
        assert [batch.as_array().tolist() for batch in batches] == [[[i, i]] * 2 for i in range(5)]


def test_functions_with_a_sharding_run_on_the_thread_that_takes_the_batch(jax, jax_function):
    import threading

    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    threads, order = set(), []

    def noted(name):
        def function(x):
            threads.add(threading.get_ident())
            order.append((name, float(x[0, 0])))
            return x

        return jax_function(function, sharding=sharding)

    # Between the two functions lies a serial operator, behind them another.
    def graph(x):
        middle = fn.python_function(noted("first")(x) + 0, function=lambda a: a)
        return fn.python_function(noted("second")(middle) * 2, function=lambda a: a)

    pipe = pipe_of(graph, prefetch_queue_depth=4)
    for i in range(3):
        assert pipe.run()[0].as_array()[0, 0] == 2 * i
    assert threads == {threading.get_ident()}
    assert order == [(name, i) for i in range(3) for name in ("first", "second")]
    assert "on the thread that takes it" in pipe.explain()
    state = pipe.state_dict()
    pipe.load_state_dict(state)  # batches that wait for their function are forgotten
    assert pipe.run()[0].as_array()[0, 0] == 6
    pipe.close()


def test_rows_are_found_in_what_lies_in_this_process(jax):
    from penstock.plugin.jax._global_function import rows_of

    array = jax.numpy.arange(24).reshape(6, 2, 2)
    assert rows_of(array, 2, 5).tolist() == np.arange(8, 20).reshape(3, 2, 2).tolist()
    with pytest.raises(ValueError, match="rows 5 to 7 of the function's output do not lie in this process"):
        rows_of(array, 5, 7)


CHAINED = """
from functools import partial
mesh = Mesh(np.array(jax.devices()), ("batch",))
sharding = NamedSharding(mesh, P("batch"))
n = mesh.size

def over_mesh(f):
    return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=P("batch"), out_specs=P("batch")))

@jax_function(sharding=sharding)
@over_mesh
def shuffled(x):
    return jax.lax.pshuffle(x, "batch", [(i + 1) % n for i in range(n)])

@jax_function(sharding=sharding)
@over_mesh
def summed(x):
    return x + jax.lax.psum(x, "batch")

def graph(num_shards, shard_id):
    x, _ = fn.readers.file(file_root=root, name="Reader", num_shards=num_shards, shard_id=shard_id, epoch_end="pad")
    x = fn.cast(fn.reshape(x, shape=[1]), dtype=types.INT32)
    moved = shuffled(x)
    return x, moved, summed(moved * 2) - 1

own = over_mesh(lambda x: jax.lax.psum(x.sum(), "batch")[None])
for depth in (1, 2, 5):
    it = data_iterator(graph, output_map=["x", "moved", "summed"], sharding=sharding)(
        batch_size=2 * n, prefetch_queue_depth=depth)
    steps = []
    for batch in it:
        total = own(batch["x"])  # the user's collective between two batches
        steps.append([local(batch[name]) for name in ("x", "moved", "summed")] + [local(total)])
    tell(steps)
"""


@pytest.mark.parametrize("processes,devices", [(1, 4), (2, 1), (2, 2)])
def test_chained_collectives_meet_at_any_depth(in_processes, numbered, processes, devices):
    results = in_processes(CHAINED, numbered(24), processes, devices)
    world = processes * devices
    for depths in zip(*results, strict=True):
        for step in zip(*depths, strict=True):
            x, moved, summed, total = (_whole(parts) for parts in zip(*step, strict=True))
            parts = x.reshape(world, 2)
            rolled = np.roll(parts, -1, axis=0)
            assert moved.reshape(world, 2).tolist() == rolled.tolist()
            doubled = rolled * 2
            assert summed.reshape(world, 2).tolist() == (doubled + doubled.sum(axis=0) - 1).tolist()
            assert total.tolist() == [x.sum()] * world


def _whole(parts):
    """Rows of all processes in order."""
    rows = {int(start): numbers for part in parts for start, numbers in part.items()}
    return np.array([number for start in sorted(rows) for number in rows[start]])


@pytest.mark.parametrize("preserve", [True, False])
@pytest.mark.parametrize("count", [0, 1])
def test_preserve_says_whether_a_function_is_called_that_nobody_reads(jax, jax_function, preserve, count):
    for options in {}, {"sharding": jax.sharding.SingleDeviceSharding(jax.devices()[0])}:
        calls = []

        def function(x, calls=calls):
            calls.append(0)
            return x if count else None

        with Pipeline(batch_size=2) as pipe:
            x = fn.external_source(lambda i: np.zeros((2, 1), np.float32))
            jax_function(function, num_outputs=count, preserve=preserve, **options)(x)
            pipe.set_outputs(x)
        pipe.run()
        pipe.close()
        assert bool(calls) == preserve


def test_what_a_function_makes_of_a_file_comes_from_that_file(jax, jax_function, numbered):
    root = numbered(4)
    for options in {}, {"sharding": jax.sharding.SingleDeviceSharding(jax.devices()[0])}:
        with Pipeline(batch_size=2) as pipe:
            data = fn.readers.file(file_root=root)[0]
            pipe.set_outputs(data.source_info(), jax_function(lambda x: x, **options)(data).source_info())
        files, made = ([bytes(np.array(sample)) for sample in output] for output in pipe.run())
        assert all(files)
        assert made == files
