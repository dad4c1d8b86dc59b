"""readers.parquet and readers.arrow: columns as tensors, orders, damaged files."""

import threading

import numpy as np
import pytest
from table_files import ROWS, expected, pa, rows_of, table, write_arrow, write_parquet

from penstock import Pipeline, fn


@pytest.fixture(params=["parquet", "arrow stream", "arrow file"])
def read(request, tmp_path):
    """(reader, path) of the table in one of the kinds of files."""
    if request.param == "parquet":
        return fn.readers.parquet, write_parquet(tmp_path / "all.parquet", table())
    return fn.readers.arrow, write_arrow(tmp_path / "all.arrow", table(), request.param.split()[1])


def labels_of(reader, path, epochs=1, pipeline=None, **arguments):
    """The labels of each epoch, in batches of one."""
    found = [
        int(row["label"])
        for row in rows_of(reader, epochs * ROWS, 1, pipeline, path=path, columns="label", **arguments)
    ]
    return [found[i : i + ROWS] for i in range(0, len(found), ROWS)]


def test_columns_have_their_types_shapes_and_values(read):
    reader, path = read
    names = list(expected(0))
    rows = rows_of(reader, 6, path=path, columns=names)
    for i, row in enumerate(rows):
        assert list(row) == names
        for name, value in expected(i % ROWS).items():
            assert (row[name].dtype, row[name].shape) == (value.dtype, value.shape), name
            np.testing.assert_array_equal(row[name], value, name)


