"""gaussian_blur and laplacian: DALI's pixels, in every layout and type."""

import numpy as np
import oracle
import pytest

from penstock import Pipeline, fn, types

SHAPES = {"HWC": (17, 23, 3), "CHW": (3, 17, 23), "FHWC": (2, 17, 23, 3), "DHWC": (6, 17, 23, 2), "HW": (17, 23),
          "CDHW": (2, 6, 17, 23), "FCHW": (2, 3, 17, 23), "W": (23,), "DHW": (6, 7, 9), "": (17, 23)}  # fmt: skip
BLURS = {
    "sigma": {"sigma": 1.3},
    "size": {"window_size": 5},
    "both": {"sigma": 2.0, "window_size": 7},
    "large": {"sigma": 9.0},
    "one weight": {"window_size": 1},
}


def array_of(layout, dtype):
    values = np.random.default_rng(0).random(SHAPES[layout])
    return (values * (120 if np.issubdtype(dtype, np.integer) else 1)).astype(dtype)


def graph_of(op, array, layout, **options):
    def graph(fn, types, math):
        asked = {k: getattr(types, v) if k == "dtype" else v for k, v in options.items()}
        return getattr(fn, op)(
            fn.external_source(source=lambda: [array] * 4, layout=layout or None, batch=True), **asked
        )

    return graph


@pytest.mark.parametrize("layout", SHAPES)
@pytest.mark.parametrize("name", BLURS)
def test_blurred_pixels_equal_dalis(name, layout):
    oracle.assert_same(graph_of("gaussian_blur", array_of(layout, np.float32), layout, **BLURS[name]), tolerance=2e-5)
    oracle.assert_same(graph_of("gaussian_blur", array_of(layout, np.uint8), layout, **BLURS[name]), tolerance=1)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int16", "int32", "uint32", "int64", "float16", "float64"])
def test_blurred_types_equal_dalis(dtype):
    array = array_of("HWC", np.dtype(dtype))
    tolerance = 1 if np.issubdtype(array.dtype, np.integer) else 1e-3
    oracle.assert_same(graph_of("gaussian_blur", array, "HWC", sigma=1.0), tolerance=tolerance)
    oracle.assert_same(graph_of("gaussian_blur", array, "HWC", sigma=1.0, dtype="FLOAT"), tolerance=1e-3)


def test_rounding_differs_from_dali_in_few_pixels():
    array = np.random.default_rng(0).integers(0, 256, (200, 300, 3)).astype(np.uint8)
    graph = graph_of("gaussian_blur", array, "HWC", window_size=7)
    mine, his = (run(graph)[0][0][0].astype(int) for run in (oracle.run_ours, oracle.run_dali))
    assert (mine == his).mean() > 0.999


@pytest.mark.parametrize(
    "options", [{"sigma": [0.5, 2.0]}, {"window_size": [3, 9]}, {"sigma": [0.0, 2.0], "window_size": [5, 0]}]
)
def test_axes_may_differ(options):
    oracle.assert_same(graph_of("gaussian_blur", array_of("HWC", np.float32), "HWC", **options), tolerance=2e-5)


def test_sigma_may_differ_by_sample():
    def graph(fn, types, math):
        sigma = fn.external_source(source=lambda info: np.float32(0.5 + info.idx_in_epoch), batch=False)
        return fn.gaussian_blur(fn.external_source(source=lambda: [PICTURE] * 4, layout="HWC", batch=True), sigma=sigma)

    oracle.assert_same(graph, tolerance=1)


PICTURE = array_of("HWC", np.uint8)
LAPLACIANS = {
    "usual": {},
    "size": {"window_size": 7},
    "unsmoothed": {"window_size": 5, "smoothing_size": 1},
    "by axis": {"window_size": [3, 5], "smoothing_size": [5, 3]},
    "sizes by axis": {"window_size": [3, 7]},
    "scaled": {"window_size": 5, "scale": [0.25, 0.5]},
    "normalised": {"window_size": 5, "normalized_kernel": True},
    "largest": {"window_size": 31, "normalized_kernel": True},
}


