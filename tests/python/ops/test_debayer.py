"""fn.debayer gives DALI's and OpenCV's levels."""

import numpy as np
import pytest
from oracle import assert_same, run_ours
from sampled import check_refused, graph_of

METHODS = {"bilinear_ocv": "RGB", "edgeaware_ocv": "RGB_EA", "gray_ocv": "GRAY", "vng_ocv": "RGB_VNG"}
OF_TYPES = [(name, dtype) for name in METHODS for dtype in (np.uint8, np.uint16)[: 1 if name == "vng_ocv" else 2]]
POSITIONS = {(0, 0): "BG", (0, 1): "GB", (1, 0): "GR", (1, 1): "RG"}


def sensor(shape, dtype, seed):
    return np.random.default_rng(seed).integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)


@pytest.mark.parametrize("algorithm, dtype", OF_TYPES)
@pytest.mark.parametrize("layout, shape", [("HW", (34, 48)), ("HWC", (34, 48, 1)), ("FHW", (3, 34, 48)),
                                           ("FHWC", (2, 34, 48, 1)), ("HW", (4, 4)), ("HW", (8, 302)),
                                           ("HW", (6, 40))])  # fmt: skip
@pytest.mark.parametrize("blue", POSITIONS)
def test_levels_are_dalis(algorithm, dtype, layout, shape, blue):
    samples = [sensor(shape, dtype, i) for i in range(2)]
    assert_same(graph_of("debayer", samples, layout, blue_position=list(blue), algorithm=algorithm), 2)


@pytest.mark.parametrize("algorithm, dtype", OF_TYPES)
@pytest.mark.parametrize("blue", POSITIONS)
def test_levels_are_opencvs(blue, dtype, algorithm):
    cv2 = pytest.importorskip("cv2")
    picture = sensor((50, 62), dtype, 5)
    picture[20:40] //= 255  # small differences, too, and ties
    graph = graph_of("debayer", [picture], "HW", blue_position=list(blue), algorithm=algorithm)
    [made] = run_ours(graph, 1)[0][0]
    code = getattr(cv2, f"COLOR_Bayer{POSITIONS[blue]}2{METHODS[algorithm]}")
    np.testing.assert_array_equal(made, cv2.cvtColor(picture, code).reshape(made.shape))


@pytest.mark.parametrize("blue", POSITIONS)
def test_levels_of_gradients_are_opencvs_at_every_size(blue):
    cv2 = pytest.importorskip("cv2")
    code = getattr(cv2, f"COLOR_Bayer{POSITIONS[blue]}2RGB_VNG")
    shapes = [(rows, columns) for rows in (4, 6, 8, 10, 30) for columns in (*range(4, 40, 2), 62, 74, 138, 270)]
    noise = [sensor(shape, np.uint8, i) for i, shape in enumerate(shapes)]
    smooth = [cv2.GaussianBlur(picture, (5, 5), 0) for picture in noise]
    ties = [picture // 64 + 100 for picture in noise]
    ends = [np.where(picture > 127, 255, 0).astype(np.uint8) for picture in noise]
    samples = [*noise, *smooth, *ties, *ends, np.full((10, 20), 255, np.uint8)]
    graph = graph_of("debayer", samples, "HW", blue_position=list(blue), algorithm="vng_ocv")
    for picture, made in zip(samples, run_ours(graph, len(samples))[0][0], strict=True):
        np.testing.assert_array_equal(made, cv2.cvtColor(picture, code), err_msg=str(picture.shape))


def test_each_sample_may_come_from_another_sensor():
    samples = [sensor((6, 8), np.uint8, i) for i in range(4)]
    assert_same(graph_of("debayer", samples, "HW", blue_position=[np.int32([i // 2, i % 2]) for i in range(4)]))


@pytest.mark.parametrize("array, options, error, words", [
    (np.ones((5, 6), np.uint8), {}, ValueError, "even"), (np.ones((2, 6), np.uint8), {}, ValueError, "at least 4"),
    (np.ones((4, 6), np.float32), {}, TypeError, "(?i)float"),
    (np.ones((4, 6), np.uint8), {"blue_position": [0, 2]}, ValueError, "`blue_position`"),
    (np.ones((4, 6), np.uint8), {"blue_position": [0]}, ValueError, "`blue_position`"),
    (np.ones((9, 8), np.uint8), {"algorithm": "vng_ocv"}, ValueError, "even"),
    (np.ones((8, 8), np.uint16), {"algorithm": "vng_ocv"}, TypeError, "\"vng_ocv\" takes uint8, got uint16"),
    (np.ones((4, 4), np.uint16), {"algorithm": "vng_ocv"}, TypeError, "takes uint8"),
    (np.ones((4, 6), np.uint8), {"algorithm": "vng"}, ValueError, "`algorithm`.*\"vng\"")])  # fmt: skip
def test_what_cannot_be_is_refused(array, options, error, words):
    check_refused("debayer", error, words, array, "HW", **{"blue_position": [0, 0], **options})


def test_channels_are_refused():
    check_refused("debayer", ValueError, "3 channels", np.ones((4, 6, 3), np.uint8), "HWC", blue_position=[0, 0])
