"""fn.experimental.median_blur, dilate and erode against OpenCV's, which DALI has on GPUs alone."""

import numpy as np
import pytest
import scipy.ndimage
from oracle import run_ours
from sampled import noise

cv2 = pytest.importorskip("cv2")

PICTURES = [noise((24 + 3 * i, 37 - 2 * i, 3), np.uint8, i) for i in range(4)]
BORDERS = {"constant": cv2.BORDER_CONSTANT, "replicate": cv2.BORDER_REPLICATE, "reflect": cv2.BORDER_REFLECT,
           "reflect_101": cv2.BORDER_REFLECT_101}  # fmt: skip
MORPHOLOGY = pytest.mark.parametrize("op", ["dilate", "erode"])


def run(op, samples, layout="HWC", **options):
    def graph(fn, types, math):
        def given(value):
            per_sample = isinstance(value, list) and isinstance(value[0], np.ndarray)
            return fn.external_source(lambda: value) if per_sample else value

        data = fn.external_source(lambda: samples, layout=layout)
        return getattr(fn.experimental, op)(data, **{name: given(value) for name, value in options.items()})

    return run_ours(graph, len(samples))[0][0]


def morphed(op, picture, size, anchor=(-1, -1), iterations=1, border=cv2.BORDER_CONSTANT):
    element = cv2.getStructuringElement(cv2.MORPH_RECT, size)
    made = getattr(cv2, op)(picture, element, anchor=anchor, iterations=iterations, borderType=border)
    return made.reshape(picture.shape)


@MORPHOLOGY
@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("size", [(3, 3), (1, 1), (5, 2), (2, 8), (1, 7), (11, 13)])
def test_masks_and_borders(op, border, size):
    for picture, made in zip(PICTURES, run(op, PICTURES, mask_size=list(size), border_mode=border), strict=True):
        np.testing.assert_array_equal(made, morphed(op, picture, size, border=BORDERS[border]))


@MORPHOLOGY
def test_anchors_and_rounds(op):
    for anchor, rounds in (((0, 0), 1), ((4, 1), 1), ((1, 0), 3), ((-1, -1), 4)):
        made = run(op, PICTURES, mask_size=[5, 2], anchor=list(anchor), iterations=rounds)
        for picture, one in zip(PICTURES, made, strict=True):
            np.testing.assert_array_equal(one, morphed(op, picture, (5, 2), anchor, rounds))


@MORPHOLOGY
def test_a_mask_for_each_sample(op):
    sizes = [np.int32([1 + i, 6 - i]) for i in range(4)]
    for picture, size, made in zip(PICTURES, sizes, run(op, PICTURES, mask_size=sizes), strict=True):
        np.testing.assert_array_equal(made, morphed(op, picture, tuple(map(int, size))))


@MORPHOLOGY
def test_a_border_that_wraps(op):
    filtered = scipy.ndimage.maximum_filter if op == "dilate" else scipy.ndimage.minimum_filter
    [made] = run(op, PICTURES[:1], mask_size=[3, 5], border_mode="wrap")
    np.testing.assert_array_equal(made, filtered(PICTURES[0], size=(5, 3, 1), mode="wrap"))


@MORPHOLOGY
@pytest.mark.parametrize("dtype", [np.int16, np.uint16, np.float32])
def test_types_of_masks(op, dtype):
    picture = noise((15, 22, 2), dtype, 3) - (dtype(100) if dtype != np.uint16 else 0)
    [made] = run(op, [picture], mask_size=[3, 4])
    np.testing.assert_array_equal(made, morphed(op, picture, (3, 4)))


@pytest.mark.parametrize("size", [3, 5, 7, 13])
@pytest.mark.parametrize("channels", [1, 3])
def test_medians_of_bytes(size, channels):
    pictures = [noise((24 + 3 * i, 37 - 2 * i, channels), np.uint8, i) for i in range(4)]
    for picture, made in zip(pictures, run("median_blur", pictures, window_size=size), strict=True):
        np.testing.assert_array_equal(made, cv2.medianBlur(picture, size).reshape(picture.shape))


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, np.int32, np.float32])
@pytest.mark.parametrize("size", [(3, 3), (5, 5), (9, 1), (1, 25), (1, 1), (3, 7), (7, 5)])
def test_medians_of_all_types(dtype, size):
    picture = noise((15, 40, 2), dtype, 3) - (dtype(100) if dtype not in (np.uint8, np.uint16) else dtype(0))
    [made] = run("median_blur", [picture], window_size=list(size))
    wanted = scipy.ndimage.median_filter(picture, size=(size[1], size[0], 1), mode="nearest")
    np.testing.assert_array_equal(made, wanted)


