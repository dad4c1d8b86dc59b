"""Writes the index of a file of records, so that a reader need not look for each of them when it opens the file.

FILE is a tar archive, TFRecords or RecordIO. The index is what DALI's `wds2idx`, `tfrecord2idx` and `rec2idx` write,
for `index_paths` of `fn.readers.webdataset` and `index_path` of `fn.readers.tfrecord` and `fn.readers.mxnet`.
"""

import pathlib

from .._containers._indexes import write_index
from .._progress import Waiting


def add_arguments(parser):
    parser.add_argument("files", metavar="FILE", type=pathlib.Path, nargs="+")
    parser.add_argument(
        "--to", metavar="INDEX", type=pathlib.Path, help="the index of a single FILE (default: FILE with .idx)"
    )


def run(options):
    if options.to and len(options.files) > 1:
        raise ValueError(f"--to names one index, there are {len(options.files)} files")
    for path in options.files:
        with Waiting(f"reading {path.name} "):
            index, records = write_index(path, options.to)
        print(f"{index}: {records} records")
    return 0
