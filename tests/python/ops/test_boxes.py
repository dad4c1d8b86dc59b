"""Operators on boxes and points: DALI's results where they are no chance, rules and distributions where they are."""

import types as types_module

import numpy as np
import oracle
import pytest
from box_runs import SAMPLES, assert_alike, boxes_of, run

import penstock
from penstock import types
from penstock.dali import _choices

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("ltrb", [False, True])
@pytest.mark.parametrize("horizontal, vertical", [(1, 0), (0, 1), (1, 1), (0, 0)])
def test_flipped_boxes_are_dalis(horizontal, vertical, ltrb):
    samples = [boxes_of(n, n, "ltrb" if ltrb else "xywh") for n in (200, 1, 0, 7)]
    # Of x, y, width and height DALI makes ends and back: extents are off by a rounding.
    assert_alike(
        lambda f, b: f.bb_flip(b, horizontal=horizontal, vertical=vertical, ltrb=ltrb), samples,
        tolerance=0 if ltrb else 1.2e-7
    )  # fmt: skip


def test_boxes_are_flipped_sample_by_sample_and_in_any_number_of_axes():
    def graph(f, boxes, flips):
        return f.bb_flip(boxes, horizontal=flips, vertical=f.cast(flips == 0, dtype=types.INT32), ltrb=True)

    assert_alike(graph, SAMPLES, [np.int32(i % 2) for i in range(4)])
    samples = [boxes_of(12, 3).reshape(3, 4, 4), boxes_of(2).reshape(1, 2, 4)]
    assert_alike(lambda f, b: f.bb_flip(b, ltrb=True), samples)
    assert_alike(lambda f, b: f.bb_flip(b, ltrb=True), [boxes_of(1, 3).reshape(4)])


def test_a_box_is_where_its_square_is_after_flips():
    image = np.zeros((64, 80, 1), np.uint8)
    image[8:16, 20:50] = 255
    box = np.float32([[20 / 80, 8 / 64, 50 / 80, 16 / 64]])
    for horizontal in (0, 1):
        for vertical in (0, 1):
            flips = {"horizontal": horizontal, "vertical": vertical}
            [[[image_out], [box_out]]] = run(
                penstock, lambda f, i, b, flips=flips: (f.flip(i, **flips), f.bb_flip(b, ltrb=True, **flips)),
                ([image], "HWC"), [box]
            )  # fmt: skip
            ys, xs = np.nonzero(image_out[..., 0])
            edges = np.float32([xs.min() / 80, ys.min() / 64, (xs.max() + 1) / 80, (ys.max() + 1) / 64])
            np.testing.assert_allclose(box_out[0], edges, atol=1e-6)


@pytest.mark.parametrize("ltrb", [False, True])
def test_pasted_boxes_are_dalis(ltrb):
    assert_alike(lambda f, b: f.bbox_paste(b, ratio=1.7, paste_x=0.3, paste_y=0.6, ltrb=ltrb), SAMPLES)
    ratios = [np.float32(1 + i / 3) for i in range(4)]
    assert_alike(lambda f, b, r: f.bbox_paste(b, ratio=r, paste_x=r - r, ltrb=ltrb), SAMPLES, ratios)


FLIPS = [
    {}, {"flip_x": 0, "flip_y": 1}, {"flip_y": 1, "center_x": 0.3, "center_y": -2.0}, {"layout": "yx"},
    {"layout": "xy", "center_x": 100.0},
]  # fmt: skip


@pytest.mark.parametrize("arguments", FLIPS, ids=str)
def test_flipped_points_are_dalis(arguments):
    assert_alike(lambda f, p: f.coord_flip(p, **arguments), [RNG.random((n, 2), np.float32) for n in (100, 1, 0)])


def test_flipped_points_have_one_to_three_coordinates():
    for axes in (1, 3):
        points = [RNG.random((9, axes), np.float32)]
        assert_alike(lambda f, p: f.coord_flip(p, flip_x=1, flip_y=0, flip_z=1, center_z=0.25), points)
    [[[out]]] = run(penstock, lambda f, p: f.coord_flip(p), [RNG.random((2, 3, 2), np.float32)])
    assert out.shape == (2, 3, 2)


