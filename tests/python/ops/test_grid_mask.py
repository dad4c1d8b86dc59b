"""fn.grid_mask against DALI's."""

import numpy as np
import pytest
from oracle import run_ours
from sampled import both, check_refused, graph_of, noise

PICTURES = [noise((64 + 3 * i, 97 - 2 * i, 3), np.uint8, i) | np.uint8(1) for i in range(4)]
GRIDS = {
    "usual": {},
    "small": {"tile": 10},
    "turned": {"tile": 17, "angle": 0.4},
    "moved": {"tile": 20, "shift_x": 7.3, "shift_y": -3.2},
    "all": {"tile": 23, "ratio": 0.7, "angle": -2.1, "shift_x": 30.5, "shift_y": 11.25},
    "none": {"tile": 9, "ratio": 0.0},
    "whole": {"tile": 9, "ratio": 1.0},
}


@pytest.mark.parametrize("grid", GRIDS)
def test_pixels_are_dalis_but_for_edges(grid):
    for ours, theirs in zip(*both(graph_of("grid_mask", PICTURES, "HWC", **GRIDS[grid]), 4), strict=True):
        assert ours.shape == theirs.shape
        assert np.mean(ours != theirs) < 5e-3


def test_each_sample_may_have_a_grid_of_its_own():
    options = {"tile": [np.int32(8 + 5 * i) for i in range(4)], "ratio": [np.float32(0.2 + 0.2 * i) for i in range(4)],
               "angle": [np.float32(0.3 * i + 0.1) for i in range(4)]}  # fmt: skip
    for ours, theirs in zip(*both(graph_of("grid_mask", PICTURES, "HWC", **options), 4), strict=True):
        assert np.mean(ours != theirs) < 5e-3


def run(samples, layout="HWC", cut=None, **options):
    whole = graph_of("grid_mask", samples, layout, **options)

    def graph(fn, types, math):
        made = whole(fn, types, math)
        return made if cut is None else fn.slice(made, start=cut[0], shape=cut[1], axes=[0, 1])

    return run_ours(graph, len(samples))[0][0]


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.float64, np.bool_])
def test_squares_are_cleared_and_the_rest_stays(dtype):
    picture = (noise((40, 60, 2), np.uint8, 1) | np.uint8(1)).astype(dtype)
    [made] = run([picture], tile=20, ratio=0.25)
    rows, columns = np.indices((40, 60)) % 20 < 5
    np.testing.assert_array_equal(made, np.where((rows & columns)[..., None], dtype(0), picture))


@pytest.mark.parametrize("layout", ["HW", "CHW", "FHWC", "FCHW"])
def test_layouts(layout):
    picture = PICTURES[0]
    frames = np.stack([picture, picture[::-1]])
    data = {"HW": picture[..., 0], "CHW": picture.transpose(2, 0, 1), "FHWC": frames,
            "FCHW": frames.transpose(0, 3, 1, 2)}[layout]  # fmt: skip
    whole = np.stack(run([picture, np.ascontiguousarray(picture[::-1])], **GRIDS["all"]))
    wanted = {"HW": whole[0, ..., 0], "CHW": whole[0].transpose(2, 0, 1), "FHWC": whole,
              "FCHW": whole.transpose(0, 3, 1, 2)}[layout]  # fmt: skip
    [made] = run([np.ascontiguousarray(data)], layout, **GRIDS["all"])
    np.testing.assert_array_equal(made, wanted)


def test_a_crop_gets_that_part_of_the_whole():
    whole, parts = run(PICTURES, **GRIDS["all"]), run(PICTURES, cut=([5, 8], [9, 13]), **GRIDS["all"])
    for part, one in zip(parts, whole, strict=True):
        np.testing.assert_array_equal(part, one[5:14, 8:21])


@pytest.mark.parametrize(
    "options, words",
    [
        ({"tile": 0}, "`tile`"),
        ({"tile": -3}, "`tile`"),
        ({"ratio": 1.5}, "`ratio`"),
        ({"ratio": float("nan")}, "`ratio`"),
        ({"angle": float("nan")}, "`angle`"),
        ({"shift_y": 1e30}, "`shift_y`"),
    ],
)
def test_what_cannot_be_is_refused(options, words):
    check_refused("grid_mask", ValueError, words, np.ones((4, 6, 3), np.uint8), "HWC", **options)
