"""Parts of volumes, sequences and arrays: a window makes the operators before it make, and readers read, no more."""

import functools
from types import SimpleNamespace

import numpy as np
import pytest

from penstock import Pipeline, _core, fn, types
from penstock.pipeline import _pipeline

PIXELS = np.random.default_rng(1).integers(0, 255, (12, 16, 18, 3), np.uint8)


def run(make):
    """The outputs of one batch of one sample."""
    with Pipeline(1, 1, device_id=None, seed=7, prefetch_queue_depth=1) as pipe:
        made = make()
        pipe.set_outputs(*(made if isinstance(made, list) else [made]))
    return [np.array(output[0]) for output in pipe.run()]


@pytest.fixture
def whole(monkeypatch):
    """Runs a graph whose operators make all of their outputs."""
    pipeline = functools.partial(_core.Pipeline, push_regions=False)
    replaced = SimpleNamespace(**{**vars(_core), "Pipeline": pipeline})

    def run_whole(make):
        with monkeypatch.context() as patch:
            patch.setattr(_pipeline, "_core", replaced)
            return run(make)

    return run_whole


def source(array, layout=None):
    return fn.external_source(lambda info: array, batch=False, layout=layout)


def matrix(layout):
    turned = np.array([[0.9, 0.2, 0, 1], [-0.2, 0.9, 0, 2], [0, 0.1, 0.9, 0.5]], np.float32)
    return (turned if "D" in layout else turned[:2, [0, 1, 3]]).ravel().tolist()


def resize(x, layout):
    depth = {"resize_z": 60} if "D" in layout else {}
    return fn.resize(x, resize_x=9, resize_y=8, **depth)


CHAINS = {
    "cast": lambda x, layout: fn.cast(x, dtype=types.FLOAT),
    "arithmetic": lambda x, layout: x * 2 + 1,
    "brightness": lambda x, layout: fn.brightness(x, brightness=1.3),
    "gray": lambda x, layout: fn.color_space_conversion(x, image_type=types.RGB, output_type=types.GRAY),
    "blur": lambda x, layout: fn.gaussian_blur(x, sigma=0.8),
    "warp": lambda x, layout: fn.warp_affine(x, matrix=matrix(layout), fill_value=3),
    "resize": resize,
    "flip": lambda x, layout: fn.flip(x, horizontal=1, depthwise=int("D" in layout)),
    "noise": lambda x, layout: fn.noise.gaussian(x, stddev=3.0),
    "renamed": lambda x, layout: fn.reshape(fn.cast(x, dtype=types.INT16), layout="ABCD"),
    "several": lambda x, layout: fn.cast(fn.gaussian_blur(fn.hue(x, hue=30), sigma=0.8), dtype=types.INT16),
}
OF_FRAMES = {
    "jitter": lambda x, layout: fn.jitter(x),
    "water": lambda x, layout: fn.water(x),
    "grid_mask": lambda x, layout: fn.grid_mask(x, tile=5),
    "sphere": lambda x, layout: fn.sphere(x),
}
WINDOWS = {
    "slice": lambda x: fn.slice(x, start=[3], shape=[4], axes=[0]),
    "rows": lambda x: fn.slice(x, start=[2, 5], shape=[5, 3], axes=[0, 1]),
    "index": lambda x: x[5],
    "range": lambda x: x[2:9:3],
    "backwards": lambda x: x[::-4, 3],
}


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(
    ("chain", "layout"),
    [(chain, layout) for chain in CHAINS for layout in ("DHWC", "FHWC")] + [(chain, "FHWC") for chain in OF_FRAMES],
)
def test_a_window_of_what_a_chain_makes_is_that_part_of_the_whole(whole, chain, layout, window, shared):
    def graph():
        pixels = fn.copy(source(PIXELS, layout))
        made = WINDOWS[window]((CHAINS | OF_FRAMES)[chain](pixels, layout))
        return [made, fn.slice(pixels, start=[1], shape=[6], axes=[0])] if shared else made

    for part, expected in zip(run(graph), whole(graph), strict=True):
        np.testing.assert_array_equal(part, expected)


def test_frames_with_arguments_of_their_own_are_made_where_they_are_wanted():
    angles = np.linspace(0, 40, len(PIXELS)).astype(np.float32)

    def turned():
        given = fn.per_frame(source(angles))
        return fn.rotate(source(PIXELS, "FHWC"), angle=given, keep_size=True, fill_value=0)

    (all_frames,) = run(turned)
    (some,) = run(lambda: turned()[3:9:2])
    np.testing.assert_array_equal(some, all_frames[3:9:2])


def bytes_read():
    with open("/proc/self/io") as file:
        return int(file.readline().split()[1])


MIDDLE = {
    "slice": lambda x: fn.slice(x, start=[30], shape=[4], axes=[0]),
    "crop": lambda x: fn.crop(x, crop_d=4, crop_h=64, crop_w=256, crop_pos_z=0.5),
    "frames": lambda x: x[30:34],
}


def at_random(most, dtype=types.INT32):
    return fn.cast(fn.random.uniform(range=[0, most], shape=[1]), dtype=dtype)


def in_proportion(x):
    return fn.cast(x.shape()[0] * fn.random.uniform(range=[0, 0.9]), dtype=types.INT32)


def around_the_middle(x):
    return fn.roi_random_crop(x, roi_start=[9], roi_end=[50], crop_shape=[4])


