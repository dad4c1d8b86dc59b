"""Errors cost iterators no other batch than their own, however many have been made ahead, and Ctrl-C costs none."""

import contextlib
import copy
import gc
import importlib
import itertools
import time
import weakref

import numpy as np
import pytest

from penstock import Pipeline, fn

PLUGINS = {"torch": "pytorch", "jax": "jax"}


class Fragile:
    """Iterators for JAX over the numbers 0 to 19, two a batch. They refuse `refused`."""

    refused = None

    def __init__(self, root):
        self._root = root

    def __call__(self, **options):
        from penstock.plugin.jax import DALIGenericIterator

        with Pipeline(batch_size=2, prefetch_queue_depth=4) as pipe:
            x = fn.readers.file(file_root=self._root, name="r", pad_last_batch=True)[0]
            pipe.set_outputs(fn.python_function(x, function=self._checked))
        return DALIGenericIterator(pipe, ["x"], reader_name="r", **options)

    def _checked(self, x):
        if x[0] == self.refused:
            raise ValueError(f"no {x[0]}")
        return x


@pytest.fixture
def fragile(numbered, jax):
    del jax
    return Fragile(numbered(20))


@pytest.fixture
def iterator_of(request):
    """Iterators by the framework's name. Its own fixture skips where it is not installed."""

    def named(framework):
        request.getfixturevalue(framework)
        return importlib.import_module(f"penstock.plugin.{PLUGINS[framework]}").DALIGenericIterator

    return named


def values(batch):
    return np.asarray(batch["x"]).ravel().tolist()


@pytest.mark.parametrize("on_gpu", [False, True], ids=["one ahead", "two ahead"])
def test_behind_a_batch_that_fails_all_counts_agree(fragile, monkeypatch, on_gpu):
    from penstock.plugin.jax._handoff import Handoff

    monkeypatch.setattr(Handoff, "on_gpu", property(lambda self: on_gpu, lambda self, value: None), raising=False)
    monkeypatch.setattr(Handoff, "_on_gpu", lambda self, outputs: False)
    fragile.refused = 6
    iterator = fragile()
    for number in (0, 2, 4):
        assert values(next(iterator)) == [number, number + 1]
        time.sleep(0.05)  # so that all is made ahead that may be
    with pytest.raises(RuntimeError, match="no 6"):
        next(iterator)
    resumed = fragile()
    resumed.load_state_dict(iterator.state_dict())
    assert [values(next(one)) for one in (iterator, resumed)] == [[8, 9]] * 2
    fragile.refused = None
    assert values(next(iter(iterator))) == [0, 1]


def test_ctrl_c_while_the_user_makes_arrays_takes_no_batch(fragile):
    iterator = fragile(prepare_first_batch=False)
    place, presses = iterator._target.place, [KeyboardInterrupt()]

    def interrupted(name, parts):
        if presses:
            raise presses.pop()
        return place(name, parts)

    iterator._target.place = interrupted
    with pytest.raises(KeyboardInterrupt):
        next(iterator)
    resumed = fragile()
    resumed.load_state_dict(iterator.state_dict())
    for one in (iterator, resumed):
        for _ in range(2):
            assert [values(batch) for batch in one] == [[number, number + 1] for number in range(0, 20, 2)]


@pytest.mark.parametrize(
    "framework,rest", [("torch", 0), ("jax", 0), ("jax", 0.02)], ids=["torch", "jax", "made ahead"]
)
@pytest.mark.parametrize("fails", [False, True], ids=["end", "error"])
def test_what_comes_instead_of_a_batch_keeps_nothing_until_cycles_are_collected(iterator_of, framework, rest, fails):
    make = iterator_of(framework)

    def checked(x):
        if fails and x[0] == 2:
            raise ValueError("no 2")
        return x

    with Pipeline(batch_size=2) as pipe:
        x = fn.external_source(source=[np.full((2, 1), i) for i in range(3)], cycle="raise")
        pipe.set_outputs(fn.python_function(x, function=checked))
    iterator = make(pipe, ["x"])
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(RuntimeError, match="no 2") if fails else contextlib.nullcontext():
            for _ in iterator:
                time.sleep(rest)
        kept = weakref.ref(iterator), weakref.ref(pipe)
        del iterator, pipe, x, _
        assert [one() for one in kept] == [None, None]
    finally:
        gc.enable()


@pytest.mark.parametrize("framework", PLUGINS)
@pytest.mark.parametrize("taken", [0, 2])
@pytest.mark.parametrize("number,key", [(1, "taken"), (0, "iterator")], ids=["of a pipeline", "of the epoch"])
def test_a_state_that_is_refused_changes_nothing(numbered, iterator_of, framework, taken, number, key):
    iterator, root = iterator_of(framework), numbered(24)

    def make():
        pipes = [Pipeline(batch_size=2) for _ in range(2)]
        for shard, pipe in enumerate(pipes):
            with pipe:
                pipe.set_outputs(fn.readers.file(file_root=root, name="r", num_shards=2, shard_id=shard)[0])
        return iterator(pipes, ["x"], reader_name="r")

    def all_of(iterator):
        parts = [batch if isinstance(batch, list) else [batch] for batch in iterator]
        return [[part["x"].ravel().tolist() for part in one] for one in parts]

    one, other = make(), make()
    wrong = copy.deepcopy(one.state_dict())
    wrong["pipelines"][number][key] = {}
    for each in (one, other):
        assert len(all_of(itertools.islice(each, taken))) == taken
    with pytest.raises(ValueError, match=f"the state of the {'pipeline' if number else 'iterator'}"):
        one.load_state_dict(wrong)
    assert one.state_dict() == other.state_dict()
    assert all_of(one) == all_of(other)
    assert all_of(one) == all_of(other)


@pytest.mark.usefixtures("jax")
def test_in_a_forked_process_an_iterator_for_jax_says_that_its_thread_stayed_in_the_parent(numbered, script):
    code = f"""
import os, signal, time
from penstock import Pipeline, fn
from penstock.plugin.jax import DALIGenericIterator

with Pipeline(batch_size=2) as pipe:
    pipe.set_outputs(fn.readers.file(file_root={numbered(200)!r}, name="r")[0])
iterator = DALIGenericIterator(pipe, ["x"], reader_name="r", auto_reset=True)
while not iterator._full:  # until a thread makes arrays ahead
    next(iterator, None)
    time.sleep(0.02)
state = iterator.state_dict()

def attempt(call):
    try:
        call()
    except RuntimeError as error:
        print(error, flush=True)

if os.fork() == 0:
    signal.alarm(20)  # a hang ends as a failure
    attempt(lambda: iterator.load_state_dict(state))
    attempt(lambda: [next(iterator) for _ in range(3)])  # some may be there
    os._exit(0)
print(os.waitstatus_to_exitcode(os.wait()[1]), next(iterator)["x"].shape)
"""
    said = (
        "this iterator was made before a fork and its thread stayed in the parent; make it in the process that uses it"
    )
    assert script(code=code, timeout=60).splitlines() == [said, said, "0 (2, 1)"]
