"""`penstock bench --operators`: each operator beside the same of DALI, and of OpenCV where that makes the same result.

Each library has a process for all jobs, which take turns: Penstock, the rival, Penstock, the rival. DALI has as many
threads as Penstock; OpenCV has one core, and so has Penstock beside it.
"""

import json
import math
import pathlib
import statistics
import subprocess
import sys

from .._progress import counted
from . import contest, machine, report
from .operator_jobs import GPU_ONLY, JOBS, OPENCV

_BLOCK = pathlib.Path(__file__).with_name("operator_block.py")
SIZES = {"480p": (480, 640), "1080p": (1080, 1920)}


class _Library:
    """A process that runs jobs with one library."""

    def __init__(self, library):
        self._library = library
        self._process = None

    def run(self, job):
        """A job's rate in samples a second, or an error as text."""
        if self._process is None:
            command = [sys.executable, "-W", "ignore", "-P", str(_BLOCK), self._library]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        print(json.dumps(job), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            status = self._process.wait()
            self._process = None
            return {"error": f"its process ended with status {status}"}
        return json.loads(line)

    def close(self):
        """Ends the process."""
        if self._process is not None:
            self._process.stdin.close()
            self._process.kill()
            self._process.wait()


def measure(names, effort, sizes, batch, say):
    """Results as a list of dicts: operator, size, rival, rates of both, and their ratio; or what went wrong."""
    known = [name for name in JOBS if effort.gpu or name not in GPU_ONLY]
    rivals = {"dali": known} if contest.installed("dali") else {}
    if not effort.gpu and contest.installed("opencv"):
        rivals["opencv"] = list(OPENCV)
    libraries = {library: _Library(library) for library in ("penstock", *rivals)}
    planned = [
        (rival, name, size)
        for rival, known in rivals.items() for size in sizes for name in known if not names or name in names
    ]  # fmt: skip
    try:
        return [_contest(libraries, *one, batch, effort, say) for one in counted(planned, len(planned), "operators ")]
    finally:
        for library in libraries.values():
            library.close()


def _contest(libraries, rival, name, size, batch, effort, say):
    threads = 1 if rival == "opencv" else effort.cores
    job = {"name": name, "size": SIZES[size], "batch": batch, "threads": threads, "gpu": effort.gpu}
    job["seconds"] = effort.seconds
    row = {"operator": name, "size": size, "rival": rival}
    rates = {"penstock": [], rival: []}
    for _ in range(effort.pairs):
        for library, found in rates.items():
            answer = libraries[library].run(job)
            if "error" in answer:
                say(f"{name} {size}: {library} fails: {answer['error']}")
                return row | {"error": f"{library}: {answer['error']}"}
            found.append(answer["rate"])
    own, other = (statistics.median(found) for found in rates.values())
    say(f"{name} {size}: {own:,.0f} beside {rival}'s {other:,.0f}, {own / other:.2f}")
    return row | {"penstock": own, "rival_rate": other, "ratio": own / other, "rates": rates}


def geometric_mean(ratios):
    """Of positive numbers; None of none."""
    return math.exp(statistics.fmean(map(math.log, ratios))) if ratios else None


def markdown(result):
    """The table and the geometric means."""
    measured = [row for row in result["operators"] if "ratio" in row]
    names = {"dali": "DALI", "opencv": "OpenCV, one core"}
    rows = [
        [row["operator"], row["size"], names[row["rival"]], f"{row['penstock']:,.0f}", f"{row['rival_rate']:,.0f}",
         f"**{row['ratio']:.2f}**"]
        for row in measured
    ]  # fmt: skip
    text = report.table(["operator", "size", "rival", "Penstock, samples/s", "rival, samples/s", "ratio"], rows)
    for rival, shown in names.items():
        ratios = [row["ratio"] for row in measured if row["rival"] == rival]
        if ratios:
            below = sum(ratio < 1 for ratio in ratios)
            text += f"\n\nBeside {shown}: geometric mean **{geometric_mean(ratios):.2f}**, "
            text += f"least {min(ratios):.2f}, {below} of {len(ratios)} below 1."
    for row in result["operators"]:
        if "error" in row:
            text += f"\n\n{row['operator']} {row['size']} was not measured: {row['error']}"
    return text


def run(options, effort, say):
    """Measures, prints the table. Returns the result as a dict, ready for JSON."""
    sizes = options.sizes or (["480p"] if options.quick else list(SIZES))
    unknown = sorted(set(options.operators) - set(JOBS))
    if unknown:
        raise LookupError(f"no job is called {', '.join(unknown)}; there are {', '.join(JOBS)}")
    result = {"machine": machine.facts(), "quick": options.quick, "gpu": effort.gpu}
    result["operators"] = measure(options.operators, effort, sizes, 32, say)
    print(markdown(result))
    return result