def test_a_window_for_each_sample():
    sizes = [np.int32([1 + 2 * i, 7 - 2 * i]) for i in range(4)]
    for picture, size, made in zip(PICTURES, sizes, run("median_blur", PICTURES, window_size=sizes), strict=True):
        wanted = scipy.ndimage.median_filter(picture, size=(size[1], size[0], 1), mode="nearest")
        np.testing.assert_array_equal(made, wanted)


OPTIONS = {
    "dilate": {"mask_size": [4, 5], "anchor": [3, 0]},
    "erode": {"border_mode": "wrap"},
    "median_blur": {"window_size": 5},
}


@pytest.mark.parametrize("op", OPTIONS)
@pytest.mark.parametrize("layout", ["HW", "CHW", "FHWC", "FCHW"])
def test_layouts(op, layout):
    picture = PICTURES[0]
    frames = np.stack([picture, picture[::-1]])
    data = {"HW": picture[..., 0], "CHW": picture.transpose(2, 0, 1), "FHWC": frames,
            "FCHW": frames.transpose(0, 3, 1, 2)}[layout]  # fmt: skip
    whole = np.stack(run(op, [picture, np.ascontiguousarray(picture[::-1])], **OPTIONS[op]))
    wanted = {"HW": whole[0, ..., 0], "CHW": whole[0].transpose(2, 0, 1), "FHWC": whole,
              "FCHW": whole.transpose(0, 3, 1, 2)}[layout]  # fmt: skip
    [made] = run(op, [np.ascontiguousarray(data)], layout, **OPTIONS[op])
    np.testing.assert_array_equal(made, wanted)


@pytest.mark.parametrize("op", OPTIONS)
def test_a_crop_gets_that_part_of_the_whole(op):
    whole = run(op, PICTURES, **OPTIONS[op])
    for start in ([5, 8], [0, 0], [15, 18]):

        def graph(fn, types, math, start=start):
            data = fn.cast(fn.external_source(lambda: PICTURES, layout="HWC"), dtype=types.INT16)  # makes parts
            made = getattr(fn.experimental, op)(data, **OPTIONS[op])
            return fn.slice(made, start=start, shape=[9, 13], axes=[0, 1])

        for part, one in zip(run_ours(graph, 4)[0][0], whole, strict=True):
            np.testing.assert_array_equal(part, one[start[0] : start[0] + 9, start[1] : start[1] + 13])


@pytest.mark.parametrize(
    "op, options, words",
    [
        ("dilate", {"mask_size": 0}, "`mask_size`"),
        ("erode", {"mask_size": [3, -1]}, "`mask_size`"),
        ("dilate", {"mask_size": [1, 2, 3]}, "`mask_size` needs"),
        ("erode", {"anchor": [3, 0]}, "`anchor`.* 0 to 2, got 3"),
        ("dilate", {"iterations": 0}, "`iterations`"),
        ("dilate", {"iterations": 1 << 23, "mask_size": 9}, "`iterations`"),
        ("erode", {"border_mode": "none"}, "`border_mode`"),
        ("median_blur", {"window_size": 4}, "`window_size` must be odd"),
        ("median_blur", {"window_size": [3, -3]}, "`window_size` must be odd"),
        ("median_blur", {"window_size": 5001}, "`window_size`"),
    ],
)
def test_what_cannot_be_is_refused(op, options, words):
    with pytest.raises(ValueError, match=words):
        run(op, PICTURES[:1], **options)


@pytest.mark.parametrize("op", OPTIONS)
def test_other_types_are_refused(op):
    with pytest.raises(TypeError, match="(?i)float64"):
        run(op, [np.ones((4, 6, 3), np.float64)])
