"""Writers of each kind of container: one file of it, or a folder. Nothing has its name before it is complete."""

import io
import os
import tarfile

from .. import _tables
from ._records import framed_example

_ROW_GROUP_BYTES = 16 << 20  # of pictures in a row group of Parquet: what a shuffle decodes at a time
_ROW_GROUP_ROWS = 1000
_MAGIC = {
    b"\xff\xd8\xff": "jpg", b"\x89PNG": "png", b"RIFF": "webp", b"II*\0": "tif", b"MM\0*": "tif", b"BM": "bmp",
    b"P6": "ppm", b"P5": "pgm", b"GIF8": "gif", b"\0\0\0\x0cjP": "jp2", b"\xff\x4f\xff\x51": "j2k",
}  # fmt: skip


def ending_of(data):
    """ "jpg", "png", ... by the first bytes of a file; "bin" for others."""
    return next((ending for magic, ending in _MAGIC.items() if data.startswith(magic)), "bin")


class _File:
    """A file of records that gets its name when it is complete."""

    ending = ""

    def __init__(self, path):
        self.path = path
        self._part = f"{path}.part"
        self._file = open(self._part, "wb")  # noqa: SIM115 - closed by finish or leave

    def finish(self):
        """Brings the file to the disk and gives it its name."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        os.replace(self._part, self.path)

    def leave(self):
        """Removes what is not complete."""
        self._file.close()
        if os.path.exists(self._part):
            os.remove(self._part)


class _Tar(_File):
    ending = ".tar"

    def __init__(self, path):
        super().__init__(path)
        self._archive = tarfile.TarFile(fileobj=self._file, mode="w", format=tarfile.USTAR_FORMAT)

    def add(self, index, data, label):
        """Members `index.jpg` and `index.cls`, whose text is the label."""
        self._member(f"{index:09}.{ending_of(data)}", data)
        if label is not None:
            self._member(f"{index:09}.cls", str(label).encode())

    def _member(self, name, data):
        header = tarfile.TarInfo(name)
        header.size = len(data)
        self._archive.addfile(header, io.BytesIO(data))

    def finish(self):
        self._archive.close()
        super().finish()


class _TFRecord(_File):
    ending = ".tfrecord"

    def add(self, index, data, label):
        """A record of the features `image` and `label`."""
        del index
        self._file.write(framed_example(data, label))


class _Parquet(_File):
    ending = ".parquet"

    def __init__(self, path):
        _tables.need_pyarrow()
        super().__init__(path)
        self._writer, self._rows, self._bytes = None, [], 0

    def add(self, index, data, label):
        """A row of the columns `image` and `label`."""
        del index
        self._rows.append((data, label))
        self._bytes += len(data)
        if len(self._rows) >= _ROW_GROUP_ROWS or self._bytes >= _ROW_GROUP_BYTES:
            self._write_group()

    def _write_group(self):
        import pyarrow
        import pyarrow.parquet

        images, labels = zip(*self._rows, strict=True)
        group = pyarrow.table({"image": pyarrow.array(images, "binary"), "label": pyarrow.array(labels, "int64")})
        if self._writer is None:  # pictures are compressed already
            self._writer = pyarrow.parquet.ParquetWriter(
                self._file, group.schema, compression="none", use_dictionary=False, write_page_checksum=True,
                write_statistics=False,
            )  # fmt: skip
        self._writer.write_table(group)
        self._rows, self._bytes = [], 0

    def finish(self):
        if self._rows:
            self._write_group()
        if self._writer is not None:
            self._writer.close()
        super().finish()


class _Folder:
    """One folder a class. A shard is complete when the file that says so is there."""

    ending = ".done"

    def __init__(self, path, classes=()):
        self.path = path
        self._root = os.path.dirname(path)
        self._classes = classes

    def add(self, index, data, label):
        """The file `index.jpg` in the folder of its class."""
        if label is not None and 0 <= label < len(self._classes):
            folder = self._classes[label]
        else:
            folder = "unlabelled" if label is None else f"{label:05}"
        os.makedirs(os.path.join(self._root, folder), exist_ok=True)
        path = os.path.join(self._root, folder, f"{index:09}.{ending_of(data)}")
        with open(f"{path}.part", "wb") as file:
            file.write(data)
        os.replace(f"{path}.part", path)

    def finish(self):
        """Says that all files of the shard are there."""
        with open(self.path, "wb"):
            pass

    def leave(self):
        """Files that are there are complete: they are written again."""


_WRITERS = {"tar": _Tar, "tfrecord": _TFRecord, "parquet": _Parquet}
KINDS = ("lmdb", "tar", "tfrecord", "parquet", "folder")


def shard_path(kind, out, shard, num_shards):
    """Where shard `shard` of `num_shards` lies in the folder `out`."""
    if kind == "folder":
        return os.path.join(out, f".shard-{shard:05}-of-{num_shards:05}.done")
    return os.path.join(out, f"data-{shard:05}-of-{num_shards:05}{_WRITERS[kind].ending}")


def writer(kind, path, classes=()):
    """What writes a shard of a container of that kind: `add(index, data, label)`, `finish()`, `leave()`."""
    return _Folder(path, classes) if kind == "folder" else _WRITERS[kind](path)
