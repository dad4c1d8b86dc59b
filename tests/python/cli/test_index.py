"""penstock index, and DALI's scripts that it stands for."""

import io
import shutil
import subprocess
import sys
import tarfile

import numpy as np
import pytest
import records

from penstock import Pipeline, cli, fn

RECORDS = [{"x": [i], "b": b"ab" * i} for i in range(5)]


def outputs(make):
    pipe = Pipeline(batch_size=5)
    with pipe:
        pipe.set_outputs(*make())
    return [[np.array(sample) for sample in batch.as_cpu()] for batch in pipe.run()]


def same(ours, theirs):
    return all(np.array_equal(a, b) for x, y in zip(ours, theirs, strict=True) for a, b in zip(x, y, strict=True))


def tar_of(path, names):
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(name)
            archive.addfile(member, io.BytesIO(name.encode()))


def test_tfrecords(tmp_path):
    records.write_tfrecords(tmp_path / "a.tfrecord", RECORDS)
    assert cli.main(["index", str(tmp_path / "a.tfrecord")]) == 0

    def read(**index):
        return fn.readers.tfrecord(path=str(tmp_path / "a.tfrecord"), features={"x": "int64[1]"}, **index).values()

    assert same(outputs(lambda: read(index_path=str(tmp_path / "a.idx"))), outputs(read))


def test_recordio(tmp_path):
    (tmp_path / "a.rec").write_bytes(
        b"".join(records.recordio(records.picture_record(b"x" * i, [i])) for i in range(5))
    )
    assert cli.main(["index", str(tmp_path / "a.rec"), "--to", str(tmp_path / "b.idx")]) == 0
    read = outputs(lambda: fn.readers.mxnet(path=[str(tmp_path / "a.rec")], index_path=[str(tmp_path / "b.idx")]))
    assert [bytes(one) for one in read[0]] == [b"x" * i for i in range(5)]


NAMES = ["s/0.a.jpg", "s/0.cls", "t/0.cls", "1.cls", "1.jpg", "s/.hidden"]


def test_tars(tmp_path):
    tar_of(tmp_path / "a.tar", [*NAMES, "plain"])
    assert cli.main(["index", str(tmp_path / "a.tar")]) == 0

    def read(**index):
        return fn.readers.webdataset(paths=str(tmp_path / "a.tar"), ext=["cls", "jpg;a.jpg"], **index)

    assert same(outputs(lambda: read(index_paths=str(tmp_path / "a.idx"))), outputs(read))


def test_the_index_of_a_tar_is_that_of_dalis_script(tmp_path):
    script = pytest.importorskip("wds2idx")
    tar_of(tmp_path / "a.tar", NAMES)
    subprocess.run([sys.executable, script.__file__, tmp_path / "a.tar", tmp_path / "theirs"], check=True)
    assert cli.main(["index", str(tmp_path / "a.tar"), "--to", str(tmp_path / "ours")]) == 0
    assert (tmp_path / "ours").read_text() == (tmp_path / "theirs").read_text()


def write_cut_off(path):
    records.write_tfrecords(path, RECORDS)
    path.write_bytes(path.read_bytes()[:-3])


def write_cut_recordio(path):
    path.write_bytes(records.recordio(b"x" * 50)[:-20])


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (write_cut_off, "cut off at the record at byte"),
        (write_cut_recordio, "no whole record of RecordIO at byte 0"),
        (lambda path: path.write_bytes(b""), "holds no records"),
        (lambda path: tar_of(path, ["plain"]), "holds no records"),
        (lambda path: path.write_bytes(b"\x1f\x8b" + bytes(100)), "is no tar, RecordIO or TFRecords"),
    ],
)
def test_what_has_no_index_leaves_none(tmp_path, capsys, write, message):
    write(tmp_path / "a")
    before = sorted(tmp_path.iterdir())
    assert cli.main(["index", str(tmp_path / "a")]) == 1
    assert message in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before


def test_one_name_for_two_indexes_is_refused(capsys):
    assert cli.main(["index", "a", "b", "--to", "c"]) == 1
    assert "there are 2 files" in capsys.readouterr().err


def test_scripts_for_dali_find_its_commands(tmp_path):
    records.write_tfrecords(tmp_path / "a.tfrecord", RECORDS)
    script = tmp_path / "script.py"
    script.write_text("import subprocess; subprocess.run(['tfrecord2idx', 'a.tfrecord', 'a b.idx'], check=True)\n")
    command = [sys.executable, "-m", "penstock.dali", "script.py"]
    path = {"PATH": "/usr/bin:/bin"}  # without those of a DALI that is installed
    assert shutil.which("tfrecord2idx", path=path["PATH"]) is None
    done = subprocess.run(command, cwd=tmp_path, env=path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert len((tmp_path / "a b.idx").read_text().splitlines()) == 5
