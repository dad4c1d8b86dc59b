"""`penstock doctor --measure`: how fast this machine reads, decodes and copies, and which of these will limit."""

import ctypes
import dataclasses
import itertools
import time

import numpy as np

from .. import Pipeline, _core, fn, types
from .._containers import find, samples_of
from .._progress import Progress
from . import _disk

_PICTURES = 128  # that are decoded
_SIZE = (375, 500)  # of those that are made where there are none
_CROP = 224
_BATCH = 64
_COPIED = 64 << 20  # bytes
_LEAST_GAIN = 1.1  # below which two rates count as one


@dataclasses.dataclass(frozen=True)
class Speeds:
    """What was measured; None for what is not there. Rates are samples a second, those of a disk and copy bytes."""

    disk: _disk.Disk
    sample_bytes: float
    own: bool  # whether the pictures were made for this
    cores: int
    decode: float | None
    decode_one: float | None  # by one worker
    decode_gpu: float | None
    copy: float | None
    memory: int  # bytes that are free, or can be


def measure(data=None, progress=None):
    """The `Speeds` of this machine, and of `data` where they are named. About ten seconds."""
    with progress or Progress(text="measuring ", unit="") as bar:
        bar(0, 100)
        disk = _disk.measure(data, progress=lambda share: bar(int(35 * share), 100))
        samples, own = _samples(data)
        bar(45, 100)
        decode = _decoding(samples, _core.usable_cores()) if samples else None
        bar(65, 100)
        one = _decoding(samples, 1) if samples else None
        bar(80, 100)
        gpu = _decoding(samples, _core.usable_cores(), device="mixed") if samples and _core.gpu_count() else None
        bar(95, 100)
        copy = copy_rate()
        bar(100, 100)
    size = sum(map(len, samples)) / len(samples) if samples else 0
    return Speeds(disk, size, own, _core.usable_cores(), decode, one, gpu, copy, _free_memory())


