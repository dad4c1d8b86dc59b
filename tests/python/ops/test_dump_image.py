"""dump_image: files beside DALI's, and what goes wrong with files."""

import os
import subprocess
import sys

import numpy as np
import pytest
from oracle import dali, run_dali

from penstock import Pipeline, fn, pipeline_def

Image = pytest.importorskip("PIL.Image")


def pictures(i, channels=3):
    random = np.random.default_rng(i)
    return [random.integers(0, 256, (4 + j, 7 - j, channels), np.uint8) for j in range(3)]


def read(folder):
    return {path.name: np.array(Image.open(path)) for path in sorted(folder.iterdir())}


def dump(arrays, layout="HWC", batches=1, **options):
    pipe = Pipeline(len(arrays), 2, None, prefetch_queue_depth=1)
    with pipe:
        pipe.set_outputs(fn.dump_image(fn.external_source(lambda: arrays, batch=True, layout=layout), **options))
    pipe.build()
    return [[np.array(sample) for sample in pipe.run()[0]] for _ in range(batches)]


@pytest.mark.parametrize("suffix", ["", "abc"])
def test_pictures_and_names_of_the_first_batch_equal_dali(tmp_path, monkeypatch, suffix):
    dali()
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    monkeypatch.chdir(there)
    run_dali(
        lambda fn, types, math: fn.dump_image(
            fn.external_source(lambda: pictures(0), batch=True, layout="HWC"), suffix=suffix
        ),
        batch_size=3,
        prefetch_queue_depth=1,
    )
    monkeypatch.chdir(here)
    (made,) = dump(pictures(0), suffix=suffix)
    for a, b in zip(made, pictures(0), strict=True):
        np.testing.assert_array_equal(a, b)
    ours, theirs = read(here), read(there)
    first = {name: ours[name] for name in ours if name.endswith("-0.ppm")}  # batches made ahead are there, too
    assert list(first) == list(theirs) == [f"{i}-{suffix}-0.ppm" for i in range(3)]
    for name, pixels in first.items():
        np.testing.assert_array_equal(pixels, theirs[name])


@pytest.mark.parametrize(("channels", "layout"), [(1, "HWC"), (None, "HW"), (3, "")])
def test_gray_pictures_and_those_without_a_layout_are_written(tmp_path, channels, layout):
    arrays = [p if channels else p[..., 0] for p in pictures(3, channels or 1)]
    dump(arrays, layout, folder=str(tmp_path))
    for i, array in enumerate(arrays):
        np.testing.assert_array_equal(read(tmp_path)[f"{i}--0.ppm"], array[..., 0] if channels == 1 else array)


def counted(checkpoint=None):
    @pipeline_def(batch_size=1, num_threads=1, device_id=None, prefetch_queue_depth=1, enable_checkpointing=True)
    def graph():
        source = fn.external_source(
            lambda info: np.full((1, 1, 3), info.iteration, np.uint8), layout="HWC", batch=False
        )
        fn.dump_image(source)
        return source

    return graph(checkpoint=checkpoint)


def test_batches_overwrite_none_and_a_restored_pipeline_goes_on_counting(tmp_path, monkeypatch):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir(), second.mkdir()
    monkeypatch.chdir(first)
    pipe = counted()
    for _ in range(3):
        pipe.run()
    saved = pipe.checkpoint()
    files = read(first)
    assert [files[f"0--{i}.ppm"][0, 0, 0] for i in range(3)] == [0, 1, 2]
    monkeypatch.chdir(second)
    restored = counted(saved)
    restored.run()
    files = read(second)
    assert "0--2.ppm" not in files
    assert files["0--3.ppm"][0, 0, 0] == 3


def test_it_runs_where_nobody_takes_its_output(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    counted().run()
    assert "0--0.ppm" in read(tmp_path)


def test_what_cannot_be_written_is_refused(tmp_path):
    folder = {"folder": str(tmp_path)}
    for arrays, layout, match in (
        ([np.zeros((3, 4, 5), np.uint8)], "CHW", 'layout "CHW" does not match any of the allowed layouts .* HWC, HW'),
        ([np.zeros((3, 4, 4), np.uint8)], "HWC", "1 or 3 channels"),
        ([np.zeros((3, 4, 3), np.float32)], "HWC", "pictures of uint8 are written, got float32; fn.cast"),
        ([np.zeros((2, 3, 4, 3), np.uint8)], "FHWC", 'layout "FHWC"'),
    ):
        with pytest.raises((RuntimeError, TypeError), match=match):
            dump(arrays, layout, **folder)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", ["../x", "a/b", "a\0b", "x" * 201])
def test_a_suffix_cannot_leave_the_folder(tmp_path, suffix):
    with pytest.raises(ValueError, match=r"suffix is part of a file's name: up to 200 bytes without"):
        dump(pictures(0), folder=str(tmp_path), suffix=suffix)


def test_a_folder_that_is_none_is_refused_when_the_pipeline_is_built(tmp_path):
    for folder in (tmp_path / "missing", __file__):
        with pytest.raises(ValueError, match=r"folder .* is no directory that can be written to; make it first"):
            dump(pictures(0), folder=str(folder))


def test_a_file_that_cannot_be_written_is_named_and_leaves_nothing(tmp_path):
    (tmp_path / "0--0.ppm").mkdir()
    (tmp_path / "0--0.ppm" / "full").touch()
    with pytest.raises(RuntimeError, match=r"cannot write .*0--0\.ppm: .*directory"):
        dump(pictures(0)[:1], folder=str(tmp_path))
    assert os.listdir(tmp_path) == ["0--0.ppm"]


def test_a_full_disk_is_named(tmp_path):
    """Files of more bytes than the process may write stand for it."""
    code = """
import resource, signal, sys
import numpy as np
from penstock import Pipeline, fn
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
pipe = Pipeline(1, 1, None)
with pipe:
    picture = np.zeros((500, 500, 3), np.uint8)
    pipe.set_outputs(fn.dump_image(fn.external_source(lambda: [picture], batch=True, layout="HWC"), folder=sys.argv[1]))
pipe.build()
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    pipe.run()
except RuntimeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert "cannot write" in done.stdout
    assert "File too large" in done.stdout
    assert os.listdir(tmp_path) == []
