"""Windows over pictures and volumes on a GPU: the CPU's results, bit for bit. Weights and sums of filters are such that
floats hold them exactly.
"""

import numpy as np
import pytest

from penstock import Pipeline, fn, types

RNG = np.random.default_rng(0)
BORDERS = ["reflect_101", "reflect_1001", "wrap", "clamp", "constant"]
SHAPES = [(1, 1), (3, 4), (17, 33), (40, 257), (64, 128), (131, 519)]


def _pictures(dtype=np.uint8, *more, channels=3):
    high = 250 if np.dtype(dtype).itemsize == 1 else 1000
    return [RNG.integers(0, high, (*more, *shape, channels)).astype(dtype) for shape in SHAPES]


def _weights(*shape):
    return RNG.integers(-8, 9, shape).astype(np.float32) / 16


def _filtered(x, weights, device, **options):
    return fn.filter(x, types.Constant(weights, device=device), **options)


def _assert_same(graph, samples, layout):
    made = {}
    for device in ("gpu", "cpu"):
        pipe = Pipeline(batch_size=len(samples), num_threads=2, device_id=0)
        with pipe:
            source = fn.external_source(source=lambda: samples, layout=layout)
            pipe.set_outputs(graph(source.gpu() if device == "gpu" else source, device))
        made[device] = [np.array(sample) for sample in pipe.run()[0].as_cpu()]
        pipe.close()
    for ours, theirs in zip(made["gpu"], made["cpu"], strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("op", ["dilate", "erode"])
@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("size", [(3, 3), (1, 1), (5, 2), (2, 8), (11, 13), (40, 31)])
def test_extremes_are_the_cpus(op, border, size):
    morphed = getattr(fn.experimental, op)
    _assert_same(lambda x, device: morphed(x, mask_size=size, border_mode=border), _pictures(), "HWC")


@pytest.mark.parametrize("op", ["dilate", "erode"])
@pytest.mark.parametrize("dtype", [np.int16, np.uint16, np.int32, np.float32])
@pytest.mark.parametrize("channels", [1, 2, 4])
def test_extremes_of_other_types_are_the_cpus(op, dtype, channels):
    samples = [sample - sample.dtype.type(dtype != np.uint16) * 500 for sample in _pictures(dtype, channels=channels)]
    _assert_same(
        lambda x, device: getattr(fn.experimental, op)(x, mask_size=(3, 5), anchor=(0, 4), iterations=2), samples, "HWC"
    )


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("shape", [(3, 3), (1, 1), (5, 5), (2, 5), (7, 4), (31, 40)])
@pytest.mark.parametrize("dtype", [types.UINT8, types.FLOAT])
def test_filtered_pictures_are_the_cpus(border, shape, dtype):
    weights = _weights(*shape)
    _assert_same(lambda x, device: _filtered(x, weights, device, border=border, dtype=dtype), _pictures(), "HWC")


@pytest.mark.parametrize("dtype", ["i1", "u2", "i2", "u4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("mode", ["same", "valid"])
def test_filters_of_other_types_are_the_cpus(dtype, mode):
    samples = [RNG.integers(0, 100, (20 + i, 45 - i, 2)).astype(dtype) for i in range(4)]
    weights = _weights(3, 4)
    _assert_same(lambda x, device: _filtered(x, weights, device, mode=mode, anchor=[0, 3]), samples, "HWC")


@pytest.mark.parametrize("border", BORDERS)
def test_a_filter_for_each_frame(border):
    frames, weights = _pictures(np.uint8, 3), [_weights(3, 3, 5) for _ in SHAPES]

    def graph(x, device):
        own = fn.external_source(source=lambda: weights, layout="FHW")
        return fn.filter(x, own.gpu() if device == "gpu" else own, border=border)

    _assert_same(graph, frames, "FHWC")


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("border", BORDERS)
def test_filtered_volumes_are_the_cpus(border, dtype):
    volumes = [RNG.integers(0, 200, (5 + i, 19 - i, 70 + i, 2)).astype(dtype) for i in range(3)]
    weights = _weights(2, 3, 3)
    _assert_same(lambda x, device: _filtered(x, weights, device, border=border), volumes, "DHWC")


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("start", [(0, 0), (9, 20), (40, 100)])
def test_crops_of_results_are_the_cpus(border, start):
    weights = _weights(5, 5)

    def graph(x, device):
        made = _filtered(fn.experimental.dilate(x, border_mode=border), weights, device, border=border)
        return fn.slice(made, start=list(start), shape=[20, 150], axes=[0, 1])

    _assert_same(graph, [RNG.integers(0, 250, (60, 257, 3), np.uint8) for _ in range(3)], "HWC")
