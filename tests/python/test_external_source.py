import threading

import numpy as np
import oracle
import pytest

from penstock import Pipeline, fn, ops, pipeline_def, types


def run_all(pipe):
    """Batches until the source ends, as nested lists."""
    batches = []
    while True:
        try:
            batches.append([np.array(output.as_array()).tolist() for output in pipe.run()])
        except StopIteration:
            return batches


def pipe_of(*args, batch_size=2, options=None, **kwargs):
    with Pipeline(batch_size=batch_size, **(options or {})) as pipe:
        made = fn.external_source(*args, **kwargs)
        pipe.set_outputs(*(made if isinstance(made, list) else [made]))
    return pipe


THREE = [np.array([[i], [i + 10]]) for i in range(3)]
EXPECTED = [[[[i], [i + 10]]] for i in range(3)]


def three():
    yield from THREE


def third(i):
    if i == 3:
        raise StopIteration
    return THREE[i]


class Caller:
    def __init__(self):
        self.i = -1

    def __call__(self):
        self.i += 1
        return third(self.i)


@pytest.mark.parametrize(
    "source", [THREE, three, third, Caller()], ids=["list", "generator", "callable(i)", "callable()"]
)
def test_every_kind_of_source_gives_its_batches_and_ends(source):
    pipe = pipe_of(source)
    assert run_all(pipe) == EXPECTED
    with pytest.raises(StopIteration):
        pipe.run()


def test_a_callable_begins_anew_after_reset_and_an_iterable_does_not():
    pipe = pipe_of(third)
    assert run_all(pipe) == EXPECTED
    pipe.reset()
    assert run_all(pipe) == EXPECTED
    once = pipe_of(THREE)
    run_all(once)
    once.reset()
    assert run_all(once) == []


def test_cycle_raise_ends_each_epoch_and_quiet_never():
    pipe = pipe_of(three, cycle="raise")
    for _ in range(2):
        assert run_all(pipe) == EXPECTED
        pipe.reset()
    quiet = pipe_of(THREE, cycle=True)
    assert [quiet.run()[0].as_array()[0, 0] for _ in range(7)] == [0, 1, 2, 0, 1, 2, 0]


def test_samples_one_at_a_time_drop_the_batch_that_is_cut_short():
    seen = []

    def source(info):
        seen.append(info)
        if info.idx_in_epoch == 5:
            raise StopIteration
        return np.array([info.idx_in_epoch])

    assert run_all(pipe_of(source, batch=False)) == [[[[0], [1]]], [[[2], [3]]]]
    assert seen[3] == types.SampleInfo(idx_in_epoch=3, idx_in_batch=1, iteration=1, epoch_idx=0)


def test_batch_info_counts_epochs():
    seen = []

    def source(info):
        seen.append((info.iteration, info.epoch_idx))
        if info.iteration == 2:
            raise StopIteration
        return [[0]]

    pipe = pipe_of(source, batch_info=True, batch_size=1)
    run_all(pipe)
    pipe.reset()
    run_all(pipe)
    assert seen == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]


def test_several_outputs_come_from_one_call():
    pipe = pipe_of(lambda i: ([[i], [i]], [[-i], [-i]]), num_outputs=2, layout=["A"])
    first, second = pipe.run()
    assert (first.layout(), second.layout()) == ("A", "")
    pipe.run()
    assert [output.as_array()[0, 0] for output in pipe.run()] == [2, -2]
    single = pipe_of(lambda i: ([[i], [i]],), num_outputs=1)
    assert [output.as_array().tolist() for output in single.run()] == [[[0], [0]]]


def test_several_values_a_sample_come_from_one_call():
    pipe = pipe_of(lambda info: (np.int32([info.idx_in_epoch]), np.float32([0.5])), num_outputs=2, batch=False)
    assert [output.as_array().tolist() for output in pipe.run()] == [[[0], [1]], [[0.5], [0.5]]]


def test_no_copy_uses_the_memory_that_was_given():
    batch = np.zeros((2, 1), np.int32)
    taken = pipe_of([batch], no_copy=True).run()[0]
    assert taken.data_ptr() == batch.ctypes.data
    assert pipe_of([batch]).run()[0].data_ptr() != batch.ctypes.data


