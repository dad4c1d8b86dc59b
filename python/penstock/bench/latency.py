"""How long one JPEG file takes, and eight, from the host's memory to RGB on a GPU, beside nvJPEG called directly.

    python -m penstock.bench.latency [--photos FOLDER] [--rounds 3] [--json FILE]

Files of about 500 x 375 at 4:4:4 and 4:2:0 (see data.py). Penstock is a pipeline of one `decoders.image` that makes one
batch at a time; nvJPEG is the fastest of its backends. They take turns; medians of all calls but the first ones.
"""

import argparse
import json
import pathlib
import statistics
import time

import numpy as np

import penstock
from penstock import fn

from . import data, machine, nvjpeg

_COUNTS = 1, 8
_WARM_CALLS, _CALLS = 50, 200


def _pipeline(files):
    @penstock.pipeline_def(batch_size=len(files), device_id=0, prefetch_queue_depth=1)
    def decoding():
        return fn.decoders.image(fn.external_source(source=lambda: files, batch=True, no_copy=True), device="mixed")

    return decoding()


def _median_ms(call):
    times = []
    for _ in range(_WARM_CALLS + _CALLS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times[_WARM_CALLS:]) * 1e3


def _nvjpeg_ms(files):
    """backend -> milliseconds, of those that this GPU has. Batches go to the engine: others take ten times as long."""
    found = {}
    for backend in nvjpeg.BACKENDS if len(files) == 1 else ["engine"]:
        try:
            decoder = nvjpeg.Decoder(files, backend)
        except nvjpeg.Unsupported:
            continue
        found[backend] = _median_ms(decoder.run)
        decoder.close()
    return found


def measure(root, count, rounds):
    """Medians of each round: {"penstock": [ms], "nvjpeg": {backend: [ms]}}."""
    files = [np.fromfile(path, np.uint8) for path in sorted(pathlib.Path(root).rglob("*.jpg"))[:count]]
    pipe = _pipeline(files)
    own, theirs = [], {}
    for _ in range(rounds):
        own.append(_median_ms(pipe.run))
        for backend, ms in _nvjpeg_ms(files).items():
            theirs.setdefault(backend, []).append(ms)
    return {"penstock": own, "nvjpeg": theirs}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    data.add_arguments(parser)
    settings = parser.parse_args(arguments)
    results = {"machine": machine.facts(), "ms": {}}
    for name in data.SETS:
        root = data.picture_set(settings.data, name, max(_COUNTS), settings.photos)
        for count in _COUNTS:
            found = results["ms"][f"{name} x {count}"] = measure(root, count, settings.rounds)
            own = statistics.median(found["penstock"])
            line = f"{name}, {count} at a time: Penstock {own:.3f} ms"
            if found["nvjpeg"]:
                best = min(found["nvjpeg"], key=lambda backend: statistics.median(found["nvjpeg"][backend]))
                theirs = statistics.median(found["nvjpeg"][best])
                line += f", nvJPEG ({best}) {theirs:.3f} ms: {own / theirs:.2f}"
            print(line, flush=True)
    if settings.json:
        settings.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
