"""fn.rotate against DALI's, behind crops, and with what it refuses."""

import numpy as np
import pytest
from oracle import run_ours
from sampled import both, check, check_crop, check_refused, graph_of, noise

PICTURES = [noise((24 + 3 * i, 37 - 2 * i, 3), np.uint8, i) for i in range(6)]
ANGLES = [np.float32(angle) for angle in (10, -33.3, 90, 180, 271.5, 45)]


def test_the_canvas_grows_by_dalis_rule():
    draw = np.random.default_rng(1)
    shapes = [(480, 640)] + [tuple(draw.integers(1, 60, 2)) for _ in range(299)]
    angles = [10.0, *draw.uniform(-400, 400, 199), *([0, 30, 45, 60, 90, 135, 180, -45, 225, 360] * 10)]
    samples = [np.zeros((*shape, 1), np.uint8) for shape in shapes]
    ours, theirs = both(graph_of("rotate", samples, "HWC", angle=[np.float32(angle) for angle in angles]), len(samples))
    assert ours[0].shape == (584, 714, 1)
    assert [one.shape for one in ours] == [one.shape for one in theirs]


def test_the_canvas_of_volumes_grows_by_dalis_rule():
    draw = np.random.default_rng(2)
    samples = [np.zeros((*draw.integers(1, 14, 3), 1), np.uint8) for _ in range(200)]
    angles = [np.float32(angle) for angle in [*draw.uniform(-400, 400, 160), *([0, 45, 90, 180] * 10)]]
    axes = [*draw.normal(size=(140, 3)), *(np.eye(3)[i % 3] for i in range(60))]
    options = {"angle": angles, "axis": [np.float32(axis) for axis in axes]}
    ours, theirs = both(graph_of("rotate", samples, "DHWC", **options), len(samples))
    assert [one.shape for one in ours] == [one.shape for one in theirs]


@pytest.mark.parametrize("interp", ["INTERP_LINEAR", "INTERP_NN"])
@pytest.mark.parametrize("fill", [{}, {"fill_value": 42.0}])
def test_pictures(interp, fill):
    check("rotate", PICTURES, "HWC", angle=ANGLES, interp_type=interp, **fill)


def test_the_size_can_be_kept_or_given():
    check("rotate", PICTURES, "HWC", angle=ANGLES, keep_size=True)
    check("rotate", PICTURES, "HWC", angle=ANGLES, size=[20.5, 31.4])
    check("rotate", PICTURES, "HWC", angle=ANGLES, size=[np.float32([10 + i, 12]) for i in range(6)], keep_size=True)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.float32])
def test_types(dtype):
    samples = [noise((15, 22, 2), dtype, i) for i in range(3)]
    check("rotate", samples, "HWC", angle=17.0, fill_value=3.0)
    check("rotate", samples, "HWC", angle=17.0, dtype="FLOAT")
    check("rotate", samples, "HWC", angle=17.0, output_dtype="FLOAT")


def test_frames_turn_each_by_itself():
    check("rotate", [noise((4, 15, 22, 3), np.uint8, i) for i in range(2)], "FHWC", angle=25.0, fill_value=7.0)
    frames = noise((2, 5, 8, 9, 1), np.uint8, 9)
    check("rotate", [frames], "FDHWC", angle=25.0, axis=[0.2, 0.5, 1.0])


def test_frames_do_not_leak_into_each_other():
    frames = np.zeros((3, 9, 9, 1), np.float32)
    frames[1] = np.nan
    made = run_ours(graph_of("rotate", [frames], "FHWC", angle=25.0), 1)[0][0][0]
    assert np.isnan(made[1]).all() and (made[[0, 2]] == 0).all()


@pytest.mark.parametrize("axis", [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -2.0, 0.0], [0.3, -0.5, 0.9]])
@pytest.mark.parametrize("fill", [{}, {"fill_value": 42.0}])
def test_volumes(axis, fill):
    check("rotate", [noise((9, 12, 11, 2), np.uint8, 3)], "DHWC", angle=35.0, axis=axis, **fill)


@pytest.mark.parametrize("options", [{}, {"fill_value": 9.0}, {"keep_size": True}, {"interp_type": "INTERP_NN"}])
def test_a_crop_gets_that_part_of_the_whole(options):
    check_crop("rotate", PICTURES, "HWC", angle=33.0, **options)


@pytest.mark.parametrize(
    "sample, layout, options, error, words",
    [
        (np.ones((4, 6, 3), np.uint8), "HWC", {"angle": float("nan")}, ValueError, "`angle`"),
        (np.ones((4, 6, 3), np.uint8), "HWC", {"angle": float("inf")}, ValueError, "`angle`"),
        (np.ones((4, 6, 3), np.uint8), "HWC", {"angle": 1, "size": [5.0]}, ValueError, "`size`"),
        (np.ones((4, 6, 3), np.uint8), "HWC", {"angle": 1, "size": [0.0, 3.0]}, ValueError, "`size`"),
        (np.ones((4, 6, 3), np.uint8), "HWC", {"angle": 1, "size": [float("nan"), 3.0]}, ValueError, "`size`"),
        (np.ones((4, 6, 3), np.float64), "HWC", {"angle": 1}, TypeError, "(?i)float64"),
        (np.ones((4, 6, 3), np.uint8), "HWC", {"angle": 1, "dtype": "INT16"}, TypeError, "`dtype`"),
        (np.ones((4, 6, 3), np.uint8), "HWC", {"angle": 1, "interp_type": "INTERP_CUBIC"}, ValueError, "interp_type"),
        (np.ones((0, 6, 3), np.uint8), "HWC", {"angle": 10}, ValueError, "fill_value"),
        (np.ones((4, 6, 3, 1), np.uint8), "DHWC", {"angle": 1}, ValueError, "`axis`"),
        (np.ones((4, 6, 3, 1), np.uint8), "DHWC", {"angle": 1, "axis": [0.0, 0.0, 0.0]}, ValueError, "`axis`"),
        (np.ones((4, 6, 3, 1), np.uint8), "DHWC", {"angle": 1, "axis": [0.0, 1.0]}, ValueError, "`axis`"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(sample, layout, options, error, words):
    check_refused("rotate", error, words, sample, layout, **options)


def test_an_empty_picture_becomes_fill_values():
    made = run_ours(
        graph_of("rotate", [np.ones((0, 6, 3), np.uint8)], "HWC", angle=90.0, fill_value=9.0, size=[2.0, 3.0]), 1
    )[0][0][0]
    np.testing.assert_array_equal(made, np.full((2, 3, 3), 9, np.uint8))
