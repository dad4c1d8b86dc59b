"""Edges of operators on a GPU: what the CPU makes of them, bit for bit where nothing is said of a tolerance."""

import numpy as np
import pytest

from penstock import Pipeline, fn, types

_EXTREMES = np.array([np.inf, -np.inf, np.nan, 1e300, -1e300, 65520.0, -65504.0, 1.5], np.float64)


def _made(graph, device):
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=0, seed=11)
    try:
        with pipe:
            pipe.set_outputs(graph(device))
        return [np.array(sample) for sample in pipe.run()[0].as_cpu()]
    finally:
        pipe.close()


def _given(array, device, layout=None):
    source = fn.external_source(source=lambda: [array, array], layout=layout)
    return source.gpu() if device == "gpu" else source


def _assert_same(graph, tolerance=0.0):
    for ours, theirs in zip(_made(graph, "gpu"), _made(graph, "cpu"), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=0, equal_nan=True)


@pytest.mark.parametrize("op", ["uniform", "normal"])
@pytest.mark.parametrize("dtype", [types.FLOAT64, types.FLOAT])
def test_random_numbers_are_the_cpus(op, dtype):
    options = {"uniform": {"range": [-2.0, 6.0]}, "normal": {"mean": 1.0, "stddev": 1e-3}}[op]
    exact = dtype == types.FLOAT64  # floats are made by the libraries' log() and cos(), which differ in a last bit
    _assert_same(
        lambda device: getattr(fn.random, op)(shape=[10000], dtype=dtype, device=device, **options),
        tolerance=0 if exact else 3e-7,
    )


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("dtype", [types.FLOAT16, types.BFLOAT16, types.FLOAT, types.FLOAT64])
def test_infinities_and_nan_stay_what_they_are(kind, dtype):
    with np.errstate(over="ignore"):
        data = _EXTREMES.astype(kind)
    _assert_same(lambda device: fn.cast(fn.cast(_given(data, device), dtype=dtype), dtype=types.FLOAT64))


@pytest.mark.parametrize("deviation", [0.0, 1e-6])
def test_pixels_over_a_tiny_deviation_are_the_cpus(deviation):
    pixels = np.tile(np.arange(1, 4, dtype=np.uint8), 30).reshape(1, 90, 1)
    _assert_same(
        lambda device: fn.crop_mirror_normalize(
            _given(pixels, device, "HWC"), dtype=types.FLOAT16, mean=[2.0], std=[deviation], output_layout="HWC"
        )
    )


@pytest.mark.parametrize("mode", ["reflect_101", "reflect_1001", "clamp", "wrap", "const"])
def test_windows_stick_out_as_on_the_cpu(mode):
    picture = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
    _assert_same(
        lambda device: fn.crop(
            _given(picture, device, "HWC"), crop=(9, 12), out_of_bounds_policy=mode, fill_values=[7, 8, 9]
        )
    )


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize(
    "options", [{"ddof": 3, "epsilon": 0.5}, {"ddof": 5, "mean": 1.0, "epsilon": 0.25}, {"ddof": 9}]
)
def test_no_degrees_of_freedom_leave_epsilon(batch, options):
    data = np.array([[3.0], [5.0]], np.float32)
    _assert_same(lambda device: fn.normalize(_given(data, device), axes=[1], batch=batch, **options), tolerance=1e-6)


def test_added_channels_need_no_fill_value():
    _assert_same(
        lambda device: fn.crop_mirror_normalize(
            _given(np.full((2, 2, 3), 9, np.uint8), device, "HWC"), crop=(4, 4), output_layout="HWC", pad_output=True,
            out_of_bounds_policy="pad", fill_values=[1.0, 2.0, 3.0], mean=[1.0, 2.0, 3.0], std=[1.0, 1.0, 1.0],
        )
    )  # fmt: skip


@pytest.mark.parametrize("shape", [(0, 2, 1), (2, 0, 1)])
def test_tensors_without_elements_lose_axes(shape):
    axis = [1] if shape[0] == 0 else [0]
    _assert_same(lambda device: fn.squeeze(_given(np.zeros(shape, np.float32), device), axes=axis))


def test_batches_may_have_no_samples():
    batches = [np.ones((2, 3), np.float32), np.zeros((0, 3), np.float32), np.ones((1, 3), np.float32)]
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=0)
    with pipe:
        x = fn.external_source(source=iter(batches).__next__).gpu()
        pipe.set_outputs(x + 1, fn.pad(x, shape=[4]), fn.normalize(x, batch=True))
    assert [[len(output) for output in pipe.run()] for _ in range(3)] == [[2] * 3, [0] * 3, [1] * 3]
    pipe.close()
