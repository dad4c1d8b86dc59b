"""`bench --operators`: its jobs run with each library that is here, and its table says what was measured."""

import argparse
import json

import pytest

from penstock.bench import operator_block, operator_jobs, operators, run

_TINY = {"size": [480, 640], "batch": 1, "threads": 2, "gpu": False, "seconds": 0}


@pytest.mark.parametrize("library", ["penstock", "dali"])
@pytest.mark.parametrize("name", operator_jobs.JOBS)
def test_a_job_runs_with_either_library(name, library, monkeypatch):
    if library == "dali":
        pytest.importorskip("nvidia.dali")
    monkeypatch.setattr(operator_block, "_WARM_SECONDS", 0)
    answer = operator_block._answer(library, operator_jobs, _TINY | {"name": name})
    if library == "dali" and name in operator_jobs.GPU_ONLY:
        assert "is not registered for cpu" in answer["error"] or "Error in CPU operator" in answer["error"]
        return
    assert answer.get("error") is None
    assert answer["rate"] > 0


@pytest.mark.parametrize("name", operator_jobs.OPENCV)
def test_opencv_makes_the_same(name, monkeypatch):
    cv2 = pytest.importorskip("cv2")
    np = pytest.importorskip("numpy")
    job = _TINY | {"name": name}
    run_job = operator_block._pipeline("penstock", operator_jobs, job)
    own = np.asarray(run_job()[0][0]).astype(int)
    other = operator_jobs.OPENCV[name](cv2, operator_block._picture(*job["size"])).astype(int)
    inner = (slice(20, -20), slice(20, -20))  # borders have rules of their own
    assert np.abs(own - other)[inner].max() <= 3


def test_each_is_measured_beside_its_rival(tmp_path, capsys):
    pytest.importorskip("nvidia.dali")
    parser = argparse.ArgumentParser()
    run.add_arguments(parser)
    file = tmp_path / "result.json"
    options = parser.parse_args(["--quick", "--json", str(file), "--operators", "flip"])
    assert run.run(options) == 0
    result = json.loads(file.read_text())
    row = result["operators"][0]
    assert row["operator"] == "flip"
    assert row["ratio"] == pytest.approx(row["penstock"] / row["rival_rate"])
    assert "| flip | 480p | DALI |" in capsys.readouterr().out


def test_an_unknown_operator_is_named():
    parser = argparse.ArgumentParser()
    run.add_arguments(parser)
    with pytest.raises(LookupError, match="flap"):
        run.run(parser.parse_args(["--operators", "flap"]))


def test_a_library_that_fails_is_named_and_the_next_job_runs(monkeypatch):
    monkeypatch.setitem(operator_jobs.JOBS, "absent", lambda lib, picture: lib.fn.absent(picture))
    answer = operator_block._answer("penstock", operator_jobs, _TINY | {"name": "absent"})
    assert "absent" in answer["error"]


def test_the_mean_of_ratios_is_geometric():
    assert operators.geometric_mean([2, 8]) == pytest.approx(4)
    assert operators.geometric_mean([]) is None
