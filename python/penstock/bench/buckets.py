"""Files of a server, beside curl with as many connections.

    python -m penstock.bench.buckets [--latency 0.02] [--pairs 3] [--sizes 100000,1000000] [--bytes 200000000]

The server is a process of this machine that answers each request late. Penstock reads every file once with
`readers.file`, the first batches included; curl fetches the same addresses in parallel and throws them away. They take
turns (A B B A), and the ratio is the median over pairs of neighbours.
"""

import argparse
import contextlib
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from .report import table

_WORKERS = 2
_CONNECTIONS = 16 + _WORKERS  # 16 threads ask ahead, see docs/buckets.md
_SERVER = pathlib.Path(__file__).with_name("slow_server.py")


@contextlib.contextmanager
def serving(size, latency):
    """The address of a server of files of `size` bytes that answers after `latency` seconds."""
    with subprocess.Popen(
        [sys.executable, "-P", str(_SERVER), str(size), str(latency)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        yield f"http://127.0.0.1:{server.stdout.readline().strip()}"


def penstock_seconds(urls):
    """How long one epoch takes of a pipeline that reads these files."""
    from penstock import Pipeline, fn

    begin = time.perf_counter()
    with Pipeline(32, num_threads=_WORKERS, device_id=None) as pipe:
        pipe.set_outputs(fn.readers.file(files=urls, name="Reader", epoch_end="partial")[0])
    pipe.build()
    read = sum(len(pipe.run()[0]) for _ in range(pipe.reader_facts("Reader")["steps_per_epoch"]))
    if read != len(urls):
        raise RuntimeError(f"{read} of {len(urls)} files were read")
    return time.perf_counter() - begin


def curl_seconds(urls):
    """How long curl takes to fetch them."""
    with tempfile.NamedTemporaryFile("w", suffix=".curl") as config:
        config.write("".join(f'url = "{url}"\noutput = "/dev/null"\n' for url in urls))
        config.flush()
        begin = time.perf_counter()
        quietly = ["--silent", "--no-progress-meter", "--fail"]
        several = ["--parallel", "--parallel-max", str(_CONNECTIONS), "--config", config.name]
        subprocess.run(["curl", *quietly, *several], check=True)
        return time.perf_counter() - begin


def compare(size, options):
    """A row of the table: MB/s of both, and the ratio."""
    count = max(1, options.bytes // size)
    found = {penstock_seconds: [], curl_seconds: []}
    with serving(size, options.latency) as address:
        sides = list(found)
        for pair in range(options.pairs):
            urls = [f"{address}/{pair}/{i}.bin" for i in range(count)]
            for side in sides:
                found[side].append(count * size / 1e6 / side(urls))
            sides.reverse()
    own, other = found.values()
    ratios = [a / b for a, b in zip(own, other, strict=True)]
    return [
        f"{size / 1000:,.0f} KB", f"{statistics.median(own):,.0f}", f"{statistics.median(other):,.0f}",
        f"**{statistics.median(ratios):.2f}**", f"{min(ratios):.2f} to {max(ratios):.2f}",
    ]  # fmt: skip


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m penstock.bench.buckets", description=__doc__.split("\n")[0])
    parser.add_argument("--latency", type=float, default=0.02, help="seconds before each answer")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--sizes", default="100000,1000000", help="bytes of a file, with commas")
    parser.add_argument("--bytes", type=int, default=200_000_000, help="of all files together")
    options = parser.parse_args(arguments)
    if not shutil.which("curl"):
        parser.error("curl is not installed")
    rows = [compare(int(size), options) for size in options.sizes.split(",")]
    print(table(["files of", "Penstock, MB/s", "curl, MB/s", "ratio", "range"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
