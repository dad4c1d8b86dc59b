"""Parallel sources that processes call: the same batches as from threads, no process left, errors with their lines."""

import os
import types

import numpy as np
import pytest
from sources import METHODS, pipe_of

import penstock._pickling
from penstock import Pipeline, fn
from penstock.tensors import TensorCPU

LENGTH = 40


class Shuffled:
    """As the class of DALI's tutorial: it shuffles when the epoch changes."""

    def __init__(self):
        self.epoch = None

    def __call__(self, info):
        if info.idx_in_epoch >= LENGTH:
            raise StopIteration
        if self.epoch != info.epoch_idx:
            self.epoch = info.epoch_idx
            self.order = np.random.default_rng(info.epoch_idx).permutation(LENGTH)
        return np.array([self.order[info.idx_in_epoch]])


def batches():
    for i in range(5):
        yield [np.full((3, i + 1), 10 * i + j, np.float32) for j in range(4)]


def epoch_of(pipe):
    seen = []
    try:
        while True:
            [batch] = pipe.run()
            seen.append([np.array(batch[i]) for i in range(len(batch))])
    except StopIteration:
        pipe.reset()
    return seen


def numbers(epoch):
    return [int(sample.ravel()[0]) for batch in epoch for sample in batch]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("workers", [1, 3])
def test_epochs_come_in_order_and_each_begins_anew(method, workers):
    pipe = pipe_of(Shuffled(), method, workers=workers, prefetch_queue_depth=3)
    for epoch in range(3):
        assert numbers(epoch_of(pipe)) == np.random.default_rng(epoch).permutation(LENGTH).tolist()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("cycle", ["raise", "quiet", None])
def test_iterables_are_asked_by_one_process_as_by_a_thread(method, cycle):
    def taken(pipe):
        got = []
        for _ in range(12):
            try:
                got.append(pipe.run()[0].as_array().tolist())
            except StopIteration:
                got.append("end")
                pipe.reset()
        return got

    expected = taken(pipe_of(batches, "thread", batch=True, cycle=cycle))
    assert taken(pipe_of(batches, method, batch=True, cycle=cycle)) == expected
    assert ("end" in expected) == (cycle != "quiet")


class BatchOf:
    def __call__(self, info):
        return np.full((4, 2), 100 * info.epoch_idx + info.iteration), np.arange(info.iteration, info.iteration + 4)


def test_batches_with_their_info_and_several_outputs():
    pipe = pipe_of(BatchOf(), "spawn", num_outputs=2, batch=True, batch_info=True)
    for i in range(3):
        first, second = pipe.run()
        assert first.as_array().tolist() == [[i, i]] * 4
        assert second.as_array().tolist() == list(range(i, i + 4))


def process_of(info):
    return np.array([os.getpid(), info.idx_in_epoch])


def test_all_processes_work_and_are_not_this_one():
    pipe = pipe_of(process_of, workers=3, batch_size=6)
    seen = {tuple(row)[0] for _ in range(10) for row in pipe.run()[0].as_array().tolist()}
    assert len(seen) == 3 and os.getpid() not in seen


class OfKind:
    def __init__(self, kind):
        self.kind = kind

    def __call__(self, info):
        array = np.arange(20000, dtype=np.float32).reshape(100, 200) + info.idx_in_epoch
        if self.kind == "transposed":
            return array.T
        if self.kind == "tensor":
            return TensorCPU(array, "HW")
        if self.kind == "torch":
            return __import__("torch").from_numpy(array)
        if self.kind == "small":
            return array[:2, :2]
        if self.kind == "number":
            return 7 + info.idx_in_epoch
        return array


@pytest.mark.parametrize("kind", ["array", "transposed", "tensor", "small", "number", "torch"])
def test_results_are_what_threads_give(kind):
    if kind == "torch":
        pytest.importorskip("torch")
    [expected], [got] = pipe_of(OfKind(kind), "thread").run(), pipe_of(OfKind(kind)).run()
    assert got.dtype == expected.dtype and got.layout() == expected.layout()
    for i in range(4):
        assert np.array_equal(np.array(got[i]), np.array(expected[i]))


def growing(info):
    return np.full((1000 * (1 + info.iteration), 500), info.idx_in_epoch, np.int32)


@pytest.mark.parametrize("method", METHODS)
def test_batches_that_are_held_keep_their_data_and_others_give_their_memory_back(method):
    pipe = pipe_of(growing, method)
    held = [pipe.run()[0] for _ in range(8)]
    for i, batch in enumerate(held):
        assert [int(np.array(batch[j]).max()) for j in range(4)] == [4 * i + j for j in range(4)]
        assert int(np.array(batch[0]).min()) == 4 * i
    del held, batch
    blocks = len(pipe.external_source_shm_statistics()["capacities"])
    for _ in range(6):
        pipe.run()
    assert len(pipe.external_source_shm_statistics()["capacities"]) == blocks


def test_shared_memory_begins_with_the_hint_and_grows():
    pipe = pipe_of(growing, bytes_per_sample_hint=1_500_000)
    found = pipe.external_source_shm_statistics()
    assert found == {"capacities": [3_000_000] * 4, "per_sample_capacities": [1_500_000] * 4}
    pipe.run()
    pipe.run()
    assert max(pipe.external_source_shm_statistics()["capacities"]) >= 2 * 4_000_000
    assert pipe_of(growing, "thread").external_source_shm_statistics()["capacities"] == []


