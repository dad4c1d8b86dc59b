"""Training from containers: each kind is made of the same pictures, measured, and compared with LMDB."""

import json

from penstock.bench import container_training, data


def test_each_container_is_made_and_measured(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(container_training, "_FILES", 20)
    results = tmp_path / "rates.json"
    kinds = ["tar", "tfrecord"]
    arguments = ["--pairs", "1", "--seconds", "0.1", "--data", str(tmp_path), "--json", str(results)]
    assert container_training.main([*arguments, "--kinds", *kinds]) == 0
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.split("|")[1].strip() for row in rows] == ["lmdb", *kinds]
    turns = json.loads(results.read_text())["turns"]
    assert all(len(each) == 1 and each[0]["rate"] > 0 for each in turns.values())
    files = data.picture_set(tmp_path, "444", 20)
    assert [len(list(data.packed(files, kind).glob(f"*.{kind}"))) for kind in kinds] == [1, 1]


def test_containers_are_compared_turn_by_turn():
    def turns(*rates):
        return [{"rate": rate, "cpu_ms": 0.5} for rate in rates]

    rows = list(container_training.rows({"lmdb": turns(100.0, 200.0, 400.0), "tar": turns(90.0, 200.0, 440.0)}))
    assert rows[1] == ["tar", "200", "**1.00**", "0.90 to 1.10", "0.500"]
