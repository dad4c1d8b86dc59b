"""Windows, flips, colours and statistics give what DALI gives."""

import itertools

import numpy as np
import pytest
from oracle import assert_same, run_dali, run_ours

RANDOM = np.random.default_rng(3)
IMAGES = [RANDOM.integers(0, 256, shape, np.uint8) for shape in [(40, 70, 3), (33, 101, 3), (64, 64, 3)]]
POSITIONS = [np.float32(x) for x in (0.0, 0.31, 1.0)]
POLICIES = ["pad", "trim_to_shape", "edge", "reflect_1001", "reflect_101", "wrap"]


def source(fn, samples, layout="HWC"):
    return fn.external_source(source=lambda: list(samples), batch=True, layout=layout)


def same(op, samples=IMAGES, layout="HWC", tolerance=0.0, **arguments):
    """`op` by name; strings in `dtype`, `image_type` and `output_type` name members of `types`."""

    def graph(fn, types, _math):
        named = {
            k: getattr(types, v) if k in ("dtype", "image_type", "output_type") else v for k, v in arguments.items()
        }
        return getattr(fn, op)(source(fn, samples, layout), **named)

    assert_same(graph, batch_size=len(samples), tolerance=tolerance)


@pytest.mark.parametrize("rounding", ["round", "truncate"])
@pytest.mark.parametrize("crop", [(20, 31), (33, 64), (0, 17)])
def test_crop_places_windows_alike(crop, rounding):
    same("crop", crop=crop, rounding=rounding, crop_pos_x=0.3, crop_pos_y=0.77)


@pytest.mark.parametrize("dtype", ["FLOAT", "FLOAT16", "UINT8"])
def test_crop_converts_alike(dtype):
    floats = [(x.astype(np.float32) - 20) * 1.37 for x in IMAGES]
    same("crop", floats, crop=(20, 31), dtype=dtype)


def test_crop_positions_per_sample():
    def graph(fn, types, _):
        x, y = source(fn, POSITIONS, ""), source(fn, POSITIONS[::-1], "")
        return fn.crop(source(fn, IMAGES), crop=(9, 11), crop_pos_x=x, crop_pos_y=y)

    assert_same(graph, batch_size=3)


@pytest.mark.parametrize("fill", [7, (1, 2, 3)])
def test_crop_pads_alike(fill):
    same("crop", crop=(50, 90), out_of_bounds_policy="pad", fill_values=fill)
    same("crop", crop=(50, 90), out_of_bounds_policy="trim_to_shape")


@pytest.mark.parametrize("layout", ["CHW", "FHWC", "CFHW", "DHWC"])
def test_crop_in_every_layout(layout):
    extents = {"F": 2, "D": 3, "H": 20, "W": 30, "C": 3}
    video = [RANDOM.integers(0, 256, [extents[letter] for letter in layout], np.uint8) for _ in range(2)]
    same("crop", video, layout, crop=(10, 13))
    same("flip", video, "FCHW" if layout == "CFHW" else layout, horizontal=1, vertical=1, depthwise=1)


@pytest.mark.parametrize("policy", POLICIES)
def test_slice_leaves_the_image_alike(policy):
    same("slice", start=(-100, -7), shape=(300, 90), out_of_bounds_policy=policy, fill_values=5)


@pytest.mark.parametrize(
    "arguments",
    [
        {"rel_start": (0.25, 0.1), "rel_shape": (0.55, 0.65)},
        {"rel_start": (0.25, 0.1), "end": (33, 20)},
        {"start": (3, 5), "rel_end": (0.777, 0.9)},
        {"end": (-1 + 33, 20)},
        {"start": (1,), "axis_names": "C"},
        {"start": (4, 0), "shape": (10, 2), "axes": (0, -1)},
    ],
)
def test_slice_computes_windows_alike(arguments):
    same("slice", **arguments)


def test_slice_by_inputs():
    anchors = [np.float32([0.1, 0.2]), np.float32([0.0, 0.5]), np.float32([0.33, 0.01])]
    shapes = [np.float32([0.5, 0.5]), np.float32([1.0, 0.5]), np.float32([0.66, 0.1])]
    assert_same(
        lambda fn, types, _: fn.slice(source(fn, IMAGES), source(fn, anchors, ""), source(fn, shapes, "")),
        batch_size=3,
    )


@pytest.mark.parametrize("arguments", [{}, {"horizontal": 0, "vertical": 1}, {"vertical": 1}])
def test_flip_alike(arguments):
    same("flip", **arguments)


NORMALIZE = {"mean": (123.675, 116.28, 103.53), "std": (58.395, 57.12, 57.375)}


@pytest.mark.parametrize("width", [61, 107])  # rows of 64 and more take the vectorised way
@pytest.mark.parametrize("mirror", [0, 1])
@pytest.mark.parametrize("output_layout", ["CHW", "HWC", ""])
@pytest.mark.parametrize("dtype", ["FLOAT", "FLOAT16", "UINT8", "INT8"])
def test_crop_mirror_normalize_bit_for_bit(dtype, output_layout, mirror, width):
    scale = 1.0 if dtype.startswith("FLOAT") else 40.0
    arguments = {"crop": (32, width), "dtype": dtype, "output_layout": output_layout, "mirror": mirror, "scale": scale}
    samples = [x if x.shape[1] >= width else np.hstack([x, x]) for x in IMAGES]
    same("crop_mirror_normalize", samples, shift=0.5, **arguments, **NORMALIZE)
    same("crop_mirror_normalize", samples, **arguments)


