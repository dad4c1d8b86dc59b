"""fn.warp_affine against DALI's, behind crops, and with what it refuses."""

import numpy as np
import pytest
from oracle import run_ours
from sampled import check, check_crop, check_refused, graph_of, noise

MATRIX = [0.8, -0.6, 3.25, 0.55, 0.9, -2.5]
TUMBLED = [0.8, -0.5, 0.2, 2.5, 0.6, 0.7, -0.1, -1.2, 0.1, -0.2, 0.9, 0.7]
PICTURES = [noise((24 + 3 * i, 37 - 2 * i, 3), np.uint8, i) for i in range(4)]
MATRICES = [np.float32(MATRIX).reshape(2, 3) * np.float32(1 + 0.1 * i) for i in range(4)]


@pytest.mark.parametrize("interp", ["INTERP_LINEAR", "INTERP_NN"])
@pytest.mark.parametrize("fill", [{}, {"fill_value": 42.0}])
@pytest.mark.parametrize("inverse_map", [True, False])
def test_pictures(interp, fill, inverse_map):
    check("warp_affine", PICTURES, "HWC", matrix=MATRIX, interp_type=interp, inverse_map=inverse_map, **fill)


def test_a_matrix_for_each_sample():
    check("warp_affine", PICTURES, "HWC", matrix=MATRICES)
    check("warp_affine", PICTURES, "HWC", MATRICES, fill_value=3.0)
    check("warp_affine", PICTURES, "HWC", MATRICES, inverse_map=False, size=[15.0, 20.0])


def test_a_singular_map_to_the_input_is_one():
    check("warp_affine", PICTURES, "HWC", matrix=[0.0, 0.0, 5.5, 0.0, 1.0, 0.0])


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.float32])
def test_types(dtype):
    samples = [noise((15, 22, 2), dtype, i) for i in range(3)]
    check("warp_affine", samples, "HWC", matrix=MATRIX, fill_value=3.0)
    check("warp_affine", samples, "HWC", matrix=MATRIX, dtype="FLOAT")


def test_frames_and_volumes():
    check("warp_affine", [noise((4, 15, 22, 3), np.uint8, i) for i in range(2)], "FHWC", matrix=MATRIX, fill_value=7.0)
    check("warp_affine", [noise((9, 12, 11, 2), np.uint8, 3)], "DHWC", matrix=TUMBLED)
    check(
        "warp_affine", [noise((9, 12, 11, 2), np.uint8, 3)], "DHWC", matrix=TUMBLED, inverse_map=False, fill_value=7.0
    )
    check("warp_affine", [noise((2, 5, 8, 9, 1), np.float32, 9)], "FDHWC", matrix=TUMBLED, size=[6.0, 9.0, 10.0])


@pytest.mark.parametrize("options", [{}, {"fill_value": 9.0}, {"size": [60.0, 70.0]}, {"interp_type": "INTERP_NN"}])
def test_a_crop_gets_that_part_of_the_whole(options):
    check_crop("warp_affine", PICTURES, "HWC", matrix=MATRIX, **options)


NAN = float("nan")


@pytest.mark.parametrize(
    "options, second, error, words",
    [
        ({}, None, ValueError, "`matrix`"),
        ({"matrix": MATRIX[:5]}, None, ValueError, "`matrix`"),
        ({"matrix": [*MATRIX[:5], NAN]}, None, ValueError, "`matrix` must be finite"),
        ({"matrix": [*MATRIX[:5], float("inf")]}, None, ValueError, "`matrix` must be finite"),
        ({"matrix": [1.0, 2.0, 0.0, 2.0, 4.0, 0.0], "inverse_map": False}, None, ValueError, "no inverse"),
        ({"matrix": [1e-30, 0.0, 1e20, 0.0, 1.0, 0.0], "inverse_map": False}, None, ValueError, "not finite"),
        ({}, np.full((2, 3), np.nan, np.float32), ValueError, "`matrix` must be finite"),
        ({}, np.zeros((2, 3), np.float64), TypeError, "(?i)float64"),
        ({}, np.zeros(6, np.float32), ValueError, "matrix"),
        ({}, np.zeros((3, 4), np.float32), ValueError, r"\(2, 3\)"),
        ({"matrix": MATRIX}, np.zeros((2, 3), np.float32), ValueError, "twice"),
        ({"matrix": MATRIX, "size": [-1.0, 3.0]}, None, ValueError, "`size`"),
        ({"matrix": MATRIX, "dtype": "FLOAT16"}, None, TypeError, "`dtype`"),
    ],
)
def test_what_cannot_be_is_refused(options, second, error, words):
    check_refused("warp_affine", error, words, np.ones((4, 6, 3), np.uint8), "HWC", second, **options)


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.float64])
def test_types_that_no_kernel_has_are_named(dtype):
    graph = graph_of("warp_affine", [np.ones((4, 6, 3), dtype)], "HWC", matrix=MATRIX)
    with pytest.raises(TypeError, match=f"(?i){np.dtype(dtype).name}"):
        run_ours(graph, 1)
