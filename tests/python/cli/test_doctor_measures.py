"""`penstock doctor --measure`: what is measured, and what is made of it in words."""

import dataclasses
import os
import sys
import time

import pytest

from penstock import Pipeline, cli
from penstock.cli import _disk, _speeds, doctor


@pytest.fixture
def files(tmp_path):
    """40 files of 200 KB; on a disk whose pages can be dropped, or the test skips."""
    root = tmp_path / "files"
    root.mkdir()
    for i in range(40):
        (root / f"{i}.bin").write_bytes(os.urandom(200_000))
    (root / ".hidden").write_bytes(b"x")
    return root


def keeps_pages(path):
    """Whether the file system keeps pages in memory that it is told to drop."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return _disk._is_held((str(path), 0))


def test_the_disk_is_read_and_not_the_page_cache(files):
    if keeps_pages(files / "0.bin"):
        pytest.skip("this file system keeps its pages in memory")
    assert (files / "0.bin").read_bytes()
    found = _disk.measure(files, seconds=0.5)
    assert found.cold is not None
    assert (found.size, found.files) == (8_000_000, 40)
    assert found.in_memory > 0.9  # just written
    assert found.cold > 0
    assert all(_disk._is_held((str(path), 0)) for path in files.glob("*.bin")), "measuring brought them back"
    _disk._drop(files / "3.bin")
    assert not _disk._is_held((str(files / "3.bin"), 0))
    _disk._drop(files / "3.bin")
    assert 0.5 < _disk.measure(files, seconds=0.1).in_memory < 1


def test_a_file_system_that_keeps_its_pages_is_said(files, monkeypatch):
    monkeypatch.setattr(_disk, "_drop", lambda path: None)
    found = _disk.measure(files, seconds=0.2)
    assert found.cold is None
    assert found.warm > 0
    speeds = dataclasses.replace(SPEEDS, disk=found)
    assert "not measured, its pages stay in memory" in next(_speeds.lines(speeds))
    assert "disk" not in _speeds.verdict(speeds)


def test_the_working_folder_is_left_as_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_disk, "_OWN_BYTES", 4 << 20)
    found = _disk.measure(seconds=0.1)
    assert found.where == str(tmp_path)
    assert found.size == 4 << 20
    assert list(tmp_path.iterdir()) == []


def test_a_single_file_is_read_in_blocks(tmp_path):
    (tmp_path / "one.tar").write_bytes(os.urandom(5 << 20))
    found = _disk.measure(tmp_path / "one.tar", seconds=0.2)
    assert (found.files, found.size) == (1, 5 << 20)


def test_doctor_measures_with_the_data_it_is_given(pictures, capsys):
    start = time.monotonic()
    assert cli.main(["doctor", str(pictures)]) == 0
    assert time.monotonic() - start < 60
    said = capsys.readouterr()
    assert f"disk of {pictures}: 0.00 GB: " in said.out
    assert "page cache: " in said.out
    assert "decoding and cropping pictures of the data: " in said.out
    assert " will limit, at " in said.out
    assert said.out.endswith("Penstock can be used here.\n")
    assert said.err == ""


def test_doctor_measures_without_data_when_it_is_told(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_disk, "_OWN_BYTES", 4 << 20)
    assert cli.main(["doctor", "--measure"]) == 0
    assert "decoding and cropping made pictures of 375 x 500: " in capsys.readouterr().out


def test_doctor_does_not_measure_unasked(monkeypatch, capsys):
    monkeypatch.setattr(_speeds, "measure", lambda *_: pytest.fail("measured"))
    assert cli.main(["doctor"]) == 0
    assert "disk of" not in capsys.readouterr().out


def test_data_without_pictures_are_read_all_the_same(files, capsys):
    assert cli.main(["doctor", str(files)]) == 0
    said = capsys.readouterr().out
    assert "decoding: not measured, there are no pictures among the data" in said
    assert "Reading limits at " in said


@pytest.mark.parametrize(("make", "message"), [(False, "there are no data at"), (True, "holds no files to read")])
def test_data_that_are_not_there_are_said(tmp_path, capsys, make, message):
    if make:
        (tmp_path / "none").mkdir()
    assert cli.main(["doctor", str(tmp_path / "none")]) == 1
    said = capsys.readouterr().err
    assert said.startswith("penstock doctor: ")
    assert message in said
    assert str(tmp_path / "none") in said


def test_decoding_is_measured_with_as_many_workers_as_are_asked_for(pictures, monkeypatch):
    """Rates themselves are not compared: other programs use the cores, too."""
    samples, own = _speeds._samples(pictures)
    assert (len(samples), own) == (12, False)
    asked = []

    def noting(*args, num_threads, **options):
        asked.append(num_threads)
        return Pipeline(*args, num_threads=num_threads, **options)

    monkeypatch.setattr(_speeds, "Pipeline", noting)
    assert all(_speeds._decoding(samples, workers, 0.1) > 0 for workers in (1, 3))
    assert asked == [1, 3]


def test_damaged_pictures_do_not_end_it(tmp_path, pictures):
    for i, path in enumerate((pictures / "cat").iterdir()):
        data = path.read_bytes()
        (tmp_path / path.name).write_bytes(data[:200] if i == 0 else b"" if i == 1 else data)
    samples, _ = _speeds._samples(tmp_path)
    assert len(samples) >= 4
    assert _speeds._decoding(samples, 1, 0.1) > 0


DISK = _disk.Disk("/data", files=10, size=12_000_000_000, in_memory=0.25, cold=200e6, warm=3e9)
SPEEDS = _speeds.Speeds(
    DISK, sample_bytes=100_000, own=False, cores=4, decode=4000, decode_one=1100, decode_gpu=None, copy=None,
    memory=20_000_000_000,
)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({}, ["The disk will limit, at 2,000 samples a second; decoding is the next, at 2.0 times that.",
              "The data fit into the free memory: from the second epoch on decoding limits, at 4,000."]),
        ({"memory": 1_000_000_000}, ["The data are larger than the free memory: pack small files"]),
        ({"decode": 1000}, ["Decoding will limit, at 1,000 samples a second; the disk is the next, at 2.0 times",
                            "4 cores do 23% of what so many times one core would"]),
        ({"decode": 1900, "decode_one": 500}, ["Decoding will limit", "the disk is as slow", "More cores"]),
        ({"decode": 1000, "decode_gpu": 1800}, ['at 1,800 samples', 'Decode on the GPU (device="mixed")']),
        ({"copy": 1000 * 3 * 224 * 224}, ["The copy to the GPU will limit, at 1,000", "convert on the GPU"]),
    ],
)  # fmt: skip
def test_what_limits_is_said_in_words(changes, parts):
    said = _speeds.verdict(dataclasses.replace(SPEEDS, **changes))
    for part in parts:
        assert part in said


def test_every_figure_is_said():
    speeds = dataclasses.replace(SPEEDS, decode_gpu=9000.0, copy=25e9)
    said = "\n".join(_speeds.lines(speeds))
    for part in ("/data: 12.00 GB: 200 MB/s, 2,000 samples a second", "3.00 GB/s, 30,000 samples", "25% of the data",
                 "4,000 a second on 4 cores, 1,100 on one", "9,000 a second", "25.00 GB/s"):  # fmt: skip
        assert part in said


def test_no_driver_means_no_copy(monkeypatch):
    def missing(name):
        raise OSError(name)

    monkeypatch.setattr(_speeds.ctypes, "CDLL", missing)
    assert _speeds.copy_rate() is None


def test_a_gpu_is_copied_to():
    gpus = doctor._gpus()
    if not gpus:
        pytest.skip("no GPU")
    assert _speeds.copy_rate(0.1) > 1e8


def test_a_terminal_sees_how_far_it_is(monkeypatch, capsys, pictures):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(_speeds, "_decoding", lambda *_, **__: 1000.0)
    assert cli.main(["doctor", str(pictures)]) == 0
    assert "measuring " in capsys.readouterr().err
