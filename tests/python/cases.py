"""What any operator can be run with: inputs and arguments, made from its schema.

What a schema does not say with `.example()` and `.holds()` cannot be tested; a new kind of data for readers has its
maker at the end of this file.
"""

import dataclasses
import functools
import io
import pathlib

import coco
import numpy as np
import pytest
import records
import sounds

from penstock import fn, packing, types
from penstock._call import call
from penstock._schema import schemas

# How long an axis is, by its letter; axes without one in turn. Odd and different, so that swapped axes show.
_EXTENTS = {"H": 7, "W": 9, "D": 5, "F": 3, "C": 3}
_UNNAMED = (5, 6, 1)
_MAIN_TYPES = ("uint8", "float32")
_OTHER_TYPES = ("int8", "uint16", "int16", "int32", "int64", "float16", "float64", "bool")

# Operators that are no operators to be run on inputs.
LEFT_OUT = {
    "external_source": "gives all other operators their inputs here",
    "readers.mixture": "takes outputs of readers alone; see test_mixture.py",
    "consumer_step": "waits for the one who takes the batch; see test_jax_functions.py",
    "follow_masks": "takes masks as large as the geometry says; see test_follow.py",
    "follow_operator": "tells of the operator before it; see test_follow.py",
    "follow_file": "likewise of a decoder",
    "follow_source": "gives no picture of the layout that it takes; see test_follow.py",
}

# Arguments of an example that are others where the inputs are volumes.
_OF_VOLUMES = {"warp_affine": {"matrix": [0.8, -0.6, 0.1, 3.25, 0.6, 0.8, -0.1, -2.5, 0.1, -0.2, 0.9, 0.75]}}

# What an input holds, by what its schema says that it does. Functions of (number of the sample, form).
_HELD = {
    "jpeg": lambda i, form: _jpeg(i, form),
    "path": lambda i, form: np.frombuffer(__file__.encode(), np.uint8),
    "class": lambda i, form: np.int32(i % 7),
    "number": lambda i, form: np.float32(i),
    "count": lambda i, form: np.int32(9),
    "flag": lambda i, form: np.bool_(i % 2),
    "keys": lambda i, form: (np.arange(12).reshape(3, 4) + i % 7).astype(np.uint8),
    "filter": lambda i, form: np.float32([[0.5, -0.25, i % 3], [0.125, 0.25, -1]]),
    "extents": lambda i, form: np.int64([0 if form == "empty" and i == 0 else 480 + i, 640, 3]),
    "sensor": lambda i, form: np.random.default_rng(i).integers(0, 255, (6 + 2 * (i % 3), 8), np.uint8),
    "mapx": lambda i, form: np.float32(np.add.outer(np.arange(6) * 0.25, np.arange(8) * 1.25)) - np.float32(0.5 * i),
    "mapy": lambda i, form: np.float32(np.add.outer(np.arange(6) * 1.25, np.arange(8) * 0.5)) - np.float32(0.25 * i),
    "matrix": lambda i, form: np.float32([[1.5, 0.25, i], [-0.5, 2, 7]]),
    "boxes": lambda i, form: _boxes(i, form),
    "labels": lambda i, form: np.arange(len(_boxes(i, form)), dtype=np.int32) + 1,
    "points": lambda i, form: np.random.default_rng(i).random((_boxes(i, form).shape[0], 2), np.float32),
    "mask ids": lambda i, form: np.int32([2, 0][: 0 if form == "empty" and i == 0 else 1 + i % 2]),
    "polygons": lambda i, form: np.int32([[0, 0, 3], [1, 3, 7], [2, 7, 10]]),
    "vertices": lambda i, form: np.float32(np.arange(20).reshape(10, 2) + i),
    "signal": lambda i, form: _signal(i, form),
    "spectrogram": lambda i, form: _spectrogram(i, form),
    "sound": lambda i, form: _wav(i, form),
    "geometry": lambda i, form: np.float64(
        [
            [-2, 0, 0, 128],
            [0, 1, 0, i],
            [0, 0, 1, 0],
            [0, 0, 0, 1],
            [64, 48, 0, 2],
            [128, 48, 0, 2],
            [1, 0, 0, 0],
            [-1, 0, 0, 64],
            [0, 1, 0, 0],
            [0, -1, 0, 48],
        ]
    ),
    "npy": lambda i, form: np.frombuffer(records.npy(_matrix(i)), np.uint8)[
        : 0 if form == "empty" and i == 0 else None
    ],
}


def _boxes(i, form):
    """Left, top, right, bottom in parts of a picture."""
    count = {"empty": 0 if i == 0 else 2, "one": 1, "ragged": 1 + i % 3}.get(form, 2)
    low = np.random.default_rng(i).random((count, 2), np.float32) * np.float32(0.5)
    return np.hstack([low, low + np.float32(0.375)])


def _signal(i, form):
    """Samples of a sound."""
    count = {"empty": 0 if i == 0 else 50, "one": 1, "ragged": 40 + 7 * (i % 3)}.get(form, 50)
    return np.float32(0.5 * np.sin(np.arange(count) * (0.2 + 0.1 * i)))