class Unusual(Exception):
    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


def fails_with(error):
    def source(info):
        if info.idx_in_epoch == 9:
            raise error
        return np.array([info.idx_in_epoch])

    return source


@pytest.mark.parametrize("method", METHODS)
def test_what_a_source_raises_comes_in_its_place_with_the_lines_of_the_source(method):
    pipe = pipe_of(fails_with(KeyError("nine")), method)
    assert [pipe.run()[0].as_array()[0, 0] for _ in range(2)] == [0, 4]
    with pytest.raises(KeyError, match="nine") as caught:
        pipe.run()
    assert "raise error" in str(caught.value.__cause__) and __file__ in str(caught.value.__cause__)
    with pytest.raises(KeyError, match="nine"):  # it is asked for again
        pipe.run()


def test_an_error_that_cannot_be_pickled_comes_as_text():
    pipe = pipe_of(fails_with(Unusual(1, 2)))
    pipe.run(), pipe.run()
    with pytest.raises(RuntimeError, match="Unusual: 1 and 2"):
        pipe.run()


def test_a_state_goes_on_in_the_middle_of_an_epoch():
    pipe = pipe_of(Shuffled(), "spawn")
    epoch_of(pipe)
    pipe.run(), pipe.run()
    state = pipe.state_dict()
    expected = numbers(epoch_of(pipe))
    other = pipe_of(Shuffled())
    other.load_state_dict(state)
    assert numbers(epoch_of(other)) == expected == np.random.default_rng(1).permutation(LENGTH)[8:].tolist()


def by_name(info):
    return np.array([info.idx_in_epoch])


@penstock._pickling.pickle_by_value
def by_value(info):
    return np.array([LENGTH + info.idx_in_epoch + helper(1)])


def helper(n):
    return n


def test_sources_that_no_import_finds_are_spawned_by_value():
    def even(n):
        return n == 0 or odd(n - 1)

    def odd(n):
        return n != 0 and even(n - 1)

    found = by_value.__name__, by_value.__qualname__
    by_value.__name__ = by_value.__qualname__ = "not to be found"
    try:
        assert pipe_of(by_value, "spawn").run()[0].as_array()[0, 0] == LENGTH + 1
        pipe = pipe_of(lambda info: np.array([even(info.idx_in_epoch), by_name(info)[0]]), "spawn")
        assert pipe.run()[0].as_array().tolist() == [[1, 0], [0, 1], [1, 2], [0, 3]]
    finally:
        by_value.__name__, by_value.__qualname__ = found
    with pytest.raises(TypeError, match="functions"):
        penstock._pickling.pickle_by_value(Shuffled())


class Pickler:
    """Gives another source than the one that was given."""

    def dumps(self, value, number=0):
        return b"%d" % number

    def loads(self, data, add=0):
        number = int(data) + add
        return lambda info: np.array([number])


@pytest.mark.parametrize(
    ("pickler", "expected"),
    [(Pickler(), 0), ((Pickler(), {"number": 3}), 3), ((Pickler(), {"number": 3}, {"add": 4}), 7)],
)
def test_the_users_pickler_writes_and_reads_sources(pickler, expected):
    assert pipe_of(by_name, "spawn", pickler=pickler).run()[0].as_array()[0, 0] == expected


def test_arguments_that_do_not_fit():
    with pytest.raises(ValueError, match="py_start_method is one of"):
        Pipeline(py_start_method="forkserver")
    for method in ("fork", "thread", None):
        with pytest.raises(ValueError, match="py_callback_pickler cannot be used"):
            Pipeline(py_start_method=method, py_callback_pickler=Pickler())
    with pytest.raises(ValueError, match="Unsupported py_callback_pickler"):
        pipe_of(by_name, "spawn", pickler=types.SimpleNamespace(dumps=1)).build()
    with pytest.raises(RuntimeError, match="py_num_workers is 0"):
        pipe_of(by_name, workers=0).build()
    with pytest.raises(Exception, match=r"pickle|lock"):
        pipe_of(functools_partial_of_a_lock(), "spawn").build()


def functools_partial_of_a_lock():
    import functools
    import threading

    return functools.partial(lambda lock, info: lock, threading.Lock())


def works_in_python(info):
    return np.array([sum(i for i in range(20000)), info.idx_in_epoch])


def test_explain_says_who_calls_a_source_and_whether_threads_wait():
    pipe = pipe_of(works_in_python, "thread", batch_size=16)
    assert "source __external_source_0: thread x 2, calls: 0\n" in pipe.explain()
    for _ in range(5):
        pipe.run()
    share = int(pipe.explain().partition("calls: ")[2].partition("%")[0].split()[-1])
    assert share < 90 and "Python's lock" in pipe.explain()
    assert "process (fork) x 2" in pipe_of(works_in_python).explain()
    plain = Pipeline(batch_size=2)
    with plain:
        plain.set_outputs(fn.external_source(lambda i: np.zeros(2)))
    assert "source" not in plain.explain().replace("external_source", "")
