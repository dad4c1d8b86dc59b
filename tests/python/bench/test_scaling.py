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
    assert lines[0] == (
        "| samples/s on as many devices | 1 | 2 | share of linear | one batch in 100 takes, of the median "
        "| of busy cores' time others had |"
    )
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["pipelines", "jax", "pytorch"]
    ways = json.loads(file.read_text())["turns"].values()
    assert all(len(turns) == 1 and turns[0]["rate"] > 0 for way in ways for turns in way.values())
    assert all(0 <= turns[0]["stolen"] <= 1 for way in ways for turns in way.values())


def test_pictures_may_come_from_one_database(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(scaling, "_FILES", 20)
    settings = "--devices 1 --ways pipelines --pairs 1 --seconds 0.2 --batch 4 --packed --data"
    scaling.main([*settings.split(), str(tmp_path)])
    assert capsys.readouterr().out.splitlines()[-1].startswith("| pipelines | ")
    assert (tmp_path / "444-20-noise" / "lmdb" / "data.mdb").exists()


def test_the_share_is_that_of_neighbours():
    def turns(*rates):
        return [{"rate": rate, "batch_ms": 2.0, "slow_batch_ms": rate / 100, "stolen": rate / 1e4} for rate in rates]

    [*_, row] = scaling.table({"jax": {1: turns(100.0, 200.0, 300.0), 2: turns(180.0, 380.0, 500.0)}})
    assert row == "| jax | 200 | 380 | 0.90 | 1.00, 1.90 | 2.0%, 3.8% |"
