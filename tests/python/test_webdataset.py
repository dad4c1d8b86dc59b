"""readers.webdataset beside DALI's: components, archives of all kinds, indices, damaged files."""

import bz2
import gzip
import pathlib
import re
import subprocess
import sysconfig
import tarfile

import numpy as np
import oracle
import pytest
from records import write_tar

import penstock
from penstock import Pipeline, fn, types

PLAIN = [
    ("a/0.jpg", b"J0"), ("a/0.cls", b"\1\0\0\0"),
    ("a/1.cls", b"\2\0\0\0"), ("a/1.seg.png", b"P1"),
    ("b/0.JPG", b"JB"), ("b/0.cls", b"\3\0\0\0"),
    ("b/1.png", b"PNG"), ("b/1.jpg", b"JPG1"),
    ("a/0.txt", b"again"),
    ("x.y/z.jpg", b""), ("x.y/z.cls", b"\4\0\0\0"),
]  # fmt: skip


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return write_tar(tmp_path_factory.mktemp("tar") / "plain.tar", PLAIN)


def epoch_of(module, paths, **arguments):
    """[(bytes, type, source) of each output] of the samples of an epoch."""
    pipe = module.Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        made = module.fn.readers.webdataset(paths=paths, name="Reader", **arguments)
        pipe.set_outputs(*(made if isinstance(made, (list, tuple)) else [made]))
    pipe.build()
    samples = []
    for _ in range(pipe.epoch_size("Reader")):
        outputs = pipe.run()
        arrays = [np.array(output.at(0)) for output in outputs]
        sources = [output[0].source_info() for output in outputs]
        samples.append(
            [(a.tobytes(), a.dtype, a.shape, source) for a, source in zip(arrays, sources, strict=True)]
        )  # fmt: skip
    return samples


def assert_alike(paths, **arguments):
    assert epoch_of(penstock, paths, **arguments) == epoch_of(oracle.dali(), paths, **arguments)


CHOICES = [
    {"ext": "jpg"},
    {"ext": ["jpg", "cls"]},
    {"ext": ["jpg;png", "cls"]},
    {"ext": ["png;jpg", "cls"]},
    {"ext": ["jpg", "jpg"]},
    {"ext": ["jpg;png", "png"]},
    {"ext": ["seg.png"]},
    {"ext": ["xyz"]},
    {"ext": ["jpg", "cls"], "missing_component_behavior": "skip"},
    {"ext": ["jpg", "cls"], "missing_component_behavior": "SKIP"},
    {"ext": ["jpg;png;seg.png", "cls"], "missing_component_behavior": "skip"},
    {"ext": ["jpg", "cls"], "missing_component_behavior": "empty"},
    {"ext": ["jpg", "cls"], "case_sensitive_extensions": False},
]


@pytest.mark.parametrize("arguments", CHOICES, ids=str)
def test_components_are_dalis(archive, arguments):
    assert_alike(archive, **arguments)
    assert_alike([archive, archive], **arguments)


@pytest.mark.parametrize("dtype", ["INT32", "FLOAT16", "UINT8", "INT8"])
def test_types_are_dalis(archive, dtype):
    for module in (penstock, oracle.dali()):
        [first, *_] = epoch_of(module, archive, ext=["jpg", "cls"], dtypes=[types.UINT8, getattr(types, dtype)])
        assert first[1][1] == np.dtype(dtype.lower())
        assert first[1][0] == b"\1\0\0\0"


