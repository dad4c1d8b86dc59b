"""Sources that threads ask share nothing that calls change: each worker has a copy of its own, or calls take turns."""

import functools
import sys
import threading
import time

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock._own_copies import Lent

WORKERS, LENGTH = 4, 40


@pytest.fixture(autouse=True)
def threads_change_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


class Shuffled:
    """As the class of DALI's tutorial: it shuffles when the epoch changes."""

    def __init__(self, lock=None):
        self.epoch, self.order, self.lock = None, None, lock

    def __call__(self, info):
        if info.idx_in_epoch >= LENGTH:
            raise StopIteration
        if self.epoch != info.epoch_idx:
            self.epoch = info.epoch_idx
            self.order = None
            time.sleep(0)
            self.order = np.random.default_rng(info.epoch_idx).permutation(LENGTH)
        return np.array([self.order[info.idx_in_epoch]])

    def method(self, info):
        return self(info)


def in_a_closure():
    epoch, order = None, [None]

    def source(info):
        nonlocal epoch
        if info.idx_in_epoch >= LENGTH:
            raise StopIteration
        if epoch != info.epoch_idx:
            epoch = info.epoch_idx
            order[0] = None
            time.sleep(0)
            order[0] = np.random.default_rng(epoch).permutation(LENGTH)
        return np.array([order[0][info.idx_in_epoch]])

    return source


def remembers(info):
    kept = vars(remembers)
    if info.idx_in_epoch >= LENGTH:
        raise StopIteration
    if kept.get("epoch") != info.epoch_idx:
        kept["epoch"] = info.epoch_idx
        kept.pop("order", None)
        time.sleep(0)
        kept["order"] = np.random.default_rng(info.epoch_idx).permutation(LENGTH)
    return np.array([kept["order"][info.idx_in_epoch]])


remembers.epoch = None


_epoch = _order = None
_together = threading.Barrier(WORKERS, timeout=20)


def with_globals(info):
    global _epoch, _order
    if info.idx_in_epoch >= LENGTH:
        raise StopIteration
    if _epoch != info.epoch_idx:
        _epoch, _order = info.epoch_idx, None
        time.sleep(0)
        _order = np.random.default_rng(_epoch).permutation(LENGTH)
    return np.array([_order[info.idx_in_epoch]])


def handed_on(shuffled, info):
    return shuffled(info)


SOURCES = {
    "object": Shuffled,
    "method": lambda: Shuffled().method,
    "closure": in_a_closure,
    "partial": lambda: functools.partial(Shuffled.method, Shuffled()),
    "attributes": lambda: remembers,
    "globals": lambda: with_globals,
    "object with a lock": lambda: Shuffled(threading.Lock()),
}


def pipe_of(source, batch_size=1, parallel=True, **options):
    ahead = {"parallel": True, "prefetch_queue_depth": 3} if parallel else {}
    pipe = Pipeline(batch_size=batch_size, py_num_workers=WORKERS)
    with pipe:
        pipe.set_outputs(fn.external_source(source, **ahead, **options))
    return pipe


def epoch_of(pipe):
    seen = []
    try:
        while True:
            seen += pipe.run()[0].as_array().ravel().tolist()
    except StopIteration:
        pipe.reset()
    return seen


@pytest.mark.parametrize("kind", SOURCES)
def test_a_source_that_shuffles_when_the_epoch_changes_gives_every_sample_once(kind):
    pipe = pipe_of(SOURCES[kind](), 4, batch=False)
    for epoch in range(25):
        assert epoch_of(pipe) == np.random.default_rng(epoch).permutation(LENGTH).tolist()


class Restarting:
    def __init__(self, lock=None):
        self.number, self.lock = 0, lock

    def __iter__(self):
        return self

    def __next__(self):
        number, self.number = self.number, self.number + 1
        if number == 10:
            self.number = 0
            raise StopIteration
        return [np.array([number])]


def test_an_iterator_given_to_two_pipelines_moves_in_each_by_itself():
    shared = Restarting()
    ahead, other = pipe_of(shared), pipe_of(shared)
    serial = pipe_of(shared, parallel=False)
    for _ in range(2):
        assert [epoch_of(pipe) for pipe in (ahead, serial, other)] == [list(range(10))] * 3


def test_what_cannot_be_copied_is_asked_in_turns_by_all_pipelines():
    def numbers():
        for number in range(60):
            time.sleep(1e-4)
            yield [np.array([number])]

    shared = numbers()
    pipes = [pipe_of(shared, parallel=parallel) for parallel in (True, False, True)]
    seen, ended = [], 0
    while ended < len(pipes):
        ended = 0
        for pipe in pipes:
            try:
                seen += pipe.run()[0].as_array().ravel().tolist()
            except StopIteration:
                ended += 1
    assert sorted(seen) == list(range(60))


def test_calls_of_one_that_cannot_be_copied_never_overlap():
    class Counting:
        def __init__(self):
            self.lock, self.inside, self.most = threading.Lock(), 0, 0

        def __call__(self, info):
            if info.idx_in_epoch >= LENGTH:
                raise StopIteration
            self.inside += 1
            self.most = max(self.most, self.inside)
            time.sleep(1e-4)
            self.inside -= 1
            return np.array([info.idx_in_epoch])

    source = Counting()
    assert epoch_of(pipe_of(source, 4, batch=False)) == list(range(LENGTH))
    assert source.most == 1


def test_plain_functions_are_called_by_all_workers_at_a_time():
    def source(info):
        _together.wait()
        return np.array([info.idx_in_epoch])

    assert pipe_of(source, WORKERS, batch=False).run()[0].as_array().ravel().tolist() == list(range(WORKERS))


def test_copies_share_what_cannot_change_and_nothing_else(tmp_path):
    class Holds:
        def __init__(self):
            self.numbers = np.arange(3)
            self.fixed = np.arange(3)
            self.fixed.flags.writeable = False
            np.save(tmp_path / "x.npy", np.arange(3))
            self.mapped = np.load(tmp_path / "x.npy", mmap_mode="r+")
            self.module, self.kind, self.nested = np, Holds, {"list": [[1]]}

        def __call__(self, info):
            return info

    source = Holds()
    lent = Lent(source, 2)
    with lent() as one, lent() as two:
        assert len({id(one), id(two), id(source)}) == 3
        one.numbers[0] = one.nested["list"][0][0] = 7
        assert source.numbers[0] == two.numbers[0] == 0
        assert source.nested == two.nested == {"list": [[1]]}
        assert np.shares_memory(one.fixed, source.fixed)
        assert one.mapped is source.mapped
        assert one.module is np
        assert isinstance(two, Holds)


def test_a_function_that_calls_itself_is_copied():
    def outer():
        memory = {0: 1}

        def factorial(number):
            if number not in memory:
                memory[number] = number * factorial(number - 1)
            return memory[number]

        return factorial, memory

    factorial, memory = outer()
    lent = Lent(factorial, 2)
    with lent() as one, lent() as two:
        assert one(5) == two(5) == 120
    assert memory == {0: 1}