MATRIX = RNG.random((3, 2)).astype(np.float32)
TRANSFORMS = [
    {}, {"M": 2.5}, {"T": -1.5}, {"MT": 3.0}, {"T": [1.0, 2.0]}, {"M": MATRIX.ravel().tolist()},
    {"M": MATRIX.ravel().tolist(), "T": [1.0, 2.0, 3.0]}, {"M": [1.0, 2.0], "T": 5.0},
    {"MT": [0.5, 1.0, 2.0, -0.25, 4.0, 8.0]},
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "uint8", "uint16", "int16", "int32"])
@pytest.mark.parametrize("arguments", TRANSFORMS, ids=str)
def test_mapped_points_are_dalis(arguments, dtype):
    points = [(RNG.random((n, 2)) * 100).astype(dtype) for n in (50, 1, 0)]
    assert_alike(lambda f, p: f.coord_transform(p, **arguments), points)


def test_mapped_points_are_rounded_into_their_own_type():
    points = [np.arange(512, dtype=np.int32).reshape(-1, 2).astype(np.uint8)]
    for scale in (0.5, 3.0, -1.0):
        assert_alike(lambda f, p, scale=scale: f.coord_transform(p, M=scale, dtype=types.UINT8), points)


def test_no_points_may_have_numpys_usual_type():
    [[[out]]] = run(penstock, lambda f, p: f.coord_transform(p, M=[1.0] * 6), ([np.zeros((0, 3))], "AB"))
    assert (out.dtype, out.shape) == (np.float32, (0, 2))


@pytest.mark.parametrize("dtype", ["int8", "uint32"])
def test_mapped_points_have_types_that_dali_lacks(dtype):
    points = [(RNG.random((50, 2)) * 100).astype(dtype)]
    [[[out]]] = run(penstock, lambda f, p: f.coord_transform(p, M=2.0, T=[1.0, -1.0]), points)
    np.testing.assert_array_equal(out, np.float32(points[0]) * 2 + np.float32([1, -1]))


def test_mapped_points_have_matrices_of_their_own_and_any_number_of_axes():
    matrices = [RNG.random((2, 3)).astype(np.float32) for _ in range(2)]
    points = [RNG.random((4, 5, 2), np.float32), RNG.random((1, 2, 2), np.float32)]
    assert_alike(lambda f, p, m: f.coord_transform(p, MT=m), points, matrices)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"keep_size": True}, {"mode": "fixed"}, {"mode": "halfway", "keep_size": True}, {"size": [50.0, 70.9]},
     {"bbox_layout": "xyWH"}, {"bbox_layout": "xyWH", "bbox_normalized": False}, {"remove_threshold": 0.7,
     "keep_size": True}, {"shape_layout": "WH"}, {"bbox_normalized": False, "keep_size": True}],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("angle", [0.0, 30.0, 45.0, 100.0, -77.0, 180.0])
def test_rotated_boxes_are_dalis(arguments, angle):
    layout = "xywh" if arguments.get("bbox_layout") == "xyWH" else "ltrb"
    scale = np.float32(1 if arguments.get("bbox_normalized", True) else 60)
    samples = [boxes_of(n, n, layout) * scale for n in (40, 1, 0)]
    labels = [np.arange(len(one), dtype=np.int32) for one in samples]
    assert_alike(
        lambda f, b, c: f.bbox_rotate(b, c, angle=angle, input_shape=[60, 84], **arguments), samples, labels,
        tolerance=4e-6 * scale
    )  # fmt: skip
    columns = [one[:, None] for one in labels]
    assert_alike(
        lambda f, b, c: f.bbox_rotate(b, c, angle=angle, input_shape=[60, 84], **arguments), samples, columns,
        tolerance=4e-6 * scale
    )  # fmt: skip


def test_a_rotated_box_holds_its_rotated_square():
    image = np.zeros((64, 80, 1), np.uint8)
    image[8:16, 20:50] = 255
    box = np.float32([[20 / 80, 8 / 64, 50 / 80, 16 / 64]])
    angles = [np.float32(angle) for angle in np.linspace(-180, 180, 25)]
    images, boxes = [image] * len(angles), [box] * len(angles)
    [[turned, moved]] = run(
        penstock, lambda f, i, b, a: (f.rotate(i, angle=a, fill_value=0), f.bbox_rotate(b, angle=a,
        input_shape=i.shape())), (images, "HWC"), boxes, angles
    )  # fmt: skip
    for picture, [one] in zip(turned, moved, strict=True):
        ys, xs = np.nonzero(picture[..., 0] > 127)
        h, w = picture.shape[:2]
        edges = np.float32([xs.min(), ys.min(), xs.max() + 1, ys.max() + 1])
        np.testing.assert_allclose(one * [w, h, w, h], edges, atol=1.5)


