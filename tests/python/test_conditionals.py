"""`if`, `and`, `or` and `not` over nodes: which samples go where, and what comes out."""

import functools

import numpy as np
import pytest

from penstock import Pipeline, fn, pipeline_def, types

_BATCH = 8


def _numbers(dtype=np.int32):
    return fn.external_source(lambda info: np.array(info.idx_in_batch, dtype), batch=False)


def _run(definition, batches=1, **options):
    """What the definition's pipeline gives for the numbers 0 to 7, as lists, one an output."""
    options = {"batch_size": _BATCH, "num_threads": 2, **options}
    pipeline = pipeline_def(definition, enable_conditionals=True, **options)()
    made = [pipeline.run() for _ in range(batches)]
    return [[np.asarray(sample).tolist() for batch in column for sample in batch] for column in zip(*made, strict=True)]


def test_if_elif_else_sends_each_sample_where_its_value_says():
    def definition():
        x = _numbers()
        if x < 3:
            y = x * 10
        elif x == 5:
            y = x - 100
        else:
            y = -x
        return y

    assert _run(definition) == [[0, 10, 20, -3, -4, -95, -6, -7]]


def test_an_if_without_else_leaves_other_samples_as_they_are():
    def definition():
        x = y = _numbers()
        if x > 4:
            y = x * 2
        return y

    assert _run(definition) == [[0, 1, 2, 3, 4, 10, 12, 14]]


def test_branches_set_several_names_and_nest():
    def definition():
        x = _numbers()
        if x < 4:
            a, b = x + 1, x * x
            if x < 2:
                c = [a, {"k": b}]
            else:
                c = [b, {"k": a}]
        else:
            a, b, c = x, x, [x, {"k": -x}]
        return a, b, c[0], c[1]["k"]

    assert _run(definition) == [
        [1, 2, 3, 4, 4, 5, 6, 7],
        [0, 1, 4, 9, 4, 5, 6, 7],
        [1, 2, 4, 9, 4, 5, 6, 7],
        [0, 1, 3, 4, -4, -5, -6, -7],
    ]


def test_expressions_and_logic_are_those_of_python():
    def definition():
        x = _numbers()
        return 1 if x > 2 else 0, x > 2 and not x == 5, x < 2 or x > 6, not x, x > 2 and (x < 4 or x == 7)

    assert _run(definition) == [
        [0, 0, 0, 1, 1, 1, 1, 1],
        [False, False, False, True, True, False, True, True],
        [True, True, False, False, False, False, False, True],
        [True] + [False] * 7,
        [False, False, False, True, False, False, False, True],
    ]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float32", "float64"])
def test_any_number_is_a_condition(dtype):
    def definition():
        least = 1e-320 if dtype == "float64" else 1  # no float of 32 bits is as small
        x = fn.external_source(lambda info: np.array(info.idx_in_batch % 3 * least, dtype), batch=False)
        if x:
            y = types.Constant(7)
        else:
            y = types.Constant(0)
        return y

    assert _run(definition) == [[0, 7, 7, 0, 7, 7, 0, 7]]


def test_right_sides_are_made_only_where_left_sides_do_not_decide():
    seen = []

    def definition():
        x = _numbers()
        return x > 4 and fn.python_function(x, function=lambda one: seen.append(int(one)) or np.array(one > 5))

    assert _run(definition, prefetch_queue_depth=1)[0] == [False] * 6 + [True] * 2
    assert seen == [5, 6, 7]


def _halved(x):
    if x < 4:
        return x * 100
    return x


class _Adder:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return self.method(x) if x > 0 else x

    def method(self, x):
        if x > 3:
            return x + self.by
        return x - self.by


def test_called_functions_methods_objects_and_partials_are_converted():
    def definition():
        x = _numbers()
        nested = lambda v: 1 if v > 5 else 0  # noqa: E731
        add = functools.partial(_halved)
        return _halved(x), add(x), _Adder(10)(x), nested(x), *map(_Adder(1).method, [])

    halved = [0, 100, 200, 300, 4, 5, 6, 7]
    assert _run(definition) == [halved, halved, [0, -9, -8, -7, 14, 15, 16, 17], [0] * 6 + [1] * 2]


def test_returns_nest():
    def chosen(x):
        if x < 6:
            if x < 3:
                return x, 1
            return -x, 2
        return x * 2, 3

    def definition():
        return chosen(_numbers())

    assert _run(definition) == [[0, 1, 2, -3, -4, -5, 12, 14], [1, 1, 1, 2, 2, 2, 3, 3]]


def test_conditions_of_python_values_stay_as_they_are():
    def definition(flag=True):
        x = _numbers()
        for i in range(5):
            if i == 1:
                continue
            if i == 3:
                break
            x = x + i
        if flag:
            return x
        missing()  # noqa: F821
        return None

    assert _run(definition) == [[2, 3, 4, 5, 6, 7, 8, 9]]


def test_whole_batch_operators_see_the_samples_of_their_branch():
    seen = []

    def definition():
        x = _numbers()
        picture = fn.full(value=x, shape=x + 1) if False else x
        if x >= 5:
            order = fn.batch_permutation()
            y = fn.permute_batch(x, indices=order)
            z = fn.python_function(picture, function=lambda batch: seen.append(len(batch)) or batch,
                                   batch_processing=True)  # fmt: skip
        else:
            y, z = x, x
        return y, z

    y, z = _run(definition, batches=3, prefetch_queue_depth=1)
    for batch in (y[:8], y[8:16], y[16:]):
        assert batch[:5] == [0, 1, 2, 3, 4]
        assert sorted(batch[5:]) == [5, 6, 7]
    assert z == [*range(8)] * 3
    assert seen == [3, 3, 3]


