"""bucket_by: batches of samples of like length, the same samples in each epoch, exact resume."""

import numpy as np
import pytest
import records

import penstock
from penstock import Pipeline, fn

COUNT = 103


def length(i):
    return (i * 37) % 50 + 1


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("buckets") / "records"
    records.write_tfrecords(path, [{"data": b"x" * length(i), "n": i} for i in range(COUNT)])
    return str(path)


def pipeline(path, batch=8, options=None, **arguments):
    arguments = {"bucket_by": "bytes", "bucket_batches": 4, "epoch_end": "partial", **arguments}
    with Pipeline(batch, num_threads=2, device_id=None, **(options or {})) as pipe:
        features = {"n": "int64[]", "data": "string[]"}
        nodes = fn.readers.tfrecord(path=path, features=features, name="r", **arguments)
        pipe.set_outputs(nodes["n"], nodes["data"])
    pipe.build()
    return pipe


def batch_of(pipe):
    return [int(np.array(one)) for one in pipe.run()[0]]


def epochs_of(pipe, count):
    steps = pipe.reader_meta("r")["steps_per_epoch"]
    return [[batch_of(pipe) for _ in range(steps)] for _ in range(count)]


def padding_of(batches):
    """Elements of padded batches that are padding, of those that are not."""
    padded = sum(len(batch) * max(map(length, batch)) for batch in batches)
    return padded / sum(length(i) for batch in batches for i in batch) - 1


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("end", ["partial", "pad", "drop", "wrap"])
def test_each_epoch_has_the_samples_that_it_would_have_without(path, shuffle, end):
    with_buckets = epochs_of(pipeline(path, random_shuffle=shuffle, epoch_end=end), 3)
    without = epochs_of(pipeline(path, random_shuffle=shuffle, epoch_end=end, bucket_by=None), 3)
    for mine, theirs in zip(with_buckets, without, strict=True):
        assert sorted(sum(mine, [])) == sorted(sum(theirs, [])) or end == "pad"
        assert set(sum(mine, [])) == set(sum(theirs, []))
        assert list(map(len, mine)) == list(map(len, theirs))


def test_batches_hold_little_padding_and_come_in_random_order(path):
    [epoch] = epochs_of(pipeline(path, random_shuffle=True, bucket_batches=13), 1)
    [plain] = epochs_of(pipeline(path, random_shuffle=True, bucket_by=None), 1)
    assert padding_of(epoch) < 0.2 * padding_of(plain)
    means = [np.mean([length(i) for i in batch]) for batch in epoch[:4]]
    assert means != sorted(means)


def test_epochs_differ_and_runs_do_not(path):
    first, second = epochs_of(pipeline(path, random_shuffle=True), 2)
    assert first != second
    assert epochs_of(pipeline(path, random_shuffle=True), 2) == [first, second]


@pytest.mark.parametrize("steps", [1, 5, 13, 14, 17])
def test_a_run_goes_on_exactly_where_it_was(path, steps):
    whole = pipeline(path, random_shuffle=True)
    for _ in range(steps):
        batch_of(whole)
    state = whole.checkpoint()
    resumed = pipeline(path, random_shuffle=True, options={"checkpoint": state})
    assert [batch_of(resumed) for _ in range(20)] == [batch_of(whole) for _ in range(20)]


def test_other_ranks_go_on_at_the_end_of_an_epoch_alone(path):
    pipe = pipeline(path, random_shuffle=True)
    batch_of(pipe)
    with pytest.raises(ValueError, match="saved within an epoch"):
        pipeline(path, random_shuffle=True, num_shards=2, options={"checkpoint": pipe.checkpoint()}).run()
    for _ in range(12):
        batch_of(pipe)
    seen = []
    for shard in range(2):
        options = {"checkpoint": pipe.checkpoint()}
        [epoch] = epochs_of(pipeline(path, random_shuffle=True, num_shards=2, shard_id=shard, options=options), 1)
        seen += sum(epoch, [])
    assert sorted(seen) == list(range(COUNT))


def test_shards_share_nothing(path):
    seen = []
    for shard in range(3):
        [epoch] = epochs_of(pipeline(path, random_shuffle=True, num_shards=3, shard_id=shard), 1)
        seen += sum(epoch, [])
    assert sorted(seen) == list(range(COUNT))


