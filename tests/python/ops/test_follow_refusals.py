"""What `follow` refuses: pictures that no matrix moved, and arguments that do not fit."""

import numpy as np
import pytest
from follow_runs import run, square

from penstock import fn, pipeline_def

REFUSED = {
    "fn.water": lambda x: fn.flip(fn.water(x)),
    "fn.sphere": lambda x: fn.sphere(fn.resize(x, size=50)),
    "fn.jitter": fn.jitter,
    "fn.experimental.remap": lambda x: fn.experimental.remap(x, *np.zeros((2, 4, 4), np.float32)),
    "fn.python_function": lambda x: fn.python_function(x, function=lambda v: v, output_layouts="HWC"),
    "fn.permute_batch": lambda x: fn.permute_batch(x, indices=[0]),
    "fn.multi_paste": lambda x: fn.multi_paste(x, in_ids=[0], output_size=[9, 9]),
    "fn.cat": lambda x: fn.cat(x, fn.flip(x), axis=0),
    "fn.reshape": lambda x: fn.flip(fn.reshape(x, shape=[-1, 8, 3], layout="HWC")),
    "moved in another way": lambda x: x + fn.flip(x),
    "mixes several pictures": lambda x: x + fn.external_source(lambda: [np.zeros((1, 1, 3), np.uint8)]),
    "not made from": lambda x: fn.random.uniform(range=[0, 1], shape=[4, 4, 3]),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_labels_cannot_follow_is_named(what):
    with pytest.raises(ValueError, match=rf"\[fn.follow\](.|\n)*{what}"):
        run(lambda x, b: fn.follow(b, REFUSED[what](x)), [square(np.random.default_rng(0))])


MISTAKES = {
    "kind": ({"kind": "circles"}, ValueError, "'boxes', 'points', 'polygons', 'masks'"),
    "other kind's argument": ({"kind": "points", "ltrb": True}, ValueError, "`ltrb` belongs to kind 'boxes'"),
    "labels": ({"labels": np.int32([1, 2])}, ValueError, r"\[follow_boxes\](.|\n)*"),
    "polygons": ({"kind": "polygons"}, ValueError, "need `polygons`"),
    "min_visible": ({"min_visible": 1.5}, ValueError, r"\[follow_boxes\].*`min_visible` must lie in \[0, 1\], got 1.5"),
    "turned box": ({"ltrb": True}, RuntimeError, r"\[follow_boxes\].*box 0 goes from 50 to 40 along x.*sample 0"),
    "pairs": ({"kind": "points", "flip_pairs": [(0, 0)]}, ValueError, "names each key point once"),
    "shape": ({"kind": "polygons", "polygons": np.int32([[0, 0, 3]])}, ValueError, r"rows of x and y.*\(1, 4\)"),
    "mask": ({"kind": "masks"}, RuntimeError, "a mask of 1 x 4 pixels does not belong to a picture of 60 x 90"),
}  # fmt: skip


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_are_told(what):
    given, error, message = MISTAKES[what]
    boxes = np.float32([[50, 10, 40, 20]])
    with pytest.raises(error, match=message):
        run(lambda x, b: fn.follow(b, fn.flip(x), **given), [(np.zeros((60, 90, 3), np.uint8), boxes)])


def test_frames_that_move_apart_are_refused():
    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def pipe():
        frames = fn.external_source(lambda: [np.zeros((2, 5, 6, 1), np.uint8)], layout="FHWC")
        moved = fn.rotate(frames, angle=fn.per_frame(np.float32([10, 20])), keep_size=True)
        return fn.follow(np.float32([[0, 0, 1, 1]]), moved)

    with pytest.raises(ValueError, match="whole samples only"):
        pipe().run()


def test_boxes_of_volumes_are_not_those_of_pictures():
    with pytest.raises(
        ValueError, match="boxes on pictures are rows of 4 numbers, those in volumes of 6; got 6 in a p"
    ):
        run(lambda x, b: fn.follow(b, fn.flip(x)), [(np.zeros((6, 9, 3), np.uint8), np.float32([[0, 0, 0, 1, 1, 1]]))])
