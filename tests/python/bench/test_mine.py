"""`penstock bench --mine`: a script is watched as it trains, and what limits it is said."""

import copy
import json
import time
import xml.etree.ElementTree

import pytest

from penstock import Pipeline, cli
from penstock.bench import limits, mine
from penstock.bench.watch import Watch, overlap
from penstock.pipeline.contract import Run
from penstock.plugin.base_iterator import BaseIterator

PIPELINE = """
import sys, time
import numpy as np
from penstock import fn, pipeline_def, types

@pipeline_def(batch_size=4, num_threads=1, device_id=types.CPU_ONLY_DEVICE_ID)
def training():
    files, labels = fn.readers.file(file_root={root!r})
    return fn.resize(fn.decoders.image(files, output_type=types.RGB), size=[64, 64]), labels

@pipeline_def(batch_size=4, device_id=types.CPU_ONLY_DEVICE_ID)
def fed():
    def slowly():
        time.sleep(0.03)
        return [np.zeros(3, np.float32)] * 4
    return fn.external_source(slowly, batch=True)

def train(pipe, step):
    while True:
        pipe.run()
        time.sleep(step)
"""


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(mine, "_TRY_S", 0.2)
    monkeypatch.setattr(mine, "_WARM_S", 0.05)
    monkeypatch.setattr(mine, "_TRIES", 1)


@pytest.fixture
def watched(tmp_path, pictures, capsys):
    """Runs the command with a script that has these last lines: (status, standard output, standard error, JSON)."""

    def run(lines, *more, function="", arguments=(), seconds=1.0):
        script = tmp_path / "train.py"
        script.write_text(PIPELINE.format(root=str(pictures)) + lines + "\n")
        figures = tmp_path / "figures.json"
        options = ["--seconds", str(seconds), "--json", str(figures), *map(str, more)]
        status = cli.main(
            ["bench", "--mine", f"{script}{function}", *options, *(["--", *arguments] if arguments else [])]
        )
        said = capsys.readouterr()
        return status, said.out, said.err, json.loads(figures.read_text()) if figures.exists() else None

    return run


def test_a_long_step_limits(watched):
    status, out, err, found = watched("train(training(), 0.05)")
    assert (status, err) == (0, "")
    loop = found["loop"]
    assert loop["step"] / loop["seconds"] > 0.8
    assert sum(loop[name] for name in ("waited", "source", "handed", "step")) == pytest.approx(
        loop["seconds"], rel=0.01
    )
    assert loop["samples"] == 4 * loop["batches"]
    assert found["alone"] > limits.rate(found)
    lines = out.strip().splitlines()
    assert lines[0].startswith("No: the loop waited ")
    assert "samples a second, where the loop takes" in lines[1]
    assert lines[3] == ""
    assert out.count("###") >= 2


def test_a_slow_source_limits(watched):
    status, out, _, found = watched("train(fed(), 0.001)")
    assert status == 0
    assert found["loop"]["source"] > 0.8 * found["loop"]["seconds"]
    assert found["alone"] is None
    assert out.strip().startswith("Yes: the loop spent ")
    assert "Use fn.external_source(parallel=True)" in out


def test_slow_work_limits_and_what_helps_is_tried(watched):
    status, out, _, found = watched("train(training(), 0.0)")
    assert status == 0
    assert out.strip().startswith("Yes: the loop waited ")
    assert set(found["trials"]) >= {"as it is", "prefetch_queue_depth=8"}
    assert all(value > 0 for value in found["trials"].values())


@pytest.mark.parametrize(
    ("loop", "others"),
    [
        ("while True:\n    pipe = training()\n    for _ in range(4):\n        pipe.run()", 0),
        ("one, two = training(), training()\nwhile True:\n    [pipe.run() for pipe in [one] * 4 + [two]]", 0),
        ("pipes = [training() for _ in range(3)]\nwhile True:\n    [pipe.run() for pipe in pipes]", 2),
    ],
    ids=["one anew for each epoch", "another for validation", "one for each device"],
)
def test_pipelines_count_that_work_at_the_same_time(watched, loop, others):
    status, _, _, found = watched(loop)
    assert (status, found["other_pipelines"]) == (0, others)


