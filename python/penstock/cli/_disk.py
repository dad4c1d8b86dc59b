"""How fast the disk gives files, and the page cache: sampled files are read with and without it."""

import dataclasses
import os
import pathlib
import random
import tempfile
import threading
import time

_MOST_FILES = 20_000  # that are looked at to choose from
_BLOCK = 1 << 20  # bytes that one read takes of a file
_OWN_BYTES = 96 << 20  # of the file that is written where no data are named
_MOST_BLOCKS = 8192
_THREADS = 8  # that read at a time, as read-ahead does: a disk gives more to several


@dataclasses.dataclass(frozen=True)
class Disk:
    """What was found. Rates are in bytes a second; `cold` is None where pages could not be dropped."""

    where: str
    files: int  # that were read
    size: int  # bytes of the whole data set, as far as was looked
    in_memory: float  # share of the sampled blocks that the page cache held before
    cold: float | None
    warm: float


def measure(data=None, seconds=2.5, progress=lambda share: None):
    """The `Disk` that `data` lie on, a file or folder; without it the disk of the working folder, by a file of its own.

    Pages of the files that are read leave the page cache, and come back into it. `OSError` where nothing can be read.
    """
    if data is not None:
        return _of_files(str(data), _files(pathlib.Path(data)), seconds, progress)
    with tempfile.NamedTemporaryFile(dir=".", prefix=".penstock-doctor-") as file:
        for _ in range(_OWN_BYTES // _BLOCK):
            file.write(os.urandom(_BLOCK))
        file.flush()
        os.fsync(file.fileno())
        return _of_files(os.getcwd(), [(file.name, _OWN_BYTES)], seconds, progress)


def _files(path):
    """(path, bytes) of the files at `path`, or of the first that are met."""
    if path.is_file():
        return [(str(path), path.stat().st_size)]
    found = []
    for folder, _, names in os.walk(path):
        for name in names:
            file = os.path.join(folder, name)
            if not name.startswith(".") and os.path.isfile(file) and os.path.getsize(file):
                found.append((file, os.path.getsize(file)))
            if len(found) == _MOST_FILES:
                return found
    if not found:
        raise FileNotFoundError(f"{path} holds no files to read; name a folder or file of the data set")
    return found


def _of_files(where, files, seconds, progress):
    blocks = [(path, start) for path, size in files for start in range(0, size, _BLOCK)]
    random.Random(7).shuffle(blocks)
    some = blocks[:_MOST_BLOCKS]
    held = [_is_held(block) for block in some[:256]]
    for path in dict.fromkeys(path for path, _ in some):
        _drop(path)
    dropped = not any(_is_held(block) for block in some[:16])
    for path, _ in some[:16]:
        _drop(path)  # the question had the kernel read them
    progress(0.2)
    done, cold = _rate(some, seconds, _THREADS) if dropped else (some, None)
    progress(0.8)
    if cold is None:
        _rate(done, seconds / 4, 1)
    warm = _rate(done, seconds / 4, 1)[1]
    progress(1)
    size = sum(size for _, size in files)
    return Disk(where, len({path for path, _ in done}), size, sum(held) / len(held), cold, warm)


def _rate(blocks, seconds, threads):
    """(blocks that were read, bytes a second)"""
    start = time.perf_counter()
    left, done, sizes = iter(blocks), [], []  # each of them whole at any time: Python's lock sees to it

    def read():
        for block in left:
            sizes.append(_read(block))
            done.append(block)
            if time.perf_counter() - start >= seconds:
                return

    readers = [threading.Thread(target=read) for _ in range(threads)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    return done, sum(sizes) / (time.perf_counter() - start)


def _read(block):
    path, start = block
    with open(path, "rb", buffering=0) as file:
        return len(os.pread(file.fileno(), _BLOCK, start))


def _drop(path):
    with open(path, "rb", buffering=0) as file:
        os.fsync(file.fileno())  # what is not written yet stays in memory
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _is_held(block):
    """Whether the page cache has the beginning of a block: a read that may not wait finds it there."""
    path, start = block
    with open(path, "rb", buffering=0) as file:
        try:
            return os.preadv(file.fileno(), [bytearray(1)], start, os.RWF_NOWAIT) == 1
        except BlockingIOError:
            return False
        except OSError:  # a file system that does not know the question
            return True
