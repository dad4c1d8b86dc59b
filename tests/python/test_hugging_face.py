"""from_huggingface and other mapped tables: rows where they lie, brought into memory ahead of their batches."""

import ctypes
import mmap
import os
import re
import time
import types

import numpy as np
import pytest
from table_files import ROWS, expected, pa, rows_of, table, write_arrow

import penstock
from penstock import Pipeline, fn, huggingface


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
