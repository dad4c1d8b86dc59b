"""What sources raise, and where their epochs end, costs no batch: neither of the run nor of one that is resumed."""

import importlib
import re

import numpy as np
import pytest

from penstock import Pipeline, fn

TAKE = {
    "run": lambda pipe: (pipe, lambda: int(pipe.run()[0].as_array()[0, 0])),
    "torch": lambda pipe: _iterator("torch", "pytorch", pipe, lambda batch: int(batch[0]["x"][0, 0])),
    "jax": lambda pipe: _iterator("jax", "jax", pipe, lambda batch: int(batch["x"][0, 0])),
}
taken_by = pytest.mark.parametrize("style", TAKE)


def _iterator(framework, name, pipe, number):
    pytest.importorskip(framework)
    plugin = importlib.import_module(f"penstock.plugin.{name}")
    iterator = plugin.DALIGenericIterator(pipe, ["x"], prepare_first_batch=False)
    return iterator, lambda: number(next(iterator))


def numbers(fails=None, depth=2, batch=True, **options):
    """A pipeline of the numbers 0 to 5; the source once raises what `fails` says, by number."""
    fails = dict(fails or {})

    def source(info):
        i = info if batch else info.idx_in_epoch
        if i == 6:
            raise StopIteration
        if i in fails:
            raise fails.pop(i)
        return np.full((1, 1) if batch else 1, i)

    with Pipeline(1, prefetch_queue_depth=depth) as pipe:
        pipe.set_outputs(fn.external_source(source, batch=batch, **options))
    return pipe


def drained(take):
    """What comes until the end; errors by their type."""
    got = []
    while True:
        try:
            got.append(take())
        except StopIteration:
            return got
        except (OSError, KeyboardInterrupt) as error:
            got.append(type(error))


@taken_by
@pytest.mark.parametrize(
    "options", [{}, {"batch": False}, {"parallel": True, "prefetch_queue_depth": 2}], ids=["batch", "sample", "ahead"]
)
def test_a_state_saved_near_the_end_of_a_source_loses_nothing(style, options):
    saved, take = TAKE[style](numbers(depth=4, **options))
    for i in range(6):
        assert take() == i
        resumed, take_on = TAKE[style](numbers(depth=4, **options))
        resumed.load_state_dict(saved.state_dict())
        assert drained(take_on) == list(range(i + 1, 6))


@taken_by
def test_an_error_of_a_source_comes_in_its_place_and_the_batch_is_asked_for_again(style):
    saved, take = TAKE[style](numbers({3: OSError("for the moment")}))
    assert [take() for _ in range(3)] == [0, 1, 2]
    with pytest.raises(OSError, match="for the moment"):
        take()
    resumed, take_on = TAKE[style](numbers())
    resumed.load_state_dict(saved.state_dict())
    assert drained(take) == drained(take_on) == [3, 4, 5]


def test_what_was_asked_ahead_of_an_error_comes_in_order():
    _, take = TAKE["run"](numbers({2: OSError()}, parallel=True, prefetch_queue_depth=3))
    assert drained(take) == [0, 1, OSError, 2, 3, 4, 5]


@taken_by
def test_ctrl_c_in_a_source_takes_no_batch(style):
    fails = {3: KeyboardInterrupt(), 4: KeyboardInterrupt()}
    _, take = TAKE[style](numbers(fails))
    got = drained(take)
    assert got.count(KeyboardInterrupt) == 2
    assert [one for one in got if one is not KeyboardInterrupt] == list(range(6))


def test_sources_of_one_pipeline_stay_in_step_when_one_raises():
    fails = {1: OSError()}

    def second(i):
        if i in fails:
            raise fails.pop(i)
        if i == 3:
            raise StopIteration
        return [[i]]

    with Pipeline(1) as pipe:
        pipe.set_outputs(fn.external_source(lambda i: [[i]]), fn.external_source(second))

    def take():
        first, other = pipe.run()
        assert first.as_array() == other.as_array()
        return int(first.as_array()[0, 0])

    assert drained(take) == [0, OSError, 1, 2]
    pipe.reset()
    assert drained(take) == [0, 1, 2]


@pytest.mark.parametrize(
    "given,said",
    [
        (None, "the source gave None"),
        ("ab", "type str"),
        ([np.zeros(3), np.zeros(3, np.int8)], "different data types"),
        ([np.zeros(3), np.zeros((3, 2))], "have one rank"),
        (np.zeros((2,) + (1,) * 9), "at most 8"),
        (np.zeros((5, 3)), "external source `x` got a batch of 5 samples"),
    ],
)
def test_what_no_batch_can_be_made_of_is_told_with_the_line_that_asked_for_it(given, said):
    with Pipeline(2) as pipe:
        pipe.set_outputs(fn.external_source(lambda: given, name="x"))
    with pytest.raises((TypeError, ValueError, RuntimeError)) as error:
        pipe.run()
    assert re.match(rf"\[external_source\] .*{said}.*; a source gives an array whose", str(error.value))
    assert "pipe.set_outputs(fn.external_source(lambda: given" in str(error.value)
