"""Animations (GIF, WebP): the first frame, and all of them as Pillow composes them."""

import io
import pathlib

import numpy as np
import pytest
from gifs import Frame, gif, random_gif

from penstock import Pipeline, fn, types

Image = pytest.importorskip("PIL.Image")

IMAGES = pathlib.Path(__file__).parent.parent / "data" / "images"


def run(files, make):
    """Outputs of a batch of these files, and their layouts."""
    pipe = Pipeline(len(files), 2, None)
    with pipe:
        made = make(fn.external_source(lambda: [np.frombuffer(file, np.uint8) for file in files], batch=True))
        pipe.set_outputs(*(made if isinstance(made, tuple) else (made,)))
    pipe.build()
    outputs = pipe.run()
    return [[np.array(sample) for sample in output] for output in outputs], [output.layout() for output in outputs]


def all_frames(file, **options):
    return run([file], lambda x: fn.decoders.image(x, frames="all", **options))[0][0][0]


def pillow_frames(file, mode):
    picture = Image.open(io.BytesIO(file))
    frames = []
    for i in range(getattr(picture, "n_frames", 1)):
        picture.seek(i)
        frames.append(np.array(picture.convert(mode)))
    return np.array(frames)


def random_webp(seed):
    random = np.random.default_rng(seed)
    height, width = (int(n) for n in random.integers(5, 40, 2))
    alpha, frames = random.random() < 0.6, []
    for i in range(random.integers(2, 6)):
        pixels = random.integers(0, 256, (height, width, 4), np.uint8)
        pixels[..., 3] = np.where(random.random((height, width)) < 0.5, 255, pixels[..., 3]) if alpha else 255
        if i:  # Pillow stores what changes
            kept = np.ones((height, width, 1), bool)
            kept[random.integers(0, height) :, random.integers(0, width) :] = False
            pixels = np.where(kept, frames[-1], pixels)
        if alpha:
            pixels[random.integers(0, height) :, :, 3] = 0
        frames.append(pixels)
    pictures = [Image.fromarray(frame if alpha else frame[..., :3]) for frame in frames]
    buffer = io.BytesIO()
    options = {"lossless": random.random() < 0.5, "allow_mixed": random.random() < 0.5, "exact": True}
    pictures[0].save(buffer, "WEBP", save_all=True, append_images=pictures[1:], quality=80, **options)
    return buffer.getvalue()


@pytest.mark.parametrize("make", [random_gif, random_webp])
def test_all_frames_equal_those_of_pillow(make):
    for seed in range(60):
        file = make(seed)
        rgba = all_frames(file, output_type=types.ANY_DATA)
        np.testing.assert_array_equal(rgba, pillow_frames(file, "RGBA")[..., : rgba.shape[-1]], err_msg=f"seed {seed}")
        np.testing.assert_array_equal(all_frames(file), pillow_frames(file, "RGB"), err_msg=f"seed {seed}")


@pytest.mark.parametrize("make", [random_gif, random_webp])
def test_the_first_of_all_frames_is_the_picture(make):
    for seed in range(20):
        file = make(seed)
        for kind in (types.RGB, types.GRAY, types.ANY_DATA):
            picture = run([file], lambda x, kind=kind: fn.decoders.image(x, output_type=kind))[0][0][0]
            np.testing.assert_array_equal(picture, all_frames(file, output_type=kind)[0])


@pytest.mark.parametrize("name", ["palette.gif", "interlaced.gif", "gray.gif", "animated.gif", "animated_part.gif"])
def test_the_first_frame_of_a_gif_file_equals_pillow(name):
    file = (IMAGES / name).read_bytes()
    (picture,), (layout,) = run([file], fn.decoders.image)
    np.testing.assert_array_equal(picture[0], pillow_frames(file, "RGB")[0])
    assert layout == "HWC"


def test_samples_of_a_batch_have_frames_of_their_own_number_and_size():
    files = [random_gif(seed) for seed in range(6)] + [random_webp(1), (IMAGES / "gray.png").read_bytes()]

    def graph(x):
        shape = fn.peek_image_shape(x, frames="all")
        return fn.decoders.image(x, frames="all"), shape, fn.peek_image_shape(x)

    (frames, shapes, first), (layout, *_) = run(files, graph)
    assert layout == "FHWC"
    assert len({len(sample) for sample in frames}) > 2
    for sample, shape, picture in zip(frames, shapes, first, strict=True):
        assert list(shape) == list(sample.shape)
        assert list(picture) == list(sample.shape[1:])


