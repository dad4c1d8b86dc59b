"""`from_torchvision` on every kind of file that Pillow opens: the pixels of convert("RGB"), or a refusal by name.

The table of docs/pytorch.md is what this test measures; it prints the new one where they differ.
"""

import io
import pathlib
import warnings

import numpy as np
import pytest
from tiffs import tiff

torch = pytest.importorskip("torch")
torchvision = pytest.importorskip("torchvision")
Image = pytest.importorskip("PIL.Image")
from torchvision.transforms import v2  # noqa: E402

from penstock.torch import from_torchvision  # noqa: E402

IMAGES = pathlib.Path(__file__).parent.parent / "data" / "images"
GUIDE = pathlib.Path(__file__).parent.parent.parent / "docs" / "pytorch.md"
HEIGHT, WIDTH = 16, 21
RANDOM = np.random.default_rng(0)
RGBA = RANDOM.integers(0, 256, (HEIGHT, WIDTH, 4), np.uint8)
DEEP = RANDOM.integers(0, 65536, (HEIGHT, WIDTH, 4), np.uint16)
PALETTE = RANDOM.integers(256, 65536, (256, 3))


def saved(image, kind, **options):
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def stored(*names):
    return {name: (IMAGES / name).read_bytes() for name in names}


def modes(kind, *modes_, **options):
    rgb = Image.fromarray(RGBA).convert("RGB")
    files = {}
    for mode in modes_:
        image = Image.fromarray(RGBA, "CMYK") if mode == "CMYK" else rgb.quantize(60) if mode == "P" else rgb
        if mode in ("RGBA", "LA", "PA"):
            image = Image.fromarray(RGBA).convert(mode)
        files[f"{mode}.{kind}"] = saved(image.convert(mode), {"tif": "TIFF", "jpg": "JPEG"}.get(kind, kind), **options)
    return files


def jpegs():
    turned = [f"orientation_{i}.jpg" for i in range(1, 9)]
    return {
        **stored("gray.jpg", "baseline.jpg", "subsampled_420.jpg", "progressive.jpg", "stored_rgb.jpg", "restart.jpg"),
        **stored("cmyk.jpg", "ycck.jpg", *turned),
        **modes("jpg", "CMYK", "L", quality=95),
    }


def pngs():
    deep = stored("gray_16.png", "rgb_16.png", "gray_1.png", "gray_2.png", "gray_4.png", "gray_alpha.png")
    transparent = saved(Image.fromarray(RGBA).convert("RGB").quantize(40), "PNG", transparency=3)
    more = stored("interlaced.png", "palette_transparent.png", "orientation_6.png")
    return {**deep, **more, "P-t.png": transparent, **modes("png", "1", "L", "LA", "P", "RGB", "RGBA")}


