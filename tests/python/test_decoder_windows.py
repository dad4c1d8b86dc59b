"""A decoder that decodes only a window gives what cropping the whole picture gives, and what DALI gives."""

import pathlib

import numpy as np
import pytest
from oracle import assert_same, run_ours


def files(fn, pictures):
    return fn.readers.file(file_root=str(pictures), random_shuffle=False)[0]


WINDOWS = [
    ("crop", {"crop": (20, 31), "crop_pos_x": 0.3, "crop_pos_y": 0.9}),
    ("slice", {"rel_start": (0.2, 0.1), "rel_shape": (0.5, 0.3)}),
    ("slice", {"start": (3, 5), "end": (40, 17)}),
]


@pytest.mark.parametrize(("window", "arguments"), WINDOWS)
def test_windows_equal_the_crop_of_the_whole(pictures, window, arguments):
    def graph(fn, types, _math):
        encoded = files(fn, pictures)
        fused = getattr(fn.decoders, f"image_{window}")(encoded, **arguments)
        return fused, getattr(fn, window)(fn.decoders.image(encoded), **arguments), fn.decoders.image(encoded)

    fused, pushed, whole = run_ours(graph)[0]
    for a, b, full in zip(fused, pushed, whole, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.shape[0] < full.shape[0]


@pytest.mark.parametrize(("window", "arguments"), WINDOWS)
def test_windows_equal_dali(pictures, window, arguments):
    def graph(fn, types, _math):
        return getattr(fn.decoders, f"image_{window}")(files(fn, pictures), **arguments)

    assert_same(graph)


def test_slice_by_inputs_equals_dali(pictures):
    anchors = [np.float32([0.1 * i, 0.2]) for i in range(4)]
    shapes = [np.float32([0.5, 0.1 * i + 0.1]) for i in range(4)]

    def graph(fn, types, _math):
        anchor = fn.external_source(lambda: anchors, batch=True)
        shape = fn.external_source(lambda: shapes, batch=True)
        return fn.decoders.image_slice(files(fn, pictures), anchor, shape, axes=[0, 1])

    assert_same(graph)


@pytest.mark.parametrize("kind", ["RGB", "BGR", "GRAY", "YCbCr"])
def test_colours_equal_dali(pictures, kind):
    def graph(fn, types, _math):
        encoded = files(fn, pictures)
        shape = fn.peek_image_shape(encoded, image_type=getattr(types, kind))
        return fn.decoders.image(encoded, output_type=getattr(types, kind)), shape

    assert_same(graph, tolerance=1)


def test_a_chain_of_windows_asks_the_decoder_for_what_is_left(pictures):
    """Regions pass through a mirrored crop_mirror_normalize, a flip and a crop; the pixels must not care."""

    def graph(fn, types, _math):
        image = fn.decoders.image(files(fn, pictures))
        window = fn.flip(fn.crop(image, crop=(30, 40), crop_pos_x=0.1), horizontal=1, vertical=1)
        return fn.crop_mirror_normalize(
            window,
            crop=(11, 50),
            crop_pos_y=0.2,
            mirror=1,
            out_of_bounds_policy="pad",
            fill_values=7,
            mean=100.0,
            std=50.0,
        )

    assert_same(graph, tolerance=0)


def test_random_crops_follow_the_seed(pictures):
    def shapes(seed):
        graph = lambda fn, types, _: fn.decoders.image_random_crop(files(fn, pictures), seed=seed)  # noqa: E731
        return [x.shape for x in run_ours(graph)[0][0]]

    assert shapes(5) == shapes(5)
    assert shapes(5) != shapes(6)


def test_random_crops_are_those_of_random_resized_crop(pictures):
    def graph(fn, types, _math):
        encoded = files(fn, pictures)
        # Nearest neighbours come from within the window; other filters look beyond it.
        options = {"size": [20, 24], "interp_type": types.INTERP_NN, "antialias": False}
        cut = fn.resize(fn.decoders.image_random_crop(encoded, seed=5), **options)
        return cut, fn.random_resized_crop(fn.decoders.image(encoded), seed=5, **options)

    for cut, resized in zip(*run_ours(graph, batch_size=12)[0], strict=True):
        np.testing.assert_array_equal(cut, resized)


@pytest.mark.parametrize("adjust", [True, False])
def test_orientation_is_adjusted_where_that_is_asked_for(adjust):
    turned = pathlib.Path(__file__).parent.parent / "data" / "images" / "orientation_6.jpg"

    def graph(fn, types, _math):
        encoded = fn.readers.file(files=[str(turned)])[0]
        shape = fn.peek_image_shape(encoded, adjust_orientation=adjust)
        return fn.decoders.image(encoded, adjust_orientation=adjust), shape

    assert_same(graph, batch_size=1)
    picture, shape = run_ours(graph, batch_size=1)[0]
    assert picture[0].shape == tuple(shape[0]) == ((43, 37, 3) if adjust else (37, 43, 3))


def test_windows_outside_the_picture_are_refused_with_dalis_words(pictures):
    with pytest.raises(RuntimeError, match=r"cropping window.*\.\..*is not valid for image dimensions.*\[.*x.*\]"):
        run_ours(lambda fn, types, _: fn.decoders.image_crop(files(fn, pictures), crop=(1000, 10)))


def test_what_is_no_picture_names_the_operator():
    junk = [np.arange(50, dtype=np.uint8)]

    def graph(fn, types, _math):
        return fn.decoders.image(fn.external_source(source=lambda: junk, batch=True))

    with pytest.raises(RuntimeError, match="Failed to decode"):
        run_ours(graph, batch_size=1)
