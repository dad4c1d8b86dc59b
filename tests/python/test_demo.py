"""What `make demo` runs, and its parts: the digits, the line of an epoch, the bar and the picture."""

import gzip
import io
import os
import re
import subprocess
import sys
import types

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.demo import data

pytest.importorskip("jax")
pytest.importorskip("sklearn")
Image = pytest.importorskip("PIL.Image")


def demo(*options):
    """What the demo printed, and the number, accuracy and samples/s of each epoch."""
    environment = os.environ | {"JAX_NUM_CPU_DEVICES": "4", "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "penstock.demo", *map(str, options)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=280)
    assert run.returncode == 0, run.stderr
    return run.stdout, re.findall(r"epoch +(\d+) +accuracy +([0-9.]+)% +([0-9,]+) samples/s", run.stdout)


def test_the_demo_learns_and_shows_what_each_device_got(tmp_path):
    out, lines = demo("--epochs", 2, "--out", tmp_path)
    assert "4 x cpu" in out
    assert [line[0] for line in lines] == ["1", "2"]
    assert 80 < float(lines[-1][1]) <= 100
    assert all(int(rate.replace(",", "")) > 0 for _, _, rate in lines)
    picture = np.asarray(Image.open(tmp_path / "digits" / "shards.png"))
    assert len({tuple(colour) for colour in picture.reshape(-1, 3)[picture.reshape(-1, 3).std(1) > 20]}) >= 4


def read_back(database):
    """All pictures and labels of a database."""
    with Pipeline(batch_size=300) as pipe:
        jpegs, labels = fn.readers.caffe2(path=str(database), epoch_end="partial", name="Reader")
        pipe.set_outputs(fn.decoders.image(jpegs), labels)
    parts = [pipe.run() for _ in range(pipe.reader_meta("Reader")["steps_per_epoch"])]
    return [np.concatenate([part[i].as_array() for part in parts]) for i in range(2)]


def test_the_digits_are_all_of_scikit_learns(digits):
    from sklearn.datasets import load_digits

    (first, first_labels), (last, last_labels) = (read_back(digits / name) for name in ("training", "testing"))
    pictures, labels = np.concatenate([first, last]), np.concatenate([first_labels, last_labels])
    expected = load_digits()
    assert pictures.shape == (1797, 28, 28, 3)
    assert labels.ravel().tolist() == expected.target.tolist()
    small = [np.asarray(Image.fromarray(picture[..., 0]).resize((8, 8), Image.Resampling.BOX)) for picture in pictures]
    assert np.abs(np.stack(small) / 255 * 16 - expected.images).mean() < 0.9
    assert pictures.mean() / 255 * 16 == pytest.approx(expected.images.mean(), rel=0.03)


@pytest.fixture
def mnist_files(tmp_path):
    """Makes a folder with so many digits for training and testing, as MNIST's files are."""

    def make(name, training, testing, suffix=""):
        folder = tmp_path / name
        folder.mkdir()
        for prefix, count in (("train", training), ("t10k", testing)):
            arrays = {
                "images-idx3": np.zeros((count, 28, 28), np.uint8),
                "labels-idx1": np.arange(count, dtype=np.uint8),
            }
            for kind, array in arrays.items():
                path = data._write_idx(folder / f"{prefix}-{kind}-ubyte", array)
                if suffix:
                    path.with_name(path.name + suffix).write_bytes(gzip.compress(path.read_bytes()))
                    path.unlink()
        return folder

    return make


def counts(digits):
    return [len(read_back(database)[1]) for database in (digits.training, digits.testing)]


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_mnist_comes_from_idx_files_or_from_databases(tmp_path, mnist_files, suffix):
    cache, unused = tmp_path / "cache", tmp_path / "unused"
    made = data.mnist(mnist_files("given", 5, 3, suffix), cache)
    assert (made.training, made.testing) == (cache / "training", cache / "testing")
    assert counts(made) == [5, 3]
    found = data.mnist(cache, unused)
    assert (found.training, found.testing) == (made.training, made.testing)
    assert not unused.exists()
    with pytest.raises(SystemExit, match="train-images-idx3-ubyte"):
        data.mnist(tmp_path, unused)


def test_files_are_packed_once_and_others_anew(tmp_path, mnist_files):
    cache, one, other = tmp_path / "cache", mnist_files("one", 5, 3), mnist_files("other", 4, 2)
    for folder, expected in ((one, [5, 3]), (other, [4, 2]), (one, [5, 3])):
        assert counts(data.mnist(folder, cache)) == expected
    before = (cache / "training" / "data.mdb").stat().st_ino
    data.mnist(one, cache)
    assert (cache / "training" / "data.mdb").stat().st_ino == before


def test_the_demo_learns_from_a_folder_that_is_named(digits, tmp_path):
    out, lines = demo("--mnist", digits, "--epochs", 1, "--out", tmp_path)
    assert f"MNIST from {digits}" in out
    assert [line[0] for line in lines] == ["1"]
    assert (tmp_path / "mnist" / "shards.png").exists()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_moves_on_terminals_and_is_gone_in_the_end(monkeypatch):
    from penstock._progress import counted

    for stream, expected in (
        (Terminal(), ["#" * filled + "." * (30 - filled) for filled in (0, 10, 20, 30)]),
        (io.StringIO(), []),
    ):
        monkeypatch.setattr(sys, "stderr", stream)
        assert list(counted("abc", 3, "epoch 1 ", every=0)) == ["a", "b", "c"]
        assert re.findall(r"epoch 1 \[([#.]+)\]", stream.getvalue()) == expected
        assert stream.getvalue().rpartition("\r")[2] == ""


def test_the_picture_frames_and_labels_what_each_device_holds(tmp_path):
    from penstock.demo.picture import draw_shards

    def shard(device, start, rows):
        data = np.full((rows, 28 * 28), (start + 1) / 100, np.float32)
        return types.SimpleNamespace(device=device, index=(slice(start or None, start + rows),), data=data)

    def fields(*names):
        shards = [shard(name, 20 * i, 20) for i, name in enumerate(names)]
        array = types.SimpleNamespace(addressable_shards=shards[::-1])
        return np.asarray(Image.open(draw_shards(array, tmp_path / "shards.png"))).astype(int)

    one = fields("a", "b", "c")
    height, width = 2 * 56 + 2 * 3 + 16, 10 * 56 + 2 * 3
    colours = []
    for i in range(3):
        x, y = 10 + i % 2 * (width + 10), 10 + i // 2 * (height + 10)
        field = one[y : y + height, x : x + width]
        frame = field[-1, 0]
        colours.append(tuple(frame))
        assert (field[[-1, -3]] == frame).all() and (field[:, [0, 2, -3, -1]] == frame).all()
        assert (field[19:-3, 3:-3] == int((20 * i + 1) / 100 * 255 + 0.5)).all()
        assert (field[3:16] != frame).any()  # the label
    assert len(set(colours)) == 3
    other = fields("a", "B", "c")
    changed = np.argwhere((one != other).any(axis=2))
    assert (changed[:, 0] < 10 + 16).all() and (changed[:, 1] > 10 + width).all() and len(changed)
