"""Masks: objects, windows around them and pixels of them, beside DALI and SciPy."""

import collections

import numpy as np
import oracle
import pytest
from mask_runs import MASK, blobs, made
from scipy import ndimage, stats

from penstock import Pipeline, errors, fn, types

BOXES = {(1, 1, 3, 4): 1, (3, 4, 4, 5): 1, (6, 6, 9, 8): 2, (0, 10, 1, 11): 2, (5, 0, 6, 3): 3}


# segmentation.random_object_bbox --------------------------------------------------------------------------------------


def shares(library, options, mask=MASK, batches=60, batch_size=64):
    """How often each result comes."""
    graph = lambda fn, types, math: tuple(  # noqa: E731
        _listed(
            fn.segmentation.random_object_bbox(fn.external_source(source=lambda: [mask] * 64, batch=True), **options)
        )
    )
    run = oracle.run_ours if library == "ours" else oracle.run_dali
    counts = collections.Counter()
    for batch in run(graph, batch_size, batches):
        counts.update(tuple(tuple(np.atleast_1d(output[i]).tolist()) for output in batch) for i in range(batch_size))
    return counts


def _listed(outputs):
    return outputs if isinstance(outputs, (list, tuple)) else [outputs]


CALLS = {
    "usual": {},
    "class": {"output_class": True},
    "start and end": {"format": "start_end", "output_class": True},
    "box": {"format": "box"},
    "box and class": {"format": "box", "output_class": True},
    "largest": {"k_largest": 1},
    "any class": {"ignore_class": True},
    "two largest": {"ignore_class": True, "k_largest": 2},
    "threshold": {"threshold": [2, 2], "output_class": True},
    "one threshold": {"threshold": 2},
    "threshold of an axis": {"threshold": [0, 3]},
    "threshold beyond": {"threshold": 9, "output_class": True},
    "classes": {"classes": [1, 3], "output_class": True},
    "a class twice": {"classes": [1, 1, 3], "output_class": True},
    "no such class": {"classes": [7], "output_class": True},
    "zero a class": {"classes": [0, 3], "output_class": True, "foreground_prob": 0.5},
    "weights": {"class_weights": [1, 2, 1]},
    "weights of two": {"class_weights": [1, 2], "background": 1, "output_class": True},
    "weights of classes": {"classes": [3, 1], "class_weights": [1, 3]},
    "no weights": {"class_weights": [0, 0, 0]},
    "background": {"background": 2, "output_class": True},
    "rarely": {"foreground_prob": 0.3, "output_class": True},
    "cached": {"cache_objects": True, "output_class": True},
}


@pytest.mark.parametrize("name", CALLS)
def test_objects_come_as_often_as_dalis(name):
    ours, theirs = shares("ours", CALLS[name]), shares("theirs", CALLS[name])
    assert set(ours) == set(theirs)
    table = np.array([[ours[key], theirs[key]] for key in theirs]).T
    assert table.shape[1] == 1 or stats.chi2_contingency(table).pvalue > 1e-4


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32])
@pytest.mark.parametrize("shape", [(90,), (40, 50), (9, 20, 30), (3, 4, 5, 20)])
def test_the_largest_object_is_dalis(shape, dtype):
    """One class, a k of 1: nothing is left to chance unless two boxes are as large."""
    maps = [blobs(shape, 1, seed, 0.3).astype(dtype) for seed in range(8)]
    for map_ in maps:  # cut off the second largest, where it is as large
        found = ndimage.find_objects(ndimage.label(map_)[0])
        volumes = [np.prod([s.stop - s.start for s in box]) for box in found]
        for i in np.flatnonzero(np.array(volumes) == max(volumes))[1:]:
            map_[found[i]] = 0
    graph = lambda fn, types, math: fn.segmentation.random_object_bbox(  # noqa: E731
        fn.external_source(source=lambda: maps, batch=True), k_largest=1, output_class=True
    )
    oracle.assert_same(lambda *modules: tuple(graph(*modules)), batch_size=8)


def test_a_box_holds_one_component():
    map_ = blobs((40, 60), 3).astype(np.uint8)
    known = collections.defaultdict(set)
    for label in (1, 2, 3):
        for box in ndimage.find_objects(ndimage.label(map_ == label)[0]):
            known[label].add(tuple(s.start for s in box) + tuple(s.stop for s in box))
    boxes, labels = made(lambda x: fn.segmentation.random_object_bbox(x, format="box", output_class=True), [map_] * 200)
    assert all(tuple(box.tolist()) in known[int(label)] for box, label in zip(boxes, labels, strict=True))
    assert len({box.tobytes() for box in boxes}) > 100


