"""``pipeline_def(debug=True)``: operators run as they are called, and give what they give without it."""

import sys

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.plugin.base_iterator import LastBatchPolicy

OPTIONS = {"batch_size": 4, "num_threads": 2, "device_id": types.CPU_ONLY_DEVICE_ID}


@pytest.fixture
def photos(shared):
    return str(shared / "photos")


@pipeline_def(**OPTIONS, seed=3)
def training(root):
    flip = fn.random.coin_flip(probability=0.5)  # drawn before it is known which samples there are
    files, labels = fn.readers.file(file_root=root, random_shuffle=True, name="Reader")
    images = fn.decoders.image_random_crop(files, device="mixed", seed=5)
    small = fn.resize(images, size=(20, 30), roi_start=fn.random.uniform(range=[0, 0.2], shape=2), roi_end=[1.0, 1.0],
                      roi_relative=True)  # fmt: skip
    noise = fn.random.normal(small, stddev=0.1)
    out = (
        fn.crop_mirror_normalize(small, mirror=flip, mean=[1.0, 2, 3], std=[2.0, 2, 2], output_layout="HWC") * 2 + noise
    )
    return out, labels, flip, fn.batch_permutation(), fn.python_function(labels, function=lambda x: x * 2)


def same(ours, theirs):
    return all(
        np.array_equal(np.array(x[i]), np.array(y[i])) for x, y in zip(ours, theirs, strict=True) for i in range(len(x))
    )


def test_batches_are_those_of_the_same_pipeline_without_it(photos):
    eager, plain = training(photos, debug=True), training(photos)
    for _ in range(13):  # beyond an epoch
        assert same(eager.run(), plain.run())
    assert eager.reader_meta("Reader") == plain.reader_meta("Reader")
    assert eager.epoch_size("Reader") == plain.epoch_size("Reader")


def test_nodes_can_be_looked_at(capsys):
    seen = []

    @pipeline_def(**OPTIONS, debug=True)
    def pipe():
        numbers = fn.external_source(lambda: np.arange(4, dtype=np.int32))
        doubled = numbers * 2
        seen.append(doubled.get().as_array().tolist())
        cut = fn.constant(fdata=[1.5, 2], shape=[2])
        assert cut.shape() == [(2,)] * 4
        print(doubled)
        assert doubled.gpu().device == "gpu" and doubled.gpu().get() is doubled.get()
        return doubled, cut.shape(dtype=types.INT32)

    made = pipe()
    assert not seen
    for _ in range(2):
        doubled, shape = made.run()
        assert doubled.as_array().tolist() == [0, 2, 4, 6] and shape.as_array().tolist() == [[2]] * 4
    assert seen == [[0, 2, 4, 6]] * 2
    assert "[0,\n\n    2," in capsys.readouterr().out


def test_operators_stop_at_their_line_on_the_users_thread():
    where = []

    def tracer(frame, event, arg):
        del arg
        if frame.f_code.co_name == "definition" and event == "line":
            where.append(frame.f_lineno - frame.f_code.co_firstlineno)
        return tracer

    @pipeline_def(**OPTIONS)
    def definition():
        one = fn.random.uniform(seed=1)
        two = one + 1
        return fn.reshape(two, shape=[7])

    pipe = definition(debug=True)
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        with pytest.raises(RuntimeError, match="reshape") as caught:
            pipe.run()
    finally:
        sys.settrace(before)
    assert where[-3:] == [2, 3, 4]
    assert any(entry.name == "definition" for entry in caught.traceback)


def kinds(torch):
    return {
        "arrays": lambda data: list(data),
        "torch": lambda data: list(torch.from_numpy(data)),
        "tensor list": lambda data: fed(data),
    }


@pipeline_def(**OPTIONS)
def feeding(data):
    return fn.external_source(lambda: data)


def fed(data):
    return feeding(data).run()[0]


