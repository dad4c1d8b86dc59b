"""fn.jpeg_compression_distortion against DALI's and against Pillow's files."""

import io

import numpy as np
import pytest
import scipy.ndimage
from oracle import run_ours
from sampled import both, check_refused, graph_of


def picture(i, shape=(67, 91, 3)):
    values = scipy.ndimage.gaussian_filter(np.random.default_rng(i).uniform(0, 255, shape), (2, 2, 0))
    return ((values - values.min()) / (values.max() - values.min()) * 255).astype(np.uint8)


PICTURES = [picture(i, (64 + 3 * i, 97 - 2 * i, 3)) for i in range(4)]


@pytest.mark.parametrize("quality", [1, 20, 50, 90, 100, -5, 130])
def test_pixels_are_dalis(quality):
    graph = graph_of("jpeg_compression_distortion", PICTURES, "HWC", quality=quality)
    for ours, theirs in zip(*both(graph, 4), strict=True):
        apart = np.abs(ours.astype(int) - theirs)
        assert np.mean(apart > 1) <= 1e-3
        assert apart.max() <= 3


def test_each_sample_may_have_a_quality_of_its_own():
    qualities = [np.int32(5 + 30 * i) for i in range(4)]
    graph = graph_of("jpeg_compression_distortion", PICTURES, "HWC", quality=qualities)
    for ours, theirs in zip(*both(graph, 4), strict=True):
        assert np.abs(ours.astype(int) - theirs).max() <= 3


def test_pixels_are_those_of_a_file():
    import PIL.Image

    [made] = run_ours(graph_of("jpeg_compression_distortion", PICTURES[:1], "HWC", quality=30), 1)[0][0]
    file = io.BytesIO()
    PIL.Image.fromarray(PICTURES[0]).save(file, "JPEG", quality=30, subsampling="4:2:0")
    np.testing.assert_allclose(made.astype(int), np.array(PIL.Image.open(file)), atol=1)


def test_frames_are_pictures():
    frames = np.stack([PICTURES[0], PICTURES[0][::-1]])
    [made] = run_ours(graph_of("jpeg_compression_distortion", [frames], "FHWC", quality=30), 1)[0][0]
    for frame, one in zip(frames, made, strict=True):
        alone = graph_of("jpeg_compression_distortion", [np.ascontiguousarray(frame)], "HWC", quality=30)
        np.testing.assert_array_equal(one, run_ours(alone, 1)[0][0][0])


@pytest.mark.parametrize("array, error, words", [
    (np.ones((4, 6, 3), np.float32), TypeError, "uint8"), (np.ones((4, 6, 1), np.uint8), ValueError, "3 channels"),
    (np.ones((1, 70000, 3), np.uint8), ValueError, "65500")])  # fmt: skip
def test_what_no_file_holds_is_refused(array, error, words):
    check_refused("jpeg_compression_distortion", error, words, array, "HWC")
