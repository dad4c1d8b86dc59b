"""penstock pack from and to every container."""

import io
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import records

from penstock import _core, cli
from penstock._containers import count_of, find, samples_of
from penstock._containers._repack import repack
from penstock._progress import Progress

KINDS = ["lmdb", "tar", "tfrecord", "parquet", "folder"]
COUNT = 23


def picture(i):
    pixels = np.full((16, 16, 3), i, np.uint8)
    return _core.encode_png(pixels) if i % 4 == 1 else _core.encode_jpeg(pixels, 90, True)


def label(i):
    return i // 8


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A folder of three classes, whose files are in the order of their numbers."""
    root = tmp_path_factory.mktemp("source")
    for i in range(COUNT):
        folder = root / "pictures" / f"class {label(i)}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{i:03}.{'png' if i % 4 == 1 else 'jpg'}").write_bytes(picture(i))
    return root / "pictures"


def needed(*kinds):
    if "parquet" in kinds:
        pytest.importorskip("pyarrow")


def held(path):
    return [(data, number) for data, number, _ in samples_of(find(path))]


EXPECTED = [(picture(i), label(i)) for i in range(COUNT)]


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", KINDS)
def test_each_container_becomes_each_other(source, tmp_path, first, second):
    needed(first, second)
    assert repack(source, tmp_path / "one", first, records=9) == (COUNT, [])
    assert held(tmp_path / "one") == EXPECTED
    assert repack(tmp_path / "one", tmp_path / "two", second, records=5) == (COUNT, [])
    assert held(tmp_path / "two") == EXPECTED
    assert not list(tmp_path.rglob("*.part")) and not list(tmp_path.rglob("*.json"))


def test_names_of_classes_stay(source, tmp_path):
    repack(source, tmp_path / "out", "folder")
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == ["class 0", "class 1", "class 2"]


def test_several_processes_write_the_same(source, tmp_path):
    repack(source, tmp_path / "one", "tar", records=4)
    repack(source, tmp_path / "many", "tar", records=4, processes=3)
    names = sorted(os.listdir(tmp_path / "one"))
    assert len(names) == 6 and names == sorted(os.listdir(tmp_path / "many"))
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "many" / name).read_bytes()


class Stopped(Exception):
    pass


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_was_stopped_goes_on(source, tmp_path, monkeypatch, kind):
    needed(kind)
    monkeypatch.setattr("penstock._containers._repack._EVERY", 2)

    def stop(done, total, size):
        if done >= 10:
            raise Stopped

    with pytest.raises(Stopped):
        repack(source, tmp_path / "out", kind, records=4, progress=stop)
    assert (tmp_path / "out" / "penstock-pack.json").exists()
    fresh = []
    repack(source, tmp_path / "out", kind, records=4, progress=lambda done, total, size: fresh.append(size))
    assert sum(1 for size in fresh if size == 0) >= 2, "nothing of the first run was kept"
    assert held(tmp_path / "out") == EXPECTED


def test_another_data_set_is_not_gone_on_with(source, tmp_path):
    def stop(*_):
        raise Stopped

    with pytest.raises(Stopped):
        repack(source, tmp_path / "out", "tar", records=4, progress=stop)
    with pytest.raises(ValueError, match="another kind: 'tar', not 'tfrecord'"):
        repack(source, tmp_path / "out", "tfrecord", records=4)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").write_text("of somebody's")
    with pytest.raises(ValueError, match="is not empty"):
        repack(source, tmp_path / "full", "tar")
    assert os.listdir(tmp_path / "full") == ["something"]


def test_ctrl_c_ends_all_processes_and_the_next_run_goes_on(source, tmp_path):
    big = tmp_path / "big"
    for i in range(3000):
        (big / f"{i % 3}").mkdir(parents=True, exist_ok=True)
        (big / f"{i % 3}" / f"{i:05}.jpg").write_bytes(picture(0))
    for attempt in range(8):  # the command may have come to its end before the signal
        out = tmp_path / f"out{attempt}"
        command = [sys.executable, "-m", "penstock", "pack", str(big), str(out), "--to", "tar", "--records", "50"]
        process = subprocess.Popen([*command, "--processes", "2"], stdout=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not list(out.glob("*.tar")) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        text, _ = process.communicate(timeout=60)
        if process.returncode == 130:
            break
    assert process.returncode == 130
    assert "the same command goes on" in text
    kept = {path.name: path.stat().st_mtime_ns for path in out.glob("*.tar")}
    again = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert again.returncode == 0, again.stderr
    for name, when in kept.items():
        assert (out / name).stat().st_mtime_ns == when
    assert count_of(find(out)) == 3000


def test_damaged_samples_end_it_or_are_left_out(tmp_path, capsys):
    path = tmp_path / "all.tfrecord"
    records.write_tfrecords(path, [{"image": picture(i), "label": 0 if i != 3 else b"text"} for i in range(6)])
    assert cli.main(["pack", str(path), str(tmp_path / "a"), "--to", "tar", "--processes", "1"]) == 1
    assert "holds string values" in capsys.readouterr().err
    arguments = ["pack", str(path), str(tmp_path / "a"), "--to", "tar", "--processes", "1", "--skip-damaged"]
    assert cli.main(arguments) == 0
    text = capsys.readouterr().out
    assert "left out" in text and "all.tfrecord at index" in text and "5 pictures packed" in text
    assert [number for _, number in held(tmp_path / "a")] == [0] * 5


def test_names_that_are_not_usual_are_asked_for(tmp_path, capsys):
    path = tmp_path / "odd.tfrecord"
    records.write_tfrecords(path, [{"scan": picture(i), "note": b"n", "severity": i} for i in range(3)])
    arguments = ["pack", str(path), str(tmp_path / "out"), "--to", "folder", "--data", "scan", "--label", "severity"]
    assert cli.main(arguments) == 0
    assert [number for _, number in held(tmp_path / "out")] == [0, 1, 2]
    capsys.readouterr()
    assert cli.main([*arguments[:-1], "grade"]) == 1
    assert 'no feature "grade"; it has' in capsys.readouterr().err


@pytest.mark.parametrize("arguments, words", [
    (["--records", "0"], "--records must be 1 or more"),
    (["--processes", "0"], "--processes must be 1 or more"),
])  # fmt: skip
def test_bad_arguments_are_said(source, tmp_path, capsys, arguments, words):
    assert cli.main(["pack", str(source), str(tmp_path / "out"), "--to", "tar", *arguments]) == 1
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_samples_without_labels_stay_so_and_make_no_lmdb(tmp_path):
    path = tmp_path / "all.tfrecord"
    records.write_tfrecords(path, [{"image": picture(i), "label": []} for i in range(3)])
    for kind in ("tar", "tfrecord"):
        repack(path, tmp_path / kind, kind)
        assert held(tmp_path / kind) == [(picture(i), None) for i in range(3)]
    with pytest.raises(ValueError, match="all.tfrecord at index 0 has no label"):
        repack(path, tmp_path / "lmdb", "lmdb")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_is_shown_rate_and_time_left_and_nobody_else_anything():
    now = [0.0]
    shown, silent = Terminal(), io.StringIO()
    bars = [Progress(stream, clock=lambda: now[0]) for stream in (shown, silent)]
    for bar in bars:
        now[0] = 0.0
        bar(100, 1100, 0)  # found done
        now[0] = 10.0
        bar(600, 1100, 50_000_000)
        bar.end()
    assert "600 of 1,100 (54 %), 50/s, 5.0 MB/s, 0:00:10 left" in shown.getvalue()
    assert shown.getvalue().endswith("\r")
    assert silent.getvalue() == ""


def test_what_is_packed_is_written_down_while_it_is_not_done(source, tmp_path):
    seen = {}

    def look(*_):
        seen.update(json.loads((tmp_path / "out" / "penstock-pack.json").read_text()))

    repack(source, tmp_path / "out", "tfrecord", progress=look)
    assert (seen["kind"], seen["samples"]) == ("tfrecord", COUNT)
