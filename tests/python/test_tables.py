"""readers.parquet, readers.arrow and from_huggingface: columns as tensors, orders, damaged files."""

import ctypes
import mmap
import os
import re
import threading
import time
import types

import numpy as np
import pytest

import penstock
from penstock import Pipeline, fn, huggingface

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = 23


def columns():
    """Every kind of column that makes tensors; row i of each tells i."""
    return {
        "image": pa.array([bytes([i]) * (i + 1) for i in range(ROWS)]),
        "text": pa.array([f"row {i}" for i in range(ROWS)]),
        "label": pa.array(range(ROWS), "int32"),
        "weight": pa.array([i / 2 for i in range(ROWS)], "float32"),
        "half": pa.array(np.arange(ROWS, dtype=np.float16)),
        "flag": pa.array([i % 3 == 0 for i in range(ROWS)]),
        "box": pa.array([[i, i + 1, i + 2, i + 3] for i in range(ROWS)], pa.list_(pa.float32(), 4)),
        "ids": pa.array([list(range(i % 5)) for i in range(ROWS)], pa.list_(pa.int64())),
        "bits": pa.array([[True, False, i % 2 == 0] for i in range(ROWS)], pa.list_(pa.bool_())),
        "matrix": pa.array(
            [[[i, 1], [2, i], [0, 0]][: i % 3 + 1] for i in range(ROWS)], pa.list_(pa.list_(pa.int16()))
        ),
        "time": pa.array(range(ROWS), pa.timestamp("us")),
        "class": pa.array([f"class {i % 2}" for i in range(ROWS)]).dictionary_encode(),
        "picture": pa.array(
            [{"bytes": b"jpeg %d" % i, "path": None} for i in range(ROWS)],
            pa.struct([("bytes", pa.binary()), ("path", pa.string())]),
        ),
        "nested": pa.array([{"a": i, "b": {"c": [i, i]}} for i in range(ROWS)]),
    }


def expected(i):
    return {
        "image": np.full(i + 1, i, np.uint8),
        "text": np.frombuffer(f"row {i}".encode(), np.uint8),
        "label": np.int32(i),
        "weight": np.float32(i / 2),
        "half": np.float16(i),
        "flag": np.bool_(i % 3 == 0),
        "box": np.arange(i, i + 4, dtype=np.float32),
        "ids": np.arange(i % 5, dtype=np.int64),
        "bits": np.array([True, False, i % 2 == 0]),
        "matrix": np.array([[i, 1], [2, i], [0, 0]][: i % 3 + 1], np.int16),
        "time": np.int64(i),
        "class": np.frombuffer(b"class %d" % (i % 2), np.uint8),
        "picture": np.frombuffer(b"jpeg %d" % i, np.uint8),
        "nested.a": np.int64(i),
        "nested.b.c": np.array([i, i], np.int64),
    }


def table():
    return pa.table(columns())


def write_arrow(path, of, form="stream", rows=5, **options):
    opened = {"stream": pa.ipc.new_stream, "file": pa.ipc.new_file}[form]
    with pa.OSFile(str(path), "wb") as file, opened(file, of.schema, **options) as writer:
        writer.write_table(of, max_chunksize=rows)
    return str(path)


def write_parquet(path, of, rows=5, **options):
    pq.write_table(of, path, row_group_size=rows, **options)
    return str(path)


@pytest.fixture(params=["parquet", "arrow stream", "arrow file"])
def read(request, tmp_path):
    """(reader, path) of the table in one of the kinds of files."""
    if request.param == "parquet":
        return fn.readers.parquet, write_parquet(tmp_path / "all.parquet", table())
    return fn.readers.arrow, write_arrow(tmp_path / "all.arrow", table(), request.param.split()[1])


def rows_of(reader, steps, batch=4, pipeline=None, **arguments):
    """[{column: array}] of the samples."""
    with Pipeline(batch, num_threads=2, device_id=None, **(pipeline or {})) as pipe:
        nodes = reader(**arguments)
        pipe.set_outputs(*nodes.values())
    rows = []
    for _ in range(steps):
        batches = [[np.array(sample) for sample in output] for output in pipe.run()]
        rows += [dict(zip(nodes, row, strict=True)) for row in zip(*batches, strict=True)]
    return rows


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


# Hugging Face ---------------------------------------------------------------------------------------------------------


def dataset_of(table, indices=None, fingerprint="abc", **kind):
    """What from_huggingface sees of a datasets.Dataset."""
    index_table = indices and types.SimpleNamespace(table=pa.table({"indices": pa.array(indices, "uint64")}))
    return types.SimpleNamespace(
        data=types.SimpleNamespace(table=table), _indices=index_table, _fingerprint=fingerprint,
        format={"type": None, "columns": table.column_names, **kind},
    )  # fmt: skip


def mapped(path):
    return pa.ipc.open_stream(pa.memory_map(path)).read_all()