def moved_as(x, box):
    window = fn.crop(x, crop_d=4, crop_h=64, crop_w=256, crop_pos_z=fn.random.uniform())
    return [window, fn.follow(np.float32([box]), window)]


DRAWN = {
    "crop": lambda x: fn.crop(x, crop_d=4, crop_h=64, crop_w=256, crop_pos_z=fn.random.uniform()),
    "slice": lambda x: fn.slice(x, start=at_random(60), shape=[4], axes=[0]),
    "parts": lambda x: fn.slice(x, at_random(0.9, types.FLOAT), [0.0625], axes=[0]),
    "index": lambda x: x[fn.random.uniform(range=[0, 60], dtype=types.INT32)],
    "twice": lambda x: fn.slice(x, start=at_random(60), shape=[4], axes=[0])[fn.random.coin_flip()],
    "by shape": lambda x: fn.slice(x, start=fn.reshape(in_proportion(x), shape=[1]), shape=[4], axes=[0]),
    "roi": lambda x: fn.slice(x, start=around_the_middle(x), shape=[4], axes=[0]),
    "followed": lambda x: moved_as(x, [0, 0, 10, 40, 40, 60]),
}


@pytest.mark.parametrize("chain", ["cast", "blur", "several"])
@pytest.mark.parametrize("window", DRAWN)
def test_a_window_drawn_at_random_reads_little_more_than_it_takes(tmp_path, whole, window, chain):
    array = np.random.default_rng(2).integers(0, 255, (64, 64, 256, 3), np.uint8)  # 3 MiB
    np.save(tmp_path / "array.npy", array)
    read = []

    def graph():
        pixels = fn.reshape(fn.readers.numpy(file_root=str(tmp_path)), layout="DHWC")
        return DRAWN[window](CHAINS[chain](pixels, "DHWC"))

    for run_graph in (run, whole):
        before = bytes_read()
        read.append((run_graph(graph), bytes_read() - before))
    (made, part), (expected, everything) = read
    for output, same in zip(made, expected, strict=True):
        np.testing.assert_array_equal(output, same)
    assert everything > array.nbytes
    assert part < everything / 3, (part, everything)


def test_arrays_that_two_windows_cut_are_read_where_either_lies(tmp_path, whole):
    array = np.random.default_rng(2).integers(0, 255, (64, 256, 256), np.uint8)
    np.save(tmp_path / "array.npy", array)

    def graph():
        pixels = fn.readers.numpy(file_root=str(tmp_path))
        first = fn.slice(pixels, start=[2], shape=[3], axes=[0])
        return [first, first[fn.random.coin_flip()], pixels[fn.random.uniform(range=[0, 9], dtype=types.INT32)]]

    before = bytes_read()
    made = run(graph)
    assert bytes_read() - before < array.nbytes / 2
    for output, expected in zip(made, whole(graph), strict=True):
        np.testing.assert_array_equal(output, expected)


@pytest.mark.parametrize(
    ("chain", "layout", "window"),
    [(chain, layout, "slice") for chain in CHAINS if chain != "renamed" for layout in ("DHWC", "FHWC")]
    + [(chain, "FHWC", "frames") for chain in OF_FRAMES]
    + [("blur", "DHWC", "crop"), ("several", "FHWC", "frames"), ("renamed", "DHWC", "slice")],
)
def test_of_an_array_in_a_file_little_more_is_read_than_the_window_takes(tmp_path, whole, chain, layout, window):
    array = np.random.default_rng(2).integers(0, 255, (64, 64, 256, 3), np.uint8)  # 3 MiB
    np.save(tmp_path / "array.npy", array)
    read = []

    def graph():
        pixels = fn.reshape(fn.readers.numpy(file_root=str(tmp_path)), layout=layout)
        return MIDDLE[window]((CHAINS | OF_FRAMES)[chain](pixels, layout))

    def measured(run_graph):
        before = bytes_read()
        (made,) = run_graph(graph)
        read.append(bytes_read() - before)
        return made

    np.testing.assert_array_equal(measured(run), measured(whole))
    part, everything = read
    assert everything > array.nbytes
    assert part < everything / 3, read


@pytest.mark.parametrize("window", [slice(30, 34), 30, (slice(2, 9), slice(20, 30))])
def test_windows_of_arrays_without_a_layout_read_little(tmp_path, window):
    array = np.random.default_rng(2).integers(0, 255, (64, 256, 256), np.uint8)
    np.save(tmp_path / "array.npy", array)
    before = bytes_read()
    (part,) = run(lambda: fn.cast(fn.readers.numpy(file_root=str(tmp_path)), dtype=types.INT16)[window])
    assert bytes_read() - before < array.nbytes / 2
    np.testing.assert_array_equal(part, array[window])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("policy", ["pad", "trim_to_shape"])
def test_windows_of_regions_of_files_are_those_of_arrays(tmp_path, whole, order, policy):
    array = np.asarray(np.random.default_rng(3).integers(0, 255, (9, 11, 13)), np.int16, order=order)
    np.save(tmp_path / "array.npy", array)

    def graph():
        part = fn.readers.numpy(
            file_root=str(tmp_path), roi_start=[-2, 3, 4], roi_end=[7, 14, 9], out_of_bounds_policy=policy, fill_value=5
        )
        return part[1:4, 2:, ::2]

    (part,) = run(graph)
    np.testing.assert_array_equal(part, whole(graph)[0])
