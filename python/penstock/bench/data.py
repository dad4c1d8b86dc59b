"""The files that loaders read: JPEG trees like ImageNet's, and an LMDB of digits. Made once, then kept."""

import pathlib
import tempfile

import numpy as np

from .. import _core, _font, fn, packing, pipeline_def, types
from .._containers._repack import repack
from .._progress import Waiting, counted

SETS = {"444": (96, False), "420": (95, True)}  # name -> (JPEG quality, whether chroma is halved)
_SIZES = [(375, 500), (333, 500), (500, 375), (300, 400), (400, 500), (500, 333), (480, 640)]
_OCTAVES = (2, 5, 13, 34, 89)  # values a side
_AT_ONCE = 32
_DIGITS = 60_000
KEPT = pathlib.Path(tempfile.gettempdir()) / "penstock-bench"  # where they are, unless something else is said


def add_arguments(parser):
    """Adds what says of which photographs files are made and where they are kept, and where to write all figures."""
    parser.add_argument("--photos", type=pathlib.Path, help="photographs, one folder a class, to make the files from")
    parser.add_argument(
        "--data", type=pathlib.Path, default=KEPT, help="where the files that are read are kept (default: %(default)s)"
    )
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="where to write all figures")


def picture_set(folder, name, count, photos=None):
    """A tree of `count` JPEGs of about 500 x 375, a hundred classes: regions of photographs, or noise without those.

    Photographs are shrunk (by 2 to 3 where they are large enough), so that a file's texture is a camera's and not that
    of the first JPEG's quantisation.
    """
    root = pathlib.Path(folder) / f"{name}-{count}-{'photos' if photos else 'noise'}"
    if not (root / "done").exists():
        quality, subsample = SETS[name]
        drawn = _regions(photos, count) if photos else _noise(count)
        for i, picture in enumerate(counted(drawn, count, "making pictures ")):
            path = root / "files" / f"n{i % 100:08d}" / f"{i:06d}.jpg"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_core.encode_jpeg(picture, quality, subsample))
        (root / "done").touch()
    return root / "files"


def packed(files, kind):
    """The same pictures in a container of that kind: one LMDB, or files of 250 records each."""
    out, done = files.parent / kind, files.parent / f"{kind}.done"
    if not done.exists():
        with Waiting(f"packing pictures as {kind} "):
            repack(files, out, kind, records=250)
        done.touch()
    return out


@pipeline_def(batch_size=_AT_ONCE, device_id=None)
def _resizing():
    pictures, sizes = (fn.external_source(name=name) for name in ("pictures", "sizes"))
    return fn.resize(fn.reshape(pictures, layout="HWC"), size=sizes, interp_type=types.INTERP_LANCZOS3)


def _regions(photos, count):
    """Regions of photographs, shrunk."""
    files = sorted(str(path) for path in pathlib.Path(photos).glob("*/*.jpg"))

    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def decoding():
        return fn.decoders.image(fn.readers.file(files=files)[0], output_type=types.RGB)

    decoder, resizer, rng = decoding(), _resizing(), np.random.default_rng(7)
    pictures = [np.array(decoder.run()[0].at(0)) for _ in files]
    for first in range(0, count, _AT_ONCE):
        numbers = range(first, min(first + _AT_ONCE, count))
        sizes = [_SIZES[rng.integers(len(_SIZES))] for _ in numbers]
        regions = [_region(pictures[i % len(files)], *size, rng) for i, size in zip(numbers, sizes, strict=True)]
        (shrunk,) = resizer.run(pictures=regions, sizes=np.array(sizes, np.float32))
        yield from (np.asarray(one) for one in shrunk)


def _region(picture, height, width, rng):
    room = min(picture.shape[0] / height, picture.shape[1] / width)
    if room < 1.3:
        picture = np.rot90(picture)
        room = min(picture.shape[0] / height, picture.shape[1] / width)
    scale = min(2 + rng.random(), room)
    extents = [int(height * scale), int(width * scale)]
    y, x = (rng.integers(0, picture.shape[axis] - extents[axis] + 1) for axis in (0, 1))
    return np.ascontiguousarray(picture[y : y + extents[0], x : x + extents[1]])


def _noise(count):
    """Smooth noise in octaves, with as much grain as gives files of ImageNet's size."""
    resizer, rng = _resizing(), np.random.default_rng(7)
    for _ in range(count):
        height, width = _SIZES[rng.integers(len(_SIZES))]
        octaves = [rng.normal(0, 60 / cells**0.5, (cells, cells, 3)).astype(np.float32) for cells in _OCTAVES]
        (smooth,) = resizer.run(pictures=octaves, sizes=np.tile(np.float32([height, width]), (len(octaves), 1)))
        grain = rng.standard_normal((height, width, 1), np.float32) * 4
        yield (128 + grain + sum(np.asarray(one) for one in smooth)).round().clip(0, 255).astype(np.uint8)


def digit_set(folder, mnist=None):
    """An LMDB of 60,000 JPEG digits of 28 x 28: MNIST's training set, or drawn ones without it."""
    root = pathlib.Path(folder) / ("mnist" if mnist else "digits")
    if not (root / "done").exists():
        names = ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz")
        with Waiting("packing digits "):
            if mnist:
                packing.pack_idx(*(pathlib.Path(mnist) / name for name in names), root / "lmdb")
            else:
                packing.pack_arrays(*_drawn_digits(_DIGITS), root / "lmdb")
        (root / "done").touch()
    return root / "lmdb"


def _drawn_digits(count):
    """(images, labels): digits in a caption's font, of any brightness, at any place."""
    rng = np.random.default_rng(7)
    labels, brightness = rng.integers(0, 10, count), rng.integers(160, 256, count)
    glyphs = np.stack([_font.draw(str(digit)).repeat(3, axis=0).repeat(3, axis=1) for digit in range(10)])
    height, width = glyphs.shape[1:]
    tops, lefts = rng.integers(0, 29 - height, count), rng.integers(0, 29 - width, count)
    images = np.zeros((count, 28, 28), np.uint8)
    for image, label, light, y, x in zip(images, labels, brightness, tops, lefts, strict=True):
        image[y : y + height, x : x + width] = glyphs[label] * light
    return images, labels
