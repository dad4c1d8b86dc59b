"""Modes of picture formats that cameras, microscopes and scanners write, against what DALI makes of them."""

import pathlib

import numpy as np
import pytest
from oracle import assert_same, run_ours
from tiffs import tiff

IMAGES = pathlib.Path(__file__).parent.parent / "data" / "images"
HEIGHT, WIDTH = 16, 21


def decoded(bytes_, **options):
    """A graph that decodes the bytes of one file."""

    def graph(fn, types, _math):
        named = {k: getattr(types, v) for k, v in options.items()}
        return fn.decoders.image(fn.external_source(lambda: [np.frombuffer(bytes_, np.uint8)], batch=True), **named)

    return graph


def ours(bytes_, **options):
    return run_ours(decoded(bytes_, **options), batch_size=1)[0][0][0]


def levels(bits, channels):
    values = np.linspace(0, 2**bits - 1, HEIGHT * WIDTH).astype(np.uint32).reshape(HEIGHT, WIDTH, 1)
    return np.concatenate([np.roll(values, 5 * c, axis=0) for c in range(channels)], axis=2)


@pytest.mark.parametrize("kind", ["RGB", "GRAY", "ANY_DATA"])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("bits", [10, 12, 14, 16])
def test_deep_tiff_equals_dali(bits, channels, kind):
    assert_same(decoded(tiff(levels(bits, channels), bits), output_type=kind), batch_size=1, tolerance=1)


@pytest.mark.parametrize("dtype", ["UINT8", "UINT16", "FLOAT"])
def test_floating_point_tiff_equals_dali(dtype):
    pixels = np.linspace(-0.2, 1.3, HEIGHT * WIDTH * 3).astype(np.float32).reshape(HEIGHT, WIDTH, 3)
    assert_same(decoded(tiff(pixels, 32), output_type="ANY_DATA", dtype=dtype), batch_size=1)


@pytest.mark.parametrize("type_", [np.int8, np.int16, np.int32, np.uint32])
def test_integers_that_dali_refuses_keep_their_values_in_their_own_type(type_):
    limits = np.iinfo(type_)
    pixels = np.linspace(limits.min, limits.max, HEIGHT * WIDTH).astype(type_).reshape(HEIGHT, WIDTH, 1)
    file = tiff(pixels, 8 * pixels.itemsize)
    got = ours(file, output_type="ANY_DATA", dtype=np.dtype(type_).name.upper())
    np.testing.assert_array_equal(got, pixels)
    expected = np.clip(pixels.astype(np.float64) * 255 / limits.max, 0, 255)
    np.testing.assert_allclose(ours(file, output_type="ANY_DATA"), expected, rtol=0, atol=0.51)


@pytest.mark.parametrize("kind", ["RGB", "ANY_DATA"])
@pytest.mark.parametrize("name", ["animated.webp", "animated_part.webp"])
def test_the_first_frame_of_an_animation_equals_dali(name, kind):
    assert_same(decoded((IMAGES / name).read_bytes(), output_type=kind), batch_size=1)


@pytest.mark.parametrize("name", ["alpha_lossy.webp", "alpha_lossless.webp", "animated_part.webp"])
def test_windows_keep_the_alpha_that_the_whole_picture_has(name):
    def graph(fn, types, _math):
        encoded = fn.readers.file(files=[str(IMAGES / name)])[0]
        whole = fn.decoders.image(encoded, output_type=types.ANY_DATA)
        window = {"crop": (7, 9), "crop_pos_x": 0.5, "crop_pos_y": 1.0}
        return fn.decoders.image_crop(encoded, output_type=types.ANY_DATA, **window), fn.crop(whole, **window), whole

    cut, cropped, whole = (output[0] for output in run_ours(graph, batch_size=1)[0])
    np.testing.assert_array_equal(cut, cropped)
    np.testing.assert_array_equal(cut, whole[-7:, (43 - 9) // 2 :][:, :9])