def _samples(data):
    """(encoded pictures, whether they were made here): none where the data hold no pictures that can be decoded."""
    if data is None:
        rng = np.random.default_rng(7)
        coarse = rng.integers(0, 255, (8, _SIZE[0] // 8 + 1, _SIZE[1] // 8 + 1, 3), np.uint8)
        pictures = coarse.repeat(8, axis=1).repeat(8, axis=2)[:, : _SIZE[0], : _SIZE[1]]
        return [_core.encode_jpeg(np.ascontiguousarray(picture), 90, True) for picture in pictures], True
    try:
        found = samples_of(find(data), on_failure=lambda *_: None)
        files = [file for file, *_ in itertools.islice(found, _PICTURES)]
    except (OSError, RuntimeError, ValueError):
        return [], False
    return [file for file in files if _is_picture(file)], False


def _is_picture(file):
    try:
        _core.peek_shape(file)
    except (RuntimeError, ValueError):
        return False
    return True


def _decoding(samples, workers, seconds=1.5, device="cpu"):
    """Pictures a second that are decoded and cropped from memory."""
    arrays = [np.frombuffer(sample, np.uint8) for sample in samples]
    batches = itertools.cycle(
        [[arrays[(first + i) % len(arrays)] for i in range(_BATCH)] for first in range(0, len(arrays), _BATCH)]
    )
    on_gpu = device == "mixed"
    with Pipeline(_BATCH, num_threads=workers, device_id=0 if on_gpu else None, on_error="zero") as pipe:
        pictures = fn.decoders.image(
            fn.external_source(source=batches, batch=True), device=device, output_type=types.RGB
        )
        pipe.set_outputs(fn.random_resized_crop(pictures, size=(_CROP, _CROP)))
    try:
        for _ in range(3):
            pipe.run()
        start, count = time.perf_counter(), 0
        while time.perf_counter() - start < seconds:
            last = pipe.run()[0]
            count += len(last)
        last.as_cpu()
        return count / (time.perf_counter() - start)
    finally:
        pipe.close()


def copy_rate(seconds=0.3):
    """Bytes a second from pinned memory to GPU 0, by the driver alone; None where there is none."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    context, device = ctypes.c_void_p(), ctypes.c_int()
    host, there = ctypes.c_void_p(), ctypes.c_uint64()
    size = ctypes.c_size_t(_COPIED)
    if driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(device), 0):
        return None
    if driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) or driver.cuCtxPushCurrent_v2(context):
        return None
    try:
        if driver.cuMemHostAlloc(ctypes.byref(host), size, 0) or driver.cuMemAlloc_v2(ctypes.byref(there), size):
            return None
        driver.cuMemcpyHtoD_v2(there, host, size)
        start, count = time.perf_counter(), 0
        while time.perf_counter() - start < seconds:
            if driver.cuMemcpyHtoD_v2(there, host, size):
                return None
            count += 1
        return count * _COPIED / (time.perf_counter() - start)
    finally:
        if there.value:
            driver.cuMemFree_v2(there)
        if host.value:
            driver.cuMemFreeHost(host)
        driver.cuCtxPopCurrent_v2(ctypes.byref(context))
        driver.cuDevicePrimaryCtxRelease_v2(device)


def _free_memory():
    with open("/proc/meminfo") as facts:
        return next(int(line.split()[1]) * 1024 for line in facts if line.startswith("MemAvailable"))


def lines(speeds):
    """What was measured, a line each."""
    disk = speeds.disk
    reads = f"{disk.where}: {disk.size / 1e9:.2f} GB"
    if disk.cold is None:
        yield f"disk of {reads}: not measured, its pages stay in memory (tmpfs, or a file system that keeps them)"
    else:
        yield f"disk of {reads}: {_bytes(disk.cold)}{_samples_of(disk.cold, speeds)}"
    yield (
        f"page cache: {_bytes(disk.warm)}{_samples_of(disk.warm, speeds)}; {disk.in_memory:.0%} of the data "
        f"{'that were tried ' if disk.files > 1 else ''}lay in memory, {speeds.memory / 1e9:.1f} GB are free for more"
    )
    if speeds.decode is None:
        yield "decoding: not measured, there are no pictures among the data"
    else:
        what = f"made pictures of {_SIZE[0]} x {_SIZE[1]}" if speeds.own else "pictures of the data"
        yield (
            f"decoding and cropping {what}: {speeds.decode:,.0f} a second on {speeds.cores} "
            f"core{'s' * (speeds.cores != 1)}, {speeds.decode_one:,.0f} on one"
        )
    if speeds.decode_gpu is not None:
        yield f"decoding them on GPU 0: {speeds.decode_gpu:,.0f} a second"
    if speeds.copy is not None:
        pictures = speeds.copy / (3 * _CROP * _CROP)
        yield f"copy to GPU 0: {_bytes(speeds.copy)}, {pictures:,.0f} pictures of {_CROP} x {_CROP} a second"


def _bytes(rate):
    return f"{rate / 1e9:.2f} GB/s" if rate >= 1e9 else f"{rate / 1e6:.0f} MB/s"


def _samples_of(rate, speeds):
    return f", {rate / speeds.sample_bytes:,.0f} samples a second" if speeds.sample_bytes and not speeds.own else ""


def verdict(speeds):
    """In words what will limit a loader here."""
    if speeds.decode is None:
        slow = speeds.disk.cold if speeds.disk.cold is not None else speeds.disk.warm
        return f"Reading limits at {_bytes(slow)}, unless the work on the samples takes longer."
    stages = {"decoding": max(speeds.decode, speeds.decode_gpu or 0)}
    if speeds.disk.cold is not None:
        stages["the disk"] = speeds.disk.cold / speeds.sample_bytes
    if speeds.copy is not None:
        stages["the copy to the GPU"] = speeds.copy / (3 * _CROP * _CROP)
    order = sorted(stages, key=stages.get)
    first = order[0]
    text = f"{first[0].upper()}{first[1:]} will limit, at {stages[first]:,.0f} samples a second"
    if len(order) > 1:
        ratio = stages[order[1]] / stages[first]
        near = ratio < _LEAST_GAIN
        text += f"; {order[1]} is {'as slow' if near else f'the next, at {ratio:,.1f} times that'}"
    return f"{text}. {_remedy(first, speeds, stages)}"


def _remedy(stage, speeds, stages):
    if stage == "the disk":
        fits = speeds.disk.size < speeds.memory
        if fits:
            return (
                f"The data fit into the free memory: from the second epoch on decoding limits, at "
                f"{stages['decoding']:,.0f}."
            )
        return "The data are larger than the free memory: pack small files (penstock pack), or use a faster disk."
    if stage == "decoding":
        if speeds.decode_gpu is not None and speeds.decode_gpu > speeds.decode * _LEAST_GAIN:
            return 'Decode on the GPU (device="mixed"), which that figure is of.'
        scaling = speeds.decode / (speeds.decode_one * speeds.cores)
        if scaling < 0.6:
            return (
                f"{speeds.cores} cores do {scaling:.0%} of what so many times one core would: others use them, or they "
                "share their units."
            )
        return "More cores, a GPU that decodes, or smaller files raise it."
    return 'Send bytes instead of floats: convert on the GPU (device="gpu").'
