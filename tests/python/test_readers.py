"""Readers beside DALI's: which samples come, with which labels and in which order, however they are named and split."""

import pathlib

import cases
import hostile
import lmdb
import numpy as np
import oracle
import pytest

import penstock
from penstock import packing

BATCH = 3


def delivered(module, reader, steps=None, **arguments):
    """(bytes, label) of every sample, batch by batch, of three epochs of the whole data set."""
    pipe = module.Pipeline(batch_size=BATCH, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(*getattr(module.fn.readers, reader)(name="Reader", **arguments))
    pipe.build()
    steps = steps or 3 * (-(-pipe.epoch_size("Reader") // BATCH))
    return [
        [(np.array(data).tobytes(), np.array(label).tolist()) for data, label in zip(*pipe.run(), strict=True)]
        for _ in range(steps)
    ]


def assert_alike(reader, steps=None, **arguments):
    ours = delivered(penstock, reader, steps=steps, **arguments)
    assert ours == delivered(oracle.dali(), reader, steps=len(ours), **arguments)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Classes, suffixes in both cases, names that sort oddly, files on the way that are none of the kind."""
    root = tmp_path_factory.mktemp("tree")
    names = [
        "b.jpg",
        "a.JPG",
        "B.png",
        "a10.jpeg",
        "a2.jpeg",
        "notes.txt",
        "ä.jpg",
        "x.jpg.bak",
        ".hidden.jpg",
        "z.webp",
    ]
    for label in ["dog", "Cat", "ant 10", "ant 2", "_bee", "empty"]:
        (root / label).mkdir()
        for name in names[: 0 if label == "empty" else None]:
            (root / label / name).write_bytes(f"{label}/{name}".encode())
    (root / "dog" / "puppies").mkdir()
    (root / "dog" / "puppies" / "deep.jpg").write_bytes(b"deep")
    (root / "stray.jpg").write_bytes(b"stray")
    lines = [f"dog/{name} {i}" for i, name in enumerate(names[:7])] + ["Cat/b.jpg 7", "dog/b.jpg 100"]
    (root / "list.txt").write_text("\n".join(lines) + "\n")
    return root


FILTERS = [
    {},
    {"file_filters": ["*.jpg"]},
    {"file_filters": ["*.jpg", "a*"]},
    {"file_filters": ["?.*"]},
    {"file_filters": ["[ab]*"]},
    {"file_filters": ["*.jpg"], "case_sensitive_filter": True},
    {"file_filters": ["*.JPG"], "case_sensitive_filter": True},
    {"dir_filters": ["ant*"]},
    {"dir_filters": ["c*", "d*"]},
    {"dir_filters": ["c*", "d*"], "case_sensitive_filter": True},
    {"dir_filters": ["?n*"], "file_filters": ["*2*", "*.png"]},
]


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_filters_choose_alike(tree, filters):
    assert_alike("file", file_root=str(tree), **filters)


def test_named_files_and_lists_give_alike(tree):
    files = [str(path) for path in sorted((tree / "dog").glob("*.*"))]
    assert_alike("file", files=files)
    assert_alike("file", files=files, labels=[(i * 7) % 5 for i in range(len(files))])
    assert_alike("file", files=[f"Cat/{name}" for name in ("b.jpg", "z.webp")], file_root=str(tree))
    assert_alike("file", file_list=str(tree / "list.txt"))
    assert_alike("file", file_list=str(tree / "list.txt"), file_root=str(tree))


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path):
    for name in ("a.bin", "b.bin"):
        (tmp_path / name).write_bytes(name.encode())
        np.save(tmp_path / f"{name}.npy", np.zeros(2))
    (tmp_path / "labelled.txt").write_text("a.bin 3\r\nb.bin 4\r\n", encoding="utf-8-sig")
    (tmp_path / "paths.txt").write_text("a.bin.npy\nb.bin.npy\n", encoding="utf-8-sig")
    with penstock.Pipeline(2) as pipe:
        files, labels = penstock.fn.readers.file(file_list=str(tmp_path / "labelled.txt"))
        pipe.set_outputs(files, labels, penstock.fn.readers.numpy(file_list=str(tmp_path / "paths.txt")))
    files, labels, arrays = pipe.run()
    assert [np.asarray(one).tobytes() for one in files] == [b"a.bin", b"b.bin"]
    assert labels.as_array().ravel().tolist() == [3, 4]
    assert [np.asarray(one).shape for one in arrays] == [(2,), (2,)]


SHARDS = [(count, shard) for count in range(1, 9) for shard in range(count)]


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    root = tmp_path_factory.mktemp("database")
    (root / "class").mkdir()
    for i in range(19):
        (root / "class" / f"{i:02}.jpg").write_bytes(hostile.picture(seed=i))
    packing.pack_files(sorted((root / "class").iterdir()), root / "data", labels=[(i * 5) % 23 for i in range(19)])
    with lmdb.open(str(root / "datums"), map_size=1 << 20) as records, records.begin(write=True) as writing:
        for i in range(19):
            writing.put(f"{i:08}".encode(), cases.datum(hostile.picture(seed=i), label=(i * 5) % 23))
    return root


@pytest.mark.parametrize("stick", [False, True])
@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("reader", ["file", "caffe", "caffe2"])
def test_every_shard_of_up_to_eight_gives_alike(database, reader, pad, stick):
    where = {
        "file": {"file_root": str(database), "dir_filters": ["class"]},
        "caffe": {"path": str(database / "datums")},
        "caffe2": {"path": str(database / "data")},
    }[reader]
    for count, shard in SHARDS:
        split = {"num_shards": count, "shard_id": shard, "pad_last_batch": pad, "stick_to_shard": stick}
        assert_alike(reader, **where, **split)


def mapped_bytes(path):
    """Of the file, as they count as this process's memory."""
    found, of_file = 0, False
    for line in pathlib.Path("/proc/self/smaps").read_text().splitlines():
        if "-" in line.split()[0]:
            of_file = line.endswith(str(path))
        elif of_file and line.startswith("Rss:"):
            found += int(line.split()[1]) << 10
    return found


def test_mmap_or_not_gives_alike_and_counts_as_memory_or_not(tmp_path):
    noise = np.random.default_rng(0).integers(0, 255, (60, 160, 160, 3), np.uint8)
    packing.pack_arrays(noise, range(len(noise)), tmp_path / "db")
    file = tmp_path / "db" / "data.mdb"
    assert file.stat().st_size > len(noise) << 14  # records of 16 KB are large
    counted, samples = {}, {}
    for copied in (True, False):
        pipe = penstock.Pipeline(batch_size=BATCH, num_threads=1, device_id=None)
        with pipe:
            pipe.set_outputs(*penstock.fn.readers.caffe2(path=str(tmp_path / "db"), dont_use_mmap=copied))
        samples[copied] = [[np.array(data).tobytes() for data in pipe.run()[0]] for _ in range(len(noise) // BATCH)]
        counted[copied] = mapped_bytes(file)
        pipe.close()
    assert samples[True] == samples[False]
    assert counted[False] > len(noise) << 14
    assert counted[True] < counted[False] / 4, counted


@pytest.mark.parametrize("policy", ["FILL", "DROP", "PARTIAL"])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("size", [4, 5, 6, 12])
def test_iterators_of_a_given_size_end_alike(torch, policy, padded, size):
    """Without a reader to ask: `size`, `last_batch_padded` and the policy decide."""
    del torch
    dali = oracle.dali()

    def epochs(module, plugin):
        with module.Pipeline(batch_size=BATCH, num_threads=1, device_id=None) as pipe:
            source = module.fn.external_source(lambda info: np.int32([info.idx_in_epoch]), batch=False)
            pipe.set_outputs(source)
        iterator = plugin.DALIGenericIterator(
            pipe, ["x"], size=size, last_batch_policy=plugin.LastBatchPolicy[policy], last_batch_padded=padded
        )
        found = []
        for _ in range(3):
            found.append([[int(v) for v in step[0]["x"].flatten()] for step in iterator])
            iterator.reset()
        return found, len(iterator)

    from nvidia.dali.plugin import pytorch as theirs

    from penstock.plugin import pytorch as ours

    assert epochs(penstock, ours) == epochs(dali, theirs)
