"""fn.random_crop_generator: the windows that random_resized_crop cuts, distributed as DALI's."""

import numpy as np
import pytest
import scipy.stats
from oracle import run_dali, run_ours

from penstock import Pipeline, fn


def windows(run, count=2000, extents=(480, 640, 3), dtype=np.int64, **options):
    def graph(fn, types, math):
        shape = fn.external_source(lambda: [np.array(extents, dtype)] * count)
        return tuple(fn.random_crop_generator(shape, seed=5, **options))

    anchors, shapes = run(graph, count)[0]
    return np.array(anchors), np.array(shapes)


@pytest.mark.parametrize("options", [{}, {"random_area": [0.3, 0.5], "random_aspect_ratio": [0.5, 1.5]}])
def test_windows_are_distributed_as_dalis(options):
    (anchor, shape), (their_anchor, their_shape) = windows(run_ours, **options), windows(run_dali, **options)
    assert anchor.dtype == their_anchor.dtype
    assert shape.dtype == their_shape.dtype
    assert (anchor >= 0).all()
    assert (anchor + shape <= [480, 640]).all()
    for ours, theirs in ((anchor, their_anchor), (shape, their_shape)):
        for axis in range(2):
            assert scipy.stats.ks_2samp(ours[:, axis], theirs[:, axis]).pvalue > 1e-3


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64])
def test_types_and_numbers_of_extents(dtype):
    for one, other in zip(windows(run_ours, 5, (480, 640), dtype), windows(run_ours, 5), strict=True):
        np.testing.assert_array_equal(one, other)


def test_random_resized_crop_cuts_the_same_window():
    picture = np.random.default_rng(0).integers(0, 255, (48, 64, 3), np.uint8)
    pipe = Pipeline(8, 1, None, seed=3)
    with pipe:
        data = fn.external_source(lambda: [picture] * 8, layout="HWC")
        anchor, shape = fn.random_crop_generator(data.shape(), seed=9)
        cut = fn.slice(data, start=anchor, shape=shape, axes=[0, 1])
        pipe.set_outputs(fn.resize(cut, size=[10, 10]), fn.random_resized_crop(data, size=[10, 10], seed=9))
    ours, theirs = pipe.run()
    for one, other in zip(ours, theirs, strict=True):
        apart = np.abs(np.array(one).astype(int) - np.array(other))
        assert np.median(apart) <= 2  # they differ at the window's border alone


@pytest.mark.parametrize("extents, error, words", [
    ((480,), ValueError, "height and width"), ((1, 2, 3, 4), ValueError, "height and width"),
    ((-1, 5), ValueError, "-1 x 5")])  # fmt: skip
def test_what_is_no_shape_is_refused(extents, error, words):
    with pytest.raises(error, match=words):
        windows(run_ours, 1, extents)


def test_other_types_are_refused():
    with pytest.raises(TypeError, match="(?i)float"):
        windows(run_ours, 1, dtype=np.float32)
