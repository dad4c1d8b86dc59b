"""One measurement of one way to read records, in a process of its own. For `containers.py`.

usage: python -P container_block.py SETTINGS, where SETTINGS is JSON: library, kind, path, count, size, shuffled,
seconds.
"""

import importlib
import json
import os
import pathlib
import sys
import time

BATCH = 64  # divides every number of records, for DALI fills its last batch with those of the next epoch


def _outputs(package, kind, path, common):
    """What a reader of that kind gives; Penstock and DALI run these very lines."""
    fn = importlib.import_module(f"{package}.fn")
    if kind == "tar":
        return fn.readers.webdataset(paths=path, ext=["jpg", "cls"], **common)
    if kind == "tfrecord":
        tfrecord = importlib.import_module(f"{package}.tfrecord")
        features = {
            "image": tfrecord.FixedLenFeature((), tfrecord.string, ""),
            "label": tfrecord.FixedLenFeature([1], tfrecord.int64, 0),
        }
        return fn.readers.tfrecord(path=path, index_path=f"{path}.idx", features=features, **common).values()
    if kind == "mxnet":
        return fn.readers.mxnet(path=[path], index_path=[f"{path}.idx"], **common)
    if kind == "numpy":
        return [fn.readers.numpy(file_root=path, **common)]
    reader, where = {"lmdb": ("caffe2", "path"), "folder": ("file", "file_root")}[kind]
    return getattr(fn.readers, reader)(**{where: path}, **common)


def _penstock(kind, path, shuffled, **_):
    import penstock

    common = {"random_shuffle": shuffled, "name": "Reader", "epoch_end": "partial"}
    with penstock.Pipeline(BATCH, num_threads=2, device_id=None) as pipe:
        if kind == "parquet":
            outputs = penstock.fn.readers.parquet(path=path, columns=["image", "label"], **common).values()
        elif kind == "arrow":
            import datasets

            outputs = penstock.from_huggingface(datasets.load_from_disk(path), **common).values()
        else:
            outputs = _outputs("penstock", kind, path, common)
        pipe.set_outputs(*outputs)
    pipe.build()
    steps = pipe.reader_facts("Reader")["steps_per_epoch"]
    while True:
        yield sum(len(pipe.run()[0]) for _ in range(steps))


def _dali(kind, path, shuffled, **_):
    from nvidia.dali import Pipeline

    with Pipeline(BATCH, num_threads=2, device_id=None) as pipe:
        pipe.set_outputs(*_outputs("nvidia.dali", kind, path, {"random_shuffle": shuffled, "name": "Reader"}))
    pipe.build()
    steps = pipe.reader_meta("Reader")["epoch_size"] // BATCH
    while True:
        yield sum(len(pipe.run()[0]) for _ in range(steps))


def _webdataset(path, **_):
    import webdataset

    data = webdataset.WebDataset(path, shardshuffle=False).to_tuple("jpg", "cls")
    while True:
        yield sum(1 for _ in data)


def _tfrecord(path, **_):
    from tfrecord.reader import tfrecord_loader

    while True:
        yield sum(1 for _ in tfrecord_loader(path, None, {"image": "byte", "label": "int"}))


def _pyarrow(path, **_):
    """Rows as Python's bytes and numbers, as a training loop would have them."""
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(path)
    while True:
        count = 0
        for batch in file.iter_batches(BATCH, use_threads=True):
            images, labels = (batch.column(i).to_pylist() for i in range(2))
            count += len(images) + 0 * len(labels)
        yield count


def _datasets(path, shuffled, **_):
    import datasets

    data = datasets.load_from_disk(path)
    for epoch in range(1 << 30):
        order = data.shuffle(seed=epoch, keep_in_memory=True) if shuffled else data
        yield sum(len(batch["image"]) for batch in order.iter(BATCH))


def _cat(path, count, **_):
    where = pathlib.Path(path)
    files = [where] if where.is_file() else sorted(one for one in where.rglob("*") if one.is_file())
    room = memoryview(bytearray(1 << 20))
    while True:
        for file in files:
            with open(file, "rb", buffering=0) as opened:
                while opened.readinto(room):
                    pass
        yield count


def _coco(library, path, count):
    """Opening the annotations: pictures a second."""
    if library == "penstock":
        from penstock import Pipeline, fn
    else:
        from pycocotools.coco import COCO
    while True:
        if library == "penstock":
            with Pipeline(1, num_threads=2, device_id=None) as pipe:
                pipe.set_outputs(
                    *fn.readers.coco(
                        file_root=os.path.dirname(path), annotations_file=path, polygon_masks=True, name="Reader"
                    )
                )
            pipe.build()
            assert pipe.reader_facts("Reader")["epoch_size"] > 0
        else:
            COCO(path)
        yield count


_WAYS = {"penstock": _penstock, "dali": _dali, "webdataset": _webdataset, "tfrecord": _tfrecord, "pyarrow": _pyarrow,
         "datasets": _datasets, "cat": _cat}  # fmt: skip


def measure(library, kind, path, count, size, shuffled, seconds, **_):
    """Whole epochs: records a second, and microseconds of CPU time a record."""
    if kind == "coco":
        epochs = _coco(library, path, count)
    else:
        epochs = _WAYS[library](kind=kind, path=path, count=count, size=size, shuffled=shuffled)
    assert next(epochs) == count  # which also brings the files into the page cache
    begin, cpu = time.perf_counter(), time.process_time()
    done = next(epochs)
    while time.perf_counter() - begin < seconds:
        done += next(epochs)
    taken, cpu = time.perf_counter() - begin, time.process_time() - cpu
    return {"rate": done / taken, "cpu_us": cpu / done * 1e6}


if __name__ == "__main__":
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    print(json.dumps(measure(**json.loads(sys.argv[1]))))
