"""Draws the pictures of a pipeline, or of a data set, into one PNG file.

WHAT is SCRIPT.py:function, where the function gives a pipeline's outputs (bare, or marked with @pipeline_def or
@data_iterator) or returns a Pipeline; or a folder: of pictures, of one folder a class, or an LMDB as `penstock pack`
makes it. Boxes, key points and masks are drawn on the pictures, each object in a colour of its own.
"""

import ast
import importlib.util
import inspect
import pathlib
import sys

import numpy as np

from .. import Pipeline, _sheet, fn, pipeline_def, types
from . import _labels

_BATCH = 32  # pictures on a sheet, where the pipeline does not say


def add_arguments(parser):
    parser.add_argument("what", metavar="WHAT", help="SCRIPT.py:function, or a folder")
    parser.add_argument("--batches", type=int, default=1, help="how many batches to draw (default: 1)")
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("sheet.png"), help="default: sheet.png")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="an argument of the function; may be repeated"
    )
    _labels.add_arguments(parser)


def run(options):
    folder = pathlib.Path(options.what)
    function, names = None, []
    if folder.is_dir():
        pipeline, names = _of_folder(folder)
    else:
        pipeline, function = _of_script(options.what, options.set)
    marks = _labels.Labels(options, function)
    pictures, captions = [], []
    steps = [meta["steps_per_epoch"] for meta in pipeline.reader_facts().values() if meta["epoch_end"]]
    for _ in range(min([options.batches, *steps])):  # readers would begin again
        try:
            outputs = pipeline.run()
        except StopIteration:
            break
        more, labels = _drawn(outputs, marks)
        pictures += more
        captions += [names[label] if names and label < len(names) else label for label in labels]
    if not pictures:
        raise ValueError("the pipeline gave no batch; is its source empty?")
    for failure in pipeline.failures():
        print(f"{failure.source}: {failure.reason}", file=sys.stderr)
    _sheet.write_png(options.out, _sheet.contact_sheet(pictures, captions or None))
    print(f"{len(pictures)} pictures in {options.out}")
    return 0


def _drawn(outputs, marks):
    """(pictures, labels) of a batch: of its first output that is pictures and its first that is numbers."""
    pictures, where, labels = None, 0, []
    for number, output in enumerate(outputs):
        samples = [np.asarray(sample) for sample in output]
        drawn = [_sheet.as_picture(sample, output.layout()) for sample in samples]
        if pictures is None and samples and all(picture is not None for picture in drawn):
            pictures, where = drawn, number
        elif not labels and all(sample.size and sample.ndim <= 1 for sample in samples):
            labels = [_label(sample.ravel()) for sample in samples]
    if pictures is None:
        shapes = ", ".join(f"{output.layout() or 'no layout'} {output.shape()[:1]}" for output in outputs)
        raise ValueError(f"no output of the pipeline is pictures (HWC, CHW or HW); it gives {shapes}")
    extents = [picture.shape[:2] for picture in pictures]
    return marks.draw([_sheet.fitted(picture) for picture in pictures], outputs, where, extents), labels


def _label(values):
    one_hot = values.size > 1 and np.count_nonzero(values) == 1 and values.max() == 1
    value = values.argmax() if one_hot else values[0]
    return int(value) if float(value).is_integer() else round(float(value), 3)


def _of_script(what, settings):
    """(pipeline, what the script calls by that name)"""
    script, _, name = what.rpartition(":")
    if not script:
        raise ValueError(f"{what} is no folder; name a pipeline as SCRIPT.py:function")
    if not pathlib.Path(script).is_file():
        raise FileNotFoundError(f"there is no script {script}")
    spec = importlib.util.spec_from_file_location(pathlib.Path(script).stem, script)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(pathlib.Path(script).resolve().parent))  # as if the script itself were run
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.path[0]
    if not hasattr(module, name):
        raise ValueError(f"{script} has no {name!r}")
    function = getattr(module, name)
    return _pipeline_of(function, dict(_setting(text) for text in settings)), function


def _setting(text):
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--set takes NAME=VALUE, got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return name, value  # a word that needs no quotes


def _pipeline_of(function, given):
    if isinstance(function, Pipeline):
        return function
    definition = inspect.unwrap(function)
    wanted = inspect.signature(definition).parameters
    given = {name: value for name, value in {"shard_id": 0, "num_shards": 1}.items() if name in wanted} | given
    missing = [name for name, one in wanted.items() if _must_be_given(one) and name not in given]
    if missing:
        raise ValueError(f"the function asks for {missing[0]!r}; give it with --set {missing[0]}=VALUE")
    if getattr(function, "_is_pipeline_def", False):
        pipeline = function(**given)
        return pipeline if pipeline.max_batch_size else function(batch_size=_BATCH, **given)
    with Pipeline(batch_size=_BATCH) as pipeline:
        made = definition(**given)
    if isinstance(made, Pipeline):
        return made
    pipeline.set_outputs(*(made if isinstance(made, (tuple, list)) else (made,)))
    return pipeline


def _must_be_given(parameter):
    return parameter.default is parameter.empty and parameter.kind not in (
        parameter.VAR_POSITIONAL,
        parameter.VAR_KEYWORD,
    )


def _of_folder(folder):
    """(pipeline, names of the classes) of a data set."""
    names = sorted(entry.name for entry in folder.iterdir() if entry.is_dir())

    @pipeline_def(batch_size=_BATCH, on_error="zero")
    def pictures():
        if (folder / "data.mdb").exists():
            files, labels = fn.readers.caffe2(path=str(folder), epoch_end="partial")
        elif names:
            files, labels = fn.readers.file(file_root=str(folder), random_shuffle=True, epoch_end="partial")
        else:
            files, labels = fn.readers.file(files=_pictures_in(folder), epoch_end="partial")
        return fn.decoders.image(files, output_type=types.RGB), labels

    return pictures(), names


def _pictures_in(folder):
    files = sorted(str(entry) for entry in folder.iterdir() if entry.is_file() and not entry.name.startswith("."))
    if not files:
        raise FileNotFoundError(f"there are no pictures in {folder}")
    return files