def test_whole_shuffles_have_each_row_once_and_others_follow(read):
    reader, path = read
    epochs = labels_of(reader, path, 3, random_shuffle=True)
    assert all(sorted(epoch) == list(range(ROWS)) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 3


def test_shards_share_nothing_and_leave_nothing_out(read):
    reader, path = read
    seen = []
    for shard in range(3):
        rows = rows_of(
            reader, 8, 1, path=path, columns=["label"], num_shards=3, shard_id=shard, random_shuffle=True,
            epoch_end="partial",
        )  # fmt: skip
        seen += [int(row["label"]) for row in rows]
    assert sorted(seen) == list(range(ROWS))


def test_a_shuffle_of_groups_reads_few_at_a_time_and_all_of_them(tmp_path):
    count = 203
    path = write_parquet(tmp_path / "all.parquet", pa.table({"label": range(count)}))
    arguments = {"path": path, "columns": "label", "random_shuffle": True, "shuffle_groups": 2}
    labels = [int(row["label"]) for row in rows_of(fn.readers.parquet, 3 * count, 1, **arguments)]
    epochs = [labels[i : i + count] for i in range(0, len(labels), count)]
    assert all(sorted(epoch) == list(range(count)) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 3
    groups = [[label // 5 for label in epoch[i : i + 10]] for epoch in epochs for i in range(0, 200, 10)]
    assert max(len(set(window)) for window in groups) <= 4  # the short one shifts those behind it
    assert any(window != sorted(window) for window in groups), "rows are not mixed"
    assert len({min(window) for window in groups[:20]}) > 8, "groups are not permuted"


def test_a_resumed_run_goes_on_with_the_same_rows(read):
    reader, path = read

    def pipeline(**more):
        with Pipeline(4, num_threads=2, device_id=None, **more) as pipe:
            pipe.set_outputs(reader(path=path, columns=["label"], random_shuffle=True)["label"])
        return pipe

    def batch(pipe):
        return np.array(pipe.run()[0].as_tensor()).tolist()

    first = pipeline()
    for _ in range(3):
        batch(first)
    state = first.checkpoint()
    assert [batch(pipeline(checkpoint=state)) for _ in range(1)] == [batch(first)]


def test_files_folders_and_patterns_are_read_in_order(tmp_path):
    whole = table().select(["label"])
    for i, (begin, length) in enumerate([(0, 4), (4, 10), (14, 9)]):
        (tmp_path / "sub").mkdir(exist_ok=True)
        write_parquet(tmp_path / "sub" / f"part-{i}.parquet", whole.slice(begin, length))
    files = [str(tmp_path / "sub" / f"part-{i}.parquet") for i in range(3)]
    for path in (
        files,
        str(tmp_path),
        str(tmp_path / "sub" / "part-*.parquet"),
        [files[0], str(tmp_path / "sub" / "part-[12]*")],
    ):
        assert labels_of(fn.readers.parquet, path) == [list(range(ROWS))]


def test_nulls_are_refused_by_name_or_filled(tmp_path):
    some = pa.table({
        "n": pa.array([1, None, 3], "int16"),
        "list": pa.array([[1.0, None], None, []], pa.list_(pa.float64())),
        "box": pa.array([[1, 2], None, [5, 6]], pa.list_(pa.int32(), 2)),
        "text": pa.array(["a", None, "c"]),
        "flag": pa.array([True, None, False]),
    })  # fmt: skip
    path = write_arrow(tmp_path / "some.arrow", some)
    filled = rows_of(fn.readers.arrow, 1, 3, path=path, columns=some.column_names, nulls="fill", fill_value=-1)
    assert [int(row["n"]) for row in filled] == [1, -1, 3]
    assert [row["list"].tolist() for row in filled] == [[1, -1], [], []]
    assert [row["box"].tolist() for row in filled] == [[1, 2], [-1, -1], [5, 6]]
    assert [row["text"].tobytes() for row in filled] == [b"a", b"", b"c"]
    assert [bool(row["flag"]) for row in filled] == [True, True, False]
    for name, row in (("n", 1), ("list", 0), ("box", 1), ("text", 1), ("flag", 1)):
        with pytest.raises(RuntimeError, match=rf"missing \(null\).*some.arrow row group 0 row {row} column {name}"):
            rows_of(fn.readers.arrow, 1, 3, path=path, columns=[name])
    path = write_parquet(tmp_path / "some.parquet", some.drop_columns("box"))  # null boxes cannot be written
    same = rows_of(fn.readers.parquet, 1, 3, path=path, columns=["n", "list", "text"], nulls="fill", fill_value=-1)
    for mine, theirs in zip(same, filled, strict=True):
        assert all(mine[name].tolist() == theirs[name].tolist() for name in mine)


def test_rows_that_make_no_tensor_can_be_left_out(tmp_path):
    ragged = pa.table({"m": pa.array([[[1], [2]], [[1], [2, 3]], [[4], [5]]]), "n": pa.array([0, 1, 2])})
    path = write_parquet(tmp_path / "ragged.parquet", ragged, rows=2)
    with pytest.raises(RuntimeError, match=r"lists of 1 and of 2 elements.*row group 0 row 1 column m"):
        rows_of(fn.readers.parquet, 1, 3, path=path, columns=["m", "n"])
    rows = rows_of(
        fn.readers.parquet, 2, 2, {"on_error": "skip"}, path=path, columns=["m", "n"], epoch_end="partial"
    )  # fmt: skip
    assert [int(row["n"]) for row in rows] == [0, 2]


def test_a_sample_says_where_it_comes_from(read):
    reader, path = read
    with Pipeline(4, num_threads=2, device_id=None) as pipe:
        pipe.set_outputs(reader(path=path, columns=["image"])["image"])
    pipe.run()
    [batch] = pipe.run()
    assert batch[2].source_info() == f"{path} row group 1 row 1 column image"


@pytest.mark.parametrize("reader, path, arguments, error, words", [
    ("parquet", "all", {"columns": ["colour"]}, ValueError, 'all.parquet: there is no column "colour"; there are'),
    ("parquet", "all", {"columns": ["nested.z"]}, ValueError, 'no part "z"'),
    ("parquet", "all", {"columns": ["nested"]}, TypeError, 'column "nested" is struct.*makes no tensor'),
    ("parquet", "all", {"columns": ["label", "label"]}, ValueError, '`columns` names "label" twice'),
    ("parquet", "all", {"columns": []}, ValueError, "names no output"),
    ("parquet", "all", {"columns": ["label"], "nulls": "drop"}, ValueError, 'nulls must be "error" or "fill"'),
    ("parquet", "all", {"columns": ["label"], "cache_size": -1}, ValueError, "cache_size is megabytes"),
    ("parquet", "all", {"columns": ["label"], "shuffle_groups": -1}, ValueError, "shuffle_groups must be 0"),
    ("parquet", "none", {"columns": ["label"]}, ValueError, "Cannot open .*none.parquet"),
    ("parquet", "text", {"columns": ["label"]}, RuntimeError, "text.parquet: .*Parquet"),
    ("parquet", "cut", {"columns": ["label"]}, RuntimeError, "cut.parquet: .*Parquet"),
    ("parquet", "odd", {"columns": ["list"]}, TypeError, 'column "list" is list.*string.*makes no tensor'),
    ("parquet", "odd", {"columns": ["price"]}, TypeError, 'column "price" is decimal'),
    ("arrow", "text", {"columns": ["label"]}, RuntimeError, "text.arrow: "),
    ("arrow", "packed", {"columns": ["label"]}, RuntimeError, "packed.arrow: the file is compressed.*without"),
    ("parquet", "empty", {"columns": ["label"]}, RuntimeError, "no rows found in .*empty.parquet"),
])  # fmt: skip
def test_bad_input_is_refused_with_its_name(tmp_path, reader, path, arguments, error, words):
    write_parquet(tmp_path / "all.parquet", table())
    whole = (tmp_path / "all.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    for kind in ("parquet", "arrow"):
        (tmp_path / f"text.{kind}").write_text("this is no table, although it is long enough to be one")
    write_parquet(tmp_path / "empty.parquet", table().slice(0, 0))
    odd = {"list": pa.array([["a"], ["b"]]), "price": pa.array([1, 2]).cast(pa.decimal128(30, 2))}
    write_parquet(tmp_path / "odd.parquet", pa.table(odd))
    large = pa.table({"label": np.zeros(10_000, np.int64)})
    write_arrow(tmp_path / "packed.arrow", large, "file", 5000, options=pa.ipc.IpcWriteOptions(compression="zstd"))
    with pytest.raises(error, match=words):
        rows_of(getattr(fn.readers, reader), 1, path=str(tmp_path / f"{path}.{reader}"), **arguments)


def damage(path, what):
    """Turns a byte of the one place where `what` stands in the file."""
    data = bytearray(path.read_bytes())
    assert data.count(what) == 1
    data[data.find(what) + 2] ^= 0x40
    path.write_bytes(data)


def test_a_damaged_page_is_named_and_the_rest_is_read(tmp_path):
    values = pa.table({"text": [f"value number {i}" for i in range(20)]})
    options = {"compression": "none", "use_dictionary": False, "write_page_checksum": True, "write_statistics": False}
    path = write_parquet(tmp_path / "sums.parquet", values, **options)
    damage(tmp_path / "sums.parquet", b"value number 7")
    assert len(rows_of(fn.readers.parquet, 5, path=path, columns="text")) == 20  # nobody looked
    with pytest.raises(RuntimeError, match="sums.parquet row group 1"):
        rows_of(fn.readers.parquet, 5, path=path, columns="text", check_crc=True)
    rows = rows_of(fn.readers.parquet, 4, 5, {"on_error": "skip"}, path=path, columns="text", check_crc=True)
    assert {row["text"].tobytes() for row in rows} == {b"value number %d" % i for i in range(20) if i // 5 != 1}


def test_a_shuffle_that_has_no_room_is_refused_with_what_to_do(tmp_path):
    rng = np.random.default_rng(1)
    some = pa.table({"data": [rng.bytes(1 << 16) for _ in range(64)]})  # 4 MB, in groups of half a megabyte
    path = write_parquet(tmp_path / "large.parquet", some, rows=8)

    def first_bytes(**arguments):
        rows = rows_of(
            fn.readers.parquet, 16, path=path, columns="data", random_shuffle=True, cache_size=1, **arguments
        )
        return sorted(row["data"].tobytes()[:8] for row in rows)

    everything = sorted(value.as_py()[:8] for value in some.column("data"))
    with pytest.raises(ValueError, match=r"shuffle_groups=16.*penstock pack"):
        first_bytes()
    with pytest.raises(ValueError, match="4 row groups of 0.5 MB .* lower shuffle_groups or raise cache_size"):
        first_bytes(shuffle_groups=4)
    assert first_bytes(shuffle_groups=1) == everything
    assert first_bytes(shuffle_groups=0) == everything


def test_groups_and_a_subset_are_not_shuffled_together(tmp_path):
    path = write_parquet(tmp_path / "all.parquet", table())
    arguments = {"path": path, "columns": "label", "random_shuffle": True, "subset": [1, 5, 9]}
    assert {int(row["label"]) for row in rows_of(fn.readers.parquet, 3, 1, **arguments)} == {1, 5, 9}
    with pytest.raises(ValueError, match="shuffle_groups .* cannot be given with a subset"):
        rows_of(fn.readers.parquet, 3, 1, shuffle_groups=2, **arguments)


def test_readers_of_tables_may_be_opened_late_while_python_runs(tmp_path):
    path = write_parquet(tmp_path / "all.parquet", table())
    with Pipeline(4, num_threads=2, device_id=None) as pipe:
        pipe.set_outputs(fn.readers.parquet(path=path, columns="label", lazy_init=True, name="rows")["label"])
    pipe.build()
    sizes = []
    threads = [threading.Thread(target=lambda: sizes.append(pipe.epoch_size("rows"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sizes == [ROWS] * 4
