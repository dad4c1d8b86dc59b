"""Arguments of readers that choose samples: subsets, weights, balanced classes, sizes of epochs."""

import collections

import numpy as np
import pytest
from records import write_tar

from penstock import Pipeline, fn
from penstock.pipeline.contract import run_of

COUNTS = (40, 10, 3)  # of classes 0, 1, 2


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("classes")
    for label, count in enumerate(COUNTS):
        (root / f"class {label}").mkdir()
        for i in range(count):
            (root / f"class {label}" / f"{i:03}.jpg").write_bytes(bytes([label, i]))
    return str(root)


def make(root, reader="file", batch_size=8, seed=1, **arguments):
    arguments = {"epoch_end": "partial", "name": "Reader", **arguments}
    arguments |= {"file_root": root} if reader == "file" else {}
    with Pipeline(batch_size, 2, seed=seed, device_id=None) as pipe:
        made = getattr(fn.readers, reader)(**arguments)
        pipe.set_outputs(*(made if isinstance(made, list) else [made]))
    pipe.build()
    return pipe


def epoch_of(pipe):
    return [i for _ in range(pipe.reader_facts("Reader")["steps_per_epoch"]) for i in pipe.run().indices]


def classes_of(indices):
    ends = np.cumsum(COUNTS)
    return dict(sorted(collections.Counter(np.searchsorted(ends, indices, side="right").tolist()).items()))


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_subset_is_all_that_is_read(root, shuffle):
    pipe = make(root, subset=[50, 3, 7, 0], random_shuffle=shuffle)
    assert pipe.epoch_size("Reader") == 4
    first = epoch_of(pipe)
    assert sorted(first) == [0, 3, 7, 50]
    assert shuffle or first == [50, 3, 7, 0]
    [batch] = [pipe.run()]
    assert [np.array(sample).tolist() for sample in batch[0]] == [[2, 0] if i == 50 else [0, i] for i in batch.indices]


def test_a_subset_may_be_a_function_of_the_label(root):
    asked = []

    def wanted(label):
        asked.append(label)
        return label != 1

    assert classes_of(epoch_of(make(root, subset=wanted))) == {0: 40, 2: 3}
    assert sorted(asked) == [0, 1, 2]
    assert epoch_of(make(root, subset=lambda c: c == 5, classes=[0, 5, 1, 5] + [0] * 49)) == [1, 3]


def test_functions_need_labels(tmp_path):
    tar = write_tar(tmp_path / "x.tar", [(f"{i}.jpg", b"x") for i in range(6)])
    with pytest.raises(ValueError, match="which this reader does not know before it reads them"):
        make(None, "webdataset", paths=str(tar), ext="jpg", subset=lambda label: True)
    pipe = make(None, "webdataset", paths=str(tar), ext="jpg", subset=lambda c: c, classes=[0, 1, 1, 0, 0, 1])
    assert epoch_of(pipe) == [1, 2, 5]
    pipe = make(None, "webdataset", paths=str(tar), ext="jpg", balance="class", classes=[0, 1, 1, 1, 1, 1])
    assert collections.Counter(epoch_of(pipe))[0] == 3
    with pytest.raises(ValueError, match="does not know the classes of samples before it reads them; give `classes`"):
        make(None, "webdataset", paths=str(tar), ext="jpg", balance="class")


def test_weights_are_exact_in_every_epoch(root):
    weights = [4] * 40 + [1] * 10 + [0] * 3
    pipe = make(root, weights=weights, random_shuffle=True, epoch_size=340)
    for _ in range(3):
        counts = collections.Counter(epoch_of(pipe))
        assert [counts[i] for i in range(53)] == [8] * 40 + [2] * 10 + [0] * 3


def test_classes_are_balanced_and_no_sample_comes_twice_as_often_as_its_neighbour(root):
    pipe = make(root, balance="class", random_shuffle=True, epoch_size=600)
    samples = epoch_of(pipe)
    assert classes_of(samples) == {0: 200, 1: 200, 2: 200}
    counts = collections.Counter(samples)
    assert {counts[i] for i in range(40)} == {5}
    assert {counts[i] for i in range(40, 50)} == {20}
    assert {counts[i] for i in range(50, 53)} <= {66, 67}
    for begin in range(0, 600, 30):  # spread, not one class behind the other
        assert set(classes_of(samples[begin : begin + 30]).values()) <= {9, 10, 11}


