"""fn.filter against DALI's, against sums in numpy where DALI's CPU does less, and with what it refuses."""

import numpy as np
import pytest
import scipy.ndimage
from oracle import run_ours
from sampled import check, check_refused, graph_of, noise

PICTURES = [noise((24 + 3 * i, 37 - 2 * i, 3), np.uint8, i) for i in range(4)]
BORDERS = {"reflect_101": "mirror", "reflect_1001": "reflect", "wrap": "grid-wrap", "clamp": "nearest",
           "constant": "constant"}  # fmt: skip


def filters(*shape, count=4):
    """Their sums are about 1, so that results stay in the range of the type."""
    made = [np.random.default_rng(i).uniform(-0.5, 1, shape).astype(np.float32) for i in range(count)]
    return [one / np.float32(np.abs(one).sum()) for one in made]


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("shape", [(3, 3), (1, 1), (2, 5), (7, 4), (9, 1), (41, 60)])
def test_pictures(border, shape):
    check("filter", PICTURES, "HWC", filters(*shape), border=border)


@pytest.mark.parametrize("layout, shape", [("HW", (15, 22)), ("CHW", (3, 15, 22)), ("FHWC", (4, 15, 22, 3)),
                                           ("FCHW", (2, 3, 15, 22))])  # fmt: skip
def test_layouts(layout, shape):
    check("filter", [noise(shape, np.uint8, i) for i in range(2)], layout, filters(3, 4, count=2))


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, np.float32])
def test_types(dtype):
    samples = [noise((15, 22, 2), dtype, i) for i in range(3)]
    check("filter", samples, "HWC", filters(3, 3, count=3))
    check("filter", samples, "HWC", filters(3, 3, count=3), dtype="FLOAT", border="wrap")


@pytest.mark.parametrize("anchor", [0, [0, 3], [2, 0], -1, [-1, 1]])
def test_anchors(anchor):
    check("filter", PICTURES, "HWC", filters(3, 4), anchor=anchor)


def test_an_anchor_for_each_sample():
    anchors = [np.int32([i % 3, i]) for i in range(4)]
    check("filter", PICTURES, "HWC", filters(3, 4), anchor=anchors, border="constant")


def test_only_places_with_all_of_the_filter():
    check("filter", PICTURES, "HWC", filters(5, 4), mode="valid")
    check("filter", PICTURES, "HWC", filters(24, 31), mode="valid", anchor=0)


def run(samples, layout, weights, fill=None, **options):
    def graph(fn, types, math):
        given = [fn.external_source(lambda: samples, layout=layout), fn.external_source(lambda: weights)]
        if fill is not None:
            given.append(fn.external_source(lambda: fill))
        asked = {k: getattr(types, v) if k == "dtype" else v for k, v in options.items()}
        return fn.filter(*given, **asked)

    return run_ours(graph, len(samples))[0][0]


def test_what_lies_outside_has_the_value_given():
    weights = filters(3, 5)
    made = run(PICTURES, "HWC", weights, [np.uint8(40 * i) for i in range(4)], border="constant")
    for i, (picture, one, result) in enumerate(zip(PICTURES, weights, made, strict=True)):
        wanted = scipy.ndimage.correlate(picture.astype(np.float64), one[..., None], mode="constant", cval=40 * i)
        np.testing.assert_allclose(result, np.clip(wanted, 0, 255), atol=0.51)


@pytest.mark.parametrize("border", BORDERS)
def test_volumes(border):
    volume, weights = noise((6, 9, 11, 2), np.float32, 1), filters(2, 5, 3)[0]
    [made] = run([volume], "DHWC", [weights], border=border)
    wanted = scipy.ndimage.correlate(volume.astype(np.float64), weights[..., None], mode=BORDERS[border])
    np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-3)
    [valid] = run([volume], "DHWC", [weights], border=border, mode="valid")
    np.testing.assert_array_equal(valid, made[1:, 2:-2, 1:-1])


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.int32, np.uint64, np.float64])
def test_types_that_dali_filters_on_gpus_alone(dtype):
    picture, weights = (noise((9, 11, 3), np.float32, 3) / 4).astype(dtype), filters(3, 3)[0]
    [made] = run([picture], "HWC", [weights])
    wanted = scipy.ndimage.correlate(picture.astype(np.float64), weights[..., None], mode="mirror")
    assert made.dtype == dtype
    low = -np.inf if np.issubdtype(dtype, np.floating) else np.iinfo(dtype).min
    np.testing.assert_allclose(made.astype(np.float64), np.maximum(wanted, low), atol=0.51, rtol=1e-3)


