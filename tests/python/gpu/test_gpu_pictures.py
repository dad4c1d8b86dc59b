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
