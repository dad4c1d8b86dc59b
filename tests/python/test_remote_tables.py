"""Tables on servers: Parquet by ranges of row groups, patterns of names, and Arrow files through the cache."""

import io
import os

import numpy as np
import pytest
from bucket_server import serving

from penstock import Pipeline, fn

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = 400


@pytest.fixture(autouse=True)
def _nobody(monkeypatch):
    for name in list(os.environ):
        if name.startswith(("AWS_", "PENSTOCK_CACHE")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


def table(first=0, size=3000):
    data = np.random.default_rng(first)
    return pa.table(
        {
            "image": [data.bytes(size) for _ in range(ROWS)],
            "unused": [data.bytes(size) for _ in range(ROWS)],
            "label": pa.array(range(first, first + ROWS), "int32"),
        }
    )


def parquet(of, rows=50):
    file = io.BytesIO()
    pq.write_table(of, file, row_group_size=rows)
    return file.getvalue()


def rows_of(paths, columns=("label", "image"), batch_size=16, reader=fn.readers.parquet, **options):
    with Pipeline(batch_size, 2, device_id=None) as pipe:
        nodes = reader(path=paths, columns=list(columns), name="Reader", epoch_end="partial", **options)
        pipe.set_outputs(*(nodes[column] for column in columns))
    pipe.build()
    steps = pipe.reader_facts("Reader")["steps_per_epoch"]
    return [
        (int(np.array(label)), np.array(image).tobytes())
        for _ in range(steps)
        for label, image in zip(*pipe.run(), strict=True)
    ]


def expected(*tables):
    return [pair for of in tables for pair in zip(of["label"].to_pylist(), of["image"].to_pylist(), strict=True)]


def test_row_groups_come_by_ranges_of_the_columns_that_are_read():
    of = table()
    with serving({"/x.parquet": parquet(of)}) as server:
        assert rows_of(f"{server.url}/x.parquet") == expected(of)
        assert server.sent < 0.75 * len(server.files["/x.parquet"])  # without the column that nobody reads
        assert len(server.log) < 8 * 2 + 6


def test_row_groups_are_asked_for_ahead():
    of = table(size=300)
    with serving({"/x.parquet": parquet(of)}, latency=0.1) as server:
        assert rows_of(f"{server.url}/x.parquet", batch_size=4) == expected(of)
        assert server.most_under_way >= 3


@pytest.mark.parametrize("fault", ["503", "cut", "short", "range"])
def test_nothing_is_lost_over_failing_connections(fault):
    of = table()
    with serving({"/x.parquet": parquet(of)}, fault=lambda path, number: fault if number % 4 == 3 else None) as server:
        assert sorted(rows_of(f"{server.url}/x.parquet", random_shuffle=True)) == sorted(expected(of))


def test_names_by_patterns_and_folders(monkeypatch):
    tables = [table(i * ROWS, size=10) for i in range(4)]
    names = ["train/00.parquet", "train/01.parquet", "train/more/02.parquet", "test/03.parquet"]
    files = {f"/data/{name}": parquet(of) for name, of in zip(names, tables, strict=True)}
    with serving({**files, "/data/train/notes.txt": b"x"}, buckets=True) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
        for path, which in [
            ("s3://data/train/*.parquet", [0, 1]),
            ("s3://data/train/0[1-9].parquet", [1]),
            ("s3://data/*/0?.parquet", [3, 0, 1]),
            ("s3://data/**/*.parquet", [3, 0, 1, 2]),
            ("s3://data/train", [0, 1, 2]),
            ("s3://data/train/", [0, 1, 2]),
            ("s3://data", [3, 0, 1, 2]),
            ("s3://data/test/03.parquet", [3]),
            (["s3://data/test/*", f"{server.url}/data/train/00.parquet"], [3, 0]),
        ]:
            assert rows_of(path) == expected(*(tables[i] for i in which)), path
        with pytest.raises((ValueError, RuntimeError), match=r"there is no \*\.parquet behind s3://data/train/9\*"):
            rows_of("s3://data/train/9*.parquet")


def test_errors_name_the_url():
    with serving({"/no.parquet": b"PAR1" + bytes(1000)}) as server:
        for url in (f"{server.url}/nowhere.parquet", f"{server.url}/no.parquet"):
            with pytest.raises((ValueError, RuntimeError)) as error:
                rows_of(url)
            assert url in str(error.value)


def test_the_cache_keeps_row_groups(monkeypatch, tmp_path):
    monkeypatch.setenv("PENSTOCK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "100M")
    of = table()
    with serving({"/x.parquet": parquet(of)}) as server:
        assert rows_of(f"{server.url}/x.parquet") == expected(of)
        sent, requests = server.sent, len(server.log)
        assert rows_of(f"{server.url}/x.parquet") == expected(of)
        assert (server.sent, len(server.log)) == (sent, requests + 1)  # whether it is still the same
        monkeypatch.setenv("PENSTOCK_CACHE", "files")
        assert rows_of(f"{server.url}/x.parquet") == expected(of)
        sent = server.sent
        assert rows_of(f"{server.url}/x.parquet") == expected(of)
        assert server.sent == sent


def test_arrow_files_need_a_copy_on_this_machine(monkeypatch, tmp_path):
    of = table(size=100)
    file = io.BytesIO()
    with pa.ipc.new_file(file, of.schema) as writer:
        writer.write_table(of, max_chunksize=64)
    with serving({"/x.arrow": file.getvalue()}) as server:
        url = f"{server.url}/x.arrow"
        with pytest.raises((ValueError, RuntimeError), match=r"x\.arrow: Arrow files are mapped.*PENSTOCK_CACHE=files"):
            rows_of(url, reader=fn.readers.arrow)
        monkeypatch.setenv("PENSTOCK_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("PENSTOCK_CACHE", "files")
        assert rows_of(url, reader=fn.readers.arrow) == expected(of)
