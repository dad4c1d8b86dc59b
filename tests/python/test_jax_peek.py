"""Peekable iterators for JAX: what was peeked is not given yet, whatever happens in between."""

import dataclasses
import threading

import numpy as np
import pytest

from penstock import Pipeline, fn


@pytest.fixture
def peekable(jax, numbered):
    del jax
    from penstock.plugin.jax import DALIPeekableIterator

    root = numbered(6)

    def make(end="drop"):
        with Pipeline(batch_size=2) as pipe:
            pipe.set_outputs(fn.readers.file(file_root=root, name="Reader", epoch_end=end)[0])
        return DALIPeekableIterator(pipe, ["x"])

    return make


def numbers(batch):
    return batch["x"].ravel().tolist()


def test_a_state_waits_for_what_is_being_peeked(peekable):
    iterator = peekable()
    next(iterator)
    before = iterator.state_dict()
    inside, go, advance = threading.Event(), threading.Event(), iterator._epochs.advance

    def slow():
        inside.set()
        go.wait(20)
        return advance()

    iterator._epochs.advance = slow
    peeked = iterator.peek_async()
    assert inside.wait(20)
    threading.Timer(0.1, go.set).start()
    assert iterator.state_dict() == before
    assert numbers(peeked.result()) == numbers(next(iterator)) == [2, 3]


def test_a_batch_that_is_peeked_and_never_comes_does_not_keep_the_process(jax, script):
    del jax
    code = """
import threading
import numpy as np
from penstock import Pipeline, fn
from penstock.plugin.jax import DALIPeekableIterator

def source(i):
    if threading.current_thread().name.startswith("penstock-peek"):
        asked.set()
        threading.Event().wait()
    return np.zeros((1, 1))

asked = threading.Event()
with Pipeline(batch_size=1, prefetch_queue_depth=1) as pipe:
    pipe.set_outputs(fn.external_source(source))
iterator = DALIPeekableIterator(pipe, ["x"])
peeked = iterator.peek_async()
while not asked.wait(0.01):  # what is peeked may have been asked for before
    if peeked.done():
        next(iterator)
        peeked = iterator.peek_async()
"""
    assert script(code=code, timeout=60) == ""


def test_an_epoch_whose_last_batch_was_only_peeked_cannot_be_reset(peekable):
    iterator = peekable()
    next(iterator), next(iterator)
    assert numbers(iterator.peek()) == [4, 5]
    iterator.reset()
    assert numbers(next(iterator)) == [4, 5]
    with pytest.raises(StopIteration):
        next(iterator)
    iterator.reset()
    assert numbers(next(iterator)) == [0, 1]


def test_a_batch_made_with_the_iterator_outlasts_reset(torch):
    del torch
    from penstock.plugin.pytorch import DALIGenericIterator

    with Pipeline(batch_size=1) as pipe:
        pipe.set_outputs(fn.external_source(lambda i: [[i]]))
    iterator = DALIGenericIterator(pipe, ["x"])
    iterator.reset()
    assert int(next(iterator)[0]["x"]) == 0


def test_no_output_may_have_the_name_of_the_mask(jax, torch, numbered):
    del jax, torch
    from penstock.plugin.jax import DALIGenericIterator as OfJax
    from penstock.plugin.pytorch import DALIGenericIterator as OfTorch
    from penstock.torch import Loader

    def pipe(end="pad"):
        with Pipeline(batch_size=2) as made:
            made.set_outputs(*fn.readers.file(file_root=numbered(3), name="Reader", epoch_end=end))
        return made

    for make in (OfJax, OfTorch, lambda one, names: next(iter(Loader(one, names)))):
        with pytest.raises(ValueError, match="name of the mask of padding"):
            make(pipe(), ["x", "valid"])
        make(pipe("drop"), ["x", "valid"])


def test_the_specs_of_elements_equal_those_of_clu(peekable):
    @dataclasses.dataclass(frozen=True)
    class ArraySpec:  # as in clu.data.dataset_iterator
        dtype: np.dtype
        shape: tuple

    spec = peekable().element_spec
    theirs = {"x": ArraySpec(np.dtype(np.uint8), (2, 1))}
    assert spec == theirs
    assert theirs == spec
    assert spec["x"] == spec["x"]
    assert spec["x"] != ArraySpec(np.dtype(np.uint8), (2, 2))
    assert spec["x"] != ArraySpec(np.dtype(np.int8), (2, 1))
    assert len({spec["x"], spec["x"]}) == 1
