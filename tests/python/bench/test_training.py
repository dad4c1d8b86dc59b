"""What a loader takes from a training step is for hosts with GPUs; that it is measured is shown anywhere."""

import json

from penstock.bench import contest, training


def test_steps_are_measured_alone_and_beside_each_loader(tmp_path, capsys, monkeypatch, torchvision):
    del torchvision  # the measured processes import it
    monkeypatch.setattr(contest, "installed", lambda _: False)  # Penstock alone: the rival takes the same way
    file = tmp_path / "steps.json"
    settings = {"--model": "resnet18", "--size": 32, "--steps": 10, "--rounds": 1, "--data": tmp_path, "--json": file}
    training.main([str(word) for pair in settings.items() for word in pair])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| loader | a step alone, ms | beside it | more |")
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["Penstock"]
    [found] = json.loads(file.read_text())["loaders"]["Penstock"]
    assert found["alone_ms"] > 0
    assert found["beside_ms"] > 0


def test_the_difference_is_taken_round_by_round():
    rounds = [
        {"alone_ms": 50.0, "beside_ms": 51.0, "cpu_ms": 0.05},
        {"alone_ms": 60.0, "beside_ms": 61.5, "cpu_ms": 0.07},
    ]
    [*_, row] = training.table({"Penstock": rounds})
    assert row == "| Penstock | 55.00 | 56.25 | 1.25 | 0.060 |"