def _spectrogram(i, form):
    """Frequencies x windows."""
    windows = {"empty": 0 if i == 0 else 5, "one": 1, "ragged": 3 + i % 3}.get(form, 5)
    return np.random.default_rng(i).random((9, windows), np.float32)


def _wav(i, form="plain"):
    """The bytes of a file of 16-bit samples; none at all for an empty sample."""
    if form == "empty" and i == 0:
        return np.zeros(0, np.uint8)
    return np.frombuffer(sounds.wav(np.int16(_signal(i, form) * 30000), rate=8000), np.uint8)


@dataclasses.dataclass(frozen=True)
class Input:
    """One input: `make(i)` is sample `i`, always the same. Samples have the forms of `FORMS`."""

    layout: str = ""
    dtype: str = "uint8"
    special: str = ""  # an entry of _HELD
    alike: bool = False  # all samples have the usual extents

    def make(self, i, form="plain"):
        if self.special:
            return np.asarray(_HELD[self.special](i, form))
        if self.alike:
            form = "plain"
        shape = tuple(FORMS[form](letter, _EXTENTS[letter], i) for letter in self.layout)
        shape = shape or tuple(FORMS[form](str(axis), extent, i) for axis, extent in enumerate(_UNNAMED))
        values = np.random.default_rng(i).integers(0, 2 if self.dtype == "bool" else 120, shape)
        return values.astype(self.dtype)


# The extent of an axis of sample i, from the axis's letter (or number) and usual extent.
FORMS = {
    "plain": lambda letter, extent, i: extent,
    "ragged": lambda letter, extent, i: extent if letter == "C" or extent == 1 else extent + i % 3,
    "empty": lambda letter, extent, i: 0 if i == 0 and letter in "H0" else extent,
    "one": lambda letter, extent, i: extent if letter == "C" else 1,
}


@dataclasses.dataclass(frozen=True)
class Case:
    """An operator with inputs of one layout and type."""

    op: str
    inputs: tuple

    def __str__(self):
        return " ".join([self.op, *(one.special or f"{one.layout or 'unlabelled'} {one.dtype}" for one in self.inputs)])

    @property
    def schema(self):
        return schemas()[self.op]

    def arguments(self, folder):
        """Arguments as they are written in a graph. `folder` takes the data of readers."""
        volumes = any("D" in one.layout for one in self.inputs)
        example = self.schema.example | (_OF_VOLUMES.get(self.op, {}) if volumes else {})
        return {name: self._value(name, value, folder) for name, value in example.items()}

    def _value(self, name, value, folder):
        if isinstance(value, dict):
            return _DATA[value["data"]](folder) if "data" in value else call(value["node"], [], {})
        kind = self.schema.args[name]["type"]
        if kind == "dict of str":
            return dict(value)  # JSON has it as pairs
        return getattr(types, kind)(value) if kind.startswith("DALI") else value

    def apply(self, nodes, folder, more=None):
        """The operator's outputs, a list of nodes; `more` are arguments added or replaced."""
        if self.op == "callback":  # needs a function, which only its Python face can bring
            made = fn.python_function(*nodes, function=lambda *arrays: arrays[0] + 1)
        else:
            made = call(self.op, list(nodes), {**self.arguments(folder), **(more or {})})
        if isinstance(made, dict):
            return list(made.values())
        return list(made) if isinstance(made, (list, tuple)) else [made]


def cases_of(op):
    """Every declared layout with the two main types, and the first with all types.

    Where any layout goes, there are cases without one, and with one that has regions.
    """
    declared = [one for one in schemas()[op].inputs if one["holds"] != "nothing"]
    alike = [one["holds"] == "alike" for one in declared for _ in _times(one)]
    fixed = [
        Input(special=one["holds"]) if one["holds"] not in ("", "alike") else None
        for one in declared for _ in _times(one)
    ]  # fmt: skip
    layouts = [layout for one in declared for layout in one["layouts"]] or ["", "HWC"]
    wanted = [(layout, dtype) for layout in layouts for dtype in _MAIN_TYPES]
    wanted += [(layouts[0], dtype) for dtype in _OTHER_TYPES]
    if None not in fixed:  # nothing varies
        wanted = wanted[:1]
    return [
        Case(op, tuple(one or Input(layout, dtype, "", same) for one, same in zip(fixed, alike, strict=True)))
        for layout, dtype in wanted
    ]


def _times(one):
    return range(2 if one["variadic"] else 1)


def all_operators():
    return [name for name in schemas() if name not in LEFT_OUT]


# Data of readers ------------------------------------------------------------------------------------------------------

_COUNT = 13  # no multiple of any batch size