def test_arguments_may_differ_by_sample():
    def make(x):
        classes = fn.external_source(source=lambda: [np.int32([k]) for k in (1, 2, 3)], batch=True)
        thresholds = fn.external_source(source=lambda: [np.int32(k) for k in (2, 2, 1)], batch=True)
        return fn.segmentation.random_object_bbox(x, classes=classes, threshold=thresholds, format="box")

    boxes = made(make, [MASK] * 3)[0]
    assert [tuple(box.tolist()) for box in boxes] == [(1, 1, 3, 4), (6, 6, 9, 8), (5, 0, 6, 3)]


@pytest.mark.parametrize("cache", [False, True])
def test_objects_do_not_depend_on_the_batch_or_on_the_cache(cache):
    maps = [blobs((30, 40), 3, seed % 5) for seed in range(12)]

    def boxes(batch_size, cache):
        pipe = Pipeline(batch_size=batch_size, num_threads=2, device_id=None, seed=9)
        with pipe:
            x = fn.external_source(source=lambda info: maps[info.idx_in_epoch], batch=False)
            pipe.set_outputs(fn.segmentation.random_object_bbox(x, format="box", cache_objects=cache))
        return [np.array(b).tolist() for _ in range(12 // batch_size) for b in pipe.run()[0]]

    wanted = boxes(12, False)
    assert len({tuple(b) for b in wanted}) > 6
    assert boxes(3, cache) == boxes(4, cache) == wanted


def test_cached_objects_are_those_of_their_background():
    def make(x):
        backgrounds = fn.external_source(source=lambda: [np.int32(k % 4) for k in range(64)], batch=True)
        return fn.segmentation.random_object_bbox(x, background=backgrounds, output_class=True, cache_objects=True)

    labels = made(make, [MASK] * 64)[2]
    assert all(len({int(label) for label in labels[k::4]} - {k}) > 1 for k in range(4))


@pytest.mark.parametrize(
    ("classes", "background"),
    [([1, 2], 0), ([0, -5], -6), ([-(2**31), 2**31 - 1], 0), ([-(2**31), 2**31 - 1, 0, 2**31 - 2], 2**31 - 3)],
)
def test_the_background_is_no_class(classes, background):
    """One less than the least of them, where there is such a label; else the greatest that is free, as in DALI."""

    def graph(fn, types, math):
        labels = types.Constant(MASK, device="cpu")
        options = {"foreground_prob": 1e-9, "format": "box", "output_class": True, "classes": classes}
        return fn.segmentation.random_object_bbox(labels, **options)[1]

    for run in (oracle.run_ours, oracle.run_dali):
        assert int(run(graph, batch_size=1)[0][0][0]) == background


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"format": "xywh"}, 'Invalid output format: "xywh"'),
        ({"k_largest": 0}, "`k_largest` must be at least 1; got 0"),
        ({"ignore_class": True, "classes": [1]}, "cannot be used with `ignore_class`"),
        ({"ignore_class": True, "output_class": True}, "cannot be used with `ignore_class`"),
        ({"classes": [1, 3], "background": 1}, "class 1 is the background, too"),
        ({"classes": [1, 3], "class_weights": [1.0]}, "need as many values, got 2 and 1"),
        ({"class_weights": [1.0, -1.0]}, "`class_weights` must be finite and not negative, got -1"),
        ({"class_weights": [1.0, float("nan")]}, "`class_weights` must be finite"),
        ({"threshold": [1, 2, 3]}, "`threshold` takes one number, or one for each of 2 axes; got 3"),
        ({"foreground_prob": 1.5}, r"`foreground_prob` must lie in \[0, 1\], got 1.5"),
        ({"foreground_prob": float("nan")}, r"`foreground_prob` must lie in \[0, 1\]"),
    ],
)
def test_what_cannot_be_picked_from_is_refused(options, match):
    with pytest.raises(errors.ArgumentError, match=match):
        made(lambda x: fn.segmentation.random_object_bbox(x, **options), [MASK])


def test_a_map_without_axes_is_refused():
    with pytest.raises(errors.ArgumentError, match="a label map needs at least one axis"):
        made(fn.segmentation.random_object_bbox, [np.int32(1)])


# roi_random_crop ------------------------------------------------------------------------------------------------------