@pytest.mark.parametrize("version", ["v1.2", "v1.1"])
def test_indices_of_wds2idx_are_read(archive, tmp_path, version):
    index = tmp_path / "index"
    oracle.dali()
    subprocess.run([sysconfig.get_path("scripts") + "/wds2idx", archive, str(index)], check=True, capture_output=True)
    if version == "v1.1":
        text = index.read_text().replace("v1.2", "v1.1")
        index.write_text(re.sub(r"(\S+ \d+ \d+) \S+", r"\1", text))
    mine = epoch_of(penstock, archive, ext=["jpg", "cls"], index_paths=[str(index)])
    theirs = epoch_of(oracle.dali(), archive, ext=["jpg", "cls"], index_paths=str(index))
    assert [[one[:3] for one in sample] for sample in mine] == [[one[:3] for one in sample] for sample in theirs]
    assert mine == epoch_of(penstock, archive, ext=["jpg", "cls"])


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_archives_of_all_formats_give_the_same(tmp_path, form):
    names = ["short", "d" * 60 + "/" + "e" * 60]
    if form != tarfile.USTAR_FORMAT:
        names += ["x" * 200 + "/" + "y" * 180, "ü" * 70]
    members = [(f"{name}.{ext}", name[:9].encode() + ext.encode()) for name in names for ext in ("jpg", "cls")]
    path = write_tar(tmp_path / "a.tar", members, form)
    samples = epoch_of(penstock, path, ext=["jpg", "cls"])
    assert [[one[0] for one in sample] for sample in samples] == [
        [name[:9].encode() + b"jpg", name[:9].encode() + b"cls"] for name in names
    ]


def test_names_are_never_paths_and_what_is_no_file_is_left_out(tmp_path):
    members = [
        ("/etc/passwd.jpg", b"A"), ("../../up/0.jpg", b"U"), ("d", tarfile.DIRTYPE), ("l.jpg", tarfile.SYMTYPE),
        ("./c/0.jpg", b"C"), ("./c/._0.jpg", b"hidden"), ("./c/0.cls", b"c"), ("README", b"none"),
        ("a.b/c.jpg", b"dot in a folder"),
    ]  # fmt: skip
    samples = epoch_of(penstock, write_tar(tmp_path / "odd.tar", members), ext=["jpg", "cls"])
    assert [[one[0] for one in sample] for sample in samples] == [
        [b"A", b""], [b"U", b""], [b"C", b"c"], [b"dot in a folder", b""],
    ]  # fmt: skip


def test_a_shuffled_epoch_has_each_sample_once(tmp_path):
    paths = [
        write_tar(tmp_path / f"{k}.tar", [(f"{i}.id", bytes([10 * k + i])) for i in range(10)]) for k in range(3)
    ]  # fmt: skip
    with Pipeline(30) as pipe:
        pipe.set_outputs(fn.readers.webdataset(paths=paths, ext="id", random_shuffle=True))
    epochs = [pipe.run()[0].as_array().ravel().tolist() for _ in range(2)]
    assert all(sorted(epoch) == list(range(30)) for epoch in epochs)
    assert epochs[0] != epochs[1] != list(range(30))


def test_large_files_are_read_in_place_or_copied_alike(tmp_path):
    content = [np.random.default_rng(i).bytes(40_000 + i) for i in range(5)]
    path = write_tar(tmp_path / "a.tar", [(f"{i}.bin", data) for i, data in enumerate(content)])
    for copied in (False, True):
        assert [s[0][0] for s in epoch_of(penstock, path, ext="bin", dont_use_mmap=copied)] == content


def build(**arguments):
    with Pipeline(1) as pipe:
        made = fn.readers.webdataset(**arguments)
        pipe.set_outputs(*(made if isinstance(made, list) else [made]))
    pipe.build()
    return pipe


