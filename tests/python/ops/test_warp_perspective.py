"""fn.experimental.warp_perspective and remap against OpenCV's, and the former against DALI's."""

import numpy as np
import pytest
import scipy.ndimage
from oracle import run_dali, run_ours
from sampled import noise

cv2 = pytest.importorskip("cv2")


def smooth(shape, dtype, seed):
    """Neighbours differ by few levels, so that weights that are rounded to 1/32 change little."""
    sigma = [3 if extent > 5 else 0 for extent in shape]
    values = scipy.ndimage.gaussian_filter(np.random.default_rng(seed).uniform(0, 250, shape), sigma)
    values = (values - values.min()) / (values.max() - values.min()) * 250
    return values.astype(dtype)


PICTURES = [smooth((44 + 3 * i, 57 - 2 * i, 3), np.uint8, i) for i in range(4)]
MATRIX = [1.1037, -0.2043, 3.2571, 0.1533, 0.9071, -1.5129, 0.002, -0.003, 1.0]
BORDERS = {"constant": cv2.BORDER_CONSTANT, "replicate": cv2.BORDER_REPLICATE, "reflect": cv2.BORDER_REFLECT,
           "reflect_101": cv2.BORDER_REFLECT_101, "wrap": cv2.BORDER_WRAP}  # fmt: skip


def graph_of(op, samples, layout, *more, **options):
    def graph(fn, types, math):
        def given(value):
            if isinstance(value, str):
                return getattr(types, value, value)
            per_sample = isinstance(value, list) and isinstance(value[0], np.ndarray)
            return fn.external_source(lambda: value) if per_sample else value

        data = fn.external_source(lambda: samples, layout=layout)
        return getattr(fn.experimental, op)(data, *map(given, more), **{k: given(v) for k, v in options.items()})

    return graph


def run(op, samples, layout, *more, library=run_ours, **options):
    return library(graph_of(op, samples, layout, *more, **options), len(samples))[0][0]


def near(made, wanted, most=4):
    assert made.shape == wanted.shape
    assert made.dtype == wanted.dtype
    apart = np.abs(made.astype(np.float64) - wanted)
    assert np.mean(apart > 1.01) <= 2e-3
    assert np.mean(apart > most) <= 2e-3  # places on a border


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("origin", ["corner", "center"])
def test_pictures_are_dalis(border, origin):
    options = {"matrix": MATRIX, "border_mode": border, "pixel_origin": origin}
    ours = run("warp_perspective", PICTURES, "HWC", **options)
    theirs = run("warp_perspective", PICTURES, "HWC", library=run_dali, **options)
    for made, wanted in zip(ours, theirs, strict=True):
        near(made, wanted)


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("inverse_map", [True, False])
@pytest.mark.parametrize("interp", ["INTERP_LINEAR", "INTERP_NN"])
def test_pictures_are_opencvs(border, inverse_map, interp):
    flags = cv2.INTER_LINEAR if interp == "INTERP_LINEAR" else cv2.INTER_NEAREST
    flags |= cv2.WARP_INVERSE_MAP if inverse_map else 0
    made = run("warp_perspective", PICTURES, "HWC", matrix=MATRIX, border_mode=border, interp_type=interp,
               inverse_map=inverse_map, pixel_origin="center", size=[50.0, 40.0])  # fmt: skip
    for picture, one in zip(PICTURES, made, strict=True):
        matrix = np.float64(MATRIX).reshape(3, 3)
        near(one, cv2.warpPerspective(picture, matrix, (40, 50), flags=flags, borderMode=BORDERS[border]))


@pytest.mark.parametrize("dtype", [np.int16, np.uint16, np.float32])
def test_types(dtype):
    picture = smooth((44, 57, 2), dtype, 1)
    [made] = run("warp_perspective", [picture], "HWC", matrix=MATRIX, pixel_origin="center", border_mode="replicate")
    matrix, flags = np.float64(MATRIX).reshape(3, 3), cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    near(made, cv2.warpPerspective(picture, matrix, (57, 44), flags=flags, borderMode=cv2.BORDER_REPLICATE))