@pytest.mark.parametrize("kind", [np.int16, np.uint16, np.int32, np.float32, np.float16])
def test_crop_mirror_normalize_of_other_types(kind):
    samples = [x.astype(kind) for x in IMAGES]
    same("crop_mirror_normalize", samples, **NORMALIZE)


@pytest.mark.parametrize("fill", [9, (1, 2, 3, 4)])
def test_crop_mirror_normalize_pads_alike(fill):
    arguments = {"pad_output": True, "crop": (50, 90), "out_of_bounds_policy": "pad", "fill_values": fill}
    for output_layout in ("CHW", "HWC"):
        same("crop_mirror_normalize", output_layout=output_layout, mirror=1, **arguments, **NORMALIZE)
    same("crop_mirror_normalize", pad_output=True, fill_values=9, **NORMALIZE)


@pytest.mark.parametrize("dtype", [None, "UINT8", "INT16", "INT32", "FLOAT"])
@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int32, np.float32])
def test_brightness_contrast_alike(kind, dtype):
    samples = [x.astype(kind) / kind(255) if kind is np.float32 else x.astype(kind) for x in IMAGES]
    arguments = {"brightness": 1.3, "contrast": 0.7, "brightness_shift": 0.1}
    if dtype:
        arguments["dtype"] = dtype
    # int32 holds more digits than float: its last bits depend on how a product is rounded.
    same("brightness_contrast", samples, tolerance=256 if dtype == "INT32" or kind is np.int32 else 1e-5, **arguments)
    same("contrast", samples, contrast=2.0, contrast_center=0.25, tolerance=1e-4)
    same("brightness", samples, brightness=0.5, tolerance=1e-4)


def nearly_same(op, samples, **arguments):
    """At most one level apart, and equal in 99 of 100 values: matrices are multiplied in another order."""

    def graph(fn, types, _math):
        return getattr(fn, op)(source(fn, samples), **arguments)

    ours, theirs = run_ours(graph, len(samples)), run_dali(graph, len(samples))
    for x, y in zip(ours[0][0], theirs[0][0], strict=True):
        assert x.dtype == y.dtype
        assert x.shape == y.shape
        apart = np.abs(x.astype(np.float64) - y.astype(np.float64))
        if x.dtype.kind == "f":
            np.testing.assert_allclose(x, y, rtol=2e-3 if x.dtype == np.float16 else 1e-4, atol=1e-3)
        else:
            assert apart.max() <= 1
            assert (apart == 0).mean() >= 0.99


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32, np.float16])
def test_colour_twists_alike(kind):
    samples = [x.astype(kind) for x in IMAGES]
    nearly_same("color_twist", samples, hue=35, saturation=1.4, brightness=0.8, contrast=1.3)
    nearly_same("hsv", samples, hue=-70, saturation=0.6, value=1.2)
    nearly_same("hue", samples, hue=180)
    nearly_same("saturation", samples, saturation=0.2)


@pytest.mark.parametrize(
    ("source_type", "output_type"), list(itertools.permutations(["RGB", "BGR", "YCbCr", "GRAY"], 2))
)
def test_colour_spaces_bit_for_bit(source_type, output_type):
    samples = [np.ascontiguousarray(x[..., :1]) for x in IMAGES] if source_type == "GRAY" else IMAGES
    same("color_space_conversion", samples, image_type=source_type, output_type=output_type)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"axis_names": "HW"},
        {"axes": (0, 2), "ddof": 1, "epsilon": 3.0},
        {"mean": 100.0, "stddev": 50.0, "scale": 3.0, "shift": 2.0},
        {"mean": 100.0, "axes": (1,)},
        {"stddev": 10.0, "epsilon": 5.0},
        {"dtype": "UINT8", "shift": 128.0, "scale": 50.0},
    ],
)
def test_normalize_alike(arguments):
    same("normalize", tolerance=1 if "dtype" in arguments else 1e-4, **arguments)


def test_normalize_over_the_batch_and_with_tensors():
    same("normalize", batch=True, axis_names="HW", tolerance=1e-4)
    means = [np.float32([[[1, 2, 3]]]) * (i + 1) for i in range(3)]
    assert_same(
        lambda fn, types, _: fn.normalize(source(fn, IMAGES), mean=source(fn, means, ""), stddev=source(fn, means, "")),
        batch_size=3,
        tolerance=1e-3,
    )


@pytest.mark.parametrize(
    ("op", "layout", "message"),
    [
        ("crop", "WHC", r'The layout "WHC" does not match any of the allowed layouts'),
        ("crop_mirror_normalize", "WHC", r'The layout "WHC" does not match any of the allowed layouts'),
        ("hsv", "CHW", r'The layout "CHW" does not match any of the allowed layouts'),
    ],
)
def test_layouts_are_refused_with_dalis_words(op, layout, message):
    with pytest.raises(Exception, match=message):
        run_ours(lambda fn, types, _: getattr(fn, op)(source(fn, IMAGES, layout)), batch_size=3)


def test_windows_outside_are_refused_with_dalis_words():
    with pytest.raises(RuntimeError, match="Slice can't be placed out of bounds with current policy"):
        run_ours(lambda fn, types, _: fn.crop(source(fn, IMAGES), crop=(50, 500)), batch_size=3)