def test_unusable_archives_and_indices_are_named(archive, tmp_path):
    data = pathlib.Path(archive).read_bytes()
    files = {
        "cut in data.tar": data[:700], "cut in a header.tar": data[:1100], "junk.tar": b"junk" * 500, "empty.tar": b"",
        "zeros.tar": bytes(10240), "packed.tar": bz2.compress(data), "bad sum.tar": b"x" + data[1:],
    }  # fmt: skip
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        remedy = "unpack it with bunzip2" if name == "packed.tar" else ""
        with pytest.raises(RuntimeError, match=rf"(?s)\[readers.webdataset\] .*{remedy}.*{name}"):
            build(paths=str(tmp_path / name), ext="jpg")
    indices = {
        "old": "v1.0 1\njpg 512 2\n", "short": "v1.2 2\njpg 512 2 a/0.jpg\n", "unaligned": "v1.2 1\njpg 513 2 a\n",
        "far": "v1.2 1\njpg 512 99999 a\n", "words": "v1.2 1\njpg x y a\n", "none": "", "odd": "v1.2 1\njpg 512 2\n",
        "in front": "v1.1 1\njpg 0 2\n", "hollow": "v1.1 1\n\n", "huge": "v1.1 1\njpg 512 9223372036854775807\n",
    }  # fmt: skip
    for name, content in indices.items():
        (tmp_path / name).write_text(content)
        with pytest.raises(RuntimeError, match=r"(?s)\[readers.webdataset\] (Malformed index|the index has)"):
            build(paths=archive, ext="jpg", index_paths=str(tmp_path / name))
    for arguments, message in [
        ({"paths": str(tmp_path / "absent"), "ext": "jpg"}, "Cannot open"),
        ({"paths": archive, "ext": "jpg", "index_paths": str(tmp_path / "absent")}, "Cannot open"),
        ({"paths": archive, "ext": "jpg", "index_paths": ["a", "b"]}, "number of index files"),
        ({"paths": archive, "ext": ["jpg", ""]}, "without an extension"),
        ({"paths": archive, "ext": []}, "names no output"),
        ({"paths": archive, "ext": "jpg", "missing_component_behavior": "foo"}, "Invalid value for missing"),
        ({"paths": archive, "ext": ["jpg"], "dtypes": [types.INT32, types.UINT8]}, "provided types"),
        ({"paths": archive, "ext": ["jpg"], "dtypes": [types.NO_TYPE]}, "no element type"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            build(**arguments)
    with pytest.raises(RuntimeError, match='Underful sample detected: "a/1"'):
        build(paths=archive, ext=["jpg", "cls"], missing_component_behavior="error")


def test_an_index_of_another_archive_is_noticed_and_named(archive, tmp_path):
    (tmp_path / "index").write_text("v1.1 3\njpg 512 2\njpg 1536 2\njpg 1024 2\n")
    with Pipeline(3, on_error="skip") as pipe:
        pipe.set_outputs(fn.readers.webdataset(paths=archive, ext="jpg", index_paths=str(tmp_path / "index")))
    assert [np.array(sample).tobytes() for sample in pipe.run()[0]] == [b"J0"]
    assert {failure.source for failure in pipe.failures()} == {f"{archive}:1536", f"{archive}:1024"}


def test_a_file_that_does_not_fit_the_type_is_named(archive):
    with pytest.raises(RuntimeError, match=r"component size and dtype incompatible.*plain.tar:512:a/0.jpg"):
        build(paths=archive, ext=["jpg"], dtypes=[types.INT32]).run()


# Compressed archives --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [200, 5000, 20_000])
def test_an_archive_that_shrinks_while_it_is_read_is_an_error(tmp_path, size, script):
    """Of records that are read where they lie: a page behind the end of the file would end the process."""
    write_tar(tmp_path / "a.tar", [(f"{i:03}.bin", bytes(size)) for i in range(200)])
    script(
        code=f"path = {str(tmp_path / 'a.tar')!r}"
        """
import os, time
from penstock import Pipeline, fn

with Pipeline(1, num_threads=1, prefetch_queue_depth=1) as pipe:
    pipe.set_outputs(fn.readers.webdataset(paths=path, ext=["bin"]))
pipe.run()
time.sleep(0.1)  # until the batch made ahead is there: a worker may be between a look at the size and its copy
os.truncate(path, 1000)
time.sleep(0.02)  # small records are looked after once a tick of the system's clock
errors = []
for _ in range(100):
    try:
        pipe.run()
    except RuntimeError as error:
        errors.append("shrank while being read" in str(error))
assert len(errors) >= 90 and all(errors), errors
"""
    )


def zstd(data):
    """Two frames, one behind the other, as zstd -T0 writes them."""
    pyarrow = pytest.importorskip("pyarrow")
    half = len(data) // 2
    return b"".join(pyarrow.Codec("zstd").compress(part, asbytes=True) for part in (data[:half], data[half:]))


def gzips(data):
    return gzip.compress(data[:700]) + gzip.compress(data[700:])


PACKED = pytest.mark.parametrize("pack, ending", [(gzips, ".gz"), (zstd, ".zst")])


def numbered(count, begin=0):
    return [(f"{i:05}.{kind}", b"%d" % i * (i % 7 + 1)) for i in range(begin, begin + count) for kind in ("bin", "cls")]


def packed(tmp_path, pack, ending, counts=(30, 30, 11)):
    """Archives of numbers, compressed and not."""
    plain, small = [], []
    for k, count in enumerate(counts):
        plain.append(write_tar(tmp_path / f"{k}.tar", numbered(count, sum(counts[:k]))))
        (tmp_path / f"{k}.tar{ending}").write_bytes(pack(pathlib.Path(plain[-1]).read_bytes()))
        small.append(str(tmp_path / f"{k}.tar{ending}"))
    return plain, small


def contents(paths, **arguments):
    return [[part[0] for part in sample] for sample in epoch_of(penstock, paths, ext=["bin", "cls"], **arguments)]


@PACKED
def test_compressed_archives_are_read_as_those_that_are_not(tmp_path, pack, ending):
    plain, small = packed(tmp_path, pack, ending)
    assert contents(small) == contents(plain)
    assert contents([plain[0], small[1], plain[2]]) == contents(plain)
    [sample, *_] = epoch_of(penstock, small, ext=["bin"])
    assert sample[0][3] == f"{small[0]}:512:00000.bin"
    assert sorted(contents(small, random_shuffle=True)) == sorted(contents(plain))
    mixed = contents(small, random_shuffle=True, shuffle_groups=1)
    assert sorted(mixed) == sorted(contents(plain)) and mixed != contents(plain)


@PACKED
def test_an_index_spares_the_listing_and_must_be_of_the_archive(tmp_path, pack, ending):
    plain, small = packed(tmp_path, pack, ending, (5,))
    lines = "".join(f"bin {512 + 2048 * i} {i % 7 + 1} cls {1536 + 2048 * i} {i % 7 + 1}\n" for i in range(5))
    (tmp_path / "index").write_text(f"v1.1 5\n{lines}")
    index = str(tmp_path / "index")
    assert contents(small, index_paths=[index]) == contents(plain)
    (tmp_path / "index").write_text("v1.1 1\nbin 512 999999 cls 1536 1\n")
    with pytest.raises(RuntimeError, match="ends at byte 1000511 of the unpacked file, which has"):
        contents(small, index_paths=[index])


@PACKED
def test_damaged_compressed_archives_are_named(tmp_path, pack, ending):
    whole = pack(pathlib.Path(write_tar(tmp_path / "a.tar", numbered(500))).read_bytes())
    middle = bytearray(whole)
    middle[len(whole) // 3 : len(whole) // 3 + 40] = bytes(40)
    for name, data, words in (
        ("cut", whole[: len(whole) * 3 // 4], "cut off"), ("damaged", bytes(middle), "damaged|no header"),
        ("text", pack(b"no archive" * 99), "no header"), ("tail", pack(b"") + b"junk", "damaged|empty|no records"),
    ):  # fmt: skip
        (tmp_path / f"{name}{ending}").write_bytes(data)
        with pytest.raises(RuntimeError, match=rf"(?s)({words}).*{name}{ending}"):
            build(paths=str(tmp_path / f"{name}{ending}"), ext="bin")


def test_a_shuffle_of_compressed_archives_that_has_no_room_says_what_to_do(tmp_path):
    data = [(f"{i}.bin", np.random.default_rng(i).bytes(300_000)) for i in range(8)]
    paths = []
    for k in range(2):
        tar = pathlib.Path(write_tar(tmp_path / f"{k}.tar", data[4 * k : 4 * k + 4]))
        (tmp_path / f"{k}.tar.gz").write_bytes(gzip.compress(tar.read_bytes(), 1))
        paths.append(str(tmp_path / f"{k}.tar.gz"))
    with pytest.raises(ValueError, match="compressed archives take 2.3 MB and cache_size has room for 2.0"):
        build(paths=paths, ext="bin", random_shuffle=True, cache_size=2)
    for groups in (0, 1):
        samples = epoch_of(penstock, paths, ext="bin", random_shuffle=True, cache_size=2, shuffle_groups=groups)
        assert sorted(sample[0][0] for sample in samples) == sorted(content for _, content in data)