def test_a_slow_start_without_a_source_is_a_wait(watched, monkeypatch):
    start = Run.start_one

    def slowly(run, **how):
        time.sleep(0.02)
        return start(run, **how)

    monkeypatch.setattr(Run, "start_one", slowly)
    status, out, _, found = watched("train(training(), 0.0)")
    assert status == 0
    assert found["loop"]["source"] == 0
    assert out.strip().startswith("Yes: the loop waited ")


def test_the_script_runs_as_it_would_by_itself(watched):
    code = """
import pathlib
assert __name__ == "__main__" and sys.argv[1:] == ["--rate", "3"], sys.argv
assert pathlib.Path(__file__).name == "train.py"
pipe = training()
try:
    train(pipe, 0.001)
except Exception:
    print("never")
finally:
    print("the loop was left")
"""
    status, out, _, _ = watched(code, arguments=["--rate", "3"])
    assert status == 0
    assert out.startswith("the loop was left\n")


def test_a_function_of_the_script_is_called(watched):
    status, _, _, found = watched("def go(): train(training(), 0.01)", function=":go")
    assert status == 0
    assert found["script"].endswith("train.py:go")


def test_so_many_batches_are_enough(watched):
    status, _, _, found = watched("train(training(), 0.02)", "--batches", 15, seconds=600)
    assert status == 0
    assert 10 <= found["loop"]["batches"] <= 120


def test_a_script_that_ends_before_is_enough_too(watched):
    status, _, _, found = watched("pipe = training()\nfor _ in range(12):\n    pipe.run()\npipe.close()", seconds=600)
    assert status == 0
    assert found["loop"]["batches"] >= 5


def test_the_chart_is_drawn(watched, tmp_path):
    assert watched("train(training(), 0.01)", "--svg", tmp_path / "chart.svg")[0] == 0
    svg = xml.etree.ElementTree.parse(tmp_path / "chart.svg").getroot()
    texts = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    for part in ("Time of the loop", "waiting for batches", "training step", "this loop", "pipeline alone"):
        assert part in texts


@pytest.mark.parametrize("plugin", ["pytorch", "jax"])
def test_batches_of_frameworks_are_watched(watched, request, plugin):
    request.getfixturevalue({"pytorch": "torch"}.get(plugin, plugin))  # skips where the framework is absent
    code = f"""
from penstock.plugin.{plugin} import DALIGenericIterator
batches = DALIGenericIterator([training()], ["images", "labels"], size=12, auto_reset=True)
while True:
    for batch in batches:
        time.sleep(0.02)
"""
    status, out, _, found = watched(code)
    assert status == 0
    assert found["loop"]["step"] > 0.7 * found["loop"]["seconds"]
    assert found["loop"]["samples"] > 0
    assert out.strip().startswith("No: ")


