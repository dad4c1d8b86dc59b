"""`random_bbox_crop` and `ssd_random_crop`: windows that keep their rules, distributed as DALI's."""

import types

import numpy as np
import oracle
import pytest
from box_runs import boxes_of, run

import penstock
from penstock import Pipeline, fn
from penstock.dali import _choices

RNG = np.random.default_rng(0)


# Random windows -------------------------------------------------------------------------------------------------------


def overlap(window, boxes):
    """What they share, and it in parts of both together."""
    low, high = np.maximum(window[:2], boxes[:, :2]), np.minimum(window[2:], boxes[:, 2:])
    common = np.prod(np.maximum(high - low, 0), axis=1)
    area = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    return common, common / (area + np.prod(window[2:] - window[:2]) - common)


def windows(module=penstock, count=64, boxes=None, with_indices=True, batches=1, labels=None, **arguments):
    """(window as ltrb, boxes in it, their places, boxes before) of samples."""
    boxes = [boxes_of(1 + i % 5, i) for i in range(count)] if boxes is None else boxes
    made = run(
        module, lambda f, b: f.random_bbox_crop(b, output_bbox_indices=with_indices, seed=7, **arguments), boxes,
        batches=batches
    )  # fmt: skip
    return [
        (np.concatenate([anchor, anchor + shape]), kept, places, before)
        for anchors, shapes, inside, indices in made
        for anchor, shape, kept, places, before in zip(anchors, shapes, inside, indices, boxes, strict=True)
    ]


RULES = [
    {"scaling": [0.3, 1.0], "aspect_ratio": [0.5, 2.0]},
    {"scaling": [0.3, 1.0], "aspect_ratio": [0.5, 2.0], "thresholds": [0.1, 0.3], "num_attempts": 10},
    {"scaling": [0.5, 0.9], "thresholds": [0.6], "threshold_type": "overlap", "all_boxes_above_threshold": False},
    {"scaling": [0.3, 0.9], "aspect_ratio": [0.7, 1.4], "bbox_prune_threshold": 0.3},
    {"scaling": [0.3, 0.9], "aspect_ratio": [1.0, 1.0], "input_shape": [640, 480]},
    {"scaling": [0.3, 0.9], "aspect_ratio": [2.0, 2.5], "input_shape": [480, 640], "shape_layout": "HW"},
]


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_windows_keep_the_rules(rules):
    boxes = [boxes_of(1 + i % 3, i) * np.float32(0.5) + np.float32([0.1, 0.1, 0.4, 0.4]) for i in range(64)]
    for window, kept, places, before in windows(boxes=boxes, allow_no_crop=False, **rules):
        width, height = window[2:] - window[:2]
        assert (window[:2] >= 0).all() and (window[2:] <= 1 + 1e-6).all()
        assert min(width, height) >= rules["scaling"][0] * 0.4 and max(width, height) <= rules["scaling"][1] + 1e-6
        shape = rules.get("input_shape", [1, 1])
        pixels = (width * shape[0], height * shape[1]) if "shape_layout" not in rules else (
            width * shape[1], height * shape[0])  # fmt: skip
        low, high = rules.get("aspect_ratio", [1, 1])
        assert low - 1e-4 <= pixels[0] / pixels[1] <= high + 1e-4
        common, together = overlap(window, before)
        share = common / np.prod(before[:, 2:] - before[:, :2], axis=1)
        measure = share if rules.get("threshold_type") == "overlap" else together
        reached = measure.max() if not rules.get("all_boxes_above_threshold", True) else measure.min()
        assert reached >= min(rules.get("thresholds", [0])) - 1e-5
        middles = (before[:, :2] + before[:, 2:]) / 2
        wanted = np.flatnonzero(((middles >= window[:2]) & (middles < window[2:])).all(axis=1))
        if "bbox_prune_threshold" in rules:
            wanted = np.flatnonzero(share >= rules["bbox_prune_threshold"] - 1e-6)
        assert places.tolist() == wanted.tolist()
        assert len(kept) > 0
        seen = np.clip((before[places] - np.tile(window[:2], 2)) / np.tile([width, height], 2), 0, 1)
        np.testing.assert_allclose(kept, seen, atol=2e-6)