def test_frames_may_have_filters_of_their_own():
    frames, weights = noise((3, 9, 11, 2), np.uint8, 5), np.stack(filters(3, 3, count=3))

    def graph(fn, types, math):
        by_frame = fn.external_source(lambda: [weights], layout="FHW")
        return fn.filter(fn.external_source(lambda: [frames], layout="FHWC"), by_frame)

    [made] = run_ours(graph, 1)[0][0]
    for frame, one, result in zip(frames, weights, made, strict=True):
        np.testing.assert_array_equal(result, run([frame], "HWC", [one])[0])


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("shape, anchor", [((3, 3), -1), ((9, 5), [0, 4]), ((40, 2), [39, 0])])
def test_a_crop_gets_that_part_of_the_whole(border, shape, anchor):
    weights = filters(*shape)
    whole = run(PICTURES, "HWC", weights, border=border, anchor=anchor)
    for start in ([5, 8], [0, 0], [15, 18]):

        def graph(fn, types, math, start=start):
            data = fn.cast(fn.external_source(lambda: PICTURES, layout="HWC"), dtype=types.FLOAT)  # makes parts
            made = fn.filter(data, fn.external_source(lambda: weights), border=border, anchor=anchor)
            return fn.slice(fn.cast(made, dtype=types.UINT8), start=start, shape=[9, 13], axes=[0, 1])

        for part, one in zip(run_ours(graph, 4)[0][0], whole, strict=True):
            y, x = start
            np.testing.assert_array_equal(part, one[y : y + 9, x : x + 13])


def test_a_picture_smaller_than_the_filter():
    check("filter", [noise((1, 2, 3), np.uint8, 1)], "HWC", filters(7, 8, count=1), border="reflect_1001")
    check("filter", [noise((1, 2, 3), np.uint8, 1)], "HWC", filters(7, 8, count=1))
    check("filter", [noise((2, 1, 3), np.uint8, 1)], "HWC", filters(7, 8, count=1), border="wrap")


@pytest.mark.parametrize(
    "options, second, error, words",
    [
        ({}, np.zeros((0, 3), np.float32), ValueError, "filter is empty"),
        ({}, np.zeros((3, 3), np.float64), TypeError, "float64"),
        ({}, np.zeros((3, 3, 3), np.float32), ValueError, "as many axes"),
        ({}, np.zeros(3, np.float32), ValueError, "as many axes"),
        ({"anchor": [3, 0]}, np.zeros((3, 3), np.float32), ValueError, "`anchor`.* 0 to 2, got 3"),
        ({"anchor": -2}, np.zeros((3, 3), np.float32), ValueError, "`anchor`"),
        ({"anchor": [1, 1, 1]}, np.zeros((3, 3), np.float32), ValueError, "`anchor`"),
        ({"border": "edgy"}, np.zeros((3, 3), np.float32), ValueError, "`border`"),
        ({"mode": "full"}, np.zeros((3, 3), np.float32), ValueError, "`mode`"),
        ({"mode": "valid"}, np.zeros((5, 3), np.float32), ValueError, "does not fit"),
        ({"dtype": "INT16"}, np.zeros((3, 3), np.float32), ValueError, "`dtype`"),
    ],
)
def test_what_cannot_be_is_refused(options, second, error, words):
    check_refused("filter", error, words, np.ones((4, 6, 3), np.uint8), "HWC", second, **options)


def test_a_fill_value_of_another_type_is_refused():
    with pytest.raises(TypeError, match="`fill_value`"):
        run(PICTURES[:1], "HWC", filters(3, 3, count=1), [np.float32(3)])
    with pytest.raises(ValueError, match="`fill_value`"):
        run(PICTURES[:1], "HWC", filters(3, 3, count=1), [np.zeros(2, np.uint8)])


def test_the_older_name():
    pipe = graph_of("filter", PICTURES, "HWC", filters(3, 3))

    def older(fn, types, math):
        given = fn.external_source(lambda: PICTURES, layout="HWC"), fn.external_source(lambda: filters(3, 3))
        return fn.experimental.filter(*given)

    for one, other in zip(run_ours(older)[0][0], run_ours(pipe)[0][0], strict=True):
        np.testing.assert_array_equal(one, other)
