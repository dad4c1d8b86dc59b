"""reductions.*: numbers, types, shapes and layouts as DALI's."""

import itertools

import numpy as np
import oracle
import pytest

from penstock import Pipeline, fn

NAMES = ["sum", "mean", "min", "max", "mean_square", "rms"]
TYPES = ["uint8", "int8", "uint16", "int16", "int32", "uint32", "int64", "uint64", "float32"]
ARRAY = np.random.default_rng(0).integers(0, 120, (7, 11, 3)) - 20
AXES = {
    "all": {},
    "one": {"axes": [0]},
    "last": {"axes": [-1]},
    "two": {"axes": [0, 1]},
    "around": {"axes": [0, 2]},
    "none": {"axes": []},
    "letters": {"axis_names": "HW"},
    "kept": {"axis_names": "W", "keep_dims": True},
}


def graph_of(name, array, layout="HWC", **options):
    def graph(fn, types, math):
        x = fn.external_source(source=lambda: [array] * 4, layout=layout or None, batch=True)
        asked = {k: getattr(types, v) if k == "dtype" else v for k, v in options.items()}
        if name in ("std_dev", "variance"):
            mean = fn.reductions.mean(x, **{k: v for k, v in asked.items() if k != "ddof"})
            return getattr(fn.reductions, name)(x, mean, **asked)
        return getattr(fn.reductions, name)(x, **asked)

    return graph


def array_of(dtype):
    low = 0 if dtype.startswith("u") else None
    return np.clip(ARRAY, low, None).astype(dtype) if low == 0 else ARRAY.astype(dtype)


@pytest.mark.parametrize(("name", "dtype"), list(itertools.product(NAMES, TYPES)))
def test_numbers_equal_dalis_for_all_types(name, dtype):
    for axes in ({}, {"axes": [0, 1]}):
        oracle.assert_same(graph_of(name, array_of(dtype), **axes), tolerance=2e-2 if "square" in name else 1e-3)


@pytest.mark.parametrize(("name", "axes"), list(itertools.product([*NAMES, "std_dev", "variance"], AXES)))
def test_numbers_equal_dalis_for_all_axes(name, axes):
    oracle.assert_same(graph_of(name, array_of("float32"), **AXES[axes]), tolerance=2e-2)


@pytest.mark.parametrize("name", ["std_dev", "variance"])
@pytest.mark.parametrize("ddof", [0, 1, 7, 9])
def test_spread_equals_dalis(name, ddof):
    oracle.assert_same(graph_of(name, array_of("float32"), axes=[0], ddof=ddof), tolerance=2e-2)


@pytest.mark.parametrize(("name", "dtype"), [("sum", "FLOAT"), ("sum", "UINT8"), ("mean", "FLOAT")])
def test_asked_types_equal_dalis(name, dtype):
    oracle.assert_same(graph_of(name, np.full((4, 5, 3), 1, np.uint8), dtype=dtype))


def run(make, array, layout="", outputs=1):
    pipe = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(make(fn.external_source(source=lambda: [array], layout=layout or None, batch=True)))
    made = pipe.run()[0]
    return np.array(made[0]), made.layout()


@pytest.mark.parametrize("shape", [(1,), (200,), (3, 200), (200, 3), (5, 200, 3), (5, 3, 200, 2), (2, 3, 4, 5, 6)])
def test_every_way_to_reduce_equals_numpy(shape):
    array = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    whole = np.random.default_rng(2).integers(0, 65536, shape).astype(np.uint16)
    for count in range(len(shape) + 1):
        for axes in itertools.combinations(range(len(shape)), count):
            for name, wanted in (("sum", np.sum), ("mean", np.mean), ("min", np.min), ("max", np.max)):
                reduce = getattr(fn.reductions, name)
                made, _ = run(lambda x, reduce=reduce, axes=axes: reduce(x, axes=list(axes)), array)
                np.testing.assert_allclose(made, wanted(array, axis=axes), rtol=1e-5, atol=1e-5)
                made, _ = run(lambda x, reduce=reduce, axes=axes: reduce(x, axes=list(axes)), whole)
                np.testing.assert_allclose(made, wanted(whole, axis=axes), rtol=1e-6)


def test_sums_of_many_integers_are_exact():
    array = np.full((40000, 3), 65535, np.uint16)
    assert run(lambda x: fn.reductions.sum(x, axes=[0]), array)[0].tolist() == [40000 * 65535] * 3
    array = np.full(100000, -32768, np.int16)
    assert run(lambda x: fn.reductions.sum(x), array)[0] == -32768 * 100000


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.bool_])
def test_types_that_dali_lacks(dtype):
    array = np.array([[1, 0, 1], [1, 1, 0]], dtype)
    assert run(lambda x: fn.reductions.mean(x, axes=[0]), array)[0].tolist() == [1, 0.5, 0.5]
    assert run(lambda x: fn.reductions.max(x, axes=[1]), array)[0].tolist() == [1, 1]


def test_nan_spreads_and_infinities_count():
    array = np.float32([[np.nan, 1], [np.inf, -np.inf], [-np.inf, -np.inf]])
    for name in ("min", "max"):
        made, _ = run(lambda x, name=name: getattr(fn.reductions, name)(x, axes=[1]), array)
        assert np.isnan(made[0])
        assert made[2] == -np.inf


def test_layouts_follow_the_axes():
    array = array_of("uint8")
    assert run(lambda x: fn.reductions.sum(x, axis_names="W"), array, "HWC")[1] == "HC"
    assert run(lambda x: fn.reductions.sum(x, axis_names="W", keep_dims=True), array, "HWC")[1] == "HWC"


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda x: fn.reductions.sum(x, axes=[0, 0]), "more than once"),
        (lambda x: fn.reductions.sum(x, axes=[5]), "out of range"),
        (lambda x: fn.reductions.sum(x, axes=[0], axis_names="H"), "mutually exclusive"),
        (lambda x: fn.reductions.sum(x, axis_names="D"), "not present"),
        (lambda x: fn.reductions.variance(x, fn.reductions.mean(x, axes=[0])), "the mean has the shape"),
        (lambda x: fn.reductions.variance(x, fn.reductions.mean(x), ddof=-1), "`ddof` must not be negative"),
    ],
)
def test_what_cannot_be_reduced_is_refused(make, match):
    with pytest.raises(Exception, match=match):
        run(make, array_of("float32"), "HWC")