def anchors_of(count):
    return boxes_of(count, 99)


@pytest.mark.parametrize("count", [3, 500])
@pytest.mark.parametrize(
    "arguments",
    [{}, {"criteria": 0.2}, {"criteria": 1.0}, {"criteria": 0.0}, {"offset": True},
     {"offset": True, "scale": 300.0, "means": [0.0, 0.1, 0.2, 0.3], "stds": [0.1, 0.1, 0.2, 0.2]}],
    ids=str,
)  # fmt: skip
def test_encoded_boxes_are_dalis(count, arguments):
    labels = [np.arange(len(one), dtype=np.int32) + 1 for one in SAMPLES]
    assert_alike(
        lambda f, b, c: f.box_encoder(b, c, anchors=anchors_of(count).ravel().tolist(), **arguments), SAMPLES, labels,
        tolerance=2e-6 if arguments.get("offset") else 0.0
    )  # fmt: skip


def test_of_equal_anchors_and_boxes_the_last_ones_match():
    same = np.tile(np.float32([[0.1, 0.2, 0.5, 0.6]]), (3, 1))
    labels = [np.int32([1, 2, 3])]
    assert_alike(lambda f, b, c: f.box_encoder(b, c, anchors=same.ravel().tolist()), [same], labels)
    touching = [np.float32([[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1]])]
    anchors = [0.5, 0.0, 1.0, 0.5, 0.0, 0.5, 0.5, 1.0]
    assert_alike(lambda f, b, c: f.box_encoder(b, c, anchors=anchors, criteria=0.0), touching, [labels[0][:2]])


# Names and mistakes ---------------------------------------------------------------------------------------------------


def test_old_classes_make_the_same_operators():
    names = ["BbFlip", "BBoxPaste", "BBoxRotate", "RandomBBoxCrop", "SSDRandomCrop", "BoxEncoder", "CoordFlip",
             "CoordTransform"]  # fmt: skip
    for name in names:
        assert hasattr(oracle.dali().ops, name)
        assert callable(getattr(penstock.ops, name))
    flip = penstock.ops.BbFlip(device="cpu", ltrb=True)
    [[[out]]] = run(penstock, lambda f, b: flip(b, horizontal=1), [SAMPLES[3]])
    np.testing.assert_array_equal(out[:, 0], 1 - SAMPLES[3][:, 2])


