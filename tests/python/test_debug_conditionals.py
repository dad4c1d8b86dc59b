"""``debug=True`` with ``enable_conditionals=True``: batches are those without `debug`, nodes those of their branch."""

import numpy as np
import pytest

from penstock import fn, pipeline_def, types

OPTIONS = {"batch_size": 4, "num_threads": 2, "device_id": types.CPU_ONLY_DEVICE_ID, "enable_conditionals": True}


def numbers(iteration):
    return [np.full((i + 1, 3), iteration + i, np.int32) for i in range(4)]


def even(iteration):
    return [np.bool_((iteration + i) % 2 == 0) for i in range(4)]


@pipeline_def(**OPTIONS, seed=3)
def nested():
    x, flag = fn.external_source(numbers), fn.external_source(even)
    noise = fn.random.uniform(range=[0, 1])
    total = fn.reductions.sum(x)
    if flag:
        y = fn.python_function(x, function=lambda one: one * 2)
        if total > 20:
            y = y + 100
            total = total * 2
        else:
            y = fn.cast(fn.random.normal(y, stddev=9.0), dtype=types.INT32)
    else:
        y = x + fn.cast(fn.batch_permutation(), dtype=types.INT32)
    z = y if not flag else x
    w = x if flag and total > 4 or noise > 0.7 else y
    return y, z, w, noise, total


@pipeline_def(**OPTIONS, seed=3)
def pictures(root):
    files, labels = fn.readers.file(file_root=root, random_shuffle=True, name="Reader")
    images = fn.resize(fn.decoders.image(files), size=(20, 30))
    if fn.random.coin_flip():
        images = fn.rotate(images, angle=fn.random.uniform(range=[-30, 30]), keep_size=True)
        labels = labels + 100
    return images, labels


def same(ours, theirs):
    return all(
        np.array_equal(np.array(x[i]), np.array(y[i])) for x, y in zip(ours, theirs, strict=True) for i in range(len(x))
    )


def test_batches_are_those_without_it():
    eager, plain = nested(debug=True), nested()
    assert all(same(eager.run(), plain.run()) for _ in range(6))


def test_readers_and_random_numbers_are_too(shared):
    root = str(shared / "photos")
    eager, plain = pictures(root, debug=True), pictures(root)
    assert all(same(eager.run(), plain.run()) for _ in range(6))


def test_a_node_has_the_samples_of_its_branch():
    seen = []

    @pipeline_def(**OPTIONS, debug=True)
    def pipe():
        x, flag = fn.external_source(numbers), fn.external_source(even)
        if flag:
            y = x * 2
            seen.append(([np.array(one)[0, 0] for one in y.get()], y.shape()))
        else:
            y = x
        return y

    made = pipe()
    made.run()
    made.run()
    assert seen == [([0, 4], [(1, 3), (3, 3)]), ([4, 8], [(2, 3), (4, 3)])]


@pytest.mark.parametrize("value", [True, False])
def test_a_branch_may_have_no_samples(value):
    seen = []

    @pipeline_def(**OPTIONS, debug=True)
    def pipe():
        x = fn.external_source(numbers)
        if fn.external_source(lambda: [np.bool_(value)] * 4):
            y = x + 1
            seen.append(len(y.get()))
            if fn.reductions.sum(y) > 0:  # of no samples at all, where there are none
                y = y * 2
        else:
            y = x - 1
            seen.append(len(y.get()))
        return y

    [made, *_] = pipe().run()
    assert seen == ([4, 0] if value else [0, 4])
    expected = [(one + 1) * 2 if value else one - 1 for one in numbers(0)]
    assert all(np.array_equal(np.array(one), two) for one, two in zip(made, expected, strict=True))


def test_what_one_branch_made_is_refused_behind_it():
    @pipeline_def(**OPTIONS, debug=True)
    def pipe():
        x, kept = fn.external_source(numbers), []
        if fn.external_source(even):
            kept.append(x * 2)
        return kept[0]

    with pytest.raises(ValueError, match="made in one branch of an `if` only"):
        pipe().build()


def test_without_conditionals_a_node_is_no_condition():
    @pipeline_def(**{**OPTIONS, "enable_conditionals": False}, debug=True)
    def pipe():
        x = fn.external_source(numbers)
        return x if x else x * 2

    with pytest.raises(TypeError, match="enable_conditionals=True"):
        pipe().build()
