"""erase: boxes as DALI fills them."""

import numpy as np
import oracle
import pytest

from penstock import Pipeline, fn

PICTURE = np.random.default_rng(0).integers(1, 255, (31, 43, 3)).astype(np.uint8)
CALLS = {
    "one box": {"anchor": [3, 4], "shape": [10, 12], "axis_names": "HW"},
    "a colour": {"anchor": [3.6, 4.4], "shape": [10.2, 12.7], "axis_names": "HW", "fill_value": [7, 8, 9]},
    "two boxes": {"anchor": [3, 4, 8, 9], "shape": [10, 12, 20, 20], "axis_names": "HW", "fill_value": 200},
    "other order": {"anchor": [3, 4, 8, 9], "shape": [10, 12, 20, 20], "axis_names": "WH"},
    "bands": {"anchor": [3, 30], "shape": [4, 5], "axis_names": "W", "fill_value": [118, 185, 0]},
    "by number": {"anchor": [3, 4], "shape": [10, 12], "axes": [1, 0]},
    "normalised": {
        "anchor": [0.15, 0.25],
        "shape": [0.33, 0.41],
        "normalized": True,
        "axis_names": "HW",
        "fill_value": 100,
    },
    "normalised anchor": {"anchor": [0.15, 0.25], "shape": [11, 12], "normalized_anchor": True, "axis_names": "HW"},
    "normalised shape": {"anchor": [5, 6], "shape": [0.3, 0.4], "normalized_shape": True, "axis_names": "HW"},
    "centred": {"anchor": [15, 16], "shape": [9, 10], "centered_anchor": True, "axis_names": "HW"},
    "beyond": {"anchor": [-5, 30], "shape": [100, 100], "axis_names": "HW", "fill_value": 3},
    "usual axes": {"anchor": [3, 4], "shape": [10, 12]},
}


def graph_of(options, array, layout="HWC"):
    def graph(fn, types, math):
        return fn.erase(fn.external_source(source=lambda: [array] * 4, layout=layout, batch=True), **options)

    return graph


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.int64])
@pytest.mark.parametrize("name", CALLS)
def test_boxes_equal_dalis(name, dtype):
    oracle.assert_same(graph_of(CALLS[name], PICTURE.astype(dtype)))


@pytest.mark.parametrize("layout", ["CHW", "FHWC", "DHWC"])
def test_other_layouts_equal_dalis(layout):
    array = np.stack([PICTURE] * 2) if len(layout) == 4 else np.moveaxis(PICTURE, -1, 0).copy()
    oracle.assert_same(
        graph_of({"anchor": [3, 4], "shape": [10, 12], "axis_names": "HW", "fill_value": [1, 2, 3]}, array, layout)
    )


def run(make, array=PICTURE):
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(make(fn.external_source(source=lambda: [array] * 2, batch=True, layout="HWC")))
    return [np.array(x) for x in pipe.run()[0]]


@pytest.mark.parametrize("name", CALLS)
def test_a_crop_behind_erase_is_that_part_of_the_whole(name):
    whole = run(lambda x: fn.erase(x, **CALLS[name]))[0]
    part = run(lambda x: fn.crop(fn.erase(x, **CALLS[name]), crop=(11, 13)))[0]
    np.testing.assert_array_equal(part, whole[10:21, 15:28])


def test_boxes_may_differ_by_sample():
    def make(x):
        anchor = fn.external_source(source=lambda: [np.float32([1, 2]), np.float32([3, 4])], batch=True)
        return fn.erase(x, anchor=anchor, shape=[2, 2], axis_names="HW")

    for made, (y, x) in zip(run(make), [(1, 2), (3, 4)], strict=True):
        wanted = PICTURE.copy()
        wanted[y : y + 2, x : x + 2] = 0
        np.testing.assert_array_equal(made, wanted)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"anchor": [1, 2, 3], "shape": [1, 2, 3], "axis_names": "HW"}, "2 for each box, got 3 and 3"),
        ({"anchor": [1, 2], "shape": [1, 2], "axis_names": ""}, "`axis_names` must name at least one axis"),
        ({"anchor": [1, 2], "shape": [1, 2], "axes": []}, "`axes` must name at least one axis"),
        ({"anchor": [1, 2], "shape": [1, 2, 3, 4], "axis_names": "HW"}, "as many numbers"),
        ({"anchor": [1, 2], "shape": [1, 2], "fill_value": [1, 2]}, "one for each of 3 channels, got 2"),
        ({"anchor": [1, 2], "shape": [1, 2], "normalized": True, "normalized_shape": True}, "`normalized` excludes"),
        ({"anchor": [1, np.nan], "shape": [1, 2]}, "must be finite"),
        ({"anchor": [1], "shape": [1], "axis_names": "D"}, "D"),
    ],
)
def test_what_is_no_box_is_refused(options, match):
    with pytest.raises(Exception, match=match):
        run(lambda x: fn.erase(x, **options))