@pytest.mark.parametrize(
    "chosen", [{"subset": list(range(0, COUNT, 3))}, {"weights": [1.0 + i % 3 for i in range(COUNT)]}]
)
def test_selections_are_sorted_too(path, chosen):
    [mine] = epochs_of(pipeline(path, random_shuffle=True, bucket_batches=13, **chosen), 1)
    [theirs] = epochs_of(pipeline(path, random_shuffle=True, bucket_by=None, **chosen), 1)
    assert sorted(sum(mine, [])) == sorted(sum(theirs, []))
    assert padding_of(mine) < 0.5 * padding_of(theirs)


def test_lengths_may_come_from_a_file_that_a_pipeline_measures(path, tmp_path):
    file = tmp_path / "lengths.npy"

    @penstock.pipeline_def(batch_size=10, num_threads=2, device_id=None)
    def measured():
        nodes = fn.readers.tfrecord(path=path, features={"data": "string[]"}, epoch_end="partial")
        return nodes["data"].shape()

    penstock.measure_lengths(measured(), file)
    np.testing.assert_array_equal(np.load(file), [length(i) for i in range(COUNT)])
    [mine] = epochs_of(pipeline(path, random_shuffle=True, bucket_by=str(file)), 1)
    [by_bytes] = epochs_of(pipeline(path, random_shuffle=True), 1)
    assert padding_of(mine) == pytest.approx(padding_of(by_bytes), rel=0.1)


def test_measuring_wants_whole_epochs_in_order(path, tmp_path):
    def pipe(outputs=lambda nodes: nodes["n"], **arguments):
        with Pipeline(4, num_threads=1, device_id=None) as made:
            nodes = fn.readers.tfrecord(path=path, features={"n": "int64[]", "data": "string[]"}, **arguments)
            made.set_outputs(outputs(nodes))
        return made

    for arguments, words in (
        ({}, 'epoch_end="partial"'),
        ({"epoch_end": "partial", "random_shuffle": True}, "random_shuffle"),
        ({"epoch_end": "partial", "outputs": lambda nodes: nodes["data"]}, "one number"),
    ):
        with pytest.raises(ValueError, match=words):
            penstock.measure_lengths(pipe(**arguments), tmp_path / "lengths.npy")
        assert not (tmp_path / "lengths.npy").exists()


@pytest.mark.parametrize("arguments, words", [
    ({"bucket_by": "bytes", "epoch_end": ""}, 'pass epoch_end="pad"'),
    ({"bucket_by": "duration"}, 'bucket_by="duration" is nothing that this reader knows'),
    ({"bucket_by": "none.npy"}, "Cannot open"),
    ({"bucket_by": "short.npy"}, r"has the shape \(3,\), the data set has 103"),
    ({"bucket_by": "text.npy"}, "bucket_by: .*text.npy"),
    ({"bucket_batches": 0}, "bucket_batches must be 1 to"),
])  # fmt: skip
def test_bad_input_is_refused(path, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    np.save("short.npy", np.zeros(3))
    (tmp_path / "text.npy").write_text("no array")
    with pytest.raises(ValueError, match=words):
        pipeline(path, **arguments).run()


def test_columns_of_tables_say_how_long_rows_are(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = {"n": pa.array(range(COUNT)), "tokens": pa.array([[0] * length(i) for i in range(COUNT)])}
    table["count"] = pa.array([float(length(i)) for i in range(COUNT)])
    pq.write_table(pa.table(table), tmp_path / "t.parquet", row_group_size=20)
    for column in ("tokens", "count"):
        with Pipeline(8, num_threads=2, device_id=None) as pipe:
            nodes = fn.readers.parquet(
                path=str(tmp_path / "t.parquet"), columns=["n"], name="r", random_shuffle=True, epoch_end="partial",
                bucket_by=column,
            )  # fmt: skip
            pipe.set_outputs(nodes["n"])
        pipe.build()
        [epoch] = epochs_of(pipe, 1)
        assert sorted(sum(epoch, [])) == list(range(COUNT))
        assert padding_of(epoch) < 0.3
