"""`penstock bench --mine train.py`: is my loader what limits, and what would change that.

The script runs as it is until enough was seen. Then its pipeline runs alone: at full speed, and for a loop that takes
as long for each step as the script's did, with other settings.
"""

import json
import pathlib
import time

from .. import Pipeline, _core
from .._progress import Progress, counted
from ..pipeline.contract import run_of
from . import limits, machine
from .watch import Watch

_TRY_S = 1.0
_TRIES = 2  # in turns, of which the better counts: others may use the machine meanwhile
_WARM_S = 0.4
_DEEPER = 4  # times as many batches in the making
_MOST_DEPTH = 16


def add_arguments(parser):
    mine = parser.add_argument_group("your own training script")
    mine.add_argument(
        "--mine", metavar="SCRIPT.py[:function]", help="watch this script train, and say what limits it; see --"
    )
    mine.add_argument("--seconds", type=float, default=20, help="how long to watch (default: 20)")
    mine.add_argument("--batches", type=int, help="how many batches to watch, if that is sooner")
    mine.add_argument("--svg", type=pathlib.Path, metavar="FILE", help="where to draw the chart")
    mine.add_argument("arguments", nargs="*", metavar="-- ARGUMENTS", help="of the script")


def run(options):
    """Watches, measures, prints three sentences and a chart. Returns the exit status."""
    script, function = _parts(options.mine)
    if options.seconds <= 0 or (options.batches is not None and options.batches < 1):
        raise ValueError("--seconds must be more than 0 and --batches 1 or more")
    progress = Progress(text="watching ")
    watch = Watch(options.seconds, options.batches, lambda share: progress(int(100 * share), 100))
    with progress, watch:
        watch.run(script, function, options.arguments)
    try:
        seen = watch.seen()
    except LookupError as error:
        raise ValueError(f"{script}: {error}") from None
    [(pipe, stats), *others] = watch.pipelines()
    found = {
        "script": options.mine, "loop": seen, "stats": stats, "cores": _core.usable_cores(),
        "settings": _settings(pipe), "other_pipelines": len(others), **_trials(pipe, seen, 1 + len(others)),
    }  # fmt: skip
    chart = limits.bars(found)
    print("\n" + "\n".join(limits.sentences(found)) + "\n\n" + limits.text_chart(chart))
    if options.svg:
        options.svg.write_text(limits.svg_chart(chart, options.mine))
    if options.json:
        options.json.write_text(json.dumps(found | {"machine": machine.facts()}, indent=1) + "\n")
    return 0


def _parts(what):
    """(script, name of a function, or nothing)"""
    script, colon, function = what.rpartition(":")
    script, function = (script, function) if colon and not pathlib.Path(what).is_file() else (what, "")
    if not pathlib.Path(script).is_file():
        raise FileNotFoundError(f"there is no script {script}")
    if colon and script and not function and not pathlib.Path(what).is_file():
        raise ValueError(f"{what} names no function; leave the colon out to run the script itself")
    return script, function


def _settings(pipe):
    on_gpu = _core.gpu_count() > 0 and any(operator.device != "cpu" for operator in run_of(pipe).operators)
    return {"num_threads": pipe.num_threads or _core.usable_cores(), "depth": pipe.prefetch_queue_depth,
            "batch_size": pipe.max_batch_size, "gpu": on_gpu}  # fmt: skip


def _trials(pipe, seen, pipelines):
    """`alone`: samples a second at full speed; `trials`: of a loop with the script's steps, by what was changed.

    Both are of one pipeline, times `pipelines`; None and empty where it cannot be made anew.
    """
    try:
        data = pipe.serialize()
    except RuntimeError as error:
        return {"alone": None, "trials": {}, "why_not": str(error)}
    if pipe.external_sources():
        return {"alone": None, "trials": {}, "why_not": "Python feeds the pipeline"}
    steps = seen["steps"]
    changes = {"as it is": {}}
    threads, depth = pipe.num_threads, pipe.prefetch_queue_depth
    if threads and threads < _core.usable_cores():
        changes[f"num_threads={_core.usable_cores()}"] = {"num_threads": _core.usable_cores()}
    if isinstance(depth, int) and depth < _MOST_DEPTH:
        deeper = min(_DEEPER * depth, _MOST_DEPTH)
        changes[f"prefetch_queue_depth={deeper}"] = {"prefetch_queue_depth": deeper}
    tried = {"alone": ({}, [0.0])} | {name: (change, steps) for name, change in changes.items()}
    rates = dict.fromkeys(tried, 0.0)
    for name in counted(list(tried) * _TRIES, _TRIES * len(tried), "running the pipeline alone "):
        rates[name] = max(rates[name], _rate(data, *tried[name]) * pipelines)
    return {"alone": rates.pop("alone"), "trials": rates, "why_not": None}


def _rate(data, change, steps):
    """Samples a second that come to a loop with such steps, in seconds, over and over."""
    pipe = Pipeline.deserialize(data, **change)
    try:
        start = count = number = 0
        begun = time.perf_counter()
        while not start or time.perf_counter() - start < _TRY_S:
            samples = len(pipe.run()[0])
            if start:
                count += samples
            elif time.perf_counter() - begun >= _WARM_S:
                start = time.perf_counter()
            step = steps[number % len(steps)]
            number += 1
            if step > 0:
                time.sleep(step)
        return count / (time.perf_counter() - start)
    finally:
        pipe.close()
