"""How rates grow with devices is for hosts with GPUs; that it is measured is shown anywhere."""

import json

from penstock.bench import scaling


def test_each_way_is_measured_on_one_device_and_on_two(tmp_path, capsys, monkeypatch, jax, torch):
    del jax, torch  # the measured processes import them
    monkeypatch.setattr(scaling, "_FILES", 20)
    file = tmp_path / "rates.json"
    settings = {"--devices": "1 2", "--pairs": "1", "--seconds": "0.2", "--batch": "4", "--data": tmp_path}
    scaling.main(
        [*(word for name, value in settings.items() for word in (name, *str(value).split())), "--json", str(file)]
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| samples/s on as many devices | 1 | 2 | share of linear |"
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["pipelines", "jax", "pytorch"]
    rates = json.loads(file.read_text())["rates"]
    assert all(len(found) == 1 and found[0] > 0 for way in rates.values() for found in way.values())


def test_pictures_may_come_from_one_database(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(scaling, "_FILES", 20)
    settings = "--devices 1 --ways pipelines --pairs 1 --seconds 0.2 --batch 4 --packed --data"
    scaling.main([*settings.split(), str(tmp_path)])
    assert capsys.readouterr().out.splitlines()[-1].startswith("| pipelines | ")
    assert (tmp_path / "444-20-noise" / "packed" / "lmdb" / "data.mdb").exists()


def test_the_share_is_that_of_neighbours():
    [*_, row] = scaling.table({"jax": {1: [100.0, 200.0, 300.0], 2: [180.0, 380.0, 500.0]}})
    assert row == "| jax | 200 | 380 | 0.90 |"
