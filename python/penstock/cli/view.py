"""Draws the pictures of a pipeline, or of a data set, into one PNG file.

WHAT is SCRIPT.py:function, where the function gives a pipeline's outputs (bare, or marked with @pipeline_def or
@data_iterator) or returns a Pipeline; or a folder: of pictures, of one folder a class, or an LMDB as `penstock pack`
makes it. Boxes, key points and masks are drawn on the pictures, each object in a colour of its own.

With --live a page shows the batches as they come, rates, what waits for what, the plan and the timeline, to this
machine alone. Ctrl-C ends it.
"""

import pathlib
import sys

import numpy as np

from .. import _sheet
from .._progress import Waiting, counted
from . import _labels, _live, _script


def add_arguments(parser):
    parser.add_argument("what", metavar="WHAT", help="SCRIPT.py:function, or a folder")
    parser.add_argument("--batches", type=int, default=1, help="how many batches to draw (default: 1)")
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("sheet.png"), help="default: sheet.png")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="an argument of the function; may be repeated"
    )
    _labels.add_arguments(parser)
    _live.add_arguments(parser)


def run(options):
    if options.live:
        if not pathlib.Path(options.what).is_dir():
            _script.parts_of(options.what)
        return _live.run(options, lambda: _loaded(options), drawn)
    with Waiting("opening the data "):
        pipeline, marks, names = _loaded(options)
        steps = [meta["steps_per_epoch"] for meta in pipeline.reader_facts().values() if meta["epoch_end"]]
    pictures, captions = [], []
    count = min([options.batches, *steps])  # readers would begin again
    for _ in counted(range(count), count, "drawing ", " batches"):
        try:
            outputs = pipeline.run()
        except StopIteration:
            break
        more, labels = drawn(outputs, marks, names)
        pictures += more
        captions += labels
    if not pictures:
        raise ValueError("the pipeline gave no batch; is its source empty?")
    for failure in pipeline.failures():
        print(f"{failure.source}: {failure.reason}", file=sys.stderr)
    _sheet.write_png(options.out, _sheet.contact_sheet(pictures, captions or None))
    print(f"{len(pictures)} pictures in {options.out}")
    return 0


def _loaded(options):
    """(pipeline, what is drawn on its pictures, names of the classes)"""
    folder = pathlib.Path(options.what)
    if folder.is_dir():
        pipeline, names = _script.of_folder(folder)
        return pipeline, _labels.Labels(options), names
    pipeline, function = _script.of_script(options.what, options.set)
    return pipeline, _labels.Labels(options, function), []


def drawn(outputs, marks, names=()):
    """(pictures, captions) of a batch: of its first output that is pictures and its first that is numbers."""
    outputs = [output.as_cpu() for output in outputs]
    pictures, where, labels = None, 0, []
    for number, output in enumerate(outputs):
        samples = [np.asarray(sample) for sample in output]
        seen = [_sheet.as_picture(sample, output.layout()) for sample in samples]
        if pictures is None and samples and all(picture is not None for picture in seen):
            pictures, where = seen, number
        elif not labels and all(sample.size and sample.ndim <= 1 for sample in samples):
            labels = [_label(sample.ravel()) for sample in samples]
    if pictures is None:
        shapes = ", ".join(f"{output.layout() or 'no layout'} {output.shape()[:1]}" for output in outputs)
        raise ValueError(f"no output of the pipeline is pictures (HWC, CHW or HW); it gives {shapes}")
    extents = [picture.shape[:2] for picture in pictures]
    captions = [names[label] if names and label < len(names) else label for label in labels]
    return marks.draw([_sheet.fitted(picture) for picture in pictures], outputs, where, extents), captions


def _label(values):
    one_hot = values.size > 1 and np.count_nonzero(values) == 1 and values.max() == 1
    value = values.argmax() if one_hot else values[0]
    return int(value) if float(value).is_integer() else round(float(value), 3)
