"""Files of records of one size for `containers.py`: random bytes and a label each."""

import io
import json
import struct
import tarfile

import numpy as np

from .. import _core
from .._containers._indexes import write_index
from .container_block import BATCH

_BYTES = 200_000_000
_MOST = 100_000  # records: of 1 KB
_MOST_FILES = 20_000  # where each record is a file of its own


def make(folder, kind, size):
    """Makes the files unless they are there: {"path", "count", "size", "bytes"}."""
    folder.mkdir(parents=True, exist_ok=True)
    if kind == "coco":
        return _coco(folder / "annotations.json")
    count = min(_MOST_FILES if kind in ("folder", "numpy") else _MOST, _BYTES // size)
    count -= count % BATCH
    path = folder / f"{size}.{kind}"
    if not path.exists():
        beside = path.with_suffix(".part")
        makers = {"tar": _tar, "tfrecord": _tfrecord, "mxnet": _mxnet, "lmdb": _lmdb, "numpy": _numpy}
        makers |= {"folder": _folder, "parquet": _parquet, "arrow": _arrow}
        makers[kind](beside, size, count)
        beside.rename(path)
        if kind in ("tfrecord", "mxnet"):
            write_index(path, f"{path}.idx")
    held = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
    return {"path": str(path), "count": count, "size": size, "bytes": sum(one.stat().st_size for one in held)}


def _records(size, count):
    random = np.random.default_rng(size)
    return ((random.bytes(size), i % 1000) for i in range(count))


def _tar(path, size, count):
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for i, (data, label) in enumerate(_records(size, count)):
            for ending, part in (("jpg", data), ("cls", b"%d" % label)):
                member = tarfile.TarInfo(f"{i:08}.{ending}")
                member.size = len(part)
                tar.addfile(member, io.BytesIO(part))


def _tfrecord(path, size, count):
    from .._containers._records import framed_example

    with open(path, "wb") as file:
        for data, label in _records(size, count):
            file.write(framed_example(data, label))


def _mxnet(path, size, count):
    """RecordIO: a magic number, the length, a header with the label, the bytes, up to a multiple of four."""
    with open(path, "wb") as file:
        for data, label in _records(size, count):
            record = struct.pack("<IfQQ", 0, label, 0, 0) + data
            file.write(struct.pack("<II", 0xCED7230A, len(record)) + record + bytes(-len(record) % 4))


def _lmdb(path, size, count):
    database = _core.PackedDatabase(str(path))
    for data, label in _records(size, count):
        database.append(data, label)
    database.finish()


def _numpy(path, size, count):
    path.mkdir()
    for i, (data, _label) in enumerate(_records(size, count)):
        np.save(path / f"{i:06}.npy", np.frombuffer(data, np.uint8))


def _folder(path, size, count):
    for i, (data, label) in enumerate(_records(size, count)):
        file = path / f"{label % 100:02}" / f"{i:06}.jpg"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def _columns(size, count):
    import pyarrow as pa

    data, labels = zip(*_records(size, count), strict=True)
    return pa.table({"image": pa.array(data, pa.binary()), "label": pa.array(labels, pa.int64())})


def _parquet(path, size, count):
    import pyarrow.parquet

    pyarrow.parquet.write_table(
        _columns(size, count), path, row_group_size=max(1, 10_000_000 // size), compression=None
    )  # fmt: skip


def _arrow(path, size, count):
    import datasets

    held = _columns(size, count)
    datasets.Dataset.from_generator(
        lambda: ({"image": data, "label": label} for data, label in zip(*held.to_pydict().values(), strict=True)),
        features=datasets.Features({"image": datasets.Value("binary"), "label": datasets.Value("int64")}),
        cache_dir=f"{path}-cache",
    ).save_to_disk(path)


def _coco(path):
    random = np.random.default_rng(0)
    images = [{"id": i, "file_name": f"{i:06}.jpg", "width": 640, "height": 480} for i in range(5000)]
    boxes = [
        {
            "id": i, "image_id": int(random.integers(5000)), "category_id": int(random.integers(1, 81)),
            "bbox": [float(x) for x in random.integers(1, 200, 4)], "area": 100.0, "iscrowd": 0,
            "segmentation": [[float(x) for x in random.integers(1, 400, 20)]],
        }
        for i in range(36_000)
    ]  # fmt: skip
    if not path.exists():
        categories = [{"id": i, "name": str(i)} for i in range(1, 81)]
        path.write_text(json.dumps({"images": images, "annotations": boxes, "categories": categories}))
        for image in images:  # which readers.coco looks for
            (path.parent / image["file_name"]).write_bytes(b"x")
    return {"path": str(path), "count": len(images), "size": 0, "bytes": path.stat().st_size}
