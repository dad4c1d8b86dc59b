"""``fn._conditional``: batches are split by a predicate and merged, as DALI's own conditionals are made."""

import numpy as np
import oracle
import pytest

from penstock import Pipeline, fn, pipeline_def, types

OPTIONS = {"batch_size": 5, "num_threads": 2, "device_id": types.CPU_ONLY_DEVICE_ID, "seed": 7}


def pictures(iteration):
    return [np.full((2 + i, 3, 1), 10 * iteration + i, np.uint8) for i in range(5)]


def third(iteration):
    return [np.bool_((iteration + i) % 3 == 0) for i in range(5)]


def nobody():
    return [np.bool_(False)] * 5


def definition(fn, predicate=third, second=nobody):
    x = fn.external_source(pictures, layout="HWC")
    flag, other = fn.external_source(predicate), fn.external_source(second)
    yes, no = fn._conditional.split(x, predicate=flag)
    labels, _ = fn._conditional.split(fn.random.uniform(values=[3.0]), predicate=flag)
    turned = fn.rotate(fn.flip(yes, horizontal=1), angle=90, keep_size=True) + fn.cast(labels, dtype=types.UINT8)
    _, other = fn._conditional.split(other, predicate=flag)
    inner, rest = fn._conditional.split(no, predicate=other)  # a part split again
    lower = fn._conditional.merge(inner + np.uint8(50), rest * np.uint8(2), predicate=other)
    merged = fn._conditional.merge(turned, lower, predicate=flag)
    negated = fn._conditional.not_(flag)
    checked = fn._conditional.validate_logical(flag, expression_name="or", expression_side="right")
    return merged, fn._conditional.merge(yes, no, predicate=flag), negated, checked


def arrays(batches):
    return [[np.array(one).tolist() for one in batch] for batch in batches]


@pytest.mark.parametrize("predicate", [third, nobody])
@pytest.mark.parametrize("second", [nobody, lambda i: [np.bool_(i % 2)] * 5])
def test_parts_are_those_of_dali(predicate, second):
    dali = oracle.dali()
    ours = pipeline_def(**OPTIONS)(lambda: definition(fn, predicate, second))()
    theirs = dali.pipeline_def(**{**OPTIONS, "device_id": None})(lambda: definition(dali.fn, predicate, second))()
    theirs.build()
    for _ in range(4):
        assert arrays(ours.run()) == arrays(theirs.run())


def test_they_are_the_same_with_debug():
    eager, plain = (pipeline_def(**OPTIONS, debug=debug)(lambda: definition(fn))() for debug in (True, False))
    for _ in range(3):
        assert arrays(eager.run()) == arrays(plain.run())


@pytest.mark.parametrize("debug", [False, True])
def test_only_samples_of_the_part_are_made(debug):
    seen = []

    @pipeline_def(**OPTIONS, debug=debug)
    def pipe():
        x, flag = fn.external_source(pictures), fn.external_source(third)
        yes, no = fn._conditional.split(x, predicate=flag)
        counted = fn.python_function(yes, function=lambda one: [seen.append(int(one[0, 0, 0])), one][1])
        return fn._conditional.merge(counted, no, predicate=flag)

    pipe(prefetch_queue_depth=1, exec_pipelined=False).run()
    assert sorted(seen) == [0, 3]


def test_within_an_if():
    @pipeline_def(**OPTIONS, enable_conditionals=True)
    def pipe():
        x, flag = fn.external_source(pictures), fn.external_source(third)
        if fn.external_source(lambda: [np.bool_(i > 1) for i in range(5)]):
            yes, no = fn._conditional.split(x, predicate=flag)
            x = fn._conditional.merge(yes + np.uint8(100), no, predicate=flag)
        return x

    [made] = pipe().run()
    assert [int(np.array(one)[0, 0, 0]) for one in made] == [0, 1, 2, 103, 4]


def mistakes():
    x, flag = fn.external_source(pictures), fn.external_source(third)
    yes, no = fn._conditional.split(x, predicate=flag)
    merge = fn._conditional.merge
    yield ValueError, "made in one branch", lambda: yes + no
    yield ValueError, "made in one branch", lambda: merge(no, yes, predicate=flag)
    yield ValueError, "expects 2 inputs, but received 1", lambda: merge(yes, predicate=flag)
    yield ValueError, 'Invalid device "gpu"', lambda: fn._conditional.split(x, predicate=flag.gpu())
    yield ValueError, "made in one branch", lambda: Pipeline.current().set_outputs(yes)
    yield TypeError, "is no data|no type", lambda: fn._conditional.split(object(), predicate=flag)


@pytest.mark.parametrize("number", range(6))
def test_mistakes_are_named(number):
    with Pipeline(5, 1):
        kind, text, call = list(mistakes())[number]
        with pytest.raises(kind, match=text):
            call()


def test_a_predicate_is_a_bool_without_axes():
    @pipeline_def(**OPTIONS)
    def pipe():
        x = fn.external_source(pictures)
        yes, no = fn._conditional.split(x, predicate=x)
        return fn._conditional.merge(yes, no, predicate=x)

    with pytest.raises(RuntimeError, match="predicate"):
        pipe().run()
