"""fn.equalize gives DALI's bytes and OpenCV's."""

import numpy as np
import pytest
from oracle import assert_same, run_ours
from sampled import check_refused, graph_of


def dark(shape, seed):
    """Levels that are far from equally frequent, and not all of them there."""
    return np.random.default_rng(seed).gamma(2, 20, shape).clip(3, 255).astype(np.uint8)


@pytest.mark.parametrize("layout, shape", [("HW", (37, 41)), ("HWC", (37, 41, 3)), ("HWC", (37, 41, 1)),
                                           ("HWC", (5, 6, 7)), ("CHW", (3, 37, 41)), ("FHW", (4, 37, 41)),
                                           ("FHWC", (4, 37, 41, 3)), ("FCHW", (2, 3, 37, 41))])  # fmt: skip
def test_bytes_are_dalis(layout, shape):
    assert_same(graph_of("equalize", [dark(shape, i) for i in range(4)], layout))


@pytest.mark.parametrize("shape", [(480, 640), (1, 1), (1, 2), (511, 3)])
def test_bytes_are_opencvs(shape):
    cv2 = pytest.importorskip("cv2")
    picture = dark(shape, 7)
    [made] = run_ours(graph_of("equalize", [picture], "HW"), 1)[0][0]
    np.testing.assert_array_equal(made, cv2.equalizeHist(picture))


def test_a_channel_of_one_level_stays():
    picture = np.full((5, 6, 3), [0, 77, 255], np.uint8)
    [made] = run_ours(graph_of("equalize", [picture], "HWC"), 1)[0][0]
    np.testing.assert_array_equal(made, picture)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.float32])
def test_other_types_are_refused(dtype):
    check_refused("equalize", TypeError, f"(?i){np.dtype(dtype).name}", np.ones((4, 6, 3), dtype), "HWC")
