"""Says what a data set is: how many samples, how large, which formats and labels, and what of it is damaged.

PATH is what `penstock pack` takes: a folder of pictures, an LMDB, or files of tar, TFRecord or Parquet; or files of
NumPy, or annotations in COCO's format (*.json). Every sample is read, its checksum compared where there is one, and
the header of its picture looked at. Indices that lie beside archives have to fit them, names in archives may not lead
out of their folder, and columns have one type in all files. The exit status is 1 where something is damaged.
"""

import collections
import contextlib
import pathlib

import numpy as np

from .. import _core, _sheet
from .._containers import count_of, ending_of, find, samples_of
from .._progress import Progress, Waiting
from . import _arrays, _coco, _damage

_SHOWN = 10  # damaged samples, and classes


def add_arguments(parser):
    parser.add_argument("path", metavar="PATH")
    parser.add_argument("--data", default="", help="column, feature or extension of the pictures, if it is not found")
    parser.add_argument("--label", default="", help="column, feature or extension of the labels, if it is not found")
    parser.add_argument("--images", metavar="FOLDER", help="of the pictures that annotations of COCO's format name")
    parser.add_argument("--limit", type=int, help="look at so many samples at most")
    parser.add_argument("--picture", type=pathlib.Path, metavar="FILE.png", help="draw some of the pictures")


def run(options):
    if options.path.endswith(".json"):
        return 0 if _coco.inspect(options.path, options.images, options.limit) else 1
    if _arrays.holds(options.path):
        return 0 if _arrays.inspect(options.path, options.limit) else 1
    with Waiting("opening the data set "):
        container = find(options.path, options.data, options.label)
    print(_what(container))
    found = _Found(options.limit)
    with Waiting("counting samples "):
        parts = [
            (part, _counted(part)) for part in [container.of_file(file) for file in container.files] or [container]
        ]
    total = sum(count for _, count in parts if isinstance(count, int))
    total = total if options.limit is None else min(total, options.limit)
    with Progress() as progress:
        progress(0, total)
        for part, count in parts:
            found.look_into(part, count, lambda samples, size: progress(samples, total, size))
    if options.limit is None:
        with Waiting("looking into the files "):
            for part, _ in parts:
                known = {source for source, _ in found.damaged}
                found.damaged += _damage.of_file(part, container.files[0] if container.files else None, known)
    for line in found.lines(container):
        print(line)
    if options.picture is not None:
        _draw(found.kept, container, options.picture)
    return 1 if found.damaged else 0


def _counted(part):
    """Samples of a container, or of one of its files; the error as a value, where that is damaged as a whole."""
    try:
        return count_of(part)
    except (OSError, RuntimeError, ValueError) as error:
        return error


def _what(container):
    names = {"folder": "a folder of pictures", "lmdb": "an LMDB of Caffe2's records", "tar": "WebDataset",
             "tfrecord": "TFRecord", "parquet": "Parquet"}  # fmt: skip
    files = f" in {len(container.files)} file{'s' * (len(container.files) > 1)}" if container.files else ""
    used = ", ".join(
        f'{what} in "{name}"' for what, name in (("pictures", container.data), ("labels", container.label)) if name
    )
    return f"{container.path}: {names[container.kind]}{files}{f' ({used})' if used else ''}"


class _Found:
    """What was seen of the samples."""

    def __init__(self, limit):
        self.sizes, self.formats, self.labels, self.shapes = [], collections.Counter(), collections.Counter(), []
        self.unlabelled = 0
        self.damaged = []  # (source, reason)
        self.kept = []  # (bytes, label) to draw
        self._limit = limit
        self._bytes = 0

    def look_into(self, part, count, progress):
        """Reads the samples of a container, or of one of its files, which may be damaged as a whole."""
        checked = {"check_crc": True} if part.kind in ("tfrecord", "parquet") else {}
        try:
            if isinstance(count, Exception):
                raise count
            for data, label, source in samples_of(
                part, on_failure=lambda *failure: self.damaged.append(failure), **checked
            ):
                if self._limit is not None and len(self.sizes) >= self._limit:
                    return
                self._add(data, label, source)
                self._bytes += len(data)
                progress(len(self.sizes), self._bytes)
        except (OSError, RuntimeError, ValueError) as error:
            self.damaged.append((part.files[0] if part.files else part.path, _damage.first_line(error)))

    def _add(self, data, label, source):
        self.sizes.append(len(data))
        self.formats[ending_of(data)] += 1
        if label is None:
            self.unlabelled += 1
        else:
            self.labels[label] += 1
        try:
            self.shapes.append(_core.peek_shape(data))
        except (RuntimeError, ValueError) as error:
            if ending_of(data) != "bin":
                self.damaged.append((source, _damage.first_line(error)))
            return
        self._keep(data, label)

    def _keep(self, data, label):
        """Some from everywhere, without knowing how many there are: each time twice as far apart."""
        seen = len(self.shapes) - 1
        if seen % self._stride == 0:
            self.kept.append((data, label))
        if len(self.kept) > 2 * self._MOST:
            self.kept = self.kept[::2]
            self._stride *= 2

    _MOST, _stride = 16, 1

    def lines(self, container):
        """The report."""
        sizes = np.array(self.sizes or [0])
        yield f"samples: {len(self.sizes):,}, {sizes.sum() / 1e6:,.1f} MB"
        if not self.sizes:
            return
        yield f"bytes of a sample: {sizes.min():,} to {sizes.max():,}, half of them up to {int(np.median(sizes)):,}"
        yield "formats: " + ", ".join(f"{name} {count:,}" for name, count in self.formats.most_common())
        if self.shapes:
            heights, widths = np.array([shape[:2] for shape in self.shapes]).T
            channels = sorted({shape[2] for shape in self.shapes})
            yield (
                f"pictures: {heights.min()} to {heights.max()} high, {widths.min()} to {widths.max()} wide, "
                f"channels: {', '.join(map(str, channels))}"
            )
        yield from self._label_lines(container.classes)
        yield from _damage.lines(self.damaged)

    def _label_lines(self, classes):
        if not self.labels:
            yield "labels: none"
            return
        counts = self.labels.values()
        without = f", {self.unlabelled:,} samples without" if self.unlabelled else ""
        yield (
            f"labels: {len(self.labels):,}, from {min(self.labels)} to {max(self.labels)}, of {min(counts):,} to "
            f"{max(counts):,} samples each{without}"
        )
        for label, count in sorted(self.labels.items())[:_SHOWN]:
            yield f"  {label}{f' ({classes[label]})' if 0 <= label < len(classes) else ''}: {count:,}"
        if len(self.labels) > _SHOWN:
            yield f"  and {len(self.labels) - _SHOWN:,} more"


def _draw(kept, container, path):
    pictures, captions = [], []
    for data, label in kept[:: max(1, len(kept) // 16)]:
        with contextlib.suppress(RuntimeError, ValueError):  # it was said what cannot be decoded
            pictures.append(_decoded(data))
            known = label is not None and 0 <= label < len(container.classes)
            captions.append(container.classes[label] if known else "" if label is None else label)
    if not pictures:
        raise ValueError("no sample is a picture that can be drawn")
    _sheet.write_png(path, _sheet.contact_sheet(pictures, captions))
    print(f"{len(pictures)} pictures in {path}")


def _decoded(data):
    from .. import Pipeline, fn, types

    with Pipeline(1, num_threads=1, device_id=None) as pipe:
        file = fn.external_source(source=[[np.frombuffer(data, np.uint8)]])
        pipe.set_outputs(fn.decoders.image(file, output_type=types.RGB))
    return np.array(pipe.run()[0].at(0))
