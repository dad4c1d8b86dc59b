"""Tables in files: one with every kind of column, and what readers make of them."""

import numpy as np
import pytest

from penstock import Pipeline

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