def test_stratified_epochs_have_each_sample_once_and_classes_spread(root):
    pipe = make(root, balance="stratified", random_shuffle=True)
    first, second = epoch_of(pipe), epoch_of(pipe)
    assert sorted(first) == sorted(second) == list(range(53))
    assert first != second
    thirds = [classes_of(first[k * 53 // 3 : (k + 1) * 53 // 3]) for k in range(3)]
    assert all(third[2] == 1 and third[1] in (3, 4) for third in thirds)


def test_ratios_of_classes_may_change_by_epoch_and_leave_classes_out(root):
    pipe = make(root, class_ratios=[[1, 1, 0], [1, 3, 1]], epoch_size=100)
    later = {0: 20, 1: 60, 2: 20}
    assert [classes_of(epoch_of(pipe)) for _ in range(3)] == [{0: 50, 1: 50}, later, later]


def test_subsets_go_with_weights_and_classes(root):
    weights = [1.0] * 53
    weights[45] = 3
    counts = collections.Counter(epoch_of(make(root, subset=[0, 45], weights=weights, epoch_size=400)))
    assert counts == {0: 100, 45: 300}
    counts = collections.Counter(epoch_of(make(root, subset=[0, 1, 2, 45], balance="class", epoch_size=60)))
    assert counts == {0: 10, 1: 10, 2: 10, 45: 30}


def test_epochs_of_a_given_size_go_on_where_the_last_one_ended(root):
    pipe = make(root, epoch_size=20, random_shuffle=True)
    seen = [i for _ in range(53) for i in epoch_of(pipe)]
    assert set(collections.Counter(seen).values()) == {20}
    assert sorted(seen[:53]) == list(range(53))


@pytest.mark.parametrize(
    "arguments",
    [
        {"balance": "class", "epoch_size": 101},
        {"weights": [1 + i % 3 for i in range(53)]},
        {"subset": list(range(0, 53, 2))},
        {"class_ratios": [1, 2, 3]},
    ],
)
def test_shards_resume_on_other_numbers_of_them(root, arguments):
    def ranks(count, state=None):
        pipes = [make(root, num_shards=count, shard_id=k, random_shuffle=True, **arguments) for k in range(count)]
        for pipe in pipes:
            if state is not None:
                pipe.load_state_dict(state)
        return pipes

    expected = collections.Counter(epoch_of(ranks(1)[0]))
    for before, after in [(1, 2), (2, 3), (3, 1)]:
        first = ranks(before)
        seen = [i for pipe in first for i in pipe.run().indices]
        second = ranks(after, first[0].state_dict())
        seen += [
            i for pipe in second for _ in range(run_of(pipe).reader_start("Reader")[2]) for i in pipe.run().indices
        ]
        assert collections.Counter(seen) == expected


def test_a_state_knows_what_was_selected(root):
    state = make(root, subset=[1, 2, 3]).state_dict()
    make(root, subset=[1, 2, 3]).load_state_dict(state)
    with pytest.raises(ValueError, match="another subset"):
        make(root, subset=[1, 2, 4]).load_state_dict(state)
    state = make(root, weights=[1] * 53).state_dict()
    with pytest.raises(ValueError, match="other weights"):
        make(root, weights=[1] * 52 + [2]).load_state_dict(state)


def test_a_subset_may_stick_to_shards(root):
    pipe = make(root, subset=[5, 1, 9, 7], num_shards=2, shard_id=1, stick_to_shard=True, random_shuffle=True)
    assert {tuple(sorted(epoch_of(pipe))) for _ in range(5)} == {(7, 9)}
    with pytest.raises(ValueError, match="stick_to_shard cannot be kept"):
        make(root, balance="class", stick_to_shard=True).run()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"subset": []}, "`subset` is empty"),
        ({"subset": lambda label: False}, "`subset` is empty"),
        ({"subset": [53]}, "`subset` has index 53, the samples of the data set are 0 to 52"),
        ({"subset": [-1]}, "`subset` has index -1"),
        ({"subset": [1, 1]}, "`subset` has index 1 twice; `weights` repeat samples"),
        ({"weights": [1, 2]}, "`weights` has 2 numbers for 53 samples"),
        ({"weights": [0] * 53}, "all 53 weights are 0"),
        ({"weights": [1] * 52 + [-1]}, "weights are numbers from 0 on, that of sample 52 is -1"),
        ({"weights": [1] * 52 + [float("nan")]}, "that of sample 52 is nan"),
        ({"balance": "classes"}, 'balance is "class" or "stratified", got "classes"'),
        ({"balance": "class", "weights": [1] * 53}, "`weights` and `balance` both say"),
        ({"balance": "class", "class_ratios": [1, 1, 1]}, "`balance` and `class_ratios` both say"),
        ({"class_ratios": [1, 1]}, "`class_ratios` has 2 numbers for 3 classes"),
        ({"class_ratios": [1, 1, -1]}, "ratios are numbers from 0 on, that of set 2 is -1"),
        ({"balance": "class", "classes": [1, 2]}, "`classes` has 2 numbers for 53 samples"),
        ({"epoch_size": 0}, "epoch_size must be positive, got 0"),
    ],
)
def test_mistakes_are_named(root, arguments, text):
    with pytest.raises(ValueError, match=text):
        make(root, **arguments)
