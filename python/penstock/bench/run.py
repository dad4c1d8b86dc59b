"""Measures this machine: Penstock and other loaders that are installed, the same job in turns, and prints ratios.

Each block of a measurement is a process of its own, after a warm-up; DALI runs at its best number of threads, found
before. Pictures are regions of photographs where some are given, smooth noise otherwise.
"""

import argparse
import dataclasses
import json
import pathlib

from .. import _core
from .._progress import counted, say
from . import contest, data, machine, mine, operators, report, startup

_RIVALS = {
    "train": ["dali", "torchvision"],
    "again": ["dali"],
    "augment": ["dali"],
    "eval": ["dali"],
    "decode": ["dali"],
    "mnist": ["dali"],
}


@dataclasses.dataclass(frozen=True)
class Effort:
    """How long and how thoroughly to measure."""

    cores: int
    files: int = 1000
    pairs: int = 4
    seconds: float = 6
    sweep: bool = True  # whether DALI is tried at several numbers of threads
    endurance: int = 10_000  # batches
    imports: int = 9
    gpu: bool = False

    def batch_of(self, job):
        return 200 if job == "mnist" else 256 if self.gpu else 64


def add_arguments(parser):
    parser.add_argument("--quick", action="store_true", help="rough figures in two minutes, not a quarter of an hour")
    parser.add_argument("--gpu", action="store_true", help="batches in the memory of GPU 0, pictures in half precision")
    parser.add_argument("--jobs", nargs="+", choices=list(_RIVALS), default=list(_RIVALS), metavar="JOB")
    parser.add_argument(
        "--operators", nargs="*", metavar="NAME", help="each operator (or those named) beside DALI's and OpenCV's"
    )
    parser.add_argument("--sizes", nargs="+", choices=list(operators.SIZES), help="of pictures, with --operators")
    parser.add_argument("--mnist", type=pathlib.Path, help="folder with MNIST's IDX files")
    data.add_arguments(parser)
    mine.add_arguments(parser)


def run(options):
    """Measures, prints the tables, writes the JSON. Returns the exit status."""
    if options.mine:
        return mine.run(options)
    if options.arguments:
        raise ValueError(f"{options.arguments[0]!r} is no option; arguments of a script go with --mine SCRIPT.py --")
    effort = Effort(_core.usable_cores(), gpu=options.gpu)
    if options.quick:
        files = 1000 if options.gpu else 200  # some batches must not be the whole set
        effort = dataclasses.replace(effort, files=files, pairs=2, seconds=2, sweep=False, endurance=1000, imports=3)
    if options.operators is not None:
        quick = {"pairs": 1, "seconds": 0.5} if options.quick else {"pairs": 3, "seconds": 1}
        result = operators.run(options, dataclasses.replace(effort, **quick), _say)
    else:
        result = measure(options, effort, _say)
        print(report.markdown(result))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    return 0


def _say(text):
    say(f"  {text}")


def _roots(job, options, effort):
    """name -> folder of the sets that a job reads."""
    for folder in (options.photos, options.mnist):
        if folder is not None and not folder.is_dir():
            raise FileNotFoundError(f"there is no folder {folder}")
    if job == "mnist":
        return {"LMDB": data.digit_set(options.data, options.mnist)}
    return {name: data.picture_set(options.data, name, effort.files, options.photos) for name in data.SETS}


def measure(options, effort, say):
    """Everything as one dict, ready for JSON."""
    rivals = [name for name in ("dali", "torchvision") if contest.installed(name)]
    libraries = ["penstock", *(name for name in rivals if name == "dali")]
    result = {"machine": machine.facts(), "quick": options.quick, "contests": []}
    result["import_s"] = startup.import_seconds(libraries, effort.imports)
    planned = [
        (job, name, root, rival)
        for job in options.jobs for name, root in _roots(job, options, effort).items() for rival in _RIVALS[job]
        if rival == "dali" or not effort.gpu
    ]  # fmt: skip
    for job, name, root, rival in counted(planned, len(planned), "contests "):
        if rival in rivals:
            result["contests"].append(contest.hold(job, name, root, rival, effort, say).as_json())
        else:
            say(f"{job} {name}: {rival} is not installed")
    if "mnist" in options.jobs and not effort.gpu:
        root = _roots("mnist", options, effort)["LMDB"]
        result["endurance"] = {library: _endure(library, root, effort, say) for library in libraries}
    return result


def _endure(library, root, effort, say):
    say(f"memory of {library} over {effort.endurance:,} batches")
    settings = {"batch": effort.batch_of("mnist"), "threads": effort.cores, "batches": effort.endurance}
    return settings | contest.block(library=library, job="mnist", root=str(root), **settings)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m penstock.bench", description=__doc__)
    add_arguments(parser)
    options = parser.parse_args(arguments)
    try:
        return run(options)
    except (LookupError, OSError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
