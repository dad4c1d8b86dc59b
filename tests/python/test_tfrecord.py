"""readers.tfrecord beside DALI's: features, indices, damaged files."""

import os
import re

import numpy as np
import oracle
import pytest
import records

import penstock
from penstock import Pipeline, fn, ops, tfrecord

FIXED, VAR = tfrecord.FixedLenFeature, tfrecord.VarLenFeature


def example(i):
    return {
        "image": bytes([i]) * (i + 1),
        "label": i,
        "box": [float(i), 0.5, -1.5, 1e30],
        "ids": list(range(-i, 6 - i)),
        "empty": b"",
        "texts": [b"first", b"second"],
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two files of 7 and 4 records, and their indices."""
    root = tmp_path_factory.mktemp("tfrecords")
    paths = [root / "a.tfrecord", root / "b.tfrecord"]
    indices = [records.write_tfrecords(paths[0], map(example, range(7)))]
    indices.append(records.write_tfrecords(paths[1], map(example, range(7, 11))))
    return [str(path) for path in paths], [str(index) for index in indices]


def delivered(module, features, steps, batch=3, **arguments):
    """[{name: array}] of the samples; `features` makes the dict from the library's module tfrecord."""
    pipe = module.Pipeline(batch_size=batch, num_threads=2, device_id=None)
    with pipe:
        nodes = module.fn.readers.tfrecord(features=features(module.tfrecord), **arguments)
        assert isinstance(nodes, dict)
        pipe.set_outputs(*nodes.values())
    pipe.build()
    samples = []
    for _ in range(steps):
        outputs = pipe.run()
        columns = [[np.array(sample) for sample in output] for output in outputs]
        samples += [dict(zip(nodes, row, strict=True)) for row in zip(*columns, strict=True)]
    return samples


def assert_alike(features, steps=8, **arguments):
    mine = delivered(penstock, features, steps, **arguments)
    theirs = delivered(oracle.dali(), features, steps, **arguments)
    for a, b in zip(mine, theirs, strict=True):
        assert a.keys() == b.keys()
        for name in a:
            assert (a[name].dtype, a[name].shape, a[name].tolist()) == (b[name].dtype, b[name].shape, b[name].tolist())


def some(t):
    return {"image": t.FixedLenFeature((), t.string, ""), "label": t.FixedLenFeature([1], t.int64, -1)}


SHAPES = {
    "one string": lambda t: {"image": t.FixedLenFeature([], t.string, "")},
    "first of several strings": lambda t: {"texts": t.FixedLenFeature([1], t.string, "")},
    "empty string": lambda t: {"empty": t.FixedLenFeature((), t.string, "")},
    "number": lambda t: {"label": t.FixedLenFeature([], t.int64, 0)},
    "vector": lambda t: {"box": t.FixedLenFeature([4], t.float32, 0.0)},
    "matrix": lambda t: {"ids": t.FixedLenFeature([2, 3], t.int64, 0)},
    "rows": lambda t: {"ids": t.VarLenFeature([3], t.int64, 0)},
    "rows of matrices": lambda t: {"ids": t.VarLenFeature([2, 3], t.int64, 0)},
    "any number": lambda t: {"box": t.VarLenFeature(t.float32, 0.0), "ids": t.VarLenFeature([], t.int64, 0)},
    "order of outputs": lambda t: {name: t.VarLenFeature(t.int64, 0) for name in ("label", "ids")},
}


@pytest.mark.parametrize("features", SHAPES.values(), ids=SHAPES)
def test_features_have_dalis_types_shapes_and_values(files, features):
    assert_alike(features, path=files[0], index_path=files[1])


@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("stick", [False, True])
def test_shards_have_dalis_samples(files, pad, stick):
    for count in (1, 2, 5):
        for shard in range(count):
            split = {"num_shards": count, "shard_id": shard, "pad_last_batch": pad, "stick_to_shard": stick}
            assert_alike(some, path=files[0], index_path=files[1], **split)


def test_without_an_index_the_records_are_the_same(files):
    with_index = delivered(penstock, some, 4, path=files[0], index_path=files[1])
    without = delivered(penstock, some, 4, path=files[0])
    assert [s["image"].tobytes() for s in with_index] == [s["image"].tobytes() for s in without]


def test_mmap_or_not_gives_alike(tmp_path):
    large = [{"image": np.random.default_rng(i).bytes(60_000), "label": i} for i in range(4)]
    index = records.write_tfrecords(tmp_path / "large", large)
    for copied in (False, True):
        got = delivered(penstock, some, 2, path=str(tmp_path / "large"), index_path=str(index), dont_use_mmap=copied)
        for sample, wanted in zip(got, large, strict=False):
            assert sample["image"].tobytes() == wanted["image"]
            assert sample["label"].tolist() == [wanted["label"]]


def test_a_shuffled_epoch_has_each_record_once_and_others_follow(files):
    orders = [
        s["label"].item()
        for s in delivered(penstock, some, 4, batch=11, path=files[0], random_shuffle=True)
    ]  # fmt: skip
    epochs = [orders[i : i + 11] for i in range(0, 44, 11)]
    assert all(sorted(epoch) == list(range(11)) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 4


def test_a_missing_feature_is_empty_and_a_missing_number_is_its_default(tmp_path):
    path = tmp_path / "some"
    records.write_tfrecords(path, [{"n": 3, "s": b"x", "v": [1.0, 2.0]}, {}, {"n": [], "s": [], "v": []}])
    features = {
        "n": FIXED([], tfrecord.int64, 5), "s": FIXED([], tfrecord.string, ""), "v": FIXED([2], tfrecord.float32, 0.0),
        "w": VAR([4], tfrecord.float32, 0.0),
    }  # fmt: skip
    present, *absent = delivered(penstock, lambda t: features, 1, path=str(path))
    assert (present["n"].tolist(), present["s"].tobytes(), present["v"].tolist()) == (3, b"x", [1, 2])
    assert present["w"].shape == (0, 4)
    for sample in absent:
        assert (sample["n"].tolist(), sample["n"].dtype) == (5, np.int64)
        assert (sample["s"].shape, sample["s"].dtype) == ((0,), np.uint8)
        assert (sample["v"].shape, sample["v"].dtype) == ((0,), np.float32)


def test_features_may_be_written_as_texts(files):
    texts = {"image": "string[]", "ids": "int64[..., 3]", "label": "int64[]=7"}
    [first, *_] = delivered(penstock, lambda t: texts, 1, path=files[0])
    assert (first["image"].tobytes(), first["ids"].shape, first["label"].tolist()) == (b"\0", (2, 3), 0)


def test_dalis_older_spellings_are_understood(files):
    path, index = files[0][0], files[1][0]
    features = some(tfrecord)
    with Pipeline(1) as pipe:
        nodes = [
            ops.TFRecordReader(path=path, index_path=index, features=features)(),
            ops.TFRecordReader(path, index, features)(name="named"),
            ops.readers.TFRecord([path], [index], features=features)(),
            fn.tfrecord_reader(path=path, index_path=[index], features=features),
        ]
        pipe.set_outputs(*(node["label"] for node in nodes))
    assert [output.as_array().tolist() for output in pipe.run()] == [[[0]]] * 4
    with pytest.raises(TypeError, match=r"\[ops.TFRecord\] got 4 arguments without a name"):
        ops.readers.TFRecord(path, index, features, 1)
    with pytest.raises(TypeError, match="several values for `path`"):
        ops.readers.TFRecord(path, path=path)


@pytest.mark.parametrize(
    "make,message",
    [
        (lambda: FIXED([1], 7, 0), "type of a feature"),
        (lambda: FIXED([1], tfrecord.int64, "x"), "default"),
        (lambda: FIXED([1], tfrecord.int64, None), "default"),
        (lambda: VAR(tfrecord.int64), "takes"),
    ],
)
def test_features_that_cannot_be_are_refused(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


@pytest.mark.parametrize(
    "features,message",
    [
        ({}, "names no output"),
        ({"x": 5}, 'feature "x" is wanted as "5"'),
        ({"x": "int64[-1]"}, 'feature "x"'),
        ({"x": "int64[2"}, 'feature "x"'),
        ({"x": FIXED([2], tfrecord.string, "")}, "Tensors of strings are not supported"),
        ({"x": VAR(tfrecord.string, "")}, "Tensors of strings are not supported"),
    ],
)
def test_impossible_features_are_refused_when_the_pipeline_is_built(files, features, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        delivered(penstock, lambda t: features, 1, path=files[0])


@pytest.mark.parametrize(
    "features,message",
    [
        ({"ids": FIXED([7], tfrecord.int64, 0)}, 'feature "ids" has 6 values, its shape takes 7'),
        ({"ids": FIXED([], tfrecord.int64, 0)}, 'feature "ids" has 6 values, its shape takes 1'),
        ({"ids": VAR([4], tfrecord.int64, 0)}, "Feature size not matching partial shape"),
        ({"box": FIXED([4], tfrecord.int64, 0)}, 'feature "box" holds float32 values, int64 was asked for'),
        ({"image": FIXED([], tfrecord.int64, 0)}, 'feature "image" holds string values'),
    ],
)
def test_records_that_do_not_fit_the_features_are_named(files, features, message):
    where = rf"{re.escape(files[0][0])} at index 0"
    with pytest.raises(RuntimeError, match=rf"\[readers.tfrecord\] {re.escape(message)}.*{where}"):
        delivered(penstock, lambda t: features, 1, path=files[0])


def test_the_index_is_kept_beside_the_file_and_made_anew_when_that_changes(tmp_path):
    path = tmp_path / "data"
    beside = tmp_path / "data.idx"
    wanted = records.write_tfrecords(path, map(example, range(3)))

    def labels():
        return [s["label"].item() for s in delivered(penstock, some, 1, path=str(path), save_index=True)]

    assert labels() == [0, 1, 2]
    assert beside.read_text() == wanted.read_text()
    stamp = beside.stat().st_mtime_ns
    assert labels() == [0, 1, 2]
    assert beside.stat().st_mtime_ns == stamp
    records.write_tfrecords(path, map(example, range(5, 8)))
    os.utime(beside, ns=(stamp, stamp - 10**9))
    assert labels() == [5, 6, 7]
    assert os.listdir(tmp_path) and not [name for name in os.listdir(tmp_path) if name.endswith(".part")]


def build(**arguments):
    with Pipeline(2) as pipe:
        pipe.set_outputs(*fn.readers.tfrecord(features=some(tfrecord), **arguments).values())
    pipe.build()
    return pipe


def test_unusable_files_and_indices_are_named(files, tmp_path):
    path, index = files[0][0], files[1][0]
    data = (tmp_path / "cut").write_bytes
    cases = []
    with open(path, "rb") as whole:
        data(whole.read()[:-5])
    (tmp_path / "junk").write_bytes(b"\x1f\x8b" + np.random.default_rng(0).bytes(4000))
    (tmp_path / "none").write_bytes(b"")
    (tmp_path / "words.idx").write_text("0 20\nx y\n")
    (tmp_path / "none.idx").write_text("")
    (tmp_path / "far.idx").write_text("0 100000\n")
    (tmp_path / "negative.idx").write_text("-5 100\n")
    cases += [({"path": str(tmp_path / name)}, name) for name in ("absent", "cut", "junk", "none")]
    cases += [({"path": str(tmp_path)}, str(tmp_path))]
    cases += [
        ({"path": path, "index_path": str(tmp_path / name)}, name)
        for name in ("absent.idx", "words.idx", "none.idx", "negative.idx")
    ]
    cases += [({"path": path, "index_path": str(tmp_path / "far.idx")}, path)]
    cases += [({"path": path, "index_path": [index, index]}, "index files needs to match")]
    cases += [({"path": []}, "path")]
    for arguments, message in cases:
        with pytest.raises((ValueError, RuntimeError), match=rf"(?s)\[readers.tfrecord\] .*{re.escape(message)}"):
            build(**arguments)


@pytest.mark.parametrize("damage", ["checksum", "other index", "random bytes"])
def test_a_damaged_record_is_named_and_others_still_come(tmp_path, damage):
    path = tmp_path / "data"
    made = [example(i) for i in range(4)]
    if damage == "random bytes":
        made[1] = b"\xff\xff\xff"
    index = records.write_tfrecords(path, made)
    lines = index.read_text().splitlines()
    begin, size = map(int, lines[1].split())
    if damage == "checksum":
        data = bytearray(path.read_bytes())
        data[begin + size - 6] ^= 1
        path.write_bytes(data)
    if damage == "other index":
        index.write_text("\n".join([lines[0], f"{begin} {size - 1}", *lines[2:]]))
    checked = damage == "checksum"
    for on_error in ("skip", "raise"):
        with Pipeline(4, on_error=on_error) as pipe:
            nodes = fn.readers.tfrecord(
                path=str(path), index_path=str(index), features=some(tfrecord), check_crc=checked
            )  # fmt: skip
            pipe.set_outputs(nodes["label"])
        if on_error == "skip":
            assert pipe.run()[0].as_array().ravel().tolist() == [0, 2, 3]
        else:
            with pytest.raises(RuntimeError, match=rf"\[readers.tfrecord\] .*{re.escape(str(path))} at index {begin}"):
                pipe.run()
        failure = pipe.failures()[-1]
        assert (failure.source, failure.index) == (f"{path} at index {begin}", 1)


def test_a_record_is_not_checked_unless_that_is_asked_for(tmp_path):
    records.write_tfrecords(tmp_path / "data", [example(1)])
    data = bytearray((tmp_path / "data").read_bytes())
    data[-1] ^= 1
    (tmp_path / "data").write_bytes(data)
    assert build(path=str(tmp_path / "data")).run()[1].as_array().tolist() == [[1], [1]]
    with pytest.raises(RuntimeError, match="checksum is wrong"):
        build(path=str(tmp_path / "data"), check_crc=True).run()
