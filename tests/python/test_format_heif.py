"""AVIF and HEIF, where libheif is installed, against Pillow and pillow-heif."""

import io

import numpy as np
import pytest
from oracle import run_ours

from penstock import _core

Image = pytest.importorskip("PIL.Image")

(LIBHEIF,) = (library for library in _core.picture_libraries() if library[0] == "libheif")
needs_libheif = pytest.mark.skipif(not LIBHEIF[1], reason=f"libheif: {LIBHEIF[3]}")

HEIGHT, WIDTH = 46, 62
Y, X = np.mgrid[0:HEIGHT, 0:WIDTH]
RGB = np.stack([3 * X + Y, 2 * X + 3 * Y, 250 - 3 * X - Y], axis=-1).clip(0, 255).astype(np.uint8)
RGBA = np.dstack([RGB, (255 - 2 * Y - X).astype(np.uint8)])


def ours(file, op="image", **options):
    def graph(fn, types, _math):
        named = {k: getattr(types, v) if isinstance(v, str) else v for k, v in options.items()}
        encoded = fn.external_source(lambda: [np.frombuffer(file, np.uint8)], batch=True)
        return getattr(fn.decoders, op)(encoded, **named)

    return run_ours(graph, batch_size=1)[0][0][0]


def avif(pixels, **options):
    if LIBHEIF[1] and any("AVIF" in what for what in LIBHEIF[2]):
        pytest.skip("this libheif does not read AVIF")
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "AVIF", **({"quality": 90, "subsampling": "4:4:4"} | options))
    return buffer.getvalue()


def heic(pixels, **options):
    if LIBHEIF[1] and any("HEIC" in what for what in LIBHEIF[2]):
        pytest.skip("this libheif does not read HEIC")
    pytest.importorskip("pillow_heif").register_heif_opener()
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "HEIF", **({"quality": 90, "chroma": 444} | options))
    return buffer.getvalue()


@needs_libheif
@pytest.mark.parametrize("make", [avif, heic])
@pytest.mark.parametrize("pixels", [RGB, RGBA], ids=["rgb", "rgba"])
def test_pixels_equal_pillow(make, pixels):
    file = make(pixels)
    expected = np.array(Image.open(io.BytesIO(file)), int)
    got = ours(file, output_type="ANY_DATA")
    assert got.shape == expected.shape
    assert abs(got - expected).max() <= 1
    np.testing.assert_array_equal(ours(file), got[..., :3])


@needs_libheif
@pytest.mark.parametrize(("make", "options"), [(avif, {"subsampling": "4:2:0"}), (heic, {"chroma": 420})])
def test_subsampled_colours_are_near_those_of_pillow(make, options):
    """Each version of each library interpolates chroma in its own way."""
    file = make(RGB, **options)
    difference = abs(ours(file) - np.array(Image.open(io.BytesIO(file)).convert("RGB"), int))
    assert difference.mean() < 1.5
    assert difference.max() <= 16


@needs_libheif
def test_pictures_of_more_than_8_bits_keep_them():
    pillow_heif = pytest.importorskip("pillow_heif")
    deep = (RGB.astype(np.uint16) << 8) + 37 * X[..., None].astype(np.uint16) % 256
    buffer = io.BytesIO()
    pillow_heif.encode("RGB;16", (WIDTH, HEIGHT), deep.tobytes(), buffer, quality=-1, chroma=444, matrix_coefficients=0)
    got = ours(buffer.getvalue(), dtype="UINT16")
    assert abs(got.astype(int) - deep).max() <= 65535 // 1023 + 1
    assert len(np.unique(got)) > 256


@needs_libheif
@pytest.mark.parametrize("make", [avif, heic])
def test_windows_equal_the_crop_of_the_whole(make):
    for pixels, options in (
        (RGB, {}),
        (RGBA, {}),
        (RGB, {"subsampling": "4:2:0"} if make is avif else {"chroma": 420}),
    ):
        file = make(pixels, **options)
        whole = ours(file, output_type="ANY_DATA")
        for y, x, height, width in ((0, 0, 7, 9), (11, 23, 17, 1), (38, 50, 7, 11)):
            window = {"start": [y, x], "shape": [height, width], "axes": [0, 1]}
            cut = ours(file, "image_slice", output_type="ANY_DATA", **window)
            np.testing.assert_array_equal(cut, whole[y : y + height, x : x + width])


@needs_libheif
@pytest.mark.parametrize("make", [avif, heic])
def test_damaged_files_are_refused(make):
    file = make(RGB)
    for damaged in (file[:40], file[: len(file) // 2], file[:12] + b"\0" * 100):
        with pytest.raises(RuntimeError, match="Failed to decode: AVIF/HEIF"):
            ours(damaged)


def test_the_package_that_brings_a_missing_library_is_named(script, tmp_path):
    (tmp_path / "libheif.so.1").write_text("no library")
    code = """
import numpy as np
from penstock import Pipeline, fn
for brand in (b"avif", b"heic"):
    pipe = Pipeline(1, 1, None)
    with pipe:
        file = np.frombuffer(bytes([0, 0, 0, 24]) + b"ftyp" + brand + bytes(40), np.uint8)
        pipe.set_outputs(fn.decoders.image(fn.external_source(lambda: [file], batch=True)))
    try:
        pipe.run()
    except RuntimeError as error:
        print(error)
"""
    said = script(code=code, LD_LIBRARY_PATH=str(tmp_path))
    for kind in ("AVIF", "HEIF"):
        assert f"Failed to decode: AVIF/HEIF ({kind}) is read by libheif: libheif cannot be used; run: apt-get" in said
    assert "apt-get install libheif1" in said
