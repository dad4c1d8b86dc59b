"""multi_paste: canvases as DALI makes them, and what does not fit is refused."""

import numpy as np
import oracle
import pytest

import penstock
from penstock import types

RNG = np.random.default_rng(0)
PICTURES = [RNG.integers(1, 255, (4, 6, 3)).astype(np.uint8) for _ in range(3)]
RAGGED = [RNG.integers(1, 255, (9 + i, 12 - i, 3)).astype(np.uint8) for i in range(3)]
IDS = [np.int32([0, 1]), np.int32([2]), np.int32([])]
ANCHORS = [np.int32([[0, 0], [1, 2]]), np.int32([[0, 1]]), np.zeros((0, 2), np.int32)]
SHAPES = [np.int32([[2, 3], [2, 2]]), np.int32([[1, 1]]), np.zeros((0, 2), np.int32)]
PARTS = [(one / 10).astype(np.float32) for one in ANCHORS]
# Of three samples with two, one and no regions.
SIZES = [np.int32([5 + i, 9 - i]) for i in range(3)]
ARGUMENTS = {"ids": IDS, "anchors": ANCHORS, "shapes": SHAPES, "parts": PARTS, "sizes": SIZES}


def run(module, make, *pictures, layout="HWC"):
    """Samples of the canvas; `make` gets fn, a list of inputs and a dict of per-sample arguments."""
    pipe = module.Pipeline(batch_size=len(pictures[0]), num_threads=1, device_id=None)
    with pipe:

        def feed(batch, layout=None):
            return module.fn.external_source(source=lambda: batch, batch=True, layout=layout)

        inputs = [feed(one, layout) for one in pictures]
        arguments = {name: feed(one) for name, one in ARGUMENTS.items()} if len(pictures[0]) == 3 else {}
        pipe.set_outputs(make(module.fn, inputs, arguments))
    pipe.build()
    return [np.array(pipe.run()[0].at(i)) for i in range(len(pictures[0]))]


def assert_alike(make, *pictures, layout="HWC"):
    mine, theirs = run(penstock, make, *pictures, layout=layout), run(oracle.dali(), make, *pictures, layout=layout)
    for a, b in zip(mine, theirs, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


CALLS = {
    "whole": lambda f, x, a: f.multi_paste(x[0], in_ids=a["ids"], output_size=[5, 7]),
    "no size": lambda f, x, a: f.multi_paste(x[0], in_ids=a["ids"]),
    "one list for all": lambda f, x, a: f.multi_paste(x[0], in_ids=[0, 2, 1], output_size=[5, 7]),
    "out anchors": lambda f, x, a: f.multi_paste(x[0], in_ids=a["ids"], out_anchors=a["anchors"], output_size=[5, 9]),
    "all": lambda f, x, a: f.multi_paste(x[0], in_ids=a["ids"], in_anchors=a["anchors"], shapes=a["shapes"],
                                         out_anchors=a["anchors"], output_size=[5, 9]),
    "from anchors on": lambda f, x, a: f.multi_paste(x[0], in_ids=a["ids"], in_anchors=a["anchors"]),
    "parts": lambda f, x, a: f.multi_paste(x[0], in_ids=a["ids"], in_anchors_rel=a["parts"], shapes_rel=a["parts"],
                                           out_anchors_rel=a["parts"], output_size=[17, 19]),
    "mixed": lambda f, x, a: f.multi_paste(x[0], in_ids=a["ids"], in_anchors_rel=a["parts"], shapes=a["shapes"],
                                           output_size=[17, 19]),
    "floats": lambda f, x, a: f.multi_paste(x[0], in_ids=a["ids"], dtype=types.FLOAT),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "float32"])
def test_canvases_are_dalis(name, dtype):
    assert_alike(CALLS[name], [one.astype(dtype) for one in PICTURES])


def test_pictures_of_any_shape_go_where_a_size_is_given():
    def graph(f, x, a):
        return f.multi_paste(x[0], in_ids=a["ids"], output_size=[14, 15], in_anchors=a["anchors"])

    assert_alike(graph, RAGGED)


