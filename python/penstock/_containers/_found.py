"""What kind of data set lies somewhere, and the reader that gives its files and labels."""

import dataclasses
import glob
import os
import re

from .. import _core, _tables, fn
from .._schema import schemas
from ._records import features_of

_TAR = re.compile(r"\.(tar|tar\.gz|tgz|tar\.zst)$")
_TFRECORD = re.compile(r"\.(tfrecords?|tfrec)(-\d+-of-\d+)?$|-\d{5}-of-\d{5}$")
_PICTURES = ("jpg", "jpeg", "png", "webp", "tif", "tiff", "bmp", "ppm", "pgm")
_DATA_NAMES = ("image", "img", "image/encoded", "image_raw", "picture", "jpg", "png", "audio", "bytes", "data")
_LABEL_NAMES = ("label", "labels", "image/class/label", "class", "cls", "target", "fine_label")


@dataclasses.dataclass(frozen=True)
class Container:
    """A data set that was found: `read(**options)` gives nodes of files and labels, the latter None where it has none.

    `files` are those that it lies in, none for a folder of pictures and a database; `classes` are names of labels.
    """

    kind: str
    path: str
    arguments: dict
    files: tuple = ()
    classes: tuple = ()
    data: str = ""
    label: str = ""

    def of_file(self, file):
        """The same data set in one of its files alone."""
        where = "paths" if self.kind == "tar" else "path"
        return dataclasses.replace(self, arguments={**self.arguments, where: [file]}, files=(file,))

    def read(self, **options):
        """Nodes of the files and of the labels, in a definition. `options` are those of readers."""
        options = {**self.arguments, **options}
        if self.kind == "folder":
            return fn.readers.file(**options)
        if self.kind == "lmdb":
            return fn.readers.caffe2(**options)
        if self.kind == "tar":
            made = fn.readers.webdataset(**options)
            return made if isinstance(made, (list, tuple)) else (made, None)
        made = (fn.readers.tfrecord if self.kind == "tfrecord" else fn.readers.parquet)(**options)
        return made[self.data], made.get(self.label)


def find(path, data="", label=""):
    """The `Container` at `path`: a folder, a file, or a pattern of files.

    `data` and `label` are names of features, columns or extensions, where they are not the usual ones. `ValueError`
    where nothing is found, or no such names; `OSError` for what cannot be read.
    """
    path = os.fspath(path)
    if os.path.isdir(path):
        files = [file for file in _below(path) if _kind_of(file)]
        if os.path.exists(os.path.join(path, "data.mdb")):
            return Container("lmdb", path, {"path": path})
        return _of_files(path, files, data, label) if files else _folder(path)
    files = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    if not files:
        raise FileNotFoundError(f"{path} does not exist, and no file matches it")
    return _of_files(path, files, data, label)


def _below(path):
    return sorted(
        os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names if not name.startswith(".")
    )


def _kind_of(file):
    if _TAR.search(file):
        return "tar"
    if file.endswith(".parquet"):
        return "parquet"
    return "tfrecord" if _TFRECORD.search(file) else None


def _of_files(path, files, data, label):
    kinds = {_kind_of(file) for file in files}
    if None in kinds or len(kinds) > 1:
        raise ValueError(
            f"{path} is no data set that is known: a folder of one folder a class, an LMDB of Caffe2's records, or "
            "files of one kind, *.tar (also .gz, .zst), *.tfrecord or *.parquet"
        )
    return {"tar": _tar, "parquet": _parquet, "tfrecord": _tfrecord}[kinds.pop()](path, files, data, label)


def _folder(path):
    classes = sorted(entry.name for entry in os.scandir(path) if entry.is_dir())
    if classes:
        return Container("folder", path, {"file_root": path}, classes=tuple(classes))
    patterns = schemas()["readers.file"].args["file_filters"]["default"]
    endings = tuple(pattern.lstrip("*") for pattern in patterns)
    files = [entry.name for entry in os.scandir(path) if entry.name.lower().endswith(endings)]
    if not files:
        raise ValueError(f"there are neither pictures in {path} nor files of records")
    return Container("folder", path, {"file_root": path, "files": sorted(files)})


def _chosen(what, names, given, usual, path):
    """The name that was given, or the first usual one. `ValueError` where it is not there."""
    if given:
        if given not in names:
            raise ValueError(f'{path} has no {what} "{given}"; it has {", ".join(names)}')
        return given
    return next((name for name in usual if name in names), "")


def _needed(chosen, what, names, path):
    if not chosen:
        raise ValueError(f"{path} has the {what}s {', '.join(names) or '(none)'}; say with --data which is the picture")
    return chosen


def _tar(path, files, data, label):
    extensions = []
    first = files[0]
    for member in _core.first_tar_members(first, 64):
        stem, dot, extension = os.path.basename(member).partition(".")
        if dot and stem and extension not in extensions:
            extensions.append(extension)
        if len(extensions) >= 32:
            break
    data = _chosen("extension", extensions, data, (*_PICTURES, *_DATA_NAMES), first)
    pictures = [one for one in extensions if one in _PICTURES] or [data]
    data = _needed(data, "extension", extensions, first)
    label = _chosen("extension", extensions, label, _LABEL_NAMES, first)
    ext = [";".join(pictures) if data in _PICTURES else data, *([label] if label else [])]
    arguments = {"paths": files, "ext": ext, "missing_component_behavior": "empty"}
    return Container("tar", path, arguments, tuple(files), data=data, label=label)


def _parquet(path, files, data, label):
    _tables.need_pyarrow()
    import pyarrow.parquet
    from pyarrow import types

    schema = pyarrow.parquet.read_schema(files[0])
    kinds = {name: _tables.plain(schema.field(name).type) for name in schema.names}
    held = [
        name for name, kind in kinds.items()
        if _tables.is_file(kind) or types.is_binary(kind) or types.is_large_binary(kind)
    ]  # fmt: skip
    numbers = [name for name, kind in kinds.items() if types.is_integer(kind)]
    data = _chosen("column", schema.names, data, [name for name in _DATA_NAMES if name in held] or held, files[0])
    data = _needed(data, "column", schema.names, files[0])
    usual = [name for name in _LABEL_NAMES if name in numbers] or numbers[:1]
    label = _chosen("column", schema.names, label, usual, files[0])
    columns = [data, *([label] if label else [])]
    return Container("parquet", path, {"path": files, "columns": columns}, tuple(files), data=data, label=label)


def _tfrecord(path, files, data, label):
    features = features_of(files[0])
    names = list(features)
    held = [name for name, kind in features.items() if kind == "string"]
    numbers = [name for name, kind in features.items() if kind == "int64"]
    data = _chosen("feature", names, data, [name for name in _DATA_NAMES if name in held] or held[:1], files[0])
    data = _needed(data, "feature", names, files[0])
    label = _chosen(
        "feature", names, label, [name for name in _LABEL_NAMES if name in numbers] or numbers[:1], files[0]
    )
    wanted = {data: "string[]", **({label: "int64[...]"} if label else {})}
    return Container("tfrecord", path, {"path": files, "features": wanted}, tuple(files), data=data, label=label)
