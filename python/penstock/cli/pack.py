"""Packs pictures with labels from one kind of container into another, shard by shard.

SOURCE is a folder with one folder of pictures a class; an LMDB as this command makes it; *.tar (WebDataset, also .gz
and .zst), *.tfrecord or *.parquet files (one, a folder of them, or a pattern in quotes); or an IDX file of images such
as MNIST's, plain or .gz. OUT is a new folder. A run that was ended goes on where it was when it is started again.
"""

import os
import pathlib

from .. import packing
from .._containers import KINDS, find
from .._containers._repack import repack
from .._progress import Progress, Waiting

_READERS = {
    "lmdb": "fn.readers.caffe2(path={out!r})",
    "tar": 'fn.readers.webdataset(paths=sorted(glob.glob("{out}/*.tar")), ext=["jpg;png", "cls"])',
    "tfrecord": 'fn.readers.tfrecord(path=sorted(glob.glob("{out}/*.tfrecord")), '
    'features={{"image": "string[]", "label": "int64[]"}})',
    "parquet": 'fn.readers.parquet(path={out!r}, columns=["image", "label"])',
    "folder": "fn.readers.file(file_root={out!r})",
}


def add_arguments(parser):
    parser.add_argument("source", metavar="SOURCE")
    parser.add_argument("out", metavar="OUT", type=pathlib.Path, help="folder of the new data set")
    parser.add_argument("--to", choices=KINDS, default="lmdb", help="kind of the new data set (default: lmdb)")
    parser.add_argument(
        "--labels",
        type=pathlib.Path,
        help='of a folder: a file of lines "path label"; of an IDX file: the IDX file of its labels (default: the file '
        "beside it that is called so)",
    )
    parser.add_argument("--quality", type=int, default=95, help="of JPEGs made from IDX, 1 to 100 (default: 95)")
    parser.add_argument("--data", default="", help="column, feature or extension of the pictures, if it is not found")
    parser.add_argument("--label", default="", help="column, feature or extension of the labels, if it is not found")
    parser.add_argument("--records", type=int, default=10_000, help="samples in a file, but for lmdb (default: 10,000)")
    parser.add_argument(
        "--processes", type=int, default=min(4, os.cpu_count() or 1), help="that write files (default: up to 4)"
    )
    parser.add_argument(
        "--skip-damaged", action="store_true", help="leave out samples that cannot be read, and say which"
    )


def run(options):
    source = pathlib.Path(options.source)
    for name in ("records", "processes"):
        if getattr(options, name) < 1:
            raise ValueError(f"--{name} must be 1 or more, got {getattr(options, name)}")
    if source.is_file() and ("idx" in source.name or options.labels):
        _for_lmdb_alone(options)
        labels = options.labels or _labels_of(source)
        with Waiting("packing "):
            count = packing.pack_idx(source, labels, options.out, options.quality)
        return _said(count, options)
    if options.labels:
        _for_lmdb_alone(options)
        with Waiting("packing "):
            count = packing.pack_folder(source, options.out, options.labels)
        return _said(count, options)
    with Waiting("opening the data set "):
        _check(options)
    progress = Progress()
    try:
        count, failures = repack(
            options.source, os.fspath(options.out), options.to, data=options.data, label=options.label,
            records=options.records, processes=options.processes, skip_damaged=options.skip_damaged, progress=progress,
        )  # fmt: skip
    except KeyboardInterrupt:
        progress.end()
        print(f"stopped; the same command goes on from here, removing {options.out} begins anew")
        raise
    finally:
        progress.end()
    for place, reason in failures:
        print(f"left out {place}: {reason}")
    return _said(count, options)


def _check(options):
    """Refuses what cannot be packed before there is a folder."""
    container = find(options.source, options.data, options.label)
    if container.kind == "folder" and not container.classes:
        raise ValueError(
            f"{options.source}: pictures lie in one folder a class, unless a list of labels (--labels) says which"
        )


def _for_lmdb_alone(options):
    if options.to != "lmdb":
        raise ValueError(f"IDX files and lists of labels are packed into an LMDB first; leave --to {options.to} out")


def _said(count, options):
    reader = _READERS[options.to].format(out=str(options.out))
    print(f"{count} pictures packed into {options.out}: {reader}")
    return 0


def _labels_of(images):
    """MNIST's names: train-images-idx3-ubyte.gz has its labels in train-labels-idx1-ubyte.gz."""
    name = images.name.replace("images", "labels").replace("idx3", "idx1")
    if name == images.name:
        raise ValueError(f"{images} is not called as MNIST's images are; name the file of labels with --labels")
    for path in (images.with_name(name), images.with_name(name.removesuffix(".gz")), images.with_name(name + ".gz")):
        if path.exists():
            return path
    raise FileNotFoundError(f"there is no {images.with_name(name)}; name the file of labels with --labels")
