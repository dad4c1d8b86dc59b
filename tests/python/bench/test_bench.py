import argparse
import json

import numpy as np
import pytest

from penstock import cli, fn, pipeline_def
from penstock.bench import block, contest, data, report, run

TINY = run.Effort(cores=1, files=70, pairs=2, seconds=0.2, sweep=False, endurance=20, imports=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bench")


@pytest.mark.parametrize("name", ["444", "420"])
def test_noise_has_the_size_of_real_files(folder, name):
    root = data.picture_set(folder, name, 10)
    sizes = [path.stat().st_size for path in root.glob("*/*.jpg")]
    assert len(sizes) == 10
    assert 50_000 < np.mean(sizes) < 200_000
    written = max(path.stat().st_mtime_ns for path in root.glob("*/*.jpg"))
    assert data.picture_set(folder, name, 10) == root  # kept, not made again
    assert max(path.stat().st_mtime_ns for path in root.glob("*/*.jpg")) == written


def test_regions_of_photographs_fill_the_set(folder, shared):
    root = data.picture_set(folder, "444", 10, shared / "photos")
    sizes = [path.stat().st_size for path in root.glob("*/*.jpg")]
    assert len(sizes) == 10
    assert 50_000 < np.mean(sizes) < 200_000


def test_drawn_digits_go_into_a_database(folder, monkeypatch):
    monkeypatch.setattr(data, "_DIGITS", 50)
    database = data.digit_set(folder)

    @pipeline_def(batch_size=50, device_id=None)
    def reading():
        files, labels = fn.readers.caffe2(path=str(database))
        return fn.decoders.image(files), labels

    images, labels = reading().run()
    images, labels = np.array(images.as_tensor()), np.array(labels.as_tensor()).ravel()
    assert images.shape == (50, 28, 28, 3)
    assert set(labels) == set(range(10))
    ones, eights = ((images[labels == digit] > 100).mean() for digit in (1, 8))
    assert eights > ones > 0


def test_epochs_whose_ends_cost_half_the_time_lose_half_the_rate():
    sizes = ([10] * 8 + [0]) * 3
    times = ([1.0] * 8 + [8.0]) * 3
    assert block.epoch_loss(sizes, times) == pytest.approx(0.5)
    assert block.epoch_loss([10] * 8, [1.0] * 8) is None


def test_rival_is_measured_at_its_best(monkeypatch):
    monkeypatch.setattr(contest, "block", lambda **settings: {"rate": -abs(settings["threads"] - 6)})
    effort = run.Effort(cores=4)
    assert contest.best_settings("dali", effort, {"job": "train"}) == {"threads": 6}


def test_a_disturbed_try_does_not_decide(monkeypatch):
    rates = iter([7, 9, 5, 8, 8, 9, 10, 8])  # at 2, 4, 6 and 8 threads, twice
    monkeypatch.setattr(contest, "block", lambda **settings: {"rate": next(rates)})
    assert contest.best_settings("dali", run.Effort(cores=4), {"job": "train"}) == {"threads": 6}


def test_rival_on_a_gpu_is_tried_with_shares_of_the_hardware_engine(monkeypatch):
    monkeypatch.setattr(contest, "block", lambda **s: {"rate": -abs(s["hw_decoder_load"] - 0.7) - s["threads"] / 100})
    effort = run.Effort(cores=16, gpu=True)
    assert effort.batch_of("train") == 256
    assert contest.best_settings("dali", effort, {"job": "train"}) == {"threads": 8, "hw_decoder_load": 0.75}


def test_turns_alternate_and_ratios_are_of_pairs(monkeypatch):
    rates = {"penstock": iter([20, 30]), "dali": iter([10, 10])}
    turns = []

    def fake(library, **settings):
        turns.append(library)
        return {"rate": next(rates[library])}

    monkeypatch.setattr(contest, "block", fake)
    held = contest.hold("eval", "444", "root", "dali", TINY, lambda text: None)
    assert turns == ["penstock", "dali", "dali", "penstock"]
    assert held.ratios == [2, 3]
    assert held.as_json()["ratio"] == 2.5


def test_a_rivals_process_has_no_penstock_in_it(script):
    """It would count as the rival's memory."""
    assert script(
        code=f"""
import runpy, sys
block = runpy.run_path({str(contest._BLOCK)!r})
jobs = block["_beside"]("pipelines").JOBS
assert sorted(jobs) == ["again", "augment", "decode", "eval", "mnist", "train"]
print([name for name in sys.modules if name.split(".")[0] == "penstock"])
"""
    ).split() == ["[]"]


def test_block_that_fails_says_why(folder):
    with pytest.raises(RuntimeError, match="penstock failed in the job 'eval'"):
        contest.block(library="penstock", job="eval", root=str(folder / "none"), batch=2, threads=1, seconds=1)


def test_table_without_rivals_still_has_penstocks_own_figures(folder, monkeypatch, jax):
    monkeypatch.setattr(contest, "installed", lambda library: False)
    monkeypatch.setattr(data, "_DIGITS", 400)
    options = argparse.Namespace(quick=True, jobs=["mnist"], photos=None, mnist=None, data=folder / "own")
    result = json.loads(json.dumps(run.measure(options, TINY, lambda text: None)))
    assert result["endurance"]["penstock"]["rss_late_mb"] > 0
    said = report.markdown(result)
    assert "import beyond NumPy" in said
    assert "memory over 20 batches" in said


def block_of(rate):
    return {"rate": rate, "first_batch_s": 0.1, "epoch_loss": None, "batch_ms": 2, "slow_batch_ms": 3, "cores": 1.5,
            "cpu_ms": 4, "stolen": 0.05, "peak_mb": 50}  # fmt: skip


def test_the_tables_are_printed_and_all_figures_kept(tmp_path, capsys, monkeypatch):
    held = contest.Contest("eval", "444", "dali", {"threads": 3})
    held.own, held.other = [[block_of(rate) for rate in rates] for rates in ((2000, 2100, 2500), (1000, 1000, 1250))]
    facts = {"versions": {"numpy": "2"}, "cpu": "one", "cores": 2, "simd": "AVX2", "date": "now", "load_before": 0}
    result = {"machine": facts, "import_s": {"penstock": 0.1}, "contests": [held.as_json()]}
    monkeypatch.setattr(run, "measure", lambda options, effort, say: result)
    assert cli.main(["bench", "--json", str(tmp_path / "new" / "figures.json")]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "| eval | 444 | DALI (3) | 2,100 | 1,000 | **2.00** | 2.00 to 2.10 |" in said
    assert "| peak memory, eval | 50 MB | 50 MB |" in said
    assert "| of busy cores' time others had, eval | 5.0% | 5.0% |" in said
    assert json.loads((tmp_path / "new" / "figures.json").read_text()) == result


def test_same_job_runs_in_penstock_and_dali(folder):
    pytest.importorskip("nvidia.dali")
    options = argparse.Namespace(quick=True, jobs=["train"], photos=None, mnist=None, data=folder)
    monkeyed = {**run._RIVALS, "train": ["dali"]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "_RIVALS", monkeyed)
        result = run.measure(options, TINY, lambda text: None)
    assert [one["data"] for one in result["contests"]] == ["444", "420"]
    assert all(one["ratio"] > 0 and len(one["ratios"]) == 2 for one in result["contests"])
    assert "| train | 444 | DALI (1) |" in report.markdown(result)


def test_missing_folder_of_photographs_is_said(tmp_path, capsys):
    arguments = ["bench", "--quick", "--jobs", "decode", "--photos", str(tmp_path / "none"), "--data", str(tmp_path)]
    assert cli.main(arguments) == 1
    assert "there is no folder" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_said(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(run.startup, "import_seconds", lambda libraries, times: {})
    with pytest.raises(SystemExit):
        run.main(["--quick", "--photos", str(tmp_path / "none")])
    assert f"there is no folder {tmp_path / 'none'}" in capsys.readouterr().err
