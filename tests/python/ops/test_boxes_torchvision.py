"""Boxes, key points and masks beside torchvision's, which the detectors of most users are trained with."""

import numpy as np
import pytest
from box_runs import boxes_of, run
from follow_runs import run as run_pictures

import penstock
from penstock import fn

HEIGHT, WIDTH = 60, 80
CRITERIA = 0.4


@pytest.fixture
def v2(torchvision):
    """(functions, tensors) of torchvision's second generation of transforms."""
    from torchvision import tv_tensors
    from torchvision.transforms.v2 import functional

    return functional, tv_tensors


def picture_and_boxes(seed):
    rng = np.random.default_rng(seed)
    low = rng.uniform(10, 40, (6, 2))
    extent = rng.uniform(2, 18, (6, 2))
    return rng.integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8), np.float32(np.hstack([low, low + extent]))


# What moves pictures here, and what torchvision calls it.
MOVES = {
    "flip": (lambda x: fn.flip(x), lambda f, x: f.horizontal_flip(x)),
    "vertical": (lambda x: fn.flip(x, horizontal=0, vertical=1), lambda f, x: f.vertical_flip(x)),
    "crop": (
        lambda x: fn.slice(x, start=[12, 15], shape=[40, 44], axes=[0, 1]),
        lambda f, x: f.crop(x, 12, 15, 40, 44),
    ),
    "pad": (
        lambda x: fn.slice(x, start=[-7, -5], shape=[80, 100], axes=[0, 1], out_of_bounds_policy="pad"),
        lambda f, x: f.pad(x, [5, 7, 15, 13]),
    ),
}
RESIZE = (lambda x: fn.resize(x, size=[90, 33]), lambda f, x: f.resize(x, [90, 33]))
TURN = (lambda x: fn.rotate(x, angle=25.0), lambda f, x: f.rotate(x, 25.0, expand=True))


@pytest.mark.parametrize("name", [*MOVES, "resize", "turn"])
def test_followed_boxes_are_torchvisions(name, v2):
    functional, tensors = v2
    ours, theirs = {**MOVES, "resize": RESIZE, "turn": TURN}[name]
    samples = [picture_and_boxes(i) for i in range(5)]
    moved, images = run_pictures(lambda x, b: (fn.follow(b, ours(x), ltrb=True), ours(x)), samples)
    for (_, boxes), mine, image in zip(samples, moved, images, strict=True):
        given = tensors.BoundingBoxes(boxes, format="XYXY", canvas_size=(HEIGHT, WIDTH))
        expected = theirs(functional, given)
        tolerance = 1e-3
        if name == "turn":  # canvases are rounded in two ways, and boxes lie from the middle
            assert np.abs(np.subtract(expected.canvas_size, image.shape[:2])).max() <= 2
            tolerance = 1.5
        else:
            assert tuple(expected.canvas_size) == image.shape[:2]
        np.testing.assert_allclose(mine, expected.numpy(), atol=tolerance)


@pytest.mark.parametrize("names", [["flip", "crop"], ["crop", "vertical"], ["pad", "flip", "crop", "vertical"]])
def test_masks_and_points_go_where_torchvision_moves_them(names, v2):
    import torch

    functional, tensors = v2
    samples = [picture_and_boxes(i) for i in range(3)]

    def moved(x):
        for name in names:
            x = MOVES[name][0](x)
        return x

    points, masks = run_pictures(
        lambda x, b: (fn.follow(b[:, :2], moved(x), kind="points"), fn.follow(x, moved(x), kind="masks")), samples
    )
    for (picture, boxes), mine, mask in zip(samples, points, masks, strict=True):
        expected = tensors.Mask(torch.from_numpy(picture.transpose(2, 0, 1).copy()))
        place = tensors.BoundingBoxes(np.hstack([boxes[:, :2]] * 2), format="XYXY", canvas_size=(HEIGHT, WIDTH),
                                      clamping_mode=None)  # fmt: skip
        for name in names:
            expected, place = (MOVES[name][1](functional, one) for one in (expected, place))
        np.testing.assert_array_equal(mask, expected.numpy().transpose(1, 2, 0))
        np.testing.assert_allclose(mine, place.numpy()[:, :2], atol=1e-4)


def matched(boxes, anchors):
    """The box of each anchor, or -1, by torchvision's overlaps."""
    import torch
    import torchvision

    overlaps = torchvision.ops.box_iou(torch.from_numpy(boxes), torch.from_numpy(anchors)).numpy()
    box_of = np.where(overlaps.max(0) > CRITERIA, overlaps.argmax(0), -1)
    for i, row in enumerate(overlaps):
        box_of[row.argmax()] = i
    return box_of


@pytest.mark.parametrize("offset", [False, True])
def test_anchors_get_boxes_by_torchvisions_overlaps_and_codes(offset, torchvision):
    import torch
    from torchvision.models.detection._utils import BoxCoder

    anchors, samples = boxes_of(700, 50), [boxes_of(n, n) for n in (1, 5, 30)]
    labels = [np.arange(len(one), dtype=np.int32) + 1 for one in samples]
    settings = {"stds": [0.1, 0.1, 0.2, 0.2], "offset": True} if offset else {}
    [[encoded, classes]] = run(
        penstock, lambda f, b, c: f.box_encoder(b, c, anchors=anchors.ravel().tolist(), criteria=CRITERIA, **settings),
        samples, labels
    )  # fmt: skip
    for boxes, label, rows, numbers in zip(samples, labels, encoded, classes, strict=True):
        box_of = matched(boxes, anchors)
        assert (box_of >= 0).sum() > len(boxes) - 1
        np.testing.assert_array_equal(numbers, np.where(box_of >= 0, label[box_of], 0))
        has = box_of >= 0
        own, given = torch.from_numpy(anchors), torch.from_numpy(boxes[box_of])
        if offset:
            expected = BoxCoder((10.0, 10.0, 5.0, 5.0)).encode_single(given, own).numpy()
            expected[~has] = 0
        else:
            as_middles = [torchvision.ops.box_convert(one, "xyxy", "cxcywh").numpy() for one in (given, own)]
            expected = np.where(has[:, None], *as_middles)
        np.testing.assert_allclose(rows, expected, atol=2e-4 if offset else 1e-6)
