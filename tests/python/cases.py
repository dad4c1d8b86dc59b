"""What any operator can be run with: inputs and arguments, made from its schema.

A new operator needs an entry below only where its schema does not say enough: an argument without a default, or an
input that is not just any tensor of its layouts.
"""

import dataclasses
import functools
import io
import pathlib

import numpy as np

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
    "handover": "waits for the one who takes the batch; see test_jax_functions.py",
}

# What an operator is given besides inputs: arguments that have no default, or without which it does next to nothing.
# A function is called while the graph is written (nodes), or with a folder for data (readers).
_ARGUMENTS = {
    "arithmetic": {"op": "add", "operands": ["&", "&"]},
    "_subscript_dim_check": {"num_subscripts": 1},
    "_tensor_subscript": {"num_subscripts": 1, "lo_0": 0, "hi_0": -1},
    "brightness": {"brightness": 0.7, "brightness_shift": 0.1},
    "brightness_contrast": {"brightness": 0.7, "contrast": 1.3},
    "cast": {"dtype": types.INT16},
    "color_space_conversion": {"image_type": types.RGB, "output_type": types.YCbCr},
    "color_twist": {"hue": 40.0, "saturation": 1.4, "brightness": 0.8, "contrast": 1.2},
    "constant": {"idata": [1, 2, 3], "shape": [3], "dtype": types.INT32},
    "contrast": {"contrast": 1.4},
    "crop": {"crop_h": 4, "crop_w": 5},
    "crop_mirror_normalize": {"crop_h": 4, "crop_w": 5, "mirror": 1, "mean": [90.0], "output_layout": ""},
    "decoders.image_crop": {"crop_h": 10, "crop_w": 12},
    "decoders.image_slice": {"rel_start": [0.2, 0.1], "rel_shape": [0.5, 0.6]},
    "expand_dims": {"axes": [0]},
    "fast_resize_crop_mirror": {"resize_x": 8, "resize_y": 6, "crop_h": 4, "crop_w": 5, "mirror": 1},
    "flip": {"horizontal": 1, "vertical": 1},
    "full": {"shape": [2, 3]},
    "get_property": {"key": "layout"},
    "hsv": {"hue": 40.0, "saturation": 1.4},
    "hue": {"hue": 40.0},
    "one_hot": {"num_classes": 5},
    "ones": {"shape": [2, 3]},
    "permute_batch": {"indices": lambda: fn.batch_permutation(seed=3)},
    "random_resized_crop": {"size": [5, 4]},
    "reinterpret": {"src_dims": [1, 0, 2]},
    "reshape": {"src_dims": [1, 0, 2]},
    "readers.caffe": {"path": lambda folder: _caffe(folder)},
    "readers.caffe2": {"path": lambda folder: _caffe2(folder)},
    "readers.file": {"file_root": lambda folder: _files(folder)},
    "resize": {"resize_x": 5, "resize_y": 11},
    "resize_crop_mirror": {"resize_x": 8, "resize_y": 6, "crop_h": 4, "crop_w": 5, "mirror": 1},
    "saturation": {"saturation": 1.4},
    "slice": {"rel_start": [0.2, 0.1], "rel_shape": [0.5, 0.6]},
    "squeeze": {"axes": [2]},
    "zeros": {"shape": [2, 3]},
}  # fmt: skip

# Inputs that must hold something certain, by name; None: left out. Functions of (number of the sample, form).
_INPUTS = {
    "encoded": lambda i, form: _jpeg(i, form),
    "labels": lambda i, form: np.int32(i % 7),
    "fill_value": lambda i, form: np.float32(i),
    "a": lambda i, form: np.int32(9),
    "anchor": None,  # with `shape_input` another spelling of the arguments `start` and `shape`
    "shape_input": None,
}


@dataclasses.dataclass(frozen=True)
class Input:
    """One input: `make(i)` is sample `i`, always the same. Samples have the forms of `FORMS`."""

    layout: str = ""
    dtype: str = "uint8"
    special: str = ""  # an entry of _INPUTS

    def make(self, i, form="plain"):
        if self.special:
            return np.asarray(_INPUTS[self.special](i, form))
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
        given = {}
        for name, value in _ARGUMENTS.get(self.op, {}).items():
            if callable(value):
                value = value(folder) if self.schema.kind == "reader" else value()
            given[name] = value
        return given

    def apply(self, nodes, folder, more=None):
        """The operator's outputs, a list of nodes; `more` are arguments added or replaced."""
        if self.op == "callback":  # needs a function, which only its Python face can bring
            made = fn.python_function(*nodes, function=lambda *arrays: arrays[0] + 1)
        else:
            made = call(self.op, list(nodes), {**self.arguments(folder), **(more or {})})
        return list(made) if isinstance(made, (list, tuple)) else [made]


def cases_of(op):
    """Every declared layout with the two main types, and the first with all types.

    Where any layout goes, there are cases without one, and with one that has regions.
    """
    declared = [one for one in schemas()[op].inputs if _INPUTS.get(one["name"], one) is not None]
    fixed = [Input(special=one["name"]) if one["name"] in _INPUTS else None for one in declared for _ in _times(one)]
    layouts = [layout for one in declared for layout in one["layouts"]] or ["", "HWC"]
    wanted = [(layout, dtype) for layout in layouts for dtype in _MAIN_TYPES]
    wanted += [(layouts[0], dtype) for dtype in _OTHER_TYPES]
    if None not in fixed:  # nothing varies
        wanted = wanted[:1]
    return [Case(op, tuple(one or Input(layout, dtype) for one in fixed)) for layout, dtype in wanted]


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
def _files(root):
    for i in range(_COUNT):
        folder = root / f"class {i % 3}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{i}.jpg").write_bytes(_jpeg(i, "ragged").tobytes())


@_once
def _caffe2(path):
    pictures = path.with_name("pictures for caffe2")
    packing.pack_folder(_files(pictures.parent), path)


@_once
def _caffe(path):
    import lmdb

    with lmdb.open(str(path), map_size=1 << 20) as database, database.begin(write=True) as records:
        for i in range(_COUNT):
            records.put(f"{i:08}".encode(), datum(_jpeg(i, "ragged").tobytes(), label=i))


def datum(encoded, label):
    """Caffe's record with a JPEG of fewer than 2^21 bytes: data (field 4), label (5), encoded (7)."""
    length = bytes([len(encoded) & 0x7F | 0x80, len(encoded) >> 7 & 0x7F | 0x80, len(encoded) >> 14])
    return b"\x22" + length + encoded + b"\x28" + bytes([label]) + b"\x38\x01"