def test_channels_may_have_fill_values_of_their_own():
    far = [1.0, 0.0, 1000.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    [made] = run("warp_perspective", PICTURES[:1], "HWC", matrix=far, fill_value=[3.0, 40.0, 500.0])
    np.testing.assert_array_equal(made, np.broadcast_to(np.uint8([3, 40, 255]), made.shape))


def test_a_matrix_for_each_sample():
    matrices = [np.float32(MATRIX).reshape(3, 3) * np.float32(1 + i) + np.float32(0.01 * i) for i in range(4)]
    by_input = run("warp_perspective", PICTURES, "HWC", matrices)
    by_argument = run("warp_perspective", PICTURES, "HWC", matrix=[one.reshape(9) for one in matrices])
    alone = [run("warp_perspective", [picture], "HWC", matrix=one.reshape(9).tolist())[0]
             for picture, one in zip(PICTURES, matrices, strict=True)]  # fmt: skip
    for one, other, last in zip(by_input, by_argument, alone, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one, last)


@pytest.mark.parametrize("layout", ["HW", "CHW", "FHWC", "FCHW"])
def test_layouts(layout):
    picture = PICTURES[0]
    frames = np.stack([picture, picture[::-1]])
    data = {"HW": picture[..., 0], "CHW": picture.transpose(2, 0, 1), "FHWC": frames,
            "FCHW": frames.transpose(0, 3, 1, 2)}[layout]  # fmt: skip
    samples = [picture, np.ascontiguousarray(picture[::-1])]
    whole = np.stack(run("warp_perspective", samples, "HWC", matrix=MATRIX, fill_value=[9.0]))
    wanted = {"HW": whole[0, ..., 0], "CHW": whole[0].transpose(2, 0, 1), "FHWC": whole,
              "FCHW": whole.transpose(0, 3, 1, 2)}[layout]  # fmt: skip
    [made] = run("warp_perspective", [np.ascontiguousarray(data)], layout, matrix=MATRIX, fill_value=[9.0])
    np.testing.assert_array_equal(made, wanted)


def test_an_affine_matrix_gives_the_bytes_of_warp_affine():
    matrix = [0.8, -0.6, 3.25, 0.55, 0.9, -2.5]
    [made] = run("warp_perspective", PICTURES[:1], "HWC", matrix=[*matrix, 0.0, 0.0, 1.0], fill_value=42.0)

    def affine(fn, types, math):
        return fn.warp_affine(fn.external_source(lambda: PICTURES[:1], layout="HWC"), matrix=matrix, fill_value=42.0)

    np.testing.assert_array_equal(made, run_ours(affine, 1)[0][0][0])


@pytest.mark.parametrize("border", BORDERS)
def test_a_crop_gets_that_part_of_the_whole(border):
    whole = run("warp_perspective", PICTURES, "HWC", matrix=MATRIX, border_mode=border)

    def graph(fn, types, math):
        made = fn.experimental.warp_perspective(fn.external_source(lambda: PICTURES, layout="HWC"), matrix=MATRIX,
                                                border_mode=border)  # fmt: skip
        return fn.slice(made, start=[5, 8], shape=[9, 13], axes=[0, 1])

    for part, one in zip(run_ours(graph, 4)[0][0], whole, strict=True):
        np.testing.assert_array_equal(part, one[5:14, 8:21])


@pytest.mark.parametrize(
    "options, second, error, words",
    [
        ({}, None, ValueError, "`matrix`"),
        ({"matrix": MATRIX[:8]}, None, ValueError, "`matrix` needs 9"),
        ({"matrix": [*MATRIX[:8], float("nan")]}, None, ValueError, "`matrix` must be finite"),
        ({"matrix": [1.0, 2.0, 3.0] * 3, "inverse_map": False}, None, ValueError, "no inverse"),
        ({"matrix": MATRIX, "border_mode": "none"}, None, ValueError, "`border_mode`"),
        ({"matrix": MATRIX, "pixel_origin": "edge"}, None, ValueError, "`pixel_origin`"),
        ({"matrix": MATRIX, "fill_value": [1.0, 2.0]}, None, ValueError, "`fill_value`"),
        ({"matrix": MATRIX, "size": [-1.0, 3.0]}, None, ValueError, "`size`"),
        ({"matrix": MATRIX, "interp_type": "INTERP_CUBIC"}, None, ValueError, "`interp_type`"),
        ({"matrix": MATRIX}, [np.zeros((3, 3), np.float32)], ValueError, "twice"),
        ({}, [np.zeros((2, 3), np.float32)], ValueError, r"\(3, 3\)"),
        ({}, [np.zeros((3, 3), np.float64)], TypeError, "float64"),
    ],
)
def test_what_cannot_be_is_refused(options, second, error, words):
    with pytest.raises(error, match=words):
        run("warp_perspective", PICTURES[:1], "HWC", *([] if second is None else [second]), **options)


# remap ----------------------------------------------------------------------------------------------------------------


def maps(seed, shape=(31, 45)):
    rows, columns = np.indices(shape)
    rng = np.random.default_rng(seed)
    wave = 3 * np.sin(columns / 5 + seed)
    return (np.float32(columns * 1.2 - 4 + wave), np.float32(rows * 1.5 - 3 + rng.uniform(0, 0.5, shape)))


@pytest.mark.parametrize("origin", ["corner", "center"])
@pytest.mark.parametrize("interp", ["INTERP_LINEAR", "INTERP_NN"])
@pytest.mark.parametrize("border", BORDERS)
def test_remapped_pictures_are_opencvs(origin, interp, border):
    pairs = [maps(i) for i in range(4)]
    x, y = ([pair[k] for pair in pairs] for k in range(2))
    made = run("remap", PICTURES, "HWC", x, y, interp=interp, pixel_origin=origin, border_mode=border)
    flag, shift = (cv2.INTER_LINEAR if interp == "INTERP_LINEAR" else cv2.INTER_NEAREST), origin == "corner"
    for picture, (one, other), result in zip(PICTURES, pairs, made, strict=True):
        places = (one - np.float32(0.5 * shift), other - np.float32(0.5 * shift))
        near(result, cv2.remap(picture, *places, flag, borderMode=BORDERS[border]))


def test_maps_may_have_channels_and_frames():
    x, y = maps(1)
    [whole] = run("remap", PICTURES[:1], "HWC", [x], [y])
    [made] = run("remap", PICTURES[:1], "HWC", [x[..., None]], [y[..., None]])
    np.testing.assert_array_equal(made, whole)
    frames = np.stack([PICTURES[0], PICTURES[0][::-1]])
    [by_frame] = run("remap", [frames], "FHWC", [np.stack([x, x + 2])], [np.stack([y, y])])
    np.testing.assert_array_equal(by_frame[0], whole)
    [second] = run("remap", [np.ascontiguousarray(frames[1])], "HWC", [x + 2], [y])
    np.testing.assert_array_equal(by_frame[1], second)
    [shared] = run("remap", [frames], "FHWC", [x], [y])
    np.testing.assert_array_equal(shared[0], whole)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30, -1e30])