@pytest.mark.parametrize("rules", [
    {"scaling": [0.3, 1.0], "aspect_ratio": [0.5, 2.0], "thresholds": [0.0, 0.1, 0.3, 0.5], "num_attempts": 20},
    {"scaling": [0.4, 0.8], "thresholds": [0.0]},
    {"scaling": [0.4, 0.8], "thresholds": [0.5], "threshold_type": "overlap", "num_attempts": 5},
    {"scaling": [0.2, 0.9], "aspect_ratio": [0.3, 3.0], "bbox_prune_threshold": 0.5, "allow_no_crop": False},
], ids=str)  # fmt: skip
def test_windows_are_distributed_as_dalis(rules):
    """Means of 4,000 windows: of the corner, the extents, how often there is none, and how many boxes stay."""
    boxes = [np.float32([[0.2, 0.3, 0.5, 0.7], [0.4, 0.1, 0.8, 0.5]])] * 500

    def facts(module):
        found = windows(module, boxes=boxes, batches=8, **rules)
        rows = [[*w[:2], *(w[2:] - w[:2]), float((w == [0, 0, 1, 1]).all()), len(kept)] for w, kept, *_ in found]
        return np.mean(rows, axis=0)

    np.testing.assert_allclose(facts(penstock), facts(oracle.dali()), atol=0.025)


def test_windows_of_given_shape_are_in_pixels_and_uniform():
    arguments = {"crop_shape": [300, 200], "input_shape": [640, 480], "thresholds": [0.0]}
    boxes = [np.float32([[0, 0, 1, 1]])] * 400
    found = windows(boxes=boxes, **arguments)
    corners = np.array([window[:2] for window, *_ in found])
    assert all((window[2:] - window[:2] == [300, 200]).all() for window, *_ in found)
    assert (corners == corners.round()).all() and corners.min() >= 0
    assert (corners.max(axis=0) <= [340, 280]).all()
    np.testing.assert_allclose(corners.mean(axis=0), [170, 140], atol=20)
    swapped = windows(boxes=boxes, crop_shape=[200, 300], input_shape=[480, 640], shape_layout="HW")
    assert all((window[2:] - window[:2] == [300, 200]).all() for window, *_ in swapped)


def test_windows_beyond_the_picture_hold_all_of_it_as_in_dali():
    """Along x it fits in; along y the picture lies anywhere in the window."""
    rules = {"crop_shape": [300, 600], "input_shape": [640, 480], "thresholds": [0.0], "bbox_prune_threshold": 0.3}
    boxes = [np.float32([[0.1, 0.1, 0.3, 0.4], [0.5, 0.5, 0.9, 0.6]])] * 500

    def found(module):
        return windows(module, boxes=boxes, batches=4, **rules)

    for window, kept, places, before in found(penstock):
        assert (window[2:] - window[:2] == [300, 600]).all() and (window == window.round()).all()
        assert 0 <= window[0] <= 340 and -120 <= window[1] <= 0
        seen = (before[places] * [640, 480, 640, 480] - np.tile(window[:2], 2)) / [300, 600, 300, 600]
        np.testing.assert_allclose(kept, np.clip(seen, 0, 1), atol=2e-6)
    rows = [np.mean([[*w[:2], len(kept)] for w, kept, *_ in found(one)], axis=0) for one in (penstock, oracle.dali())]
    np.testing.assert_allclose(rows[0], rows[1], rtol=0.05, atol=5)


@pytest.mark.parametrize("operator", ["random_bbox_crop", "ssd_random_crop"])
def test_boxes_that_are_turned_around_pass_where_dali_is_asked_for(operator):
    """No window shows enough of them, so that the whole picture is taken, or one that is right for all others."""
    boxes, images = [1 - boxes_of(3, i) for i in range(16)], [np.zeros((20, 30, 3), np.uint8)] * 16
    labels = [np.int32([1, 2, 3])] * 16
    graph = {
        "random_bbox_crop": lambda f, b, c, i: f.random_bbox_crop(b, c, thresholds=[0.1, 0.5], scaling=[0.5, 1.0]),
        "ssd_random_crop": lambda f, b, c, i: f.ssd_random_crop(i, b, c)[::-1],
    }[operator]
    [theirs] = run(oracle.dali(), graph, boxes, labels, (images, "HWC"))
    [mine] = run(types.SimpleNamespace(Pipeline=_choices.Pipeline, fn=fn), graph, boxes, labels, (images, "HWC"))
    if operator == "random_bbox_crop":
        assert all((x == y).all() for a, b in zip(mine, theirs, strict=True) for x, y in zip(a, b, strict=True))
    assert [one.shape[1:] for one in mine[1]] == [one.shape[1:] for one in theirs[1]]
    with pytest.raises(RuntimeError, match="that is no box"):
        run(penstock, graph, boxes, labels, (images, "HWC"))