@functools.cache
def _jpeg(i, form="plain"):
    """The bytes of a picture; none at all for an empty sample."""
    import PIL.Image

    if form == "empty" and i == 0:
        return np.zeros(0, np.uint8)
    height, width = {"one": (1, 1), "ragged": (24 + 8 * (i % 3), 40 - 8 * (i % 3))}.get(form, (24, 40))
    blocks = np.random.default_rng(i).integers(0, 255, (height // 8 + 1, width // 8 + 1, 3), np.uint8)
    pixels = np.kron(blocks, np.ones((8, 8, 1), np.uint8))[:height, :width]
    file = io.BytesIO()
    PIL.Image.fromarray(pixels).save(file, "JPEG", quality=92)
    return np.frombuffer(file.getvalue(), np.uint8)


def _once(make):
    """Data is made when a folder does not have it yet."""

    @functools.wraps(make)
    def made(folder):
        path = pathlib.Path(folder) / make.__name__.strip("_")
        if not path.exists():
            make(path)
        return str(path)

    return made


@_once
def _pictures(root):
    for i in range(_COUNT):
        folder = root / f"class {i % 3}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{i}.jpg").write_bytes(_jpeg(i, "ragged").tobytes())


@_once
def _records(path):
    """A file of records of 16 bytes."""
    path.write_bytes(np.random.default_rng(1).integers(0, 255, (_COUNT, 16), np.uint8).tobytes())


@_once
def _caffe2(path):
    pictures = path.with_name("pictures for caffe2")
    packing.pack_folder(_pictures(pictures.parent), path)


@_once
def _caffe(path):
    import lmdb

    with lmdb.open(str(path), map_size=1 << 20) as database, database.begin(write=True) as records:
        for i in range(_COUNT):
            records.put(f"{i:08}".encode(), datum(_jpeg(i, "ragged").tobytes(), label=i))


@_once
def _tfrecord(path):
    records.write_tfrecords(path, [{"image": _jpeg(i, "ragged").tobytes(), "label": i} for i in range(_COUNT)])


@_once
def _webdataset(path):
    pictures = [(f"{i}.jpg", _jpeg(i, "ragged").tobytes()) for i in range(_COUNT)]
    records.write_tar(path, [one for i, picture in enumerate(pictures) for one in (picture, (f"{i}.cls", b"%d" % i))])


def _table():
    pyarrow = pytest.importorskip("pyarrow")
    pictures = [_jpeg(i, "ragged").tobytes() for i in range(_COUNT)]
    return pyarrow.table({"image": pictures, "label": pyarrow.array(range(_COUNT), "int32")})


@_once
def _parquet(path):
    table = _table()
    import pyarrow.parquet

    pyarrow.parquet.write_table(table, path, row_group_size=5)


@_once
def _arrow(path):
    table = _table()
    import pyarrow

    with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table, max_chunksize=5)


@_once
def _recordio(path):
    records.write_recordio(path, [(_jpeg(i, "ragged").tobytes(), [float(i)]) for i in range(_COUNT)])


@_once
def _frames(root):
    for i in range(_COUNT + 4):
        folder = root / f"video {i % 2}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{i:02}.jpg").write_bytes(_jpeg(i).tobytes())


@_once
def _coco(folder):
    coco.write(folder, coco.annotations(_COUNT), lambda i: _jpeg(i, "ragged").tobytes())


@_once
def _arrays(root):
    root.mkdir()
    for i in range(_COUNT):
        (root / f"{i:02}.npy").write_bytes(records.npy(_matrix(i)))


@_once
def _speech(folder):
    folder.mkdir()
    lines = []
    for i in range(_COUNT):
        (folder / f"{i}.wav").write_bytes(_wav(i, "ragged").tobytes())
        lines.append({"audio_filepath": str(folder / f"{i}.wav"), "text": f"number {i}"})
    sounds.write_manifest(folder / "manifest.json", lines)


def _matrix(i):
    """Each second one is in Fortran order."""
    return np.array(np.arange(20).reshape(4, 5) + i, np.int16, order="CF"[i % 2])


def datum(encoded, label):
    """Caffe's record with a JPEG of fewer than 2^21 bytes: data (field 4), label (5), encoded (7)."""
    length = bytes([len(encoded) & 0x7F | 0x80, len(encoded) >> 7 & 0x7F | 0x80, len(encoded) >> 14])
    return b"\x22" + length + encoded + b"\x28" + bytes([label]) + b"\x38\x01"


def _new_folder(folder):
    new = pathlib.Path(folder, "new")
    new.mkdir(exist_ok=True)
    return str(new)


# What `.example()` of a reader, or of what writes, asks for.
_DATA = {
    "pictures": _pictures, "records": _records, "caffe": _caffe, "caffe2": _caffe2, "tfrecord": _tfrecord,
    "parquet": _parquet, "arrow": _arrow, "webdataset": _webdataset, "arrays": _arrays, "recordio": _recordio,
    "frames": _frames,
    "speech": lambda folder: [_speech(folder) + "/manifest.json"],
    "coco": lambda folder: _coco(folder) + "/annotations.json",
    "coco pictures": lambda folder: _coco(folder) + "/pictures",
    "new folder": lambda folder: _new_folder(folder),
}  # fmt: skip
