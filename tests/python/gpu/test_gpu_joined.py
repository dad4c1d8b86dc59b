"""Operators whose programs join into one launch give what they give one by one."""

import numpy as np
import pytest

from penstock import Pipeline, fn, types

_SHAPES = [(40, 50, 3), (37, 61, 3), (64, 33, 3)]


def _pictures(channels=3):
    return [
        np.random.default_rng(i).integers(0, 255, (h, w, channels), np.uint8) for i, (h, w, _) in enumerate(_SHAPES)
    ]


def _run(graph, whole, device="gpu", **options):
    """Last outputs of a graph, which gives all its nodes in order, and the plan; `whole`: all of them are outputs."""
    pipe = Pipeline(batch_size=len(_SHAPES), num_threads=2, device_id=0, seed=7, **options)
    try:
        with pipe:
            source = fn.external_source(source=lambda: _pictures(), layout="HWC")
            nodes = graph(source.gpu() if device == "gpu" else source)
            pipe.set_outputs(*(nodes if whole else nodes[-1:]))
        outputs = pipe.run()
        return [np.asarray(outputs[-1].as_cpu()[i]) for i in range(len(_SHAPES))], pipe.explain()
    finally:
        pipe.close()


def _normalised(x, **more):
    return fn.crop_mirror_normalize(x, mean=[120.0, 110.0, 100.0], std=[60.0, 61.0, 62.0], **more)


def _chain(*steps):
    """A graph of functions that follow each other."""

    def graph(x):
        nodes = []
        for step in steps:
            x = step(x)
            nodes.append(x)
        return nodes

    return graph


_TWIST = {"hue": 40.0, "saturation": 1.4, "brightness": 0.8, "contrast": 1.2}
_GRAPHS = {
    "resize and normalise": _chain(
        lambda x: fn.resize(x, size=[24, 20]),
        lambda x: _normalised(x, dtype=types.FLOAT16, mirror=1, crop=[16, 18], output_layout="CHW"),
    ),
    "random window, flip and normalise": _chain(
        lambda x: fn.random_resized_crop(x, size=[24, 20]),
        lambda x: fn.flip(x, horizontal=1, vertical=1),
        lambda x: _normalised(x, output_layout="CHW"),
    ),
    "resize, colours and normalise": _chain(
        lambda x: fn.resize(x, size=[24, 20]),
        lambda x: fn.color_twist(x, **_TWIST),
        lambda x: fn.brightness_contrast(x, brightness=1.1, contrast=0.9),
        lambda x: _normalised(x, output_layout="CHW"),
    ),
    "cast and arithmetic": _chain(
        lambda x: fn.cast(x, dtype=types.FLOAT),
        lambda x: x / 255.0,
        lambda x: 1 - x,
        lambda x: x * np.float32([0.1, 0.2, 0.3]),
    ),
    "gray and back": _chain(
        lambda x: fn.color_space_conversion(x, image_type=types.RGB, output_type=types.GRAY),
        lambda x: x + 3,
        lambda x: fn.cast(x, dtype=types.UINT8),
        lambda x: fn.color_space_conversion(x, image_type=types.GRAY, output_type=types.BGR),
        lambda x: fn.hsv(x, hue=20.0, saturation=0.7),
    ),
    "planes of a part": _chain(
        lambda x: fn.resize(x, size=[24, 20], dtype=types.FLOAT),
        lambda x: fn.crop(x, crop=[12, 13]),
        lambda x: fn.transpose(x, perm=[2, 1, 0]),
        lambda x: x[1:, ::-1, 3],
        lambda x: x * 2,
    ),
}


@pytest.mark.parametrize("name", _GRAPHS)
def test_joined_operators_give_the_same(name):
    graph = _GRAPHS[name]
    joined, plan = _run(graph, whole=False)
    apart, other = _run(graph, whole=True)
    assert "in the launch of" in plan and "in the launch of" not in other
    assert plan.count("one launch a batch") == 1
    on_cpu, _ = _run(graph, whole=False, device="cpu")
    for a, b, c in zip(apart, joined, on_cpu, strict=True):
        assert b.dtype == a.dtype and b.shape == a.shape
        np.testing.assert_array_equal(b, a)
        assert b.shape == c.shape
        np.testing.assert_allclose(b.astype("f8"), c.astype("f8"), atol=2 if b.dtype == np.uint8 else 0.07, rtol=1e-3)


def test_only_pixels_that_stay_together_join():
    """A part of the channels, or another pixel's shape, takes a launch of its own."""

    def graph(x):
        twisted = fn.color_twist(x, **_TWIST)
        return [twisted, twisted[:, :, 1:]]

    joined, plan = _run(graph, whole=False)
    assert "in the launch of" not in plan
    apart, _ = _run(graph, whole=True)
    for a, b in zip(apart, joined, strict=True):
        np.testing.assert_array_equal(b, a)


def test_what_two_read_is_made_once():
    def graph(x):
        small = fn.resize(x, size=[10, 12])
        return [small, fn.cast(small, dtype=types.FLOAT) + fn.cast(small, dtype=types.INT32)]

    joined, plan = _run(graph, whole=False)
    assert plan.count("one launch a batch") == 3  # resize; one cast; the other with the sum
    apart, _ = _run(graph, whole=True)
    for a, b in zip(apart, joined, strict=True):
        np.testing.assert_array_equal(b, a)


def test_batches_pass_through_batch_operators_on_the_gpu():
    def graph(x):
        small = fn.cast(x, dtype=types.FLOAT) * 2
        padded = fn.pad(small, fill_value=-1.5)
        turned = fn.permute_batch(padded, indices=[2, 0, 1])
        scaled = fn.normalize(turned, batch=True, axis_names="HW")
        return [small, padded, turned, scaled, scaled + 1]

    got, plan = _run(graph, whole=False)
    assert plan.count("on the GPU") == 6, plan
    expected, _ = _run(graph, whole=False, device="cpu")
    for a, b in zip(expected, got, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-5)


def test_random_numbers_are_the_cpus():
    graph = {
        "uniform": lambda device: fn.random.uniform(range=[-3.0, 7.0], shape=[5, 9], device=device),
        "pick": lambda device: fn.random.uniform(values=[1.0, 5.0, 9.0], shape=[33], device=device),
        "whole": lambda device: fn.random.uniform(range=[0, 250], dtype=types.UINT8, shape=[77], device=device),
        "coin": lambda device: fn.random.coin_flip(probability=0.3, shape=[101], device=device),
        "normal": lambda device: fn.random.normal(mean=2.0, stddev=3.0, shape=[7, 11], device=device),
    }
    for name, make in graph.items():
        arrays = []
        for device in ("cpu", "gpu"):
            with Pipeline(batch_size=3, device_id=0, seed=11) as pipe:
                pipe.set_outputs(make(device))
            arrays.append([np.asarray(pipe.run()[0].as_cpu()[i]) for _ in range(2) for i in range(3)])
        for a, b in zip(*arrays, strict=True):
            if name == "normal":
                np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)
            else:
                np.testing.assert_array_equal(b, a)