def test_windows_are_cut_by_slice_where_boxes_say_that_they_are():
    """The square of a box is where the box is in the window."""
    images, boxes = [], []
    for i in range(32):
        box = np.round(boxes_of(1, i) * 200)
        box[:, 2:] = np.maximum(box[:, 2:], box[:, :2] + 5)
        image = np.zeros((200, 200, 1), np.uint8)
        left, top, right, bottom = box[0].astype(int)
        image[top:bottom, left:right] = 255
        images.append(image)
        boxes.append(np.float32(box / 200))

    def graph(f, i, b):
        anchor, shape, inside = f.random_bbox_crop(b, scaling=[0.5, 1.0], aspect_ratio=[0.5, 2.0], seed=3)
        return f.slice(i, anchor, shape), inside

    [[pictures, inside]] = run(penstock, graph, (images, "HWC"), boxes)
    for picture, [box] in zip(pictures, inside, strict=True):
        ys, xs = np.nonzero(picture[..., 0])
        h, w = picture.shape[:2]
        edges = np.float32([xs.min(), ys.min(), xs.max() + 1, ys.max() + 1])
        np.testing.assert_allclose(box * [w, h, w, h], edges, atol=1.01)


def test_labels_go_with_boxes_whatever_their_shape_and_type():
    boxes = [boxes_of(6, i) for i in range(8)]
    for labels in ([np.arange(6, dtype=np.int32)] * 8, [np.arange(6, dtype=np.int64)[:, None]] * 8):
        [[_, _, inside, kept, places]] = run(
            penstock, lambda f, b, c: f.random_bbox_crop(b, c, scaling=[0.2, 0.5], output_bbox_indices=True), boxes,
            labels
        )  # fmt: skip
        for box, label, place in zip(inside, kept, places, strict=True):
            assert (label.dtype, label.shape) == (labels[0].dtype, (len(box), *labels[0].shape[1:]))
            assert label.ravel().tolist() == place.tolist()


def test_layouts_of_boxes_tell_the_same_windows():
    ltrb = [boxes_of(3, i) for i in range(16)]
    plain = windows(boxes=ltrb, scaling=[0.3, 0.9])
    for layout, columns in {"XYxy": [2, 3, 0, 1], "yxYX": [1, 0, 3, 2]}.items():
        moved = windows(boxes=[one[:, columns] for one in ltrb], scaling=[0.3, 0.9], bbox_layout=layout)
        for a, b in zip(plain, moved, strict=True):
            np.testing.assert_array_equal(a[0], b[0])
            np.testing.assert_array_equal(a[1], b[1][:, np.argsort(columns)] if layout != "XYxy" else b[1][:, columns])
    xywh = [np.hstack([one[:, :2], one[:, 2:] - one[:, :2]]) for one in ltrb]
    for arguments in ({"bbox_layout": "xyWH"}, {"ltrb": False}):
        for a, b in zip(plain, windows(boxes=xywh, scaling=[0.3, 0.9], **arguments), strict=True):
            np.testing.assert_allclose(a[0], b[0], atol=1e-6)
            np.testing.assert_allclose(a[1][:, 2:] - a[1][:, :2], b[1][:, 2:], atol=1e-6)


def test_boxes_in_volumes_have_windows_of_three_axes():
    boxes = [np.float32([[0.1, 0.2, 0.3, 0.6, 0.7, 0.8]])] * 64
    arguments = {"scaling": [0.5, 1.0], "aspect_ratio": [0.5, 2.0, 0.8, 1.25, 0.4, 2.5], "allow_no_crop": False}
    [[anchors, shapes, inside]] = run(penstock, lambda f, b: f.random_bbox_crop(b, seed=1, **arguments), boxes)
    for anchor, shape, kept in zip(anchors, shapes, inside, strict=True):
        assert anchor.shape == shape.shape == (3,) and kept.shape == (1, 6)
        assert (
            0.5 <= shape[0] / shape[1] <= 2 and 0.8 <= shape[0] / shape[2] <= 1.25 and 0.4 <= shape[1] / shape[2] <= 2.5
        )
        seen = np.clip((boxes[0][0] - np.tile(anchor, 2)) / np.tile(shape, 2), 0, 1)
        np.testing.assert_allclose(kept[0], seen, atol=2e-6)