@pytest.mark.parametrize("layout", ["HWC", "CHW", "FHWC", "HW"])
@pytest.mark.parametrize("name", LAPLACIANS)
def test_laplacians_equal_dalis(name, layout):
    array = array_of(layout, np.float32)
    oracle.assert_same(
        graph_of("laplacian", array, layout, **LAPLACIANS[name]), tolerance=2e-3 if name != "usual" else 1e-5
    )
    oracle.assert_same(
        graph_of("laplacian", array_of(layout, np.uint8), layout, dtype="FLOAT", **LAPLACIANS[name]), tolerance=0.5
    )


def test_laplacian_of_a_volume_equals_dalis():
    oracle.assert_same(
        graph_of("laplacian", array_of("DHWC", np.float32), "DHWC", window_size=[3, 5, 7]), tolerance=5e-3
    )


def run(make, array=PICTURE, layout="HWC"):
    pipe = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(make(fn.external_source(source=lambda: [array], layout=layout, batch=True)))
    return np.array(pipe.run()[0][0])


@pytest.mark.parametrize("layout", ["HWC", "CHW", "FHWC", "DHWC"])
@pytest.mark.parametrize(
    "make",
    [
        lambda x: fn.gaussian_blur(x, sigma=1.5),
        lambda x: fn.gaussian_blur(x, sigma=6.0),
        lambda x: fn.laplacian(x, window_size=5, dtype=types.FLOAT),
    ],
)
def test_a_crop_behind_a_filter_is_that_part_of_the_whole(make, layout):
    array = array_of(layout, np.uint8)

    def cast(node):  # it makes the part that is needed, and no more, unlike a source
        return make(fn.cast(node, dtype=types.FLOAT))

    whole = run(cast, array, layout)
    for y, x in ((0, 0), (1, 1), (0.4, 0.7)):
        part = run(lambda node, y=y, x=x: fn.crop(cast(node), crop=(5, 6), crop_pos_y=y, crop_pos_x=x), array, layout)
        rows, columns = layout.index("H"), layout.index("W")
        cut = [slice(None)] * len(layout)
        cut[rows] = slice(round(y * 12), round(y * 12) + 5)
        cut[columns] = slice(round(x * 17), round(x * 17) + 6)
        np.testing.assert_array_equal(part, whole[tuple(cut)])


def test_a_window_wider_than_the_picture_is_mirrored_again():
    array = np.float32([[0, 1, 5]])
    made = run(lambda x: fn.gaussian_blur(x, window_size=9, sigma=100.0), array, "HW")
    mirrored = np.pad(array, ((0, 0), (4, 4)), mode="reflect")
    assert made[0, 1] == pytest.approx(mirrored[0, 1:10].mean(), rel=1e-3)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda x: fn.gaussian_blur(x), "shouldn't be 0 at the same time"),
        (lambda x: fn.gaussian_blur(x, sigma=-1.0), "non-negative"),
        (lambda x: fn.gaussian_blur(x, sigma=float("nan")), "non-negative"),
        (lambda x: fn.gaussian_blur(x, sigma=1e9), "too large"),
        (lambda x: fn.gaussian_blur(x, window_size=4), "must be odd"),
        (lambda x: fn.gaussian_blur(x, sigma=[1.0, 2.0, 3.0]), "one for each of 2 axes; got 3"),
        (lambda x: fn.gaussian_blur(x, sigma=1.0, dtype=types.INT16), "`dtype` must be the input's type"),
        (lambda x: fn.laplacian(x, window_size=33), r"Window size must be an odd integer between 3 and 31, got 33"),
        (lambda x: fn.laplacian(x, scale=2.0, normalized_kernel=True), "mutually exclusive"),
    ],
)
def test_what_is_no_window_is_refused(make, match):
    with pytest.raises(Exception, match=match):
        run(make)


def test_channels_between_axes_are_refused():
    with pytest.raises(Exception, match="not between them"):
        run(lambda x: fn.gaussian_blur(x, sigma=1.0), np.zeros((4, 3, 4), np.uint8), "HCW")


@pytest.mark.parametrize("shape", [(0, 5, 3), (1, 1, 3)])
def test_small_pictures(shape):
    assert (
        run(lambda x: fn.gaussian_blur(x, sigma=2.0), np.full(shape, 9, np.uint8)).tolist()
        == np.full(shape, 9).tolist()
    )
