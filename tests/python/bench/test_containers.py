"""The comparison of readers of records: every reader reads the data that is made for it, whole."""

import json
import sys

import oracle
import pytest

from penstock.bench import container_block, container_data, containers


@pytest.mark.parametrize("kind", containers.KINDS)
def test_penstock_and_cat_read_what_is_made(tmp_path, monkeypatch, kind):
    if kind in ("parquet", "arrow"):
        pytest.importorskip("pyarrow")
    if kind == "arrow":
        pytest.importorskip("datasets")
    monkeypatch.setattr(container_data, "_BYTES", 60_000)
    data = container_data.make(tmp_path, kind, 0 if kind == "coco" else 500)
    assert data["count"] == (5000 if kind == "coco" else 64)
    for library in ["penstock"] if kind == "coco" else ["penstock", "cat"]:
        for shuffled in (False, True):
            found = container_block.measure(library, kind, shuffled=shuffled, seconds=0, path=data["path"],
                                            count=data["count"], size=data["size"])  # fmt: skip
            assert found["rate"] > 0
            assert found["cpu_us"] >= 0


@pytest.mark.parametrize("kind", containers.IN_DALI)
def test_dali_reads_as_many_records_as_are_made(tmp_path, monkeypatch, kind):
    oracle.dali()
    monkeypatch.setattr(container_data, "_BYTES", 60_000)
    data = container_data.make(tmp_path, kind, 500)
    settings = {"shuffled": True, "seconds": 0, "kind": kind, **data}
    assert container_block.measure("dali", **settings)["rate"] > 0
    with pytest.raises(AssertionError):  # an epoch of other records than there are is noticed
        container_block.measure("dali", **{**settings, "count": 128})


def test_a_table_is_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(container_data, "_BYTES", 64_000)
    results = tmp_path / "results.json"
    arguments = ["--seconds", "0.05", "--pairs", "1", "--only", "tar", "--sizes", "1000", "--folder", str(tmp_path)]
    assert containers.main([*arguments, "--json", str(results)]) == 0
    assert "| tar | 1 KB | in order | cat |" in capsys.readouterr().out
    assert {one["rival"] for one in json.loads(results.read_text())["results"]} >= {"cat", "penstock in order"}


def test_data_that_no_package_here_can_make_is_left_out_in_words(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "datasets", None)
    assert containers.main(["--seconds", "0", "--only", "arrow", "--folder", str(tmp_path)]) == 0
    assert "arrow: left out; making its files needs datasets" in capsys.readouterr().err