B, L = [boxes_of(2)], [np.int32([1, 2])]
GIVEN = {"crop_shape": [3, 3], "input_shape": [8, 8]}
WRONG = [
    (lambda f, b, c: f.bb_flip(c), "must be FLOAT"),
    (lambda f, b, c: f.bb_flip(f.reshape(b, shape=[8, 1])), "multiple of 4"),
    (lambda f, b, c: f.bbox_paste(b, ratio=0.5), "1 or more"),
    (lambda f, b, c: f.bbox_paste(b, ratio=2.0, paste_x=1.5), "`paste_x` must lie in"),
    (lambda f, b, c: f.coord_flip(b), "one to three coordinates"),
    (lambda f, b, c: f.coord_flip(b, layout="xx"), "each once"),
    (lambda f, b, c: f.coord_flip(f.reshape(b, shape=[4, 2]), layout="xyz"), "points have 2"),
    (lambda f, b, c: f.coord_transform(b, M=[1.0, 2.0, 3.0]), "`M` holds 3 numbers"),
    (lambda f, b, c: f.coord_transform(b, MT=[1.0] * 5, T=1.0), "`MT` is both"),
    (lambda f, b, c: f.coord_transform(b, T=[1.0, 2.0]), "`T` needs one number"),
    (lambda f, b, c: f.coord_transform(b, dtype=types.UINT8), "FLOAT or of the input's type"),
    (lambda f, b, c: f.coord_transform(c), "two or more axes"),
    (lambda f, b, c: f.coord_transform(f.cast(b, dtype=types.FLOAT64)), "not supported"),
    (lambda f, b, c: f.bbox_rotate(b, angle=3.0, input_shape=[3]), "`input_shape` has 1"),
    (lambda f, b, c: f.bbox_rotate(b, angle=3.0, input_shape=[3, 0]), "must be positive"),
    (lambda f, b, c: f.bbox_rotate(b, angle=3.0, input_shape=[3, 3], mode="x"), "`mode` must be"),
    (lambda f, b, c: f.bbox_rotate(b, angle=3.0, input_shape=[3, 3], shape_layout="HC"), "axes H and W"),
    (lambda f, b, c: f.bbox_rotate(b, angle=3.0, input_shape=[3, 3], remove_threshold=2.0), "`remove_threshold`"),
    (lambda f, b, c: f.bbox_rotate(b, angle=3.0, input_shape=[3, 3], keep_size=True, size=[3.0, 3.0]), "exclusive"),
    (lambda f, b, c: f.bbox_rotate(b, c[:1], angle=3.0, input_shape=[3, 3])[0], "as many labels"),
    (lambda f, b, c: f.box_encoder(b, c, anchors=[1.0] * 5)[0], "four numbers"),
    (lambda f, b, c: f.box_encoder(b, c, anchors=[])[0], "four numbers"),
    (lambda f, b, c: f.box_encoder(b, c, anchors=[1.0] * 4, criteria=2.0)[0], "`criteria`"),
    (lambda f, b, c: f.box_encoder(b, c, anchors=[1.0] * 4, stds=[0.0] * 4)[0], "`stds` must not be 0"),
    (lambda f, b, c: f.box_encoder(b, c, anchors=[1.0] * 4, means=[0.0])[0], "lists of 4"),
    (lambda f, b, c: f.box_encoder(b, c[:1], anchors=[1.0] * 4)[0], "as many labels"),
    (lambda f, b, c: f.box_encoder(b, b, anchors=[1.0] * 4)[0], "labels"),
    (lambda f, b, c: f.box_encoder(1 - b, c, anchors=[1.0] * 4)[0], "box 0 is .*left, top"),
    (lambda f, b, c: f.random_bbox_crop(b, c[:1])[0], "as many labels"),
    (lambda f, b, c: f.random_bbox_crop(1 - b)[0], "that is no box"),
    (lambda f, b, c: f.random_bbox_crop(f.reshape(b, shape=[1, 8]))[0], "rows of 4"),
    (lambda f, b, c: f.random_bbox_crop(f.cast(b, dtype=types.INT32))[0], "must be FLOAT"),
    (lambda f, b, c: f.random_bbox_crop(b, scaling=[0.5])[0], "`scaling` must be a range"),
    (lambda f, b, c: f.random_bbox_crop(b, scaling=[0.5, 0.4])[0], "`scaling` range"),
    (lambda f, b, c: f.random_bbox_crop(b, aspect_ratio=[1.0])[0], "`aspect_ratio` should have 2"),
    (lambda f, b, c: f.random_bbox_crop(b, aspect_ratio=[2.0, 1.0])[0], "`aspect_ratio` range"),
    (lambda f, b, c: f.random_bbox_crop(b, thresholds=[])[0], "At least one threshold"),
    (lambda f, b, c: f.random_bbox_crop(b, thresholds=[1.5])[0], "`thresholds` must lie"),
    (lambda f, b, c: f.random_bbox_crop(b, num_attempts=0)[0], "`num_attempts`"),
    (lambda f, b, c: f.random_bbox_crop(b, total_num_attempts=0)[0], "`total_num_attempts`"),
    (lambda f, b, c: f.random_bbox_crop(b, threshold_type="foo")[0], "`threshold_type`"),
    (lambda f, b, c: f.random_bbox_crop(b, bbox_prune_threshold=2.0)[0], "`bbox_prune_threshold`"),
    (lambda f, b, c: f.random_bbox_crop(b, bbox_layout="xy")[0], "permutation of `xyXY`"),
    (lambda f, b, c: f.random_bbox_crop(b, bbox_layout="xyWH", ltrb=False)[0], "give `bbox_layout`"),
    (lambda f, b, c: f.random_bbox_crop(b, crop_shape=[3, 3])[0], "`input_shape` must be provided"),
    (lambda f, b, c: f.random_bbox_crop(b, **GIVEN, scaling=[0.1, 0.2])[0], "incompatible"),
    (lambda f, b, c: f.random_bbox_crop(b, **GIVEN, allow_no_crop=True)[0], "incompatible"),
    (lambda f, b, c: f.random_bbox_crop(b, input_shape=[8, 8, 3])[0], "must have 2 extents"),
    (lambda f, b, c: f.random_bbox_crop(b, input_shape=[8, 8], shape_layout="HH")[0], "permutation of `WH`"),
]  # fmt: skip


