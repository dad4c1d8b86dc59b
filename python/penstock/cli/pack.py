"""Packs pictures into one LMDB that fn.readers.caffe2 reads.

SOURCE is a folder with one folder of pictures a class, or an IDX file of images such as MNIST's, plain or .gz.
"""

import pathlib

from .. import packing


def add_arguments(parser):
    parser.add_argument("source", metavar="SOURCE", type=pathlib.Path)
    parser.add_argument("out", metavar="OUT", type=pathlib.Path, help="folder of the new database")
    parser.add_argument(
        "--labels",
        type=pathlib.Path,
        help='of a folder: a file of lines "path label"; of an IDX file: the IDX file of its labels (default: the file '
        "beside it that is called so)",
    )
    parser.add_argument("--quality", type=int, default=95, help="of JPEGs made from IDX, 1 to 100 (default: 95)")


def run(options):
    source = options.source
    if not source.exists():
        raise FileNotFoundError(f"{source} does not exist; give a folder of pictures or an IDX file")
    if source.is_dir():
        count = packing.pack_folder(source, options.out, options.labels)
    else:
        count = packing.pack_idx(source, options.labels or _labels_of(source), options.out, options.quality)
    print(f"{count} pictures packed into {options.out}: fn.readers.caffe2(path={str(options.out)!r})")
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