def integers(type_):
    """From the lowest value to the highest, and 0 to 300, where what is clipped begins."""
    limits = np.iinfo(type_)
    wide = np.linspace(limits.min, limits.max, HEIGHT * WIDTH // 2)
    narrow = np.arange(HEIGHT * WIDTH // 2) * 300 // (HEIGHT * WIDTH // 2)
    return np.concatenate([wide, narrow.clip(limits.min, limits.max)]).astype(type_).reshape(HEIGHT, WIDTH, 1)


def tiffs():
    files = stored("bits_1.tif", "fax.tif", "lzw.tif", "adobe_deflate.tif", "packbits.tif", "jpeg.tif", "tiles.tif")
    files |= stored("planes.tif", "orientation_6.tif", "palette.tif", "gray_16.tif", "bits_12.tif", "cmyk.tif")
    files |= modes("tif", "1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK")
    for extra in (0, 1, 2):
        files[f"rgb_extra_{extra}.tif"] = tiff(RGBA, 8, extra=[extra])
        files[f"rgb_16_extra_{extra}.tif"] = tiff(DEEP, 16, extra=[extra])
    files["palette_alpha.tif"] = tiff(RGBA[..., :2], 8, palette=PALETTE, extra=[2])
    files["rgb_16.tif"] = tiff(DEEP[..., :3], 16)
    files["cmyk_16.tif"] = tiff(DEEP, 16, photometric=5)
    files["white_16.tif"] = tiff(integers(np.uint16), 16, photometric=0)
    for type_ in (np.int8, np.int16, np.int32, np.uint16, np.uint32):
        files[f"{np.dtype(type_).name}.tif"] = tiff(integers(type_), 8 * np.dtype(type_).itemsize)
    files["float32.tif"] = tiff(np.linspace(-3, 300, HEIGHT * WIDTH, dtype=np.float32).reshape(HEIGHT, WIDTH, 1), 32)
    return files


def pnm(highest, kind=b"P6"):
    samples = RANDOM.integers(0, highest + 1, (HEIGHT, WIDTH * (3 if kind == b"P6" else 1)))
    packed = samples.astype(">u2" if highest > 255 else np.uint8).tobytes()
    return b"%s\n%d %d\n%d\n" % (kind, WIDTH, HEIGHT, highest) + packed


KINDS = {
    "JPEG: gray, YCbCr, RGB, CMYK, YCCK, turned by EXIF": jpegs,
    "PNG: all depths, palettes, transparency, interlaced": pngs,
    "TIFF: 1 to 16 bits, palettes, alpha of both kinds, CMYK, integers of 8 to 32 bits, floats, turned": tiffs,
    "TIFF: YCbCr without JPEG": lambda: stored("ycbcr.tif"),
    "WebP: lossy, lossless, with alpha, animated": lambda: stored(
        "lossy.webp", "lossless.webp", "alpha_lossy.webp", "alpha_lossless.webp", "animated.webp", "animated_part.webp"
    ),
    "JPEG 2000: gray, RGB, alpha, 16 bits, tiles, lossy": lambda: stored(
        "rgb.jp2", "rgb.j2k", "gray.jp2", "rgba.jp2", "gray_alpha.jp2", "gray_16.jp2", "tiles_lossy.jp2"
    ),
    "JPEG 2000: YCC": lambda: stored("ycc.jp2"),
    "GIF: palettes, interlaced, transparency, animated": lambda: stored(
        "palette.gif", "interlaced.gif", "gray.gif", "animated.gif", "animated_part.gif"
    ),
    "BMP: palettes, run lengths, 24 and 32 bits": lambda: stored(
        "bits_1.bmp", "bits_4.bmp", "gray.bmp", "palette.bmp", "rgb.bmp", "rgba.bmp", "rle4.bmp", "rle8.bmp"
    ),
    "BMP: 16 bits": lambda: stored("bits_16_555.bmp", "bits_16_565.bmp"),
    "PNM: highest value 1, 255 or 65535": lambda: {
        **stored("raw.pbm", "plain.pbm", "raw.pgm", "raw.ppm"),
        **{f"{highest}.ppm": pnm(highest) for highest in (1, 255, 65535)},
        "deep.pgm": pnm(65535, b"P5"),
    },
    "PNM: other highest values": lambda: {f"{highest}.ppm": pnm(highest) for highest in (100, 1000)},
}


def difference(folder, name, file):
    """The largest one between the engine's pixels and torchvision's, of one file."""
    ending = pathlib.Path(name).suffix
    known = ending in torchvision.datasets.folder.IMG_EXTENSIONS  # contents tell the format
    path = folder / name / "class" / ("one" + (ending if known else ".ppm"))
    path.parent.mkdir(parents=True)
    path.write_bytes(file)
    dataset = torchvision.datasets.ImageFolder(folder / name, v2.Compose([v2.PILToTensor()]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow's, of palettes with transparency
        theirs = dataset[0][0]
    [(ours, _)] = from_torchvision(dataset)
    assert ours[0].shape == theirs.shape, name
    return int((ours[0].int() - theirs.int()).abs().max())


def test_the_table_in_the_guide_is_what_the_files_give(tmp_path):
    rows = []
    for i, (kind, make) in enumerate(KINDS.items()):
        measured = {name: difference(tmp_path / str(i), name, file) for name, file in make().items()}
        rows.append(f"| {kind} | {max(measured.values())} |")
        assert max(measured.values()) <= 1, measured
    assert "\n".join(rows) in GUIDE.read_text(), "\n" + "\n".join(rows)


def test_what_is_not_read_is_refused_by_name(tmp_path):
    rgb = Image.fromarray(RGBA).convert("RGB")
    lab = tiff(RGBA[..., :3], 8, photometric=8)
    for name, file, said in (
        ("ico", saved(rgb, "ICO"), "ICO, which Penstock does not read"),
        ("lab", lab, "CIE L.a.b"),
    ):
        path = tmp_path / name / "class" / "one.tif"
        path.parent.mkdir(parents=True)
        path.write_bytes(file)
        dataset = torchvision.datasets.ImageFolder(tmp_path / name, v2.PILToTensor())
        with pytest.raises(RuntimeError, match=said):
            next(iter(from_torchvision(dataset)))
