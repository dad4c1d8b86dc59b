"""The benchmark of `DataParallel` runs anywhere; its figures are for GPUs."""

import json

import pytest

pytest.importorskip("torch")


def test_it_prints_a_row_for_each_job_and_a_cell_for_each_way(tmp_path, capsys):
    from penstock.bench import parallel

    file = tmp_path / "figures.json"
    parallel.main(
        ["--jobs", "tiny", "--ways", "one", "eager", "step", "--json", str(file), "--devices", "cpu:0", "cpu:1"]
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| job, train / forward on 2 devices | one | eager | step |"
    cells = lines[2].split("|")[1:-1]
    assert [cell.count("/") for cell in cells] == [0, 1, 1, 0]
    figures = json.loads(file.read_text())
    assert set(figures["results"]["tiny"]) == {"one", "eager", "step"}
    assert figures["cores"] > 0