@pytest.mark.parametrize("dtype", [types.UINT8, types.FLOAT])
@pytest.mark.parametrize("make", [random_gif, random_webp])
def test_windows_of_all_frames_equal_the_crop_of_the_whole(make, dtype):
    window = {"crop": (3, 2), "crop_pos_x": 0.7, "crop_pos_y": 0.4}

    def graph(x):
        options = {"frames": "all", "dtype": dtype, "output_type": types.ANY_DATA}
        whole = fn.decoders.image(x, **options)
        return (
            fn.decoders.image_crop(x, **options, **window),
            fn.crop(fn.decoders.image(x, **options), **window),
            fn.decoders.image_slice(x, start=[1, 1], end=[3, 2], axes=[0, 1], **options),
            fn.decoders.image_random_crop(x, seed=7, **options),
            whole,
        )

    for seed in range(4, 12):
        (cut, pushed, sliced, random, whole), layouts = run([make(seed)], graph)
        assert set(layouts) == {"FHWC"}
        frames = whole[0]
        y, x = (round(share * (size - n)) for share, size, n in zip((0.4, 0.7), frames.shape[1:3], (3, 2), strict=True))
        assert abs(cut[0].shape[1] - 3) + abs(cut[0].shape[2] - 2) == 0
        np.testing.assert_array_equal(cut[0], pushed[0])
        assert any(
            np.array_equal(cut[0], frames[:, y + i : y + i + 3, x + j : x + j + 2]) for i in (-1, 0) for j in (-1, 0)
        )
        np.testing.assert_array_equal(sliced[0], frames[:, 1:3, 1:2])
        assert random[0].shape[0] == len(frames)


def test_frames_are_turned_as_exif_says():
    block = Image.Exif()
    block[0x0112] = 6
    pixels = np.random.default_rng(1).integers(0, 256, (3, 8, 5, 3), np.uint8)
    first, *others = (Image.fromarray(frame) for frame in pixels)
    buffer = io.BytesIO()
    first.save(buffer, "WEBP", save_all=True, append_images=others, lossless=True, exif=block)
    np.testing.assert_array_equal(all_frames(buffer.getvalue()), np.rot90(pixels, -1, axes=(1, 2)))
    np.testing.assert_array_equal(all_frames(buffer.getvalue(), adjust_orientation=False), pixels)


FULL = Frame(np.zeros((4, 5), int))


def refused(file, match, **options):
    with pytest.raises(RuntimeError, match=match):
        all_frames(file, **options)


def test_bad_animations_are_refused_by_name():
    palette = np.arange(48).reshape(16, 3)
    beyond = gif(4, 5, [FULL, Frame(np.zeros((4, 5), int), x=1)], palette)
    refused(beyond, r"Failed to decode.*frame of 4 x 5 pixels .* at row 0, column 1, .* beyond the canvas of 4 x 5")
    run([beyond], fn.decoders.image)  # its first frame is there
    whole = gif(4, 5, [FULL, FULL], palette)
    refused(whole[:-8], "GIF file is damaged or cut off")
    refused(whole[:30], "GIF file is cut off or has no frame")
    frames = [Image.fromarray(np.full((9, 8, 3), 90 * i, np.uint8)) for i in range(3)]
    buffer = io.BytesIO()
    frames[0].save(buffer, "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    damaged = bytearray(buffer.getvalue())
    last = damaged.rindex(b"VP8L") + 8
    damaged[last : last + 6] = b"\xff" * 6
    refused(bytes(damaged), "animation is damaged")
    many = gif(2000, 2000, [Frame(np.zeros((1, 1), int))] * 200, palette)
    refused(many, r"200 frames of 2000 x 2000 pixels .* above 2147483648 bytes are refused; .* frames=\"first\"")


def test_frames_are_first_or_all():
    for operator in (fn.decoders.image, fn.peek_image_shape):
        with pytest.raises(ValueError, match='unknown frames "last"; use "first" or "all"'):
            run([b"GIF89a"], lambda x, operator=operator: operator(x, frames="last"))
