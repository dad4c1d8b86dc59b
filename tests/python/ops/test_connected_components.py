"""`connected_components`, beside SciPy."""

import numpy as np
import pytest
from mask_runs import MASK, blobs, made
from scipy import ndimage

from penstock import errors, fn


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("shape", [(700,), (37, 71), (9, 11, 23), (3, 4, 5, 17), (2, 3, 2, 3, 4, 9)])
def test_components_are_those_of_scipy(shape, dtype):
    for connectivity in range(1, len(shape) + 1):
        map_ = blobs(shape, 1, connectivity).astype(dtype)
        (ours,), (count,) = made(lambda x, c=connectivity: fn.connected_components(x, connectivity=c), [map_])
        theirs, number = ndimage.label(map_, ndimage.generate_binary_structure(len(shape), connectivity))
        assert ours.dtype == np.int32 and count == number
        np.testing.assert_array_equal(ours, theirs)


def test_components_of_bools_and_of_scalars():
    map_ = blobs((20, 30), 1) > 0
    np.testing.assert_array_equal(made(fn.connected_components, [map_])[0][0], ndimage.label(map_)[0])
    assert [int(x[0]) for x in made(fn.connected_components, [np.int32(5)])] == [1, 1]
    assert [int(x[0]) for x in made(fn.connected_components, [np.int32(0)])] == [0, 0]


@pytest.mark.parametrize("background", [0, 2, 77, -(2**40)])
def test_components_have_one_label_each(background):
    map_ = blobs((60, 130), 3).astype(np.uint8)
    (ours,), (count,) = made(lambda x: fn.connected_components(x, background=background), [map_])
    number = 0
    for label in set(range(4)) - {background}:
        theirs, k = ndimage.label(map_ == label)
        number += k
        pairs = set(zip(theirs[map_ == label].tolist(), ours[map_ == label].tolist(), strict=True))
        assert len(pairs) == k == len({ours for _, ours in pairs})
    assert count == number and ((ours == 0) == (map_ == background)).all()


def test_components_are_numbered_by_their_first_elements():
    map_ = blobs((50, 70), 4)
    ours = made(fn.connected_components, [map_])[0][0].ravel()
    _, first = np.unique(ours[ours > 0], return_index=True)
    assert (np.diff(first) > 0).all()


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0,)])
def test_an_empty_map_has_no_components(shape):
    (ours,), (count,) = made(fn.connected_components, [np.zeros(shape, np.uint8)])
    assert ours.shape == shape and count == 0


@pytest.mark.parametrize("connectivity", [0, 3, -1])
def test_a_connectivity_without_meaning_is_refused(connectivity):
    with pytest.raises(errors.ArgumentError, match=f"`connectivity` must lie .* 2; got {connectivity}.*sample 0"):
        made(lambda x: fn.connected_components(x, connectivity=connectivity), [MASK])


def test_maps_of_floats_are_refused():
    for make in (fn.connected_components, fn.segmentation.random_object_bbox):
        with pytest.raises(TypeError, match="type float32 is not supported here"):
            made(make, [MASK.astype(np.float32)])