def test_a_hugging_face_data_set_is_read_where_it_lies(tmp_path):
    dataset = dataset_of(mapped(write_arrow(tmp_path / "hf.arrow", table())))
    names = ["picture", "label", "box"]
    rows = rows_of(lambda: huggingface.from_huggingface(dataset, names), 6)
    for i, row in enumerate(rows):
        for name in names:
            np.testing.assert_array_equal(row[name], expected(i % ROWS)[name])


def test_indices_choose_and_order_the_rows(tmp_path):
    whole = mapped(write_arrow(tmp_path / "hf.arrow", table().select(["label"])))
    chosen = [22, 3, 3, 7, 0, 11]

    def read(**options):
        dataset = dataset_of(whole, chosen, "chosen")
        return [int(row["label"]) for row in rows_of(lambda: penstock.from_huggingface(dataset, **options), 6, 1)]

    assert read() == chosen
    assert sorted(read(random_shuffle=True)) == sorted(chosen)
    dataset = dataset_of(whole, [0, 23], "outside")
    with pytest.raises(RuntimeError, match="row 23, its table has 23"):
        rows_of(lambda: penstock.from_huggingface(dataset), 2, 1)


def test_pictures_beside_the_data_set_are_read_from_their_paths(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"of the file")
    struct = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    values = [{"bytes": None, "path": str(tmp_path / "a.jpg")}, {"bytes": b"inside", "path": "a.jpg"}]
    dataset = dataset_of(pa.table({"image": pa.array(values, struct)}), fingerprint="paths")
    rows = rows_of(lambda: penstock.from_huggingface(dataset), 1, 2)
    assert [row["image"].tobytes() for row in rows] == [b"of the file", b"inside"]
    (tmp_path / "a.jpg").unlink()
    with pytest.raises(RuntimeError, match=re.escape(str(tmp_path / "a.jpg"))):
        rows_of(lambda: penstock.from_huggingface(dataset), 1, 2)


def test_what_is_no_data_set_is_refused():
    with pytest.raises(TypeError, match="takes a datasets.Dataset, got dict; choose a split"):
        penstock.from_huggingface({"train": 1})
    with pytest.raises(ValueError, match="has a transform"):
        penstock.from_huggingface(dataset_of(table(), type="custom"))
    with pytest.raises(ValueError, match='no column "z"'):
        rows_of(lambda: penstock.from_huggingface(dataset_of(table()), ["z"]), 1)


def test_the_librarys_own_data_sets_are_read(tmp_path):
    datasets = pytest.importorskip("datasets")
    stored = write_arrow(tmp_path / "hf.arrow", table().select(["label", "text"]))
    dataset = datasets.Dataset(datasets.table.MemoryMappedTable.from_file(stored), fingerprint="whole")
    rows = rows_of(lambda: penstock.from_huggingface(dataset, ["label", "text"]), 1, ROWS)
    assert [int(row["label"]) for row in rows] == dataset["label"][:]
    mixed = dataset.shuffle(seed=3, new_fingerprint="mixed").select(range(10), new_fingerprint="few")
    rows = rows_of(lambda: penstock.from_huggingface(mixed, ["label"]), 1, 10)
    assert [int(row["label"]) for row in rows] == mixed["label"][:]


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


def pages_in_memory(path):
    """Which pages of a file are in the system's cache."""
    page = mmap.PAGESIZE
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_WRITE,
                                             flags=mmap.MAP_PRIVATE) as held:  # fmt: skip
        found = (ctypes.c_ubyte * -(-len(held) // page))()
        start = ctypes.addressof(ctypes.c_char.from_buffer(held))
        assert ctypes.CDLL(None).mincore(ctypes.c_void_p(start), ctypes.c_size_t(len(held)), found) == 0
        return np.frombuffer(found, np.uint8) & 1


def test_rows_of_mapped_files_are_brought_into_memory_ahead(tmp_path):
    size, count = 100_000, 1280
    images = [i.to_bytes(4, "little") * (size // 4) for i in range(1, count + 1)]
    path = write_arrow(tmp_path / "x.arrow", pa.table({"image": images}), rows=count)

    def pipeline():
        with Pipeline(4, 1, device_id=None) as pipe:
            pipe.set_outputs(fn.readers.arrow(path=path, columns="image", random_shuffle=True)["image"])
        return pipe

    pipe = pipeline()
    order = [int(np.array(one)[:4].view(np.uint32)[0]) - 1 for _ in range(50) for one in pipe.run()[0]]
    del pipe
    with open(path, "rb") as file:
        begin = file.read(size + 10_000).find(images[0])
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if pages_in_memory(path).any():
        pytest.skip("this file system keeps files in memory")
    pipe = pipeline()
    pipe.run()  # nobody reads what it gives
    until = time.monotonic() + 20
    while not rows_in_memory(path, begin, size, order) and time.monotonic() < until:
        time.sleep(0.05)
    assert rows_in_memory(path, begin, size, order)


def rows_in_memory(path, begin, size, rows):
    held = pages_in_memory(path)
    return all(held[(begin + row * size) // mmap.PAGESIZE : (begin + (row + 1) * size) // mmap.PAGESIZE].all()
               for row in rows)  # fmt: skip