WINDOWS = {
    "around": {"crop_shape": [8], "roi_start": [5], "roi_end": [10]},
    "inside": {"crop_shape": [3], "roi_start": [1], "roi_shape": [7]},
    "equal": {"crop_shape": [7], "roi_start": [1], "roi_end": [8]},
    "bounded": {"crop_shape": [8], "roi_start": [1], "roi_end": [4], "in_shape": [9]},
    "empty": {"crop_shape": [3], "roi_start": [2], "roi_shape": [0]},
    "before zero": {"crop_shape": [3], "roi_start": [-2], "roi_shape": [4]},
    "two axes": {"crop_shape": [3, 5], "roi_start": [1, 4], "roi_shape": [2, 7], "in_shape": [4, 20]},
    "one start": {"crop_shape": [3, 3], "roi_start": [2], "roi_shape": [2]},
}


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_come_as_often_as_dalis(name):
    def places(run):
        batches = run(lambda fn, types, math: fn.roi_random_crop(**WINDOWS[name]), 64, 30)
        assert batches[0][0][0].dtype == np.int64
        return collections.Counter(tuple(x.tolist()) for batch in batches for x in batch[0])

    ours, theirs = places(oracle.run_ours), places(oracle.run_dali)
    assert set(ours) == set(theirs)
    table = np.array([[ours[key], theirs[key]] for key in theirs]).T
    assert table.shape[1] == 1 or stats.chi2_contingency(table).pvalue > 1e-4


def test_windows_lie_in_the_input():
    def make(x):
        return fn.roi_random_crop(x, crop_shape=[8, 12], roi_start=[7, 0], roi_end=[10, 3])

    places = np.array(made(make, [MASK] * 100)[0])
    assert places.min(0).tolist() == [2, 0] and places.max(0).tolist() == [2, 0]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"roi_start": [1], "crop_shape": [2]}, "give either `roi_end` or `roi_shape`"),
        ({"roi_start": [1], "crop_shape": [2], "roi_end": [2], "roi_shape": [1]}, "`roi_shape`, not both"),
        ({"roi_start": [5], "crop_shape": [2], "roi_end": [2]}, "ends at 2 before it begins at 5"),
        ({"roi_start": [5], "crop_shape": [2], "roi_shape": [-2]}, "ends at 3 before it begins at 5"),
        ({"roi_start": [5], "crop_shape": [-2], "roi_shape": [2]}, "`crop_shape` must not be negative, got -2"),
        ({"roi_start": [1, 2], "crop_shape": [2, 2, 2], "roi_shape": [2]}, "`roi_start` takes one number, or one for"),
        ({"roi_start": [1], "crop_shape": [5], "roi_end": [2], "in_shape": [4]}, "the window is larger than the input"),
        ({"roi_start": [1], "crop_shape": [2], "roi_end": [5], "in_shape": [4]}, r"ROI can't be out of bounds: \[1, 5"),
        ({"roi_start": [-1], "crop_shape": [2], "roi_end": [1], "in_shape": [4]}, "ROI can't be out of bounds"),
        ({"roi_start": [2**62], "crop_shape": [2], "roi_shape": [2**62]}, "`roi_start` is out of range"),
        ({"roi_start": [0], "crop_shape": [], "roi_shape": [1]}, "`crop_shape` must have at least one extent"),
    ],
)
def test_windows_that_cannot_be_placed_are_refused(options, match):
    with pytest.raises(errors.ArgumentError, match=match):
        made(lambda x: fn.roi_random_crop(**options), [MASK])


def test_an_input_with_too_few_axes_and_two_shapes_are_refused():
    roi = {"roi_start": [0], "roi_shape": [1]}
    with pytest.raises(errors.ArgumentError, match="`crop_shape` has 3 extents for an input of 2 axes"):
        made(lambda x: fn.roi_random_crop(x, crop_shape=[1, 1, 1], **roi), [MASK])
    with pytest.raises(errors.ArgumentError, match="mutually exclusive"):
        made(lambda x: fn.roi_random_crop(x, crop_shape=[1], in_shape=[3], **roi), [MASK])


# segmentation.random_mask_pixel ---------------------------------------------------------------------------------------

PIXELS = np.array([[0, 1, 0], [2, 0, 3]], np.int32)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, range(6)),
        ({"foreground": 1}, [1, 3, 5]),
        ({"foreground": -5}, [1, 3, 5]),
        ({"foreground": 1, "threshold": 1}, [3, 5]),
        ({"foreground": 1, "threshold": 1.5}, [3, 5]),
        ({"foreground": 1, "value": 1}, [1]),
        ({"foreground": 1, "value": 0}, [0, 2, 4]),
        ({"foreground": 1, "value": 9}, range(6)),
        ({"foreground": 1, "value": 2**40}, range(6)),
    ],
)
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64, np.uint64, np.float16, np.float32, np.float64])
def test_pixels_are_of_the_foreground(options, wanted, dtype):
    places = made(lambda x: fn.segmentation.random_mask_pixel(x, **options), [PIXELS.astype(dtype)] * 300)[0]
    assert places[0].dtype == np.int64
    counts = np.bincount([int(y * 3 + x) for y, x in places], minlength=6)
    assert set(np.flatnonzero(counts)) == set(wanted)
    assert len(wanted) == 1 or stats.chisquare(counts[counts > 0]).pvalue > 1e-4


