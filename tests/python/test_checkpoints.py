"""Decoders that remember places of scans give the pixels that they give without."""

import shutil

import numpy as np
import pytest

from penstock import Pipeline, _core, fn

_COUNT = 10


@pytest.fixture
def root(tmp_path):
    """A folder of ten JPEGs, large enough to have places within."""
    rng = np.random.default_rng(3)
    folder = tmp_path / "files" / "class"
    folder.mkdir(parents=True)
    for i in range(_COUNT):
        _write(folder, i, rng)
    return folder.parent


def _write(folder, i, rng):
    pixels = rng.integers(0, 255, (60, 80, 3), dtype=np.uint8).repeat(4, axis=0).repeat(4, axis=1)
    (folder / f"{i}.jpg").write_bytes(_core.encode_jpeg(pixels, 90, i % 2 == 0))


def _make(root, threads=2, **decoder):
    with Pipeline(batch_size=5, num_threads=threads, seed=11, device_id=None) as pipe:
        files, _labels = fn.readers.file(file_root=str(root), random_shuffle=True)
        pipe.set_outputs(fn.decoders.image_random_crop(files, **decoder))
    return pipe


def _pictures(pipe, batches=6):
    return [np.array(image) for _ in range(batches) for image in pipe.run()[0]]


def _same(a, b):
    for one, other in zip(a, b, strict=True):
        np.testing.assert_array_equal(one, other)


def test_later_epochs_have_the_same_pixels(root):
    _same(_pictures(_make(root, checkpoints=8)), _pictures(_make(root)))


def test_a_crop_that_follows_the_decoder_has_the_same_pixels(root):
    def cropped(**decoder):
        with Pipeline(batch_size=5, num_threads=2, seed=1, device_id=None) as pipe:
            files, _labels = fn.readers.file(file_root=str(root))
            image = fn.decoders.image(files, **decoder)
            pipe.set_outputs(fn.crop(image, crop=(50, 60), crop_pos_x=fn.random.uniform(range=(0, 1))))
        return pipe

    _same(_pictures(cropped(checkpoints=8)), _pictures(cropped()))


def test_a_file_serves_later_runs_and_other_limits(root, tmp_path):
    path = tmp_path / "places"
    expected = _pictures(_make(root))
    _same(_pictures(_make(root, checkpoints=8, checkpoint_file=str(path))), expected)
    size = path.stat().st_size
    assert size > _COUNT * 500
    _same(_pictures(_make(root, checkpoints=1, checkpoint_file=str(path))), expected)
    assert path.stat().st_size == size  # all was known


def test_changed_files_are_decoded_anew(root, tmp_path):
    path = tmp_path / "places"
    options = {"checkpoints": 8, "checkpoint_file": str(path)}
    _pictures(_make(root, **options))
    size = path.stat().st_size
    rng = np.random.default_rng(4)
    for i in range(_COUNT):
        _write(root / "class", i, rng)
    _same(_pictures(_make(root, **options)), _pictures(_make(root)))
    assert path.stat().st_size > 1.9 * size


def test_a_run_may_go_on_with_checkpoints_that_it_began_without(root):
    began = _make(root)
    _pictures(began, 3)
    resumed = _make(root, checkpoints=8)
    resumed.load_state_dict(began.state_dict())
    _same(_pictures(resumed), _pictures(began))


def test_arguments_that_cannot_be_are_refused(root, tmp_path):
    with pytest.raises(ValueError, match=r"checkpoint_file needs memory .* give checkpoints=MB"):
        _make(root, checkpoint_file=str(tmp_path / "places")).build()
    with pytest.raises(ValueError, match="0 or more MB of memory, got -1"):
        _make(root, checkpoints=-1).build()
    with pytest.raises(ValueError, match="is no checkpoint file, and stays as it is"):
        _make(root, checkpoints=1, checkpoint_file=str(shutil.copy(__file__, tmp_path / "script.py"))).build()
    with pytest.raises(ValueError, match="cannot be made: is there such a folder"):
        _make(root, checkpoints=1, checkpoint_file=str(tmp_path / "none" / "places")).build()
