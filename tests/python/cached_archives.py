"""Archives on a server, and programs that read them through the cache."""

import hashlib
import pathlib
import subprocess
import sys

import numpy as np
import records

from penstock import Pipeline, fn


def members(count, size, seed=0):
    """Records of an archive that no two have in common."""
    data = np.random.default_rng(seed)
    return [(f"{i:05}.jpg", data.bytes(size)) for i in range(count)]


def archive(folder, name, of):
    """Bytes of a tar and of its index, by paths on a server."""
    tar = pathlib.Path(records.write_tar(folder / f"{name}.tar", of))
    index = tar.with_suffix(".idx")
    places, at = [], 0
    for member, data in of:
        places.append(f"jpg {at + 512} {len(data)} {member}")
        at += 512 + (len(data) + 511) // 512 * 512
    index.write_text(f"v1.2 {len(of)}\n" + "\n".join(places) + "\n")
    return {f"/{name}.tar": tar.read_bytes(), f"/{name}.idx": index.read_bytes()}


def contents(*outputs, batch_size=8, epochs=1):
    with Pipeline(batch_size, 2, device_id=None) as pipe:
        pipe.set_outputs(*outputs)
    pipe.build()
    steps = epochs * pipe.reader_facts("Reader")["steps_per_epoch"]
    return [np.array(sample).tobytes() for _ in range(steps) for sample in pipe.run()[0]]


def read_archives(url, names, epochs=1, **options):
    paths, indices = ([f"{url}/{name}.{kind}" for name in names] for kind in ("tar", "idx"))
    return contents(
        fn.readers.webdataset(
            paths=paths, index_paths=indices, ext="jpg", name="Reader", epoch_end="partial", **options
        ),
        epochs=epochs,
    )


def read_files(urls, epochs=1):
    return contents(*fn.readers.file(files=urls, name="Reader", epoch_end="partial"), epochs=epochs)


def values(of):
    return [data for _, data in of]


def held(cache):
    """Bytes of the cache, and what it consists of; files may vanish meanwhile."""
    sizes = {}
    for path in cache.iterdir():
        try:
            sizes[path.name] = path.stat().st_size
        except FileNotFoundError:
            continue
    return sum(size for name, size in sizes.items() if not name.endswith(".room")), sizes


READ = """
import sys, hashlib
import numpy as np
from penstock import Pipeline, fn
url, names = sys.argv[1], sys.argv[2].split(",")
with Pipeline(8, 2, device_id=None) as pipe:
    pipe.set_outputs(
        fn.readers.webdataset(
            paths=[f"{url}/{n}.tar" for n in names], index_paths=[f"{url}/{n}.idx" for n in names],
            ext="jpg", name="Reader", epoch_end="partial"
        )
    )
pipe.build()
all = hashlib.md5()
print("begun", flush=True)
for _ in range(pipe.reader_facts("Reader")["steps_per_epoch"]):
    for sample in pipe.run()[0]:
        all.update(np.array(sample).tobytes())
print(all.hexdigest())
"""


def start(url, names, **options):
    return subprocess.Popen(
        [sys.executable, "-c", READ, url, ",".join(names)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


def digest_of(of):
    return hashlib.md5(b"".join(values(of))).hexdigest()