def test_places_that_are_none_have_the_fill_value(value):
    x, y = np.full((5, 6), value, np.float32), np.zeros((5, 6), np.float32)
    for interp in ("INTERP_LINEAR", "INTERP_NN"):
        [made] = run("remap", PICTURES[:1], "HWC", [x], [y], fill_value=[1.0, 2.0, 3.0], interp=interp)
        np.testing.assert_array_equal(made, np.broadcast_to(np.uint8([1, 2, 3]), (5, 6, 3)))
        for border in BORDERS:
            run("remap", PICTURES[:1], "HWC", [x], [y], border_mode=border, interp=interp)


@pytest.mark.parametrize(
    "x, y, error, words",
    [
        (np.zeros((4, 5), np.float64), np.zeros((4, 5), np.float64), TypeError, "`mapx`.*float64"),
        (np.zeros((4, 5), np.float32), np.zeros((4, 6), np.float32), ValueError, "`mapx` and `mapy` differ"),
        (np.zeros(5, np.float32), np.zeros(5, np.float32), ValueError, "a map must have"),
        (np.zeros((4, 5, 3), np.float32), np.zeros((4, 5, 3), np.float32), ValueError, "a map must have"),
    ],
)
def test_what_is_no_map_is_refused(x, y, error, words):
    with pytest.raises(error, match=words):
        run("remap", PICTURES[:1], "HWC", [x], [y])


def test_a_crop_of_a_remapped_picture_is_that_part_of_the_whole():
    x, y = maps(2)
    [whole] = run("remap", PICTURES[:1], "HWC", [x], [y])

    def graph(fn, types, math):
        data = fn.external_source(lambda: PICTURES[:1], layout="HWC")
        made = fn.experimental.remap(data, fn.external_source(lambda: [x]), fn.external_source(lambda: [y]))
        return fn.slice(made, start=[5, 8], shape=[9, 13], axes=[0, 1])

    np.testing.assert_array_equal(run_ours(graph, 1)[0][0][0], whole[5:14, 8:21])


def test_noise_is_mixed_as_numpy_does():
    """Exact weights, unlike OpenCV's."""
    picture = noise((20, 30, 1), np.float32, 4)
    x, y = maps(3, (9, 11))
    [made] = run("remap", [picture], "HWC", [x], [y], pixel_origin="center")
    wanted = scipy.ndimage.map_coordinates(picture[..., 0].astype(np.float64), [y, x], order=1, mode="grid-constant")
    np.testing.assert_allclose(made[..., 0], wanted, atol=2e-3)
