"""Says what Penstock finds on this machine, what is missing, and what to do about it.

With --measure, or DATA, it also measures for about ten seconds: the disk and the page cache, decoding on all cores and
on one, the copy to the GPU, and says which of them will limit. DATA are read from the disk: a part of their pages
leaves the page cache first.
"""

import ctypes
import importlib.metadata
import os
import pathlib
import platform

from .. import __version__, _core
from . import _speeds

OK, WARN, FAIL = "ok  ", "warn", "FAIL"


def add_arguments(parser):
    parser.add_argument(
        "data", metavar="DATA", nargs="?", type=pathlib.Path,
        help="data to measure with: a folder of pictures, an LMDB, tar, TFRecord or Parquet files",
    )  # fmt: skip
    parser.add_argument("--measure", action="store_true", help="measure without DATA: the working folder's disk")


def run(options):
    if options.data is not None and not options.data.exists():
        raise FileNotFoundError(f"there are no data at {options.data}")
    gpus = _gpus()
    findings = [
        (OK, f"Penstock {__version__} in {pathlib.Path(_core.__file__).parent}"),
        _python(),
        _numpy(),
        _framework("jax", "penstock.plugin.jax", gpus),
        _framework("torch", "penstock.plugin.pytorch", gpus),
        _cores(),
        _simd(),
        (OK, "picture formats: " + ", ".join(_core.formats())),
        *_libraries(),
        _sound(),
        _url_library(),
        _cache(),
        *_gpu_findings(gpus),
    ]
    for mark, text in findings:
        print(mark, text)
    usable = all(mark is not FAIL for mark, _ in findings)
    if usable and (options.measure or options.data is not None):
        speeds = _speeds.measure(options.data)
        for text in _speeds.lines(speeds):
            print(OK, text)
        print(_speeds.verdict(speeds))
    print("Penstock can be used here." if usable else "Penstock cannot be used here: see the lines marked FAIL.")
    return 0 if usable else 1


def _version(package):
    """Version of an installed package, without importing it; None when there is none."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _numbers(version):
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _python():
    version = platform.python_version()
    if _numbers(version) < (3, 11):
        return FAIL, f"Python {version} is too old; use 3.11 or later"
    return OK, f"Python {version}, {platform.machine()}, {platform.libc_ver()[0] or 'libc'} {platform.libc_ver()[1]}"


def _numpy():
    version = _version("numpy")
    if version is None or _numbers(version) < (1, 24):
        return FAIL, f"NumPy {version or 'is missing'}; run: pip install 'numpy>=1.24'"
    return OK, f"NumPy {version}"


def _framework(package, module, gpus):
    version = _version(package)
    if version is None:
        return WARN, f"{package} is not installed, which {module} needs; run: pip install {package}"
    if package == "jax" and gpus and not any(_version(f"jax-cuda{major}-plugin") for major in (12, 13)):
        return WARN, f"jax {version} sees no GPU, but there is one; run: pip install 'jax[cuda13]'"
    return OK, f"{package} {version}"


def _cores():
    usable, present, allowed = _core.usable_cores(), os.cpu_count(), len(os.sched_getaffinity(0))
    text = f"{usable} cores to work with"
    if os.environ.get("PENSTOCK_NUM_THREADS"):
        return OK, f"{text}, set by PENSTOCK_NUM_THREADS (the machine has {present})"
    if usable < allowed:
        return WARN, f"{text} of {allowed}: the container's CPU quota allows no more; raise it if data is awaited"
    if allowed < present:
        return WARN, f"{text} of {present}: this process is bound to them (taskset, Slurm's --cpus-per-task)"
    return OK, text


def _simd():
    target = _core.simd_target()
    if target in ("SCALAR", "EMU128", "SSE2"):
        return WARN, f"SIMD: {target} only; resizing is several times faster on a CPU with AVX2 or NEON"
    return OK, f"SIMD: {target}"


def _libraries():
    """The libraries that pictures go through, and what they do not read here."""
    found = _core.picture_libraries()
    yield OK, "picture libraries: " + ", ".join(f"{name} {version}" for name, version, _, _ in found if version)
    for name, version, lacks, why in found:
        if why:
            yield WARN, f"no {' and no '.join(lacks)}: {why}"
        elif lacks:
            newer = (
                " (version 3 does: build Penstock beside it, put it on LD_LIBRARY_PATH, or make wheel CODECS=1)"
                if "jpeg" in name
                else ""
            )
            yield WARN, f"{name} {version} does not read {', '.join(lacks)}{newer}"


def _sound():
    version, why = _core.sound_library()
    return (WARN, f"no sound: {why}") if why else (OK, f"sound library: libsndfile {version}")


def _url_library():
    """What files are read with whose names are URLs."""
    found = _core.url_library()
    if found.startswith("no "):
        return WARN, f"http://, https://, s3:// and gs:// cannot be read: {found}; run: apt install libcurl4"
    return OK, f"http://, https://, s3://, gs://: {found}"


def _cache():
    """What is kept of files on servers."""
    try:
        folder, held, limit, entries = _core.cache_fill()
    except (RuntimeError, ValueError) as error:
        return WARN, f"files on servers cannot be read: {error}"
    if not folder:
        return OK, "no cache of files on servers; PENSTOCK_CACHE_DIR names a folder for one"
    count = f"{entries:,} {'entry' if entries == 1 else 'entries'}"
    return OK, f"cache of files on servers: {folder}, {held / 1e6:,.1f} MB of {limit / 1e6:,.1f} MB in {count}"


def _gpus():
    """Names of the GPUs that NVIDIA's driver shows to this process; None without a driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    count, names = ctypes.c_int(), []
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return []
    for ordinal in range(count.value):
        device, name = ctypes.c_int(), ctypes.create_string_buffer(128)
        driver.cuDeviceGet(ctypes.byref(device), ordinal)
        driver.cuDeviceGetName(name, len(name), device)
        names.append(name.value.decode())
    return names


def _gpu_operators():
    if _core.gpu_count():
        return OK, f"Penstock {__version__} uses {_core.gpu_count()} of them"
    return WARN, f"pipelines run on the CPU all the same: {_core.why_no_gpu()}"


def _gpu_findings(gpus):
    if gpus is None:
        return [(OK, 'no NVIDIA driver (libcuda.so.1): device="mixed" and device="gpu" are served by the CPU')]
    if not gpus:
        return [(WARN, "an NVIDIA driver, but no GPU for this process; look at nvidia-smi and CUDA_VISIBLE_DEVICES")]
    found = ", ".join(f"{gpus.count(name)} x {name}" for name in dict.fromkeys(gpus))
    return [
        (OK, f"GPUs: {found}"),
        _gpu_operators(),
    ]
