"""resize and its relatives against DALI: whole pipelines, per-sample arguments, video."""

import numpy as np
import pytest
from oracle import assert_same, run_ours

SHAPES = [(24, 17, 3), (33, 40, 3), (9, 50, 3), (41, 23, 3)]


def images(seed=0):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 256, shape, np.uint8) for shape in SHAPES]


def source(fn, data, layout="HWC"):
    return fn.external_source(lambda: data, batch=True, layout=layout)


@pytest.mark.parametrize(
    "arguments",
    [
        {"resize_shorter": 19},
        {"resize_longer": 30.0},
        {"resize_x": 21},
        {"resize_x": 21, "resize_y": 30},
        {"size": [12, 20]},
        {"size": 16, "antialias": False},
        {"size": [12, 20], "mode": "not_larger"},
        {"size": [12, 20], "mode": "not_smaller", "max_size": 25},
        {"resize_shorter": 11, "subpixel_scale": False},
        {"size": [10, 10], "roi_start": [0.1, 0.2], "roi_end": [0.9, 0.7], "roi_relative": True},
    ],
    ids=str,
)
def test_resize_equals_dali(arguments):
    assert_same(lambda fn, types, math: fn.resize(source(fn, images()), **arguments), tolerance=1)


@pytest.mark.parametrize(
    "shape,arguments",
    [
        ((6, 27), {"resize_x": 20, "resize_y": 13, "mode": "not_smaller"}),  # 58.5, which float has above that
        ((15, 12), {"size": [25, 50], "mode": "not_smaller"}),  # 62.5, likewise below
    ],
    ids=str,
)
def test_extents_between_two_are_rounded_as_dali_does(shape, arguments):
    picture = [np.zeros((*shape, 1), np.uint8)]
    assert_same(lambda fn, types, math: fn.resize(source(fn, picture), **arguments), tolerance=0)


@pytest.mark.parametrize("interp", ["INTERP_LINEAR", "INTERP_CUBIC", "INTERP_LANCZOS3", "INTERP_TRIANGULAR"])
def test_filters_equal_dali(interp):
    def graph(fn, types, math):
        return fn.resize(source(fn, images()), size=[15, 60], interp_type=getattr(types, interp), dtype=types.FLOAT)

    assert_same(graph, tolerance=0.05)


def test_sizes_may_differ_from_sample_to_sample():
    sizes = [np.array(size, np.float32) for size in ([5, 6], [40, 7], [12, 12], [1, 50])]
    assert_same(lambda fn, types, math: fn.resize(source(fn, images()), size=source(fn, sizes, "")), tolerance=1)


def test_attributes_are_the_extents_of_the_input():
    _, attributes = run_ours(lambda fn, types, math: tuple(fn.resize(source(fn, images()), size=8, save_attrs=True)))[0]
    assert [tuple(each) for each in attributes] == [shape[:2] for shape in SHAPES]


@pytest.mark.parametrize("layout, shape", [("FHWC", (3, 20, 15, 2)), ("CFHW", (2, 3, 20, 15)), ("DHWC", (6, 9, 8, 1))])
def test_layouts_equal_dali(layout, shape):
    data = [np.random.default_rng(i).integers(0, 256, shape, np.uint8) for i in range(4)]
    size = [4, 7, 11] if layout == "DHWC" else [7, 11]
    assert_same(lambda fn, types, math: fn.resize(source(fn, data, layout), size=size), tolerance=1)


def test_resize_crop_mirror_equals_dali():
    def graph(fn, types, math):
        return fn.resize_crop_mirror(source(fn, images()), resize_shorter=20, crop=[14, 12], mirror=1)

    assert_same(graph, tolerance=1)


def test_a_crop_behind_a_resize_changes_nothing():
    whole = run_ours(lambda fn, types, math: fn.resize(source(fn, images()), size=[30, 32]))[0][0]

    def cropped(fn, types, math):
        return fn.crop(fn.resize(source(fn, images()), size=[30, 32]), crop=[10, 8], crop_pos_x=1.0, crop_pos_y=0.5)

    for part, image in zip(run_ours(cropped)[0][0], whole, strict=True):
        np.testing.assert_array_equal(part, image[10:20, 24:])


def test_random_resized_crop_repeats_with_its_seed():
    def graph(fn, types, math):
        return fn.random_resized_crop(source(fn, images()), size=[12, 16], seed=5)

    first, again = run_ours(graph)[0][0], run_ours(graph)[0][0]
    assert all(image.shape == (12, 16, 3) for image in first)
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("shape, layout", [((0, 9, 3), "HWC"), ((5, 0, 9, 3), "DHWC"), ((2, 3, 5, 7, 0), "CFDHW")])
def test_nothing_is_cut_out_of_an_empty_picture(shape, layout):
    def graph(fn, types, math):
        return fn.resize_crop_mirror(
            source(fn, [np.zeros(shape, np.uint8)], layout), resize_x=8, resize_y=6, crop_h=4, crop_w=5
        )

    with pytest.raises(ValueError, match="cannot become"):
        run_ours(graph)
