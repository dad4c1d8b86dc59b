"""Runs jobs of `operator_jobs.py` with one library, one after the other, as asked.

usage: python -P operator_block.py LIBRARY, where LIBRARY is penstock, dali or opencv. Each line of the standard input
is a job in JSON: name, size [rows, columns], batch, threads, gpu, seconds. The answer is a line of JSON: rate (samples
a second), or error.

A file, not a module of the package: that would load Penstock into the other libraries' processes.
"""

import importlib
import importlib.util
import json
import pathlib
import sys
import time
import types

_PACKAGES = {"penstock": "penstock", "dali": "nvidia.dali"}
_WARM_SECONDS = 0.3
_WARM_BATCHES = 8  # until all memory that is used again was touched once: 32 float pictures of 1080p are 800 MB


def _jobs():
    path = pathlib.Path(__file__).with_name("operator_jobs.py")
    spec = importlib.util.spec_from_file_location("operator_jobs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _picture(rows, columns):
    """Smooth shapes and some noise, so that it compresses as photographs do."""
    import numpy as np

    random = np.random.default_rng(7)
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    waves = [np.sin(x / (17 + 9 * c)) * np.cos(y / (23 - 5 * c)) for c in range(3)]
    return np.clip(128 + 90 * np.stack(waves, 2) + random.normal(0, 6, (rows, columns, 3)), 0, 255).astype(np.uint8)


def _jpeg(picture):
    import io

    import numpy as np
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(picture).save(out, "JPEG", quality=90)
    return np.frombuffer(out.getvalue(), np.uint8)


def _signal(samples):
    """A tone that rises and falls."""
    import numpy as np

    return np.float32(0.5) * np.sin(np.cumsum(0.3 + 0.2 * np.sin(np.arange(samples) / 5000))).astype(np.float32)


def _wav(signal):
    import io
    import wave

    import numpy as np

    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(22050)
        file.writeframes(np.int16(signal * 32767).tobytes())
    return np.frombuffer(out.getvalue(), np.uint8)


def _sample(kind, rows, columns):
    import numpy as np

    if kind in ("signal", "wav"):
        signal = _signal(rows * columns)
        return _wav(signal) if kind == "wav" else signal
    if kind == "label":
        return np.int32([7])
    if kind in ("map_x", "map_y"):
        y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
        return x + 9 * np.sin(y / 31) if kind == "map_x" else y + 7 * np.cos(x / 43)
    picture = _picture(rows, columns)
    if kind == "bayer":
        return np.ascontiguousarray(picture[:, :, 0])
    return _jpeg(picture) if kind == "jpeg" else picture


def _on_gpu(array):
    import torch

    return torch.from_numpy(array.copy()).cuda()


def _source(module, job, kind):
    """The same batch again and again, where the operator takes it."""
    sample = _sample(kind, *job["size"])
    on_gpu = job["gpu"] and kind not in ("jpeg", "wav")
    batch = [_on_gpu(sample) if on_gpu else sample] * job["batch"]
    return module.fn.external_source(
        source=lambda: batch, batch=True, no_copy=True, device="gpu" if on_gpu else "cpu",
        layout={"picture": "HWC", "bayer": "HW", "map_x": "HW", "map_y": "HW"}.get(kind),
    )  # fmt: skip


def _pipeline(library, jobs, job):
    module = importlib.import_module(_PACKAGES[library])
    for part in ("fn", "types"):
        importlib.import_module(f"{_PACKAGES[library]}.{part}")
    lib = types.SimpleNamespace(fn=module.fn, types=module.types, decoder="mixed" if job["gpu"] else "cpu")
    lib.device = "gpu" if job["gpu"] else "cpu"
    pipeline = module.Pipeline(job["batch"], job["threads"], 0 if job["gpu"] else None, seed=1)
    with pipeline:
        inputs = [_source(module, job, kind) for kind in jobs.inputs_of(job["name"])]
        pipeline.set_outputs(jobs.JOBS[job["name"]](lib, *inputs))
    pipeline.build()
    return pipeline.run


def _opencv(jobs, job):
    import cv2

    cv2.setNumThreads(1)
    picture, call = _picture(*job["size"]), jobs.OPENCV[job["name"]]
    return lambda: [call(cv2, picture) for _ in range(job["batch"])]


def _finish(job):
    if job["gpu"]:
        import torch

        torch.cuda.synchronize()


def _rate(run, job):
    warm, begin = 0, time.perf_counter()
    while warm < _WARM_BATCHES or time.perf_counter() - begin < _WARM_SECONDS:
        run()
        warm += 1
    _finish(job)
    batches, begin = 0, time.perf_counter()
    while batches < 2 or time.perf_counter() - begin < job["seconds"]:
        run()
        batches += 1
    _finish(job)
    return batches * job["batch"] / (time.perf_counter() - begin)


def _answer(library, jobs, job):
    try:
        run = _opencv(jobs, job) if library == "opencv" else _pipeline(library, jobs, job)
        return {"rate": _rate(run, job)}
    except Exception as error:  # the next job may do
        return {"error": f"{type(error).__name__}: {error}"}


def main(library):
    jobs = _jobs()
    for line in sys.stdin:
        print(json.dumps(_answer(library, jobs, json.loads(line))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