@pytest.mark.parametrize(
    ("lines", "function", "message"),
    [
        ("print('nothing')", "", "the script took 0 batches from pipelines of Penstock"),
        ("training().run()", "", "the script took 1 batch from pipelines of Penstock"),
        ("", ":go", "has no function 'go'"),
        ("go = 3", ":go", "has no function 'go'"),
        ("sys.exit(3)", "", "ended with 3"),
        ("raise KeyError('no such setting')", "", "raised KeyError: 'no such setting'"),
        ("def f(:", "", "raised SyntaxError"),
    ],
)
def test_what_cannot_be_watched_is_said(watched, lines, function, message):
    status, out, err, found = watched(lines, function=function)
    assert (status, found) == (1, None)
    assert message in err
    assert "Yes" not in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--mine", "none.py"], "there is no script none.py"),
        (["--mine", "none.py:f"], "there is no script none.py"),
        (["--mine", __file__, "--seconds", "0"], "--seconds must be more than 0"),
        (["--mine", __file__, "--batches", "0"], "--batches 1 or more"),
        (["train.py"], "'train.py' is no option"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(capsys, arguments, message):
    assert cli.main(["bench", *arguments]) == 1
    assert message in capsys.readouterr().err


def test_nothing_is_watched_afterwards():
    before = Pipeline.run, Pipeline.build, vars(BaseIterator).get("__init_subclass__")
    with pytest.raises(KeyError), Watch(1):
        assert Pipeline.run is not before[0]
        raise KeyError
    assert (Pipeline.run, Pipeline.build, vars(BaseIterator).get("__init_subclass__")) == before


def test_overlaps_are_counted_once():
    assert overlap([(0, 10)], [(1, 3), (2, 4), (8, 12)]) == 5
    assert overlap([(0, 1), (2, 3)], [(0.5, 2.5)]) == 1
    assert overlap([(0, 1)], [(1, 2)]) == overlap([], [(0, 1)]) == 0


# Words ----------------------------------------------------------------------------------------------------------------

FOUND = {
    "script": "train.py", "cores": 8, "other_pipelines": 0, "why_not": None,
    "loop": {"seconds": 10.0, "waited": 6.0, "source": 0.0, "handed": 0.1, "step": 3.9,
             "batches": 100, "samples": 3200, "steps": []},
    "stats": {"read_ahead": {"hints": 1000, "slow_hints": 0},
              "operators": [{"operator": "decoders.image", "microseconds_per_sample": 9000.0},
                            {"operator": "resize", "microseconds_per_sample": 3000.0}]},
    "settings": {"num_threads": 4, "depth": 2, "batch_size": 32, "gpu": False},
    "alone": 330.0, "trials": {"as it is": 325.0, "num_threads=8": 640.0, "prefetch_queue_depth=8": 330.0},
}  # fmt: skip


def changed(**changes):
    found = copy.deepcopy(FOUND)
    for path, value in changes.items():
        *heads, last = path.split("__")
        place = found
        for head in heads:
            place = place[head]
        place[last] = value
    return found


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({}, ["Yes: the loop waited 60% of its time for batches, so the loader limits; without any wait it "
              "would be 2.5 times as fast.",
              "workers were busy 96% of the time, and decoders.image takes 75% of the workers' time",
              "Give num_threads=8: that gave 640 samples a second instead of 325"]),
        ({"trials__num_threads=8": 330.0}, ["Yes", "Work on the samples",
                                            'a GPU that decodes (device="mixed" takes the 75%']),
        ({"settings__num_threads": 16, "stats__read_ahead__slow_hints": 800, "alone": 900.0},
         ["Yes", "The disk is why: 80% of the samples were not in memory",
          "Pack small files into one (penstock pack)"]),
        ({"trials__as it is": 700.0, "trials__num_threads=8": 700.0, "trials__prefetch_queue_depth=8": 700.0,
          "alone": 750.0},
         ["Yes", "The step uses cores that the workers need", "Give the step fewer threads"]),
        ({"trials__prefetch_queue_depth=8": 700.0, "alone": 900.0},
         ["Yes", "Batches come unevenly", "Give prefetch_queue_depth=8"]),
        ({"loop__waited": 0.1, "loop__step": 9.8, "alone": 960.0},
         ["No: the loop waited 1% of its time for batches and spent 98% on the training step", "3.0 times as many",
          "look at the step instead"]),
        ({"loop__waited": 1.0, "loop__handed": 4.0, "loop__step": 5.0},
         ["spent 40% on taking them over: the copy to the device limits", "Send bytes instead of floats", "1.7 times"]),
        ({"loop__waited": 1.0, "loop__source": 5.0, "loop__step": 3.9},
         ["Yes: the loop spent 50% of its time in the pipeline's Python source", "2.0 times at most"]),
        ({"alone": None, "trials": {}, "why_not": "Python feeds the pipeline"},
         ["Yes", "Work on the samples is why", "would"]),
    ],
)  # fmt: skip
def test_what_limits_is_said_in_three_sentences(changes, parts):
    said = limits.sentences(changed(**changes))
    assert len(said) == 3
    assert all(one.endswith(".") for one in said)
    for part in parts:
        assert part in " ".join(said)


def test_bars_are_as_long_as_their_values():
    chart = limits.bars(FOUND)
    assert [row[2] for row in chart[0][1]] == ["60%", "1%", "39%"]
    lines = limits.text_chart(chart).splitlines()
    assert [line.count("#") for line in lines[1:4]] == [24, 0, 16]
    svg = limits.svg_chart(chart, "a<b>.py")
    assert "a&lt;b&gt;.py" in svg