def test_windows_depend_on_seed_and_sample_alone():
    boxes = [boxes_of(3, i) for i in range(8)]
    rules = {"scaling": [0.3, 0.9], "aspect_ratio": [0.5, 2.0]}

    def all_of(batch_size, seed):
        with Pipeline(batch_size, num_threads=3) as pipe:
            feed = fn.external_source(source=boxes, batch=False, cycle=True)
            pipe.set_outputs(fn.random_bbox_crop(feed, seed=seed, **rules)[0])
        return np.concatenate([pipe.run()[0].as_array() for _ in range(8 // batch_size)])

    np.testing.assert_array_equal(all_of(8, 5), all_of(2, 5))
    assert (all_of(8, 5) != all_of(8, 6)).any()
    assert len(np.unique(all_of(8, 5)[:, 0])) > 4


def test_attempts_end_where_that_is_asked_for_and_the_best_window_is_taken():
    boxes = [np.float32([[0.1, 0.1, 0.9, 0.9]])] * 32
    rules = {"scaling": [0.1, 0.5], "thresholds": [0.9], "allow_no_crop": False, "num_attempts": 3}
    few = windows(boxes=boxes, total_num_attempts=1, quiet=True, **rules)
    many = windows(boxes=boxes, total_num_attempts=200, **rules)
    shares = [np.mean([overlap(window, boxes[0])[1] for window, *_ in found]) for found in (few, many)]
    assert shares[1] > 0.33 > shares[0]
    with pytest.raises(RuntimeError, match=r"\[random_bbox_crop\].*none of 100000 windows.*total_num_attempts"):
        windows(boxes=boxes, **rules)


def test_without_boxes_any_window_will_do():
    [(window, kept, places, _)] = windows(boxes=[np.zeros((0, 4), np.float32)], scaling=[0.5, 0.6], allow_no_crop=False)
    assert kept.shape == (0, 4) and places.shape == (0,)
    assert 0.5 <= window[2] - window[0] <= 0.6


def test_boxes_that_leave_the_picture_are_refused_or_cut():
    outside = [np.float32([[0.1, 0.2, 1.0000001, 0.6], [-1e-7, 0, 0.5, 0.5]])]
    with pytest.raises(RuntimeError, match=r"box 0 goes from 0.1 to 1.0000001 along x.*clamp_boxes=True"):
        windows(boxes=outside)
    [(window, kept, *_)] = windows(boxes=outside, clamp_boxes=True, scaling=[1.0, 1.0])
    assert window.tolist() == [0, 0, 1, 1]
    np.testing.assert_array_equal(kept, np.float32([[0.1, 0.2, 1, 0.6], [0, 0, 0.5, 0.5]]))


# SSD's own crop -------------------------------------------------------------------------------------------------------


def test_ssd_random_crop_cuts_picture_boxes_and_labels_alike():
    images, boxes = [], []
    for i in range(48):
        box = np.round(boxes_of(1, i) * 100)
        box[:, 2:] = np.maximum(box[:, 2:], box[:, :2] + 4)
        image = np.full((100, 100, 3), 9, np.uint8)
        left, top, right, bottom = box[0].astype(int)
        image[top:bottom, left:right] = 255
        images.append(image)
        boxes.append(np.float32(box / 100))
    labels = [np.int32([i]) for i in range(48)]
    [[pictures, inside, kept]] = run(
        penstock, lambda f, i, b, c: f.ssd_random_crop(i, b, c, num_attempts=20, seed=3), (images, "HWC"), boxes, labels
    )  # fmt: skip
    cut = 0
    for i, (picture, [box], label) in enumerate(zip(pictures, inside, kept, strict=True)):
        ys, xs = np.nonzero(picture[..., 0] == 255)
        h, w = picture.shape[:2]
        cut += (h, w) != (100, 100)
        edges = np.float32([xs.min(), ys.min(), xs.max() + 1, ys.max() + 1])
        np.testing.assert_allclose(box * [w, h, w, h], edges, atol=1.01)
        assert label.tolist() == [i]
        assert 0.48 <= w / h <= 2.1 and min(h, w) >= 30
    assert cut > 12


def test_ssd_random_crop_is_distributed_as_dalis():
    images = ([np.zeros((100, 120, 3), np.uint8)] * 250, "HWC")
    boxes, labels = [np.float32([[0.2, 0.3, 0.6, 0.7]])] * 250, [np.int32([1])] * 250

    def facts(module):
        made = run(module, lambda f, i, b, c: f.ssd_random_crop(i, b, c, num_attempts=20, seed=3), images, boxes,
                   labels, batches=8)  # fmt: skip
        rows = [(p.shape[0] / 100, p.shape[1] / 120, p.shape[0] == 100) for [pictures, *_] in made for p in pictures]
        return np.mean(rows, axis=0)

    np.testing.assert_allclose(facts(penstock), facts(oracle.dali()), atol=0.03)
