"""Pictures on a GPU that are distorted, pasted and coloured: each level is the CPU's."""

import numpy as np
import pytest

from penstock import Pipeline, fn, types

RNG = np.random.default_rng(0)
SHAPES = [(1, 1), (3, 4), (17, 33), (64, 128), (131, 517), (480, 641)]
PICTURES = [RNG.integers(0, 256, (*shape, 3), np.uint8) for shape in SHAPES]
PICTURES += [
    np.full((70, 90, 3), 255, np.uint8),
    np.broadcast_to(np.arange(200, dtype=np.uint8)[:, None], (40, 200, 3)),
]
ANCHORS = np.int32([[0, 0], [3, 5], [10, 2], [1, 1]])


def _assert_same(graph, samples, layout):
    made = {}
    for device in ("gpu", "cpu"):
        pipe = Pipeline(batch_size=len(samples), num_threads=2, device_id=0)
        with pipe:
            source = fn.external_source(source=lambda: samples, layout=layout)
            pipe.set_outputs(graph(source.gpu() if device == "gpu" else source))
        made[device] = [np.array(sample) for sample in pipe.run()[0].as_cpu()]
        pipe.close()
    for ours, theirs in zip(made["gpu"], made["cpu"], strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("quality", [1, 30, 50, 75, 100])
def test_distorted_pictures_are_the_cpus(quality):
    samples = [np.ascontiguousarray(picture) for picture in PICTURES]
    _assert_same(lambda x: fn.jpeg_compression_distortion(x, quality=quality), samples, "HWC")


def test_distorted_frames_are_the_cpus():
    frames = [RNG.integers(0, 256, (3, 50 + i, 71, 3), np.uint8) for i in range(3)]
    qualities = [np.int32(5 + 40 * i) for i in range(3)]

    def graph(x):
        return fn.jpeg_compression_distortion(x, quality=fn.external_source(source=lambda: qualities))

    _assert_same(graph, frames, "FHWC")


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32, np.float64])
@pytest.mark.parametrize("dtype", [None, types.FLOAT, types.UINT8])
@pytest.mark.parametrize("frames", [False, True])
def test_pasted_pictures_are_the_cpus(kind, dtype, frames):
    samples = [RNG.integers(0, 250, (*[2] * frames, 33 + i, 47 - i, 3)).astype(kind) for i in range(4)]
    sizes = [np.int32([60 + i, 80 + 3 * i]) for i in range(4)]

    def graph(x):
        return fn.multi_paste(
            x, in_ids=[3, 0, 1, 0], output_size=fn.external_source(source=lambda: sizes), out_anchors=ANCHORS,
            in_anchors=ANCHORS[::-1].copy(), shapes=ANCHORS + 13, dtype=dtype,
        )  # fmt: skip

    _assert_same(graph, samples, "FHWC" if frames else "HWC")


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
@pytest.mark.parametrize("algorithm", ["bilinear_ocv", "edgeaware_ocv", "gray_ocv"])
def test_colours_of_sensors_are_the_cpus(kind, algorithm):
    samples = [RNG.integers(0, np.iinfo(kind).max, (30 + 2 * i, 300 - 2 * i), kind, endpoint=True) for i in range(4)]
    _assert_same(lambda x: fn.debayer(x, blue_position=[0, 1], algorithm=algorithm), samples, "HW")


@pytest.mark.parametrize("blue", [[0, 0], [0, 1], [1, 0], [1, 1]])
def test_colours_by_gradients_are_the_cpus(blue):
    shapes = [(8, 8), (6, 40), (30, 300), (500, 642)]  # of six rows they are bilinear
    samples = [RNG.integers(0, 255, shape, np.uint8, endpoint=True) for shape in shapes]
    _assert_same(lambda x: fn.debayer(x, blue_position=blue, algorithm="vng_ocv"), samples, "HW")


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32, np.int64])
@pytest.mark.parametrize("options", [{}, {"axes": [0, 1], "shape": [150, 530]}, {"axes": [2], "align": 4}])
def test_padded_pictures_are_the_cpus(kind, options):
    samples = [picture.astype(kind) for picture in PICTURES]
    _assert_same(lambda x: fn.pad(x, fill_value=7, **options), samples, "HWC")


def test_tensors_of_any_rank_are_padded_as_on_the_cpu():
    samples = [RNG.integers(0, 250, (3 - i % 2, 5, 2 + i, 7, 4 + i), np.uint8) for i in range(4)]
    _assert_same(lambda x: fn.pad(x, fill_value=300, axes=[0, 2, 4]), samples, None)


@pytest.mark.parametrize("kind", [np.uint8, np.float16, np.int32, np.float64])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_masked_pictures_are_the_cpus(kind, channels):
    samples = [np.resize(picture, (*picture.shape[:2], channels)).astype(kind) for picture in PICTURES]
    _assert_same(lambda x: fn.grid_mask(x, tile=9, ratio=0.6, angle=0.3, shift_x=2.5), samples, "HWC")


@pytest.mark.parametrize("interp", [types.INTERP_NN, types.INTERP_LINEAR])
@pytest.mark.parametrize("options", [{}, {"fill_value": 42}, {"fill_value": 42, "keep_size": True}])
def test_turned_pictures_are_the_cpus(interp, options):
    samples = [np.ascontiguousarray(picture) for picture in PICTURES]
    _assert_same(lambda x: fn.rotate(x, angle=33.0, interp_type=interp, **options), samples, "HWC")


@pytest.mark.parametrize("layout", ["HWC", "FHWC"])
def test_looked_up_pictures_are_the_cpus(layout):
    samples = [np.ascontiguousarray(picture) for picture in PICTURES]
    if layout == "FHWC":
        samples = [np.stack([picture, picture[::-1]]) for picture in samples]
    tilt = [0.9, -0.1, 3.0, 0.1, 0.9, -2.0, 1e-3, -5e-4, 1.0]
    for graph in (
        lambda x: fn.jitter(x, nDegree=5),
        lambda x: fn.water(x, interp_type=types.INTERP_LINEAR, fill_value=9),
        lambda x: fn.sphere(x, interp_type=types.INTERP_LINEAR),
        lambda x: fn.warp_affine(x, matrix=[0.9, -0.1, 3.0, 0.1, 0.9, -2.0], fill_value=9),
        lambda x: fn.experimental.warp_perspective(x, matrix=tilt),
    ):
        _assert_same(graph, samples, layout)


def test_mapped_bytes_are_the_cpus():
    samples = [np.ascontiguousarray(picture) for picture in PICTURES]
    for graph in (
        lambda x: fn.brightness(x, brightness=1.2, brightness_shift=-0.1),
        lambda x: fn.contrast(x, contrast=1.7),
        lambda x: fn.lookup_table(x, keys=[3, 200], values=[9.0, 7.5], default_value=1.0, dtype=types.UINT8),
        lambda x: fn.cast(x * 0.5 + 3, dtype=types.UINT8),
        lambda x: (x > 100) & True,
        lambda x: fn.brightness(fn.flip(x), brightness=0.7),  # whose elements lie elsewhere
    ):
        _assert_same(graph, samples, "HWC")