@pytest.mark.parametrize("kind", ["arrays", "torch", "tensor list"])
def test_data_of_other_libraries_may_be_inputs_arguments_and_outputs(kind, torch):
    data = np.arange(4 * 6 * 5 * 3, dtype=np.uint8).reshape(4, 6, 5, 3)
    made = kinds(torch)[kind]

    @pipeline_def(**OPTIONS, debug=True)
    def pipe():
        angles = made(np.array([0, 90, 180, 270], np.float32))
        flipped = fn.flip(made(data), horizontal=made(np.array([0, 1, 0, 1], np.int32)))
        return flipped, made(data), fn.cast(angles, dtype=types.INT32), 5

    flipped, same_data, angles, five = pipe().run()
    assert np.array_equal(flipped.as_array()[1], data[1, :, ::-1]) and np.array_equal(flipped.as_array()[0], data[0])
    assert np.array_equal(same_data.as_array(), data)
    assert angles.as_array().tolist() == [0, 90, 180, 270] and five.as_array().tolist() == [5] * 4


def test_what_is_done_may_depend_on_data():
    @pipeline_def(**OPTIONS, debug=True)
    def pipe():
        numbers = fn.external_source([np.full(4, i) for i in range(4)], cycle="raise")
        if numbers.get().as_array()[0] % 2:
            return numbers * 10
        return fn.cast(numbers, dtype=types.FLOAT) + fn.random.uniform(seed=1) * 0

    made = pipe()
    for _ in range(2):
        got = []
        with pytest.raises(StopIteration):
            while True:
                got.append(made.run()[0].as_array()[0])
        assert got == [0, 10, 2, 30]
        made.reset()


def test_batches_are_fed_by_name_and_ops_are_called_anew():
    from penstock import ops

    @pipeline_def(**OPTIONS)
    def pipe():
        images = fn.external_source(name="images", layout="HWC")
        return ops.Flip(horizontal=0, vertical=1)(images)

    made = pipe(debug=True)
    data = np.arange(24, dtype=np.uint8).reshape(4, 3, 2, 1)
    made.feed_input("images", data)
    made.feed_input("images", data[:2])
    assert np.array_equal(made.run()[0].as_array(), data[:, ::-1])
    assert np.array_equal(made.run()[0].as_array(), data[:2, ::-1])
    with pytest.raises(IndexError, match="was given no batch for iteration 2"):
        made.run()


def test_outputs_may_be_set_within_and_sizes_must_agree():
    from penstock import Pipeline

    @pipeline_def(**OPTIONS, debug=True)
    def sets():
        Pipeline.current().set_outputs(fn.constant(idata=[1]), fn.constant(idata=[2]))

    assert [one.as_array().ravel().tolist() for one in sets().run()] == [[1] * 4, [2] * 4]

    @pipeline_def(**OPTIONS, debug=True)
    def differs():
        return fn.random.coin_flip(), fn.external_source(lambda: np.zeros((3, 2)))

    with pytest.raises(RuntimeError, match="External Source operator returned batch size 3, others have 4"):
        differs().run()


def test_a_smaller_batch_of_a_source_is_that_of_all():
    @pipeline_def(**OPTIONS, debug=True)
    def pipe():
        data = fn.external_source([np.zeros((size, 2)) for size in (4, 2, 3)])
        return data, fn.random.coin_flip(), fn.constant(idata=[1])

    made = pipe()
    assert [[len(one) for one in made.run()] for _ in range(3)] == [[4] * 3, [2] * 3, [3] * 3]


def test_iterators_take_them(photos, torch):
    from penstock.plugin.pytorch import DALIGenericIterator

    def epoch(pipe):
        names = ["out", "label", "flip", "order", "twice"]
        loader = DALIGenericIterator(
            pipe, names, reader_name="Reader", last_batch_policy=LastBatchPolicy.PARTIAL, auto_reset=True
        )
        return [[one[0]["label"] for one in loader] for _ in range(2)]

    ours, theirs = epoch(training(photos, debug=True)), epoch(training(photos))
    assert [len(one) for one in ours] == [len(one) for one in theirs]
    assert all(torch.equal(a, b) for x, y in zip(ours, theirs, strict=True) for a, b in zip(x, y, strict=True))
