"""fn.clahe gives OpenCV's levels; of colours nearly DALI's, whose L*a*b* is rounded another way."""

import numpy as np
import pytest
import scipy.ndimage
from oracle import assert_same, run_ours
from sampled import both, check_refused, graph_of


def dark(shape, seed):
    """Smooth, with levels that are far from equally frequent."""
    sigma = [2, 2] + [0] * (len(shape) - 2)
    values = scipy.ndimage.gaussian_filter(np.random.default_rng(seed).gamma(2, 60, shape), sigma)
    return values.clip(3, 255).astype(np.uint8)


@pytest.mark.parametrize("shape", [(64, 96, 1), (61, 96, 1), (64, 91, 1), (67, 93, 1)])
@pytest.mark.parametrize("tiles", [(8, 8), (4, 2), (1, 1), (3, 7)])
@pytest.mark.parametrize("clip", [1.0, 2.5, 40.0])
def test_gray_levels_are_opencvs(shape, tiles, clip):
    cv2 = pytest.importorskip("cv2")
    picture = dark(shape, 3)
    options = {"tiles_x": tiles[0], "tiles_y": tiles[1], "clip_limit": clip}
    [made] = run_ours(graph_of("clahe", [picture], "HWC", **options), 1)[0][0]
    wanted = cv2.createCLAHE(clip, tiles).apply(picture[..., 0])
    apart = np.abs(made[..., 0].astype(int) - wanted)
    assert apart.max() <= 1
    assert np.mean(apart > 0) <= 1e-3


def test_channels_are_dalis():
    samples = [dark((64 + i, 96, 3), i) for i in range(4)]
    graph = graph_of("clahe", samples, "HWC", tiles_x=4, tiles_y=4, clip_limit=2.0, luma_only=False)
    assert_same(graph, tolerance=1)


def test_lightness_is_nearly_dalis():
    samples = [dark((64 + i, 96, 3), i) for i in range(4)]
    graph = graph_of("clahe", samples, "HWC", tiles_x=4, tiles_y=4, clip_limit=2.0)
    for ours, theirs in zip(*both(graph, 4), strict=True):
        apart = np.abs(ours.astype(int) - theirs)
        assert np.mean(apart > 1) <= 2e-2
        assert apart.max() <= 6


def test_a_picture_smaller_than_its_tiles():
    for shape in ((1, 1, 1), (3, 2, 3)):
        run_ours(graph_of("clahe", [dark(shape, 1)], "HWC", tiles_x=8, tiles_y=8, clip_limit=2.0), 1)


@pytest.mark.parametrize("array, options, error, words", [
    (np.ones((4, 6, 3), np.float32), {}, TypeError, "(?i)float"),
    (np.ones((4, 6, 2), np.uint8), {}, ValueError, "1 or 3"),
    (np.ones((4, 6, 3), np.uint8), {"tiles_x": 0}, ValueError, "`tiles_x`"),
    (np.ones((4, 6, 3), np.uint8), {"tiles_y": -2}, ValueError, "`tiles_y`"),
    (np.ones((4, 6, 3), np.uint8), {"clip_limit": float("nan")}, ValueError, "`clip_limit`"),
    (np.ones((4, 6, 3), np.uint8), {"bins": 128}, ValueError, "`bins`")])  # fmt: skip
def test_what_cannot_be_is_refused(array, options, error, words):
    given = {"tiles_x": 2, "tiles_y": 2, "clip_limit": 2.0, **options}
    check_refused("clahe", error, words, array, "HWC", **given)
