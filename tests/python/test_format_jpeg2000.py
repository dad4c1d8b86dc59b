"""JPEG 2000 against DALI, which reads it on the CPU, and against Pillow."""

import io
import struct

import numpy as np
import pytest
from oracle import assert_same, run_ours

Image = pytest.importorskip("PIL.Image")

HEIGHT, WIDTH = 45, 61
Y, X = np.mgrid[0:HEIGHT, 0:WIDTH]
RGB = (np.stack([3 * X + Y, 2 * X + 4 * Y, 250 - 3 * X - 2 * Y], axis=-1) % 256).astype(np.uint8)
ALPHA = ((X * 5 + Y) % 256).astype(np.uint8)
DEEP = (RGB[..., 1].astype(np.uint16) << 8) + (X * Y % 256).astype(np.uint16)

FILES = {
    "rgb": (RGB, {}),
    "codestream": (RGB, {"no_jp2": True}),
    "colours not transformed": (RGB, {"mct": 0}),
    "lossy": (RGB, {"irreversible": True, "quality_mode": "rates", "quality_layers": [20, 8]}),
    "tiles": (RGB, {"tile_size": (16, 24), "tile_offset": (0, 0)}),
    "lossy tiles": (RGB, {"tile_size": (32, 16), "irreversible": True, "quality_layers": [10]}),
    "precincts": (RGB, {"precinct_size": (32, 32), "codeblock_size": (16, 16), "progression": "RPCL"}),
    "gray": (RGB[..., 1], {}),
    "gray of 16 bits": (DEEP, {}),
    "rgba": (np.dstack([RGB, ALPHA]), {}),
}


def jpeg2000(pixels, **options):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG2000", **options)
    return buffer.getvalue()


def decoded(file, op="image", **options):
    """A graph that decodes the bytes of one file."""

    def graph(fn, types, _math):
        named = {k: getattr(types, v) if isinstance(v, str) and k != "rules" else v for k, v in options.items()}
        encoded = fn.external_source(lambda: [np.frombuffer(file, np.uint8)], batch=True)
        return getattr(fn.decoders, op)(encoded, **named)

    return graph


def ours(file, op="image", **options):
    return run_ours(decoded(file, op, **options), batch_size=1)[0][0][0]


@pytest.mark.parametrize("kind", ["RGB", "BGR", "GRAY", "YCbCr", "ANY_DATA"])
@pytest.mark.parametrize("name", FILES)
def test_pixels_equal_dali(name, kind):
    pixels, options = FILES[name]
    rounded = 1 if kind in ("GRAY", "YCbCr") else 0
    assert_same(decoded(jpeg2000(pixels, **options), output_type=kind), batch_size=1, tolerance=rounded)


@pytest.mark.parametrize("dtype", ["UINT16", "INT16", "FLOAT"])
@pytest.mark.parametrize("name", ["rgb", "gray of 16 bits", "rgba"])
def test_types_equal_dali(name, dtype):
    pixels, options = FILES[name]
    file = jpeg2000(pixels, **options)
    assert_same(decoded(file, output_type="ANY_DATA", dtype=dtype), batch_size=1, tolerance=1e-6)


@pytest.mark.parametrize("name", [name for name in FILES if name != "gray of 16 bits"])
def test_pixels_equal_pillow(name):
    pixels, options = FILES[name]
    file = jpeg2000(pixels, **options)
    np.testing.assert_array_equal(ours(file), np.array(Image.open(io.BytesIO(file)).convert("RGB")))


def test_pixels_by_pillows_rules():
    for pixels in (RGB, DEEP):
        file = jpeg2000(pixels)
        np.testing.assert_array_equal(ours(file, rules="pillow"), np.array(Image.open(io.BytesIO(file)).convert("RGB")))


def test_ycc_becomes_rgb_as_in_pillow():
    """DALI takes Cb and Cr for the differences of analogue video: up to 28 of 255 away."""
    buffer = io.BytesIO()
    Image.fromarray(RGB).convert("YCbCr").save(buffer, "JPEG2000")
    expected = np.array(Image.open(io.BytesIO(buffer.getvalue())).convert("RGB"), int)
    assert abs(ours(buffer.getvalue()) - expected).max() <= 1


def test_gray_with_alpha_has_two_channels():
    buffer = io.BytesIO()
    both = np.dstack([RGB[..., 1], ALPHA])
    Image.fromarray(both, "LA").save(buffer, "JPEG2000")
    np.testing.assert_array_equal(ours(buffer.getvalue(), output_type="ANY_DATA"), both)