def test_arrays_of_any_strides_are_taken():
    batch = np.arange(24, dtype=np.int32).reshape(4, 6)[::2, ::-3]
    assert pipe_of([batch]).run()[0].as_array().tolist() == batch.tolist()
    assert pipe_of([list(batch)]).run()[0].as_array().tolist() == batch.tolist()


def test_sources_are_called_ahead_and_arrays_may_be_used_again():
    buffer = np.zeros((2, 1), np.int32)

    def source(i):
        buffer[:] = i
        return buffer

    pipe = pipe_of(source, options={"prefetch_queue_depth": 3})
    assert [int(pipe.run()[0].as_array()[0, 0]) for _ in range(5)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("batch", [True, False])
def test_parallel_sources_keep_the_order(batch):
    import threading
    import time

    names = set()

    def source(info):
        number = info if batch else info.idx_in_epoch
        names.add(threading.current_thread().name)
        time.sleep(0.002 * (number % 3))
        if number == 12:
            raise StopIteration
        return [[number]] if batch else [number]

    pipe = pipe_of(
        source, parallel=True, batch=batch, prefetch_queue_depth=2, batch_size=1, options={"py_num_workers": 3}
    )
    for _ in range(2):
        assert [batch[0][0][0] for batch in run_all(pipe)] == list(range(12))
        pipe.reset()
    assert all(name.startswith("penstock-source") for name in names)


def test_feed_input_by_name_and_by_node():
    with Pipeline(batch_size=3) as pipe:
        fn.external_source()  # not asked for
        one, two = fn.external_source(name="one"), fn.external_source(layout="HW")
        pipe.set_outputs(one, two)
    for i in range(2):
        pipe.feed_input("one", np.full((2, 2), i), layout="W")
        pipe.feed_input(two, [np.zeros((1, 2)), np.zeros((3, 1))])
    for i in range(2):
        first, second = pipe.run()
        assert (first.as_array().tolist(), first.layout()) == ([[i, i], [i, i]], "W")
        assert (second.shape(), second.layout()) == ([(1, 2), (3, 1)], "HW")
    with pytest.raises(ValueError, match="has not been fed"):
        pipe.run()
    with pytest.raises(KeyError, match="Could not find an input operator with name 'three'"):
        pipe.feed_input("three", np.zeros((1, 1)))


def test_inputs_of_run_are_fed_first():
    with Pipeline(batch_size=2) as pipe:
        pipe.set_outputs(fn.external_source(name="x"))
    assert pipe.run(x=np.ones((2, 1)))[0].as_array().sum() == 2


def test_repeat_last_uses_the_last_batch_again():
    with Pipeline(batch_size=1) as pipe:
        pipe.set_outputs(fn.external_source(name="x", repeat_last=True))
    pipe.feed_input("x", [[5]])
    assert [pipe.run()[0].as_array().tolist() for _ in range(4)] == [[[5]]] * 4


def test_batches_may_differ_in_size_and_are_limited():
    pipe = pipe_of(lambda i: np.zeros((i + 1, 1)), batch_size=3)
    assert [len(pipe.run()[0]) for _ in range(2)] == [1, 2]
    with pytest.raises(RuntimeError, match="batch of 4 samples, the pipeline takes at most 3"):
        pipe.run(), pipe.run()


@pytest.mark.parametrize(
    "declared,data,message",
    [
        ({"dtype": types.UINT8}, np.zeros((1, 2), np.float32), "expected data of type uint8 and got: float"),
        ({"ndim": 3}, np.zeros((1, 2, 2)), "expected data with 3 dimensions and got 2"),
    ],
)
def test_what_was_declared_is_checked(declared, data, message):
    with pytest.raises(RuntimeError, match=message):
        pipe_of(lambda: data, **declared).run()


def test_arguments_that_contradict_each_other():
    with pytest.raises(TypeError, match="var-positional argument"):
        fn.external_source(lambda *args: args)
    with pytest.raises(TypeError, match="var-keyword argument"):
        fn.external_source(lambda **kwargs: kwargs)
    with pytest.raises(TypeError, match="keyword-only argument"):
        fn.external_source(lambda *, a: a)
    with pytest.raises(TypeError, match="more than one positional argument"):
        fn.external_source(lambda a, b: a)
    with pytest.raises(TypeError, match="Cannot cycle through a generator"):
        fn.external_source(three(), cycle=True)
    with pytest.raises(TypeError, match="not int"):
        fn.external_source(3)
    for wrong in (
        {"source": third, "cycle": True},
        {"cycle": True},
        {"num_outputs": 2},
        {"source": third, "num_outputs": 2, "name": "x"},
        {"source": third, "repeat_last": True},
        {"source": third, "prefetch_queue_depth": 2},
        {"source": third, "parallel": True, "no_copy": False},
    ):
        with pytest.raises(ValueError):
            fn.external_source(**wrong)


def test_frameworks_arrays_are_taken(torch, jax):
    pipe = pipe_of([torch.ones(2, 3), jax.numpy.ones((2, 3)), [torch.zeros(1), np.ones(1, np.float32)]])
    assert [pipe.run()[0].as_array().sum() for _ in range(3)] == [6, 6, 1]


def test_dali_gives_the_same():
    oracle.assert_same(lambda fn, _t, _m: fn.external_source(THREE, cycle=True), batch_size=2, iterations=5)


def test_state_goes_on_in_the_middle_of_a_source():
    @pipeline_def(batch_size=2)
    def pipe():
        return fn.external_source(lambda i: np.full((2, 1), i))

    first = pipe(seed=1)
    for _ in range(3):
        first.run()
    saved = first.state_dict()
    second = pipe(seed=1)
    second.load_state_dict(saved)
    assert second.run()[0].as_array()[0, 0] == first.run()[0].as_array()[0, 0] == 3
    with pytest.warns(RuntimeWarning, match="capture state of such 'source'"):
        stuck = pipe_of(THREE)
        stuck.load_state_dict(stuck.state_dict())


def test_threads_of_a_parallel_source_end_with_the_pipeline():
    def sources():
        return {thread for thread in threading.enumerate() if thread.name.startswith("penstock-source")}

    before = sources()
    with Pipeline(batch_size=2) as pipe:
        pipe.set_outputs(fn.external_source(lambda i: np.full((2, 1), i), parallel=True))
    pipe.run()
    mine = sources() - before
    assert mine
    pipe.close()
    for thread in mine:
        thread.join(timeout=30)
        assert not thread.is_alive()


@pytest.mark.parametrize("method", ["thread", "fork"])
@pytest.mark.parametrize("parallel", [False, True])
def test_outputs_of_a_source_that_nobody_needs_are_left_out(method, parallel):
    def source(number):
        return [np.full((2, 1), 10 * number + i) for i in range(4)]

    pipe = Pipeline(batch_size=2, py_start_method=method)
    with pipe:
        first, _, _, last = fn.external_source(source, num_outputs=4, parallel=parallel)
        pipe.set_outputs(last, first)
    said = "source at 0x.*' produces 4 outputs, but the outputs at the indices 1, 2 are not used"
    with pytest.warns(UserWarning, match=said) as warned:
        pipe.build()
    assert [one.filename for one in warned if one.category is UserWarning] == [__file__]
    for i in range(3):
        assert [one.as_array().tolist() for one in pipe.run()] == [[[10 * i + 3]] * 2, [[10 * i]] * 2]


def test_classes_of_several_outputs_are_fed_output_by_output():
    pipe = Pipeline(batch_size=2)
    with pipe:
        outputs = ops.ExternalSource(num_outputs=3)()
        pipe.set_outputs(outputs[2], outputs[0])
    pipe.feed_input(outputs[0], np.zeros((2, 1)))
    pipe.feed_input(outputs[2], np.ones((2, 1)))
    assert [one.as_array().tolist() for one in pipe.run()] == [[[1]] * 2, [[0]] * 2]


def test_a_source_that_nobody_reads_is_asked_where_it_is_preserved():
    asked = []

    def source(number):
        asked.append(number)
        return np.zeros((2, 1))

    for preserve in (False, True):
        with Pipeline(batch_size=2) as pipe:
            fn.external_source(source, preserve=preserve)
            pipe.set_outputs(fn.random.uniform())
        pipe.run()
        assert bool(asked) == preserve
        pipe.close()


def test_the_generator_whose_output_nobody_needs_is_named_as_python_shows_it():
    with Pipeline(batch_size=2) as pipe:
        pipe.set_outputs(fn.external_source((one for one in [([1, 2], [3, 4])]), num_outputs=2)[0])
    with pytest.warns(UserWarning, match="node '<generator object .*' produces 2 outputs, but the output"):
        pipe.build()
