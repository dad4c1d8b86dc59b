"""Modes of picture formats that cameras, microscopes and scanners write, against what DALI makes of them."""

import io
import pathlib
import struct
import zlib

import numpy as np
import pytest
from oracle import assert_same, run_dali, run_ours
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
@pytest.mark.parametrize("compression", [None, "tiff_lzw", "packbits", "tiff_adobe_deflate"])
def test_of_several_pages_the_first_is_read_as_in_dali(compression, kind):
    pillow = pytest.importorskip("PIL.Image")
    pages = [pillow.fromarray(np.full((HEIGHT + i, WIDTH, 3), 60 * i + 5, np.uint8)) for i in range(3)]
    buffer = io.BytesIO()
    pages[0].save(buffer, "TIFF", save_all=True, append_images=pages[1:], compression=compression)
    assert_same(decoded(buffer.getvalue(), output_type=kind), batch_size=1)
    assert (ours(buffer.getvalue()) == 5).all()


def png_gray(*chunks):
    """Largest difference of GRAY from DALI's, of one PNG with these chunks."""
    pillow = pytest.importorskip("PIL.Image")
    buffer = io.BytesIO()
    pixels = np.random.default_rng(1).integers(0, 256, (32, 32, 3), np.uint8)
    pillow.fromarray(pixels).save(buffer, "PNG")
    plain = buffer.getvalue()
    begin = 8 + 25  # behind the header
    made = plain[:begin] + b"".join(chunk(*c) for c in chunks) + plain[begin:]
    graph = decoded(made, output_type="GRAY")
    here, there = (run(graph, batch_size=1)[0][0][0].astype(int) for run in (run_ours, run_dali))
    luma = np.array(pillow.fromarray(pixels).convert("L"), int)
    assert abs(here[..., 0] - luma).max() <= 1
    return abs(here - there).max()


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def test_gray_png_is_dalis_within_one_unless_a_chunk_tells_it_to_count_light():
    assert png_gray() <= 1
    for linear in ((b"sRGB", b"\0"), (b"gAMA", struct.pack(">I", 45455))):
        assert 1 < png_gray(linear) <= 100  # DALI's are far away: docs/formats.md says so


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