@pytest.mark.parametrize("name", FILES)
def test_windows_equal_the_crop_of_the_whole(name):
    pixels, options = FILES[name]
    file = jpeg2000(pixels, **options)
    whole = ours(file, output_type="ANY_DATA")
    for y, x, height, width in ((0, 0, 7, 9), (11, 23, 17, 1), (38, 50, 7, 11), (3, 0, 40, 61)):
        window = {"start": [y, x], "shape": [height, width], "axes": [0, 1]}
        cut = ours(file, "image_slice", output_type="ANY_DATA", **window)
        np.testing.assert_array_equal(cut, whole[y : y + height, x : x + width])


def with_palette(file, colours):
    """A JP2 file of indices with the boxes of a palette, which Pillow does not write."""

    def box(name, body):
        return struct.pack(">I", 8 + len(body)) + name + body

    count, channels = colours.shape
    palette = box(b"pclr", struct.pack(">HB", count, channels) + b"\7" * channels + colours.astype(np.uint8).tobytes())
    mapping = box(b"cmap", b"".join(struct.pack(">HBB", 0, 1, c) for c in range(channels)))
    at = file.index(b"jp2h") - 4
    (length,) = struct.unpack_from(">I", file, at)
    header = file[at + 8 : at + length]
    colour = header.index(b"colr") + 4
    header = header[: colour + 3] + struct.pack(">I", 16) + header[colour + 7 :]  # sRGB
    return file[:at] + box(b"jp2h", header + palette + mapping) + file[at + length :]


def test_palettes_become_colours():
    colours = np.random.default_rng(5).integers(0, 256, (40, 3), np.uint8)
    indices = ((X // 3 + Y) % 40).astype(np.uint8)
    file = with_palette(jpeg2000(indices), colours)
    for kind in ("RGB", "ANY_DATA"):
        np.testing.assert_array_equal(ours(file, output_type=kind), colours[indices])
    cut = ours(file, "image_slice", start=[7, 9], shape=[20, 30], axes=[0, 1])
    np.testing.assert_array_equal(cut, colours[indices][7:27, 9:39])
    assert_same(decoded(file), batch_size=1)


def size_segment(file, at, value):
    """The file with a number of 32 bits of its size segment replaced."""
    begin = file.index(b"\xff\x4f\xff\x51") + 4 + 4 + 4 * at
    return file[:begin] + struct.pack(">I", value) + file[begin + 4 :]


def size(file, height, width):
    """The file with a picture of that size in one tile."""
    for at, value in enumerate((width, height, 0, 0, width, height)):
        file = size_segment(file, at, value)
    return file


def test_headers_that_promise_too_much_are_refused_before_anything_is_allocated():
    file = jpeg2000(RGB)
    for damaged, match in (
        (size(file, 1 << 20, 1 << 20), "pictures above 268435456 pixels"),
        (size_segment(size_segment(file, 4, 1), 5, 1), "tiles, which .* bytes cannot hold"),
        (size_segment(file, 0, 0), "picture without pixels"),
        (file[: len(file) // 2], "Failed to decode"),
        (file[:60], "no JPEG 2000 codestream|cut off"),
    ):
        with pytest.raises(RuntimeError, match=match):
            ours(damaged)


def test_precincts_and_layers_that_the_file_cannot_hold_are_refused():
    file = jpeg2000(RGB, precinct_size=(64, 64))
    large = size(file, 12000, 12000)
    style = large.index(b"\xff\x52")
    layers = file[: style + 6] + b"\xff\xff" + file[style + 8 :]
    resolutions = large[style + 9] + 1
    tiny = large[: style + 14] + b"\0" * resolutions + large[style + 14 + resolutions :]
    for damaged, match in ((layers, "layers of .* precincts, which"), (tiny, "precincts a tile, which .* cannot hold")):
        with pytest.raises(RuntimeError, match=match):
            ours(damaged)


def test_inks_are_refused_by_name():
    file = jpeg2000(RGB)
    colours = file.index(b"colr") + 4
    damaged = file[: colours + 3] + struct.pack(">I", 12) + file[colours + 7 :]
    with pytest.raises(RuntimeError, match="JPEG 2000 in CMYK, which is not decoded"):
        ours(damaged)