def test_pixels_of_bools_and_of_many_blocks():
    mask = np.zeros((3, 100, 100), bool)
    mask[1, 20, 30] = mask[2, 99, 99] = True
    places = made(lambda x: fn.segmentation.random_mask_pixel(x, foreground=1), [mask] * 50)[0]
    assert {tuple(p.tolist()) for p in places} == {(1, 20, 30), (2, 99, 99)}


def test_a_mask_without_elements_has_no_pixel():
    with pytest.raises(errors.ArgumentError, match=r"no element to pick.*sample 1"):
        made(fn.segmentation.random_mask_pixel, [PIXELS, PIXELS[:0]])
    with pytest.raises(errors.ArgumentError, match="mutually exclusive"):
        made(lambda x: fn.segmentation.random_mask_pixel(x, value=1, threshold=2), [PIXELS])


# segmentation.select_masks --------------------------------------------------------------------------------------------

POLYGONS = np.int32([[0, 0, 3], [1, 3, 7], [2, 7, 10]])
VERTICES = np.arange(20, dtype=np.float32).reshape(10, 2)


def selected(ids, polygons=POLYGONS, vertices=VERTICES, **options):
    def make(x):
        constants = [types.Constant(np.asarray(array)) for array in (polygons, vertices)]
        return fn.segmentation.select_masks(x, *constants, **options)

    return [output[0] for output in made(make, [np.asarray(ids, np.int32)])]


@pytest.mark.parametrize("ids", [[1], [2, 0], [0, 1, 2], []])
@pytest.mark.parametrize("reindex", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8, np.float16])
def test_polygons_equal_dalis(ids, reindex, dtype):
    def graph(fn, types, math):
        arrays = [np.asarray(ids, np.int32), POLYGONS, VERTICES.astype(dtype)]
        nodes = [fn.external_source(source=[[a] * 2], cycle=True, batch=True) for a in arrays]
        return tuple(fn.segmentation.select_masks(*nodes, reindex_masks=reindex))

    oracle.assert_same(graph, batch_size=2)


def test_a_mask_keeps_all_its_polygons():
    polygons = np.int32([[0, 0, 3], [1, 3, 7], [0, 7, 10]])
    rows, vertices = selected([1, 0], polygons)
    assert rows.tolist() == [[1, 0, 4], [0, 4, 7], [0, 7, 10]]
    np.testing.assert_array_equal(vertices, VERTICES[[3, 4, 5, 6, 0, 1, 2, 7, 8, 9]])
    rows, vertices = selected([1, 0], polygons, last_polygon=True)
    assert rows.tolist() == [[1, 0, 4], [0, 4, 7]]
    np.testing.assert_array_equal(vertices, VERTICES[[3, 4, 5, 6, 7, 8, 9]])


@pytest.mark.parametrize(
    ("ids", "polygons", "match"),
    [
        ([1, 1], POLYGONS, "must not hold a mask twice, got 1 again"),
        ([5], POLYGONS, "Selected mask_id 5 is not present"),
        ([1], [[1, 3, 17]], r"the vertices \[3, 17\) of mask 1 are no range of the 10"),
        ([1], [[1, -3, 7]], r"the vertices \[-3, 7\)"),
        ([1], [[1, 7, 3]], r"the vertices \[7, 3\)"),
        ([1], [[1, 5]], r"`polygons` must have rows of 3 numbers"),
        ([[1]], POLYGONS, "`mask_ids` must be a list"),
    ],
)
def test_masks_that_are_not_there_are_refused(ids, polygons, match):
    with pytest.raises(errors.ArgumentError, match=match):
        selected(ids, np.asarray(polygons, np.int32))


def test_polygons_of_floats_and_flat_vertices_are_refused():
    with pytest.raises(TypeError, match="`polygons` must hold integers, got float"):
        selected([1], POLYGONS.astype(np.float32))
    with pytest.raises(errors.ArgumentError, match="`vertices` must have a row"):
        selected([1], vertices=VERTICES[0])
