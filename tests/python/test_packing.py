import numpy as np
import pytest
from idx import write_idx

from penstock import fn, packing, pipeline_def, types


def read_back(database, count):
    @pipeline_def(batch_size=count, num_threads=1, device_id=None)
    def pipeline():
        jpegs, labels = fn.readers.caffe2(path=str(database))
        return fn.decoders.image(jpegs, output_type=types.GRAY), labels

    images, labels = pipeline().run()
    return np.array(images.as_tensor())[..., 0], np.array(labels.as_tensor()).reshape(-1)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_idx_files_come_back_from_the_database_they_were_packed_into(tmp_path, suffix):
    ramp = np.add.outer(np.arange(3) * 40, np.add.outer(np.arange(28), np.arange(20)) * 2).astype(np.uint8)
    images = write_idx(tmp_path / f"images{suffix}", ramp)
    labels = write_idx(tmp_path / f"labels{suffix}", np.array([7, 0, 3], np.uint8))
    assert packing.pack_idx(images, labels, tmp_path / "db") == 3
    pixels, classes = read_back(tmp_path / "db", 3)
    assert classes.tolist() == [7, 0, 3]
    assert np.abs(pixels.astype(int) - ramp).max() <= 4  # JPEG at quality 95


def test_images_and_labels_of_different_number_are_refused(tmp_path):
    images = write_idx(tmp_path / "images", np.zeros((3, 8, 8), np.uint8))
    labels = write_idx(tmp_path / "labels", np.zeros(2, np.uint8))
    with pytest.raises(RuntimeError):
        packing.pack_idx(images, labels, tmp_path / "db")
    assert not (tmp_path / "db" / "data.mdb").exists()


def test_arrays_keep_their_colours_and_large_labels(tmp_path):
    @pipeline_def(batch_size=2, device_id=None)
    def pipeline():
        jpegs, labels = fn.readers.caffe2(path=str(tmp_path / "db"))
        return fn.decoders.image(jpegs, output_type=types.RGB), labels

    images = np.zeros((2, 16, 24, 3), np.uint8)
    images[0, ..., 0] = images[1, ..., 2] = 200
    assert packing.pack_arrays(images, [21840, -1], tmp_path / "db") == 2
    pixels, labels = pipeline().run()
    assert np.abs(np.array(pixels.as_tensor()).astype(int) - images).max() <= 4
    assert np.array(labels.as_tensor()).ravel().tolist() == [21840, -1]


@pytest.mark.parametrize(
    ("images", "labels", "error"),
    [
        (np.zeros((1, 8, 8), np.float32), [1], TypeError),
        (np.zeros((1, 8, 8), np.uint8), [0.5], TypeError),
        (np.zeros((1, 8, 8), np.uint8), [2**31], ValueError),
        (np.zeros((1, 8, 8), np.uint8), [[1]], TypeError),
        (np.zeros((2, 8, 8), np.uint8), [1], RuntimeError),
        (np.zeros((1, 8, 8, 5), np.uint8), [1], ValueError),
    ],
)
def test_arrays_that_cannot_be_packed_are_refused(tmp_path, images, labels, error):
    with pytest.raises(error):
        packing.pack_arrays(images, labels, tmp_path / "db")
    assert not (tmp_path / "db" / "data.mdb").exists()
