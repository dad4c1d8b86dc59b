"""fn.debayer gives DALI's and OpenCV's levels."""

import numpy as np
import pytest
from oracle import assert_same, run_ours
from sampled import check_refused, graph_of

METHODS = {"bilinear_ocv": "RGB", "edgeaware_ocv": "RGB_EA", "gray_ocv": "GRAY"}
POSITIONS = {(0, 0): "BG", (0, 1): "GB", (1, 0): "GR", (1, 1): "RG"}


def sensor(shape, dtype, seed):
    return np.random.default_rng(seed).integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)


@pytest.mark.parametrize("algorithm", METHODS)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("layout, shape", [("HW", (34, 48)), ("HWC", (34, 48, 1)), ("FHW", (3, 34, 48)),
                                           ("FHWC", (2, 34, 48, 1)), ("HW", (4, 4))])  # fmt: skip
@pytest.mark.parametrize("blue", POSITIONS)
def test_levels_are_dalis(algorithm, dtype, layout, shape, blue):
    samples = [sensor(shape, dtype, i) for i in range(2)]
    assert_same(graph_of("debayer", samples, layout, blue_position=list(blue), algorithm=algorithm), 2)


@pytest.mark.parametrize("algorithm", METHODS)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("blue", POSITIONS)
def test_levels_are_opencvs(blue, dtype, algorithm):
    cv2 = pytest.importorskip("cv2")
    picture = sensor((50, 62), dtype, 5)
    picture[20:40] //= 255  # small differences, too, and ties
    graph = graph_of("debayer", [picture], "HW", blue_position=list(blue), algorithm=algorithm)
    [made] = run_ours(graph, 1)[0][0]
    code = getattr(cv2, f"COLOR_Bayer{POSITIONS[blue]}2{METHODS[algorithm]}")
    np.testing.assert_array_equal(made, cv2.cvtColor(picture, code).reshape(made.shape))


def test_each_sample_may_come_from_another_sensor():
    samples = [sensor((6, 8), np.uint8, i) for i in range(4)]
    assert_same(graph_of("debayer", samples, "HW", blue_position=[np.int32([i // 2, i % 2]) for i in range(4)]))


@pytest.mark.parametrize("array, options, error, words", [
    (np.ones((5, 6), np.uint8), {}, ValueError, "even"), (np.ones((2, 6), np.uint8), {}, ValueError, "at least 4"),
    (np.ones((4, 6), np.float32), {}, TypeError, "(?i)float"),
    (np.ones((4, 6), np.uint8), {"blue_position": [0, 2]}, ValueError, "`blue_position`"),
    (np.ones((4, 6), np.uint8), {"blue_position": [0]}, ValueError, "`blue_position`"),
    (np.ones((4, 6), np.uint8), {"algorithm": "vng_ocv"}, ValueError, "`algorithm`")])  # fmt: skip
def test_what_cannot_be_is_refused(array, options, error, words):
    check_refused("debayer", error, words, array, "HW", **{"blue_position": [0, 0], **options})


def test_channels_are_refused():
    check_refused("debayer", ValueError, "3 channels", np.ones((4, 6, 3), np.uint8), "HWC", blue_position=[0, 0])