CHOSEN = types_module.SimpleNamespace(Pipeline=_choices.Pipeline, fn=penstock.fn)  # what scripts get for nvidia.dali
PASSING = {
    "bb_flip": lambda f, b: f.bb_flip(b, ltrb=True, vertical=1),
    "bb_flip of extents": lambda f, b: f.bb_flip(b),
    "bbox_paste": lambda f, b: f.bbox_paste(b, ratio=1.5, paste_x=0.2, ltrb=True),
}


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("name", PASSING)
def test_boxes_that_are_not_finite_pass_where_dali_is_asked_for(name, wrong):
    """`penstock.dali` chooses DALI's, and so does `check_boxes=False`."""
    boxes = [boxes_of(3, layout="ltrb" if name != "bb_flip of extents" else "xywh") for _ in range(2)]
    boxes[1][1, 1] = wrong
    [[theirs]] = run(oracle.dali(), PASSING[name], boxes)
    [[mine]] = run(CHOSEN, PASSING[name], boxes)

    def unchecked(f, b):
        class Unchecked:
            def __getattr__(self, op):
                return lambda *inputs, **arguments: getattr(f, op)(*inputs, check_boxes=False, **arguments)

        return PASSING[name](Unchecked(), b)

    [[asked]] = run(penstock, unchecked, boxes)
    for a, b, c in zip(theirs, mine, asked, strict=True):
        # DALI makes ends of extents and these of those again, so that a wrong y is a wrong height, too.
        shared = slice(0, 2) if name == "bb_flip of extents" else slice(0, 4)
        np.testing.assert_allclose(b[:, shared], a[:, shared], rtol=0, atol=1.2e-7)
        np.testing.assert_array_equal(c, b)


TURNING = {
    "bbox_rotate": lambda f, b, c: f.bbox_rotate(b, c, angle=30.0, input_shape=[60, 84], mode="halfway"),
    "box_encoder": lambda f, b, c: f.box_encoder(b, c, anchors=anchors_of(40).ravel().tolist(), criteria=0.1),
}


@pytest.mark.parametrize("name", TURNING)
def test_boxes_that_are_turned_around_pass_where_dali_is_asked_for(name):
    boxes = [RNG.random((n, 4), np.float32) for n in (40, 7)]
    labels = [np.arange(len(one), dtype=np.int32) + 1 for one in boxes]
    [theirs] = run(oracle.dali(), TURNING[name], boxes, labels)
    [mine] = run(CHOSEN, TURNING[name], boxes, labels)
    for a, b in zip(theirs, mine, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_allclose(y, x, rtol=0, atol=4e-6)
    with pytest.raises(RuntimeError, match=rf"\[{name}\] box 0 "):
        run(penstock, TURNING[name], [1 - boxes_of(3)], [labels[0][:3]])


NO_BOXES = {
    "bb_flip": lambda f, b, c: f.bb_flip(b),
    "bbox_paste": lambda f, b, c: f.bbox_paste(b, ratio=1.5),
    "random_bbox_crop": lambda f, b, c: f.random_bbox_crop(b, c, quiet=True)[2],
    "bbox_rotate": lambda f, b, c: f.bbox_rotate(b, c, angle=3.0, input_shape=[8, 8])[0],
    "box_encoder": lambda f, b, c: f.box_encoder(b, c, anchors=[0.0, 0.0, 1.0, 1.0])[0],
}


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", NO_BOXES)
def test_boxes_that_are_not_finite_are_refused_by_number_and_sample(name, wrong):
    boxes = [boxes_of(2), boxes_of(2)]
    boxes[1][1, 1] = wrong
    with pytest.raises(RuntimeError, match=rf"\[{name}\] box 1 .*; sample 1"):
        run(penstock, NO_BOXES[name], boxes, L * 2)


@pytest.mark.parametrize("make, message", WRONG, ids=[message for _, message in WRONG])
def test_wrong_arguments_and_boxes_are_refused_with_a_remedy(make, message):
    with pytest.raises((ValueError, TypeError, RuntimeError), match=rf"\[[a-z_.]+\].*{message}"):
        run(penstock, make, B, L)