def test_padding_goes_by_the_largest_sample_of_the_branch():
    def definition():
        x = _numbers()
        data = fn.external_source(lambda info: np.arange(info.idx_in_batch, dtype=np.uint8), batch=False)
        if x < 4:
            data = fn.pad(data, fill_value=9)
        return fn.shapes(data)

    assert _run(definition) == [[[3]] * 4 + [[4], [5], [6], [7]]]


def test_a_branch_that_no_sample_takes_costs_nothing_and_is_no_error():
    def definition():
        x = _numbers()
        if x > 100:
            y = fn.python_function(x, function=lambda one: 1 / 0)
            y = fn.permute_batch(y, indices=fn.batch_permutation())
        else:
            y = x
        return y

    assert _run(definition, batches=2) == [[*range(8)] * 2]


def test_random_numbers_do_not_depend_on_the_branch_taken():
    def made(limit):
        def definition():
            x = _numbers()
            noise = fn.random.uniform(x, range=[0, 1])
            if x < limit:
                y = fn.random.uniform(x, range=[0, 1]) + 0 * noise
            else:
                y = fn.random.uniform(x, range=[5, 6])
            return y, fn.random.uniform(x)

        return _run(definition, batches=2)

    all_of_them, half = made(100), made(4)
    for i in range(16):
        if i % 8 < 4:
            assert half[0][i] == all_of_them[0][i]
        else:
            assert half[0][i] >= 5
    assert half[1] == all_of_them[1]


def test_pictures_are_joined_in_place_and_by_region():
    pictures = [np.random.default_rng(i).integers(0, 255, (20 + i, 30, 3), np.uint8) for i in range(_BATCH)]

    def definition(conditional=True):
        x = _numbers()
        data = fn.external_source(lambda info: pictures[info.idx_in_batch], batch=False, layout="HWC")
        data = fn.resize(data, size=(24, 24))
        flipped = data
        if x > 3:
            flipped = fn.flip(data)
        return fn.crop(flipped, crop=(16, 8)), flipped, data

    cropped, flipped, plain = _run(definition)
    for i in range(_BATCH):
        wanted = np.array(plain[i])
        wanted = wanted[:, ::-1] if i > 3 else wanted
        np.testing.assert_array_equal(flipped[i], wanted)
        np.testing.assert_array_equal(cropped[i], wanted[4:20, 8:16])


def test_values_of_a_branch_pass_through_steps():
    def definition():
        x = _numbers()
        if x < 4:
            y = x + 1
            z = fn.permute_batch(y, indices=[0] * _BATCH) if False else fn.python_function(y, function=lambda v: v * 2)
            y = y + z
        else:
            y = x
        return y

    assert _run(definition) == [[3, 6, 9, 12, 4, 5, 6, 7]]


def test_pictures_without_a_layout_pass_through_several_operators_of_a_branch():
    """Each takes them for HWC, where they are there."""

    @pipeline_def(batch_size=5, num_threads=2, enable_conditionals=True)
    def pipe():
        x = fn.external_source(lambda: [np.full((2 + i, 3, 1), i, np.uint8) for i in range(5)])
        if fn.external_source(lambda: [np.bool_(i % 3 == 0) for i in range(5)]):
            y = fn.rotate(fn.flip(fn.copy(x)), angle=180, keep_size=True)
        else:
            y = fn.crop(fn.flip(fn.copy(x)), crop=(1, 1))
        return y

    [made] = pipe().run()
    assert made.shape() == [(2, 3, 1), (1, 1, 1), (1, 1, 1), (5, 3, 1), (1, 1, 1)]
    assert [int(np.array(one)[0, 0, 0]) for one in made] == [0, 1, 2, 3, 4]


def test_explain_shows_branches_and_text_keeps_them():
    @pipeline_def(batch_size=_BATCH, num_threads=2, enable_conditionals=True, device_id=None)
    def definition():
        x = fn.random.coin_flip(seed=1, dtype=types.INT32)
        return x * 2 if x else x - 5

    pipeline = definition()
    assert " where #" in pipeline.explain()
    again = Pipeline.deserialize(pipeline.serialize(), batch_size=_BATCH, num_threads=2)
    wanted = [int(np.asarray(one)) for one in pipeline.run()[0]]
    assert [int(np.asarray(one)) for one in again.run()[0]] == wanted
    assert set(wanted) == {2, -5}


def test_runs_go_on_from_their_state():
    @pipeline_def(batch_size=_BATCH, num_threads=2, enable_conditionals=True)
    def definition():
        x = fn.random.uniform(range=[0, 1])
        if x < 0.5:
            x = fn.random.uniform(x, range=[2, 3])
        return x

    first = definition()
    first.run()
    state = first.checkpoint()
    wanted = np.stack([np.asarray(one) for one in first.run()[0]])
    again = definition(checkpoint=state)
    np.testing.assert_array_equal(np.stack([np.asarray(one) for one in again.run()[0]]), wanted)


def test_operators_on_pictures_stand_one_behind_the_other_in_a_branch():
    """Samples of the other branch have no picture between the two."""

    @pipeline_def(enable_conditionals=True)
    def pipe():
        pictures = fn.external_source(lambda: [np.full((4, 5, 3), k, np.uint8) for k in range(_BATCH)])
        if fn.random.coin_flip():
            made = fn.resize(fn.flip(pictures), size=[2, 2])
        else:
            made = fn.crop(pictures, crop=(2, 2))
        return made

    running = pipe(batch_size=_BATCH, num_threads=1, device_id=None, seed=1)
    for k, made in enumerate(running.run()[0]):
        np.testing.assert_array_equal(made, np.full((2, 2, 3), k))
