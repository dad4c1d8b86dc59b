"""Makes the small pictures of corner cases that the decoder's tests read, with Pillow and by hand.

usage: make_images.py tests/data/images
Beside each picture lies the truth as a PNG file: RGB as Pillow reads it, orientation applied. Pillow's encoders change
from release to release, so both are committed together.
"""

import io
import pathlib
import struct
import sys
import zlib

import numpy as np
from PIL import Image, ImageOps

HEIGHT, WIDTH = 37, 43


def colours(height=HEIGHT, width=WIDTH):
    y, x = np.mgrid[0:height, 0:width]
    rgb = np.stack([3 * x + y, 2 * x + 4 * y, 250 - 3 * x - 2 * y], axis=-1) + ((x // 9 + y // 7) % 2)[..., None] * 25
    return np.clip(rgb, 0, 255).astype(np.uint8)


RGB = colours()
GRAY = RGB[..., 1]
ALPHA = np.linspace(0, 255, HEIGHT * WIDTH).reshape(HEIGHT, WIDTH).astype(np.uint8)
RGBA = np.dstack([RGB, ALPHA])


def saved(image, kind, **options):
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def exif(orientation):
    block = Image.Exif()
    block[0x0112] = orientation
    return block


def jpegs():
    rgb, gray = Image.fromarray(RGB), Image.fromarray(GRAY)
    yield "baseline.jpg", saved(rgb, "JPEG", quality=90, subsampling=0)
    yield "subsampled_420.jpg", saved(rgb, "JPEG", quality=90, subsampling=2)
    yield "progressive.jpg", saved(rgb, "JPEG", quality=90, progressive=True)
    yield "restart.jpg", saved(rgb, "JPEG", quality=90, restart_marker_blocks=2)
    yield "gray.jpg", saved(gray, "JPEG", quality=90)
    yield "one_pixel.jpg", saved(rgb.crop((0, 0, 1, 1)), "JPEG")
    yield "stored_rgb.jpg", saved(rgb, "JPEG", quality=95, keep_rgb=True)
    inks = np.dstack([255 - RGB, (ALPHA // 3)])
    cmyk = saved(Image.fromarray(inks, "CMYK"), "JPEG", quality=95)
    yield "cmyk.jpg", cmyk
    adobe = cmyk.index(b"\xff\xee")
    transform = adobe + 2 + 2 + 5 + 6
    yield "ycck.jpg", cmyk[:transform] + b"\x02" + cmyk[transform + 1 :]
    for orientation in range(1, 9):
        yield f"orientation_{orientation}.jpg", saved(rgb, "JPEG", quality=90, exif=exif(orientation))


def png_chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(samples, depth, colour_type, *chunks):
    """A PNG written by hand, for what Pillow does not write. `samples` is (height, width * channels)."""
    rows = b""
    for row in samples:
        if depth == 16:
            rows += b"\0" + row.astype(">u2").tobytes()
        else:
            bits = np.unpackbits(row.astype(np.uint8)[:, None], axis=1)[:, 8 - depth :]
            rows += b"\0" + np.packbits(bits.reshape(-1)).tobytes()
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour_type]
    header = struct.pack(">IIBBBBB", samples.shape[1] // channels, samples.shape[0], depth, colour_type, 0, 0, 0)
    body = b"".join(png_chunk(*chunk) for chunk in chunks)
    return (
        b"\x89PNG\r\n\x1a\n"
        + png_chunk(b"IHDR", header)
        + body
        + png_chunk(b"IDAT", zlib.compress(rows))
        + png_chunk(b"IEND", b"")
    )


def interlaced_png(rgb):
    """Adam7, which Pillow reads and does not write."""
    height, width, _ = rgb.shape
    rows = b""
    for y0, x0, dy, dx in [
        (0, 0, 8, 8),
        (0, 4, 8, 8),
        (4, 0, 8, 4),
        (0, 2, 4, 4),
        (2, 0, 4, 2),
        (0, 1, 2, 2),
        (1, 0, 2, 1),
    ]:
        for row in rgb[y0::dy, x0::dx]:
            if row.size:
                rows += b"\0" + row.tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 1)
    return (
        b"\x89PNG\r\n\x1a\n"
        + png_chunk(b"IHDR", header)
        + png_chunk(b"IDAT", zlib.compress(rows))
        + png_chunk(b"IEND", b"")
    )


def pngs():
    rgb = Image.fromarray(RGB)
    palette = bytes(range(48))
    yield "rgb.png", saved(rgb, "PNG")
    yield "rgba.png", saved(Image.fromarray(RGBA), "PNG")
    yield "gray.png", saved(Image.fromarray(GRAY), "PNG")
    yield "gray_alpha.png", saved(Image.fromarray(np.dstack([GRAY, ALPHA]), "LA"), "PNG")
    yield "palette.png", saved(rgb.quantize(200), "PNG")
    yield "palette_transparent.png", png(GRAY % 16, 4, 3, (b"PLTE", palette), (b"tRNS", bytes([0, 100])))
    yield "interlaced.png", interlaced_png(RGB)
    yield "orientation_6.png", saved(rgb, "PNG", exif=exif(6))
    for depth in (1, 2, 4):
        yield f"gray_{depth}.png", png(GRAY % (1 << depth), depth, 0)
    wide = RGB.astype(np.uint16) * 257 + np.arange(WIDTH)[:, None].astype(np.uint16)
    yield "rgb_16.png", png(wide.reshape(HEIGHT, -1), 16, 2)
    yield "gray_16.png", png(wide[..., 1], 16, 0)


def bmp_rle8(indices):
    data = b""
    for row in indices[::-1]:
        at = 0
        while at < len(row):
            run = 1
            while at + run < len(row) and run < 255 and row[at + run] == row[at]:
                run += 1
            if run == 1 and at + 4 <= len(row):  # a literal of three pixels
                data += bytes([0, 3, *row[at : at + 3], 0])
                run = 3
            else:
                data += bytes([run, row[at]])
            at += run
        data += b"\0\0"
    return data + b"\0\1"


def bmp_rle4(indices):
    """Runs of two colours in turns, literals of five pixels, and rows that end early."""
    data = b""
    for row in indices[::-1]:
        for at in range(0, len(row) - 6, 11):
            five = [*row[at : at + 5], 0]
            data += bytes([0, 5, *(five[i] << 4 | five[i + 1] for i in (0, 2, 4)), 0])
            data += bytes([6, row[at + 5] << 4 | row[at + 6]])
        data += b"\0\0"
    return data + b"\0\1"


def bmp(height, width, bits, compression, palette, data, masks=b""):
    offset = 14 + 40 + len(masks) + len(palette)
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, compression, len(data), 0, 0, len(palette) // 4, 0)
    return b"BM" + struct.pack("<IHHI", offset + len(data), 0, 0, offset) + info + masks + palette + data


def bmps():
    rgb = Image.fromarray(RGB)
    yield "rgb.bmp", saved(rgb, "BMP")
    yield "gray.bmp", saved(Image.fromarray(GRAY), "BMP")
    yield "palette.bmp", saved(rgb.quantize(30), "BMP")
    yield "bits_1.bmp", saved(Image.fromarray(GRAY > 128), "BMP")
    yield "rgba.bmp", saved(Image.fromarray(RGBA), "BMP")
    colours16 = b"".join(bytes([255 - 16 * i, 8 * i, 16 * i, 0]) for i in range(16))
    indices = (GRAY // 16).astype(np.uint8)
    yield "rle8.bmp", bmp(HEIGHT, WIDTH, 8, 1, colours16, bmp_rle8(indices))
    yield "rle4.bmp", bmp(HEIGHT, WIDTH, 4, 2, colours16, bmp_rle4(indices))
    four = b"".join(
        (np.packbits(np.unpackbits(row[:, None], axis=1)[:, 4:].reshape(-1)).tobytes()).ljust(24, b"\0")
        for row in indices[::-1]
    )
    yield "bits_4.bmp", bmp(HEIGHT, WIDTH, 4, 0, colours16, four)
    r, g, b = (RGB[..., c].astype(np.uint16) for c in range(3))
    for name, value, masks in [
        ("bits_16_555.bmp", (r >> 3) << 10 | (g >> 3) << 5 | b >> 3, None),
        ("bits_16_565.bmp", (r >> 3) << 11 | (g >> 2) << 5 | b >> 3, (0xF800, 0x07E0, 0x001F)),
    ]:
        rows = b"".join(row.astype("<u2").tobytes().ljust((WIDTH * 2 + 3) // 4 * 4, b"\0") for row in value[::-1])
        packed = struct.pack("<III", *masks) if masks else b""
        yield name, bmp(HEIGHT, WIDTH, 16, 3 if masks else 0, b"", rows, packed)
    top_down = b"".join(row[:, ::-1].tobytes().ljust((WIDTH * 3 + 3) // 4 * 4, b"\0") for row in RGB)
    yield "top_down.bmp", bmp(-HEIGHT, WIDTH, 24, 0, b"", top_down)


def pnms():
    def plain(values):
        return "\n".join(" ".join(str(v) for v in row) for row in values).encode() + b"\n"

    small, bits = RGB[:7, :9], (GRAY[:7, :9] > 100).astype(int)
    yield "plain.pbm", b"P1\n# a comment\n9 7\n" + plain(bits)
    yield "plain.pgm", b"P2 9 7 255\n" + plain(GRAY[:7, :9])
    yield "plain.ppm", b"P3\n9 7\n255\n" + plain(small.reshape(7, -1))
    yield "raw.pbm", b"P4\n9 7\n" + np.packbits(bits, axis=1).tobytes()
    yield "raw.pgm", b"P5\n%d %d\n255\n" % (WIDTH, HEIGHT) + GRAY.tobytes()
    yield "raw.ppm", b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + RGB.tobytes()
    yield "highest_1023.pgm", b"P5\n9 7\n1023\n" + (GRAY[:7, :9].astype(">u2") * 4 + 3).astype(">u2").tobytes()
    yield "highest_100.pgm", b"P5\n9 7\n100\n" + (GRAY[:7, :9] * (100 / 255)).astype(np.uint8).tobytes()


def tiff(pixels, *, tile=None, planes=False, big_endian=False):
    """An uncompressed TIFF written by hand: tiles, planes and any number of channels."""
    height, width, channels = pixels.shape
    order = ">" if big_endian else "<"
    pixels = pixels.astype(pixels.dtype.newbyteorder(order))
    parts = [pixels[..., c : c + 1] for c in range(channels)] if planes else [pixels]
    pieces = []
    for part in parts:
        if not tile:
            pieces += [part[y : y + 10].tobytes() for y in range(0, height, 10)]
            continue
        for y in range(0, height, tile):
            for x in range(0, width, tile):
                piece = np.zeros((tile, tile, part.shape[2]), part.dtype)
                cut = part[y : y + tile, x : x + tile]
                piece[: cut.shape[0], : cut.shape[1]] = cut
                pieces.append(piece.tobytes())
    data = b"".join(pieces)
    starts = np.cumsum([8] + [len(p) for p in pieces])[:-1].tolist()
    short, long = 3, 4
    entries = [
        (256, short, [width]),
        (257, short, [height]),
        (258, short, [8 * pixels.itemsize] * channels),
        (259, short, [1]),
        (262, short, [2 if channels >= 3 else 1]),
        (277, short, [channels]),
        (284, short, [2 if planes else 1]),
    ]
    places, sizes = (324, 325) if tile else (273, 279)
    entries += [(places, long, starts), (sizes, long, [len(p) for p in pieces])]
    entries += [(322, short, [tile]), (323, short, [tile])] if tile else [(278, short, [10])]
    if channels > 3:
        entries.append((338, short, [0] * (channels - 3)))
    entries.sort()
    ifd = 8 + len(data) + len(data) % 2
    extra_at = ifd + 2 + 12 * len(entries) + 4
    body, extra = struct.pack(order + "H", len(entries)), b""
    for tag, kind, values in entries:
        packed = struct.pack(f"{order}{len(values)}{'H' if kind == short else 'I'}", *values)
        if len(packed) > 4:
            place, extra = struct.pack(order + "I", extra_at + len(extra)), extra + packed + b"\0" * (len(packed) % 2)
            packed = place
        body += struct.pack(order + "HHI", tag, kind, len(values)) + packed.ljust(4, b"\0")
    head = (b"MM\0*" if big_endian else b"II*\0") + struct.pack(order + "I", ifd)
    return head + data + b"\0" * (len(data) % 2) + body + b"\0" * 4 + extra


def bits_12_tif():
    """Gray of 12 bits, two samples in three bytes, as microscopes write it."""
    values = GRAY.astype(np.uint32) * 4095 // 255
    pairs = np.pad(values, ((0, 0), (0, 1)))
    words = pairs[:, 0::2] << 12 | pairs[:, 1::2]
    rows = np.stack([words >> 16, words >> 8 & 255, words & 255], axis=-1).astype(np.uint8).reshape(HEIGHT, -1)
    data = rows[:, : (WIDTH * 12 + 7) // 8].tobytes()
    tags = [
        (256, WIDTH),
        (257, HEIGHT),
        (258, 12),
        (259, 1),
        (262, 1),
        (273, 8),
        (277, 1),
        (278, HEIGHT),
        (279, len(data)),
    ]
    ifd = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    return struct.pack("<2sHI", b"II", 42, 8 + len(data)) + data + ifd + b"\0" * 4


def tiffs():
    rgb = Image.fromarray(RGB)
    yield "rgb.tif", saved(rgb, "TIFF")
    yield "rgba.tif", saved(Image.fromarray(RGBA), "TIFF")
    yield "gray.tif", saved(Image.fromarray(GRAY), "TIFF")
    yield "palette.tif", saved(rgb.quantize(30), "TIFF")
    yield "bits_1.tif", saved(Image.fromarray(GRAY > 128), "TIFF")
    yield "fax.tif", saved(Image.fromarray(GRAY > 128), "TIFF", compression="group4")
    yield "cmyk.tif", saved(Image.fromarray(np.dstack([255 - RGB, ALPHA // 3]), "CMYK"), "TIFF")
    yield "gray_16.tif", saved(Image.fromarray(GRAY.astype(np.uint16) * 257), "TIFF")
    for name in ("lzw", "adobe_deflate", "packbits"):
        yield f"{name}.tif", saved(rgb, "TIFF", compression="tiff_" + name if name != "packbits" else name)
    yield "jpeg.tif", saved(rgb, "TIFF", compression="jpeg", quality=90)
    yield "ycbcr.tif", saved(rgb.convert("YCbCr"), "TIFF", tiffinfo={274: 6, 278: 5})
    yield "orientation_6.tif", saved(rgb, "TIFF", tiffinfo={274: 6})
    yield "tiles.tif", tiff(RGB, tile=16)
    yield "planes.tif", tiff(RGB, planes=True)
    yield "tiled_planes_16.tif", tiff(RGB.astype(np.uint16) * 257, tile=32, planes=True, big_endian=True)
    yield "bits_12.tif", bits_12_tif()
    yield "six_channels.tif", tiff(np.dstack([RGB, 255 - RGB]))


def webps():
    rgb = Image.fromarray(RGB)
    frames = [rgb, Image.fromarray(255 - RGB)]
    yield "lossy.webp", saved(rgb, "WEBP", quality=80)
    yield "lossless.webp", saved(rgb, "WEBP", lossless=True)
    yield "alpha_lossy.webp", saved(Image.fromarray(RGBA), "WEBP", quality=80)
    yield "alpha_lossless.webp", saved(Image.fromarray(RGBA), "WEBP", lossless=True, exact=True)
    yield "orientation_6.webp", saved(rgb, "WEBP", lossless=True, exif=exif(6))
    yield "animated.webp", saved(frames[0], "WEBP", lossless=True, save_all=True, append_images=frames[1:])
    stickers = [np.zeros((HEIGHT, WIDTH, 4), np.uint8) for _ in range(2)]
    for i, sticker in enumerate(stickers):  # Pillow stores what is not transparent
        sticker[10 + i : 30, 13:36] = RGBA[10 + i : 30, 13:36] | [0, 0, 0, 128]
    frames = [Image.fromarray(sticker) for sticker in stickers]
    yield "animated_part.webp", saved(frames[0], "WEBP", lossless=True, save_all=True, append_images=frames[1:])


def box(name, body):
    return struct.pack(">I", 8 + len(body)) + name + body


def jpeg2000s():
    rgb = Image.fromarray(RGB)
    yield "rgb.jp2", saved(rgb, "JPEG2000")
    yield "rgb.j2k", saved(rgb, "JPEG2000", no_jp2=True)
    yield "gray.jp2", saved(Image.fromarray(GRAY), "JPEG2000")
    yield "rgba.jp2", saved(Image.fromarray(RGBA), "JPEG2000")
    yield "gray_alpha.jp2", saved(Image.fromarray(np.dstack([GRAY, ALPHA]), "LA"), "JPEG2000")
    yield "gray_16.jp2", saved(Image.fromarray(GRAY.astype(np.uint16) * 257), "JPEG2000")
    yield "ycc.jp2", saved(rgb.convert("YCbCr"), "JPEG2000")
    yield "tiles_lossy.jp2", saved(rgb, "JPEG2000", tile_size=(16, 24), irreversible=True, quality_layers=[6])
    turned = b"JpgTiffExif->JP2" + exif(6).tobytes()[6:]
    yield "orientation_6.jp2", saved(rgb, "JPEG2000") + box(b"uuid", turned)


def gifs():
    rgb = Image.fromarray(RGB)
    frames = [Image.fromarray(np.roll(RGB, 4 * i, axis=i % 2)).quantize(60) for i in range(3)]
    yield "palette.gif", saved(rgb, "GIF", interlace=False)
    yield "interlaced.gif", saved(rgb, "GIF", interlace=True)
    yield "gray.gif", saved(Image.fromarray(GRAY), "GIF")
    yield "animated.gif", saved(frames[0], "GIF", save_all=True, append_images=frames[1:], disposal=2)
    stickers = [np.zeros((HEIGHT, WIDTH, 4), np.uint8) for _ in range(3)]
    for i, sticker in enumerate(stickers):
        sticker[10 + i : 30, 13 - 2 * i : 36] = RGBA[10 + i : 30, 13 - 2 * i : 36] | [0, 0, 0, 255]
    frames = [Image.fromarray(sticker) for sticker in stickers]
    yield "animated_part.gif", saved(frames[0], "GIF", save_all=True, append_images=frames[1:], disposal=3)


def heifs():
    """Colours that are not subsampled: libraries interpolate those that are in ways of their own."""
    import pillow_heif

    pillow_heif.register_heif_opener()
    rgb, rgba = Image.fromarray(RGB), Image.fromarray(RGBA)
    yield "rgb.avif", saved(rgb, "AVIF", quality=90, subsampling="4:4:4")
    yield "rgba.avif", saved(rgba, "AVIF", quality=90, subsampling="4:4:4")
    yield "orientation_6.avif", saved(rgb, "AVIF", quality=90, subsampling="4:4:4", exif=exif(6))
    yield "rgb.heic", saved(rgb, "HEIF", quality=90, chroma=444)
    yield "rgba.heic", saved(rgba, "HEIF", quality=90, chroma=444)
    yield "orientation_6.heic", saved(rgb, "HEIF", quality=90, chroma=444, exif=exif(6))


# What Pillow reads wrongly (planes in big-endian order) or by other rules than ours (16 bits gray).
KNOWN = {
    "tiled_planes_16.tif": RGB,
    "bits_12.tif": np.dstack([GRAY] * 3),
    "gray_16.tif": np.dstack([GRAY] * 3),
    "gray_16.png": np.dstack([GRAY] * 3),
    "gray_16.jp2": np.dstack([GRAY] * 3),
    "orientation_6.jp2": np.rot90(RGB, -1),
    "highest_1023.pgm": np.dstack([GRAY[:7, :9]] * 3),
}


def truth(name, data):
    if name in KNOWN:
        return Image.fromarray(KNOWN[name])
    return ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for kind in (jpegs, pngs, bmps, pnms, tiffs, webps, jpeg2000s, gifs, heifs):
        for name, data in kind():
            (folder / name).write_bytes(data)
            (folder / (name + ".truth")).write_bytes(saved(truth(name, data), "PNG", optimize=True))


if __name__ == "__main__":
    main()