def test_parts_of_extents_are_rounded_as_dali_rounds_them():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        begin, shape, at = (rng.random((1, 2)) * most for most in (0.4, 0.6, 0.4))

        def graph(f, x, a, begin=begin, shape=shape, at=at):
            numbers = [np.float32(one) for one in (begin, shape, at)]
            return f.multi_paste(x[0], in_ids=[0], output_size=[40, 41], in_anchors_rel=numbers[0],
                                 shapes_rel=numbers[1], out_anchors_rel=numbers[2])  # fmt: skip

        assert_alike(graph, [RAGGED[0]])


def test_several_inputs_are_pasted_sample_by_sample():
    other = [255 - one for one in PICTURES]
    assert_alike(lambda f, x, a: f.multi_paste(*x), PICTURES, other)

    def graph(f, x, a):
        return f.multi_paste(*x, output_size=[9, 9], out_anchors=np.int32([[0, 0], [3, 2], [5, 3]]))

    assert_alike(graph, PICTURES, other, PICTURES)


def test_sizes_are_given_sample_by_sample():
    def graph(f, x, a):
        return f.multi_paste(x[0], in_ids=a["ids"], output_size=a["sizes"])

    assert_alike(graph, PICTURES)


def test_frames_are_pasted_one_by_one():
    videos = [np.stack([one, one + 1]) for one in PICTURES]
    for i, video in enumerate(run(penstock, CALLS["all"], videos, layout="FHWC")):
        for frame in range(2):
            still = run(penstock, CALLS["all"], [one[frame] for one in videos])
            np.testing.assert_array_equal(video[frame], still[i])


WRONG = [
    (lambda f, x, a: f.multi_paste(x[0], in_ids=[0, 7]), "names sample 7 of a batch of 3"),
    (lambda f, x, a: f.multi_paste(x[0], in_ids=[-1]), "names sample -1"),
    (lambda f, x, a: f.multi_paste(x[0], x[0], in_ids=[0]), "samples of one input, got 2"),
    (lambda f, x, a: f.multi_paste(x[0], in_ids=[0], out_anchors=[1, 1]), "region 0 of sample 0 out of the canvas: 4"),
    (lambda f, x, a: f.multi_paste(x[0], in_ids=[0], out_anchors=[-1, 0]), "out of the canvas"),
    (lambda f, x, a: f.multi_paste(x[0], in_ids=[0], shapes=[5, 1]), "out of the picture: 5 elements from 0 on, of 4"),
    (lambda f, x, a: f.multi_paste(x[0], in_ids=[0], in_anchors=[5, 1]), "out of the picture"),
    (lambda f, x, a: f.multi_paste(x[0], in_ids=[0], in_anchors=[1 << 62, 1]), "out of the picture"),
    (lambda f, x, a: f.multi_paste(x[0], in_ids=[0], shapes=[-1, 1]), "out of the picture"),
    (lambda f, x, a: f.multi_paste(x[0], in_ids=[0], in_anchors_rel=[1.5, 0.0]), "`in_anchors_rel` must lie in"),
    (lambda f, x, a: f.multi_paste(x[0], in_ids=[0, 1], out_anchors=[0, 0]), "two numbers for each of 2 pasted"),
    (lambda f, x, a: f.multi_paste(x[0], in_ids=[0], output_size=8), "must be a height and a width"),
    (lambda f, x, a: f.multi_paste(x[0], in_ids=[0], output_size=[-8, 8]), "an extent of -8"),
    (lambda f, x, a: f.multi_paste(x[0], shapes=[1, 1], shapes_rel=[0.1, 0.1]), "cannot be specified together"),
    (lambda f, x, a: f.multi_paste(x[0], f.cast(x[0], dtype=types.FLOAT)), "must have one type"),
    (lambda f, x, a: f.multi_paste(x[0], x[0][:, :, :1]), "one number of channels"),
    (lambda f, x, a: f.multi_paste(x[0], x[0][:3]), "without `output_size` all pictures must have one shape"),
]  # fmt: skip


@pytest.mark.parametrize("make, message", WRONG, ids=[message for _, message in WRONG])
def test_what_does_not_fit_is_refused(make, message):
    with pytest.raises((ValueError, TypeError, RuntimeError), match=rf"\[multi_paste\].*{message}"):
        run(penstock, make, PICTURES)
