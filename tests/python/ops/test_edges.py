"""Options and edges of operators, beside DALI where it has them."""

import itertools
import warnings

import numpy as np
import oracle
import pytest
from oracle import assert_same, run_ours

from penstock import Pipeline, fn, tensors, types

ROW = np.arange(3, dtype=np.uint8).reshape(1, 3, 1)
CUBE = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
EXTREMES = np.array([np.inf, -np.inf, np.nan, 1.0, -65504.0], np.float64)


def given(fn, array, layout=None):
    return fn.external_source(source=lambda: [array], layout=layout)


def same(graph, tolerance=0.0):
    assert_same(graph, batch_size=1, tolerance=tolerance)


def ours(graph, batch_size=1):
    [[output]] = run_ours(graph, batch_size=batch_size)
    return output


@pytest.mark.parametrize("mode", ["reflect_101", "reflect_1001", "reflect", "clamp", "edge", "wrap", "const", "Pad"])
@pytest.mark.parametrize("position", [0.0, 0.5, 1.0])
def test_crop_knows_the_border_modes_of_slice(mode, position):
    same(
        lambda fn, *_: fn.crop(
            given(fn, ROW, "HWC"), crop=(1, 11), crop_pos_x=position, out_of_bounds_policy=mode, fill_values=[7]
        )
    )


@pytest.mark.parametrize("mode", ["reflect_101", "clamp", "wrap", "nonsense", ""])
def test_crop_mirror_normalize_refuses_border_modes_as_dali_does(mode):
    def graph(fn, *_):
        return fn.crop_mirror_normalize(given(fn, ROW, "HWC"), crop=(1, 7), out_of_bounds_policy=mode)

    with pytest.raises(ValueError, match="Not supported out_of_bounds_policy"):
        run_ours(graph, batch_size=1)
    with pytest.raises(Exception, match="Not supported out_of_bounds_policy"):
        oracle.run_dali(graph, batch_size=1)


@pytest.mark.parametrize("mode", ["const", "CONSTANT", "pad", "clamp", "Edge", "reflect"])
def test_slice_knows_modes_by_all_their_names(mode):
    same(
        lambda fn, *_: fn.slice(
            given(fn, ROW, "HWC"), start=[-2], shape=[7], axes=[1], out_of_bounds_policy=mode, fill_values=[9]
        )
    )


@pytest.mark.parametrize(
    "window",
    [
        {"start": [1, 1, 1], "shape": [1, 2, 1], "axes": []},
        {"start": [1, 1, 1], "shape": [1, 2, 1], "axis_names": ""},
        {"end": [1, 2, 2], "axes": []},
        {"rel_start": [0.5, 0.5, 0.0], "rel_end": [1.0, 1.0, 0.5], "axes": []},
        {"start": [], "shape": [], "axes": []},
    ],
)
def test_no_axes_stand_for_all_axes(window):
    same(lambda fn, *_: fn.slice(given(fn, CUBE, "HWC"), **window))


def test_no_axes_stand_for_all_axes_of_windows_by_input_too():
    same(
        lambda fn, types, _: fn.slice(
            given(fn, CUBE, "HWC"),
            types.Constant([1, 1, 1], device="cpu"),
            types.Constant([1, 2, 1], device="cpu"),
            axes=[],
        )
    )


WINDOWS = {
    "rel_end": lambda fn, a, b: {"rel_end": b},
    "rel_start": lambda fn, a, b: {"rel_start": a},
    "rel_start, rel_end": lambda fn, a, b: {"rel_start": a, "rel_end": b},
    "rel_start, rel_shape": lambda fn, a, b: {"rel_start": a, "rel_shape": b - a},
    "start, rel_shape": lambda fn, a, b: {"start": [2], "rel_shape": b - a},
    "rel_start, shape": lambda fn, a, b: {"rel_start": a, "shape": [3]},
}


@pytest.mark.parametrize("window", WINDOWS)
def test_relative_windows_round_ties_as_dali_does(window):
    cases = [(n, k / d, m / d) for n, d in itertools.product((5, 15, 65, 115, 333), (10, 20, 7)) for k in range(d)
             for m in range(k + 1, d + 1, 3)]  # fmt: skip

    def graph(fn, *_):
        data = fn.external_source(source=lambda: [np.arange(n, dtype=np.int16) for n, _, _ in cases])
        start = fn.external_source(source=lambda: [np.array([a], np.float32) for _, a, _ in cases])
        end = fn.external_source(source=lambda: [np.array([b], np.float32) for _, _, b in cases])
        options = WINDOWS[window](fn, start, end)
        return fn.slice(data, axes=[0], out_of_bounds_policy="pad", **options)

    assert_same(graph, batch_size=len(cases))


def test_the_end_at_nine_tenths_of_65_is_59():
    output = ours(lambda fn, *_: fn.slice(given(fn, np.arange(65, dtype=np.uint8)), rel_end=[0.9], axes=[0]))
    assert output[0].shape == (59,)


def test_an_empty_relative_window_is_no_error():
    output = ours(
        lambda fn, *_: fn.slice(given(fn, np.arange(65, dtype=np.uint8)), rel_start=[0.9], rel_shape=[0.0], axes=[0])
    )
    assert output[0].shape in ((0,), (1,))


@pytest.mark.parametrize("x", [[[3.0, 4.0]], [[3.0]], [[3.0], [5.0]]])
@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {"ddof": 3, "epsilon": 0.5},
        {"ddof": 1, "epsilon": 0.25, "mean": 1.0},
        {"ddof": 5, "epsilon": 1e-5, "mean": 1.0},
        {"ddof": 2, "epsilon": 0.25, "scale": 3.0, "shift": 1.0},
        {"ddof": 1},
        {"ddof": 5, "mean": 1.0},
    ],
)
def test_normalize_without_degrees_of_freedom_divides_by_epsilon(x, batch, options):
    data = np.array(x, np.float32)
    same(lambda fn, *_: fn.normalize(given(fn, data), axes=[1], batch=batch, **options), tolerance=2e-4)


@pytest.mark.parametrize("shape", [None, [], [1], [3], [2, 2]])
@pytest.mark.parametrize("layout", ["HWC", None])
def test_picks_keep_the_layout_of_what_they_are_picked_from(shape, layout):
    def graph(fn, *_):
        return fn.random.choice(given(fn, np.repeat(CUBE[:1], 2, axis=0), layout), shape=shape)

    same(graph)
    layouts = [_layout(library, graph) for library in ("penstock", "nvidia.dali")]
    assert layouts[0] == layouts[1]


def _layout(library, graph):
    import importlib

    pipe = importlib.import_module(library).Pipeline(batch_size=1, num_threads=1, device_id=None, seed=1)
    with pipe:
        pipe.set_outputs(graph(importlib.import_module(f"{library}.fn")))
    pipe.build()
    return pipe.run()[0].layout()


@pytest.mark.parametrize(
    ("shape", "axes"), [((0, 2, 1), [1]), ((0, 2, 1), [1, 2]), ((2, 0, 1), [0]), ((0, 0, 2), [0]), ((2, 0, 1), [0, 2])]
)
def test_tensors_without_elements_lose_any_axes_that_leave_them_so(shape, axes):
    same(lambda fn, *_: fn.squeeze(given(fn, np.zeros(shape, np.float32), "ABC"), axes=axes))


@pytest.mark.parametrize(("shape", "axes"), [((2, 0, 1), [1]), ((0, 2, 1), [0]), ((2, 3, 1), [0])])
def test_axes_that_hold_elements_or_their_lack_stay(shape, axes):
    with pytest.raises(ValueError, match=r"\[squeeze\] axis . of a tensor of shape .* cannot be removed"):
        ours(lambda fn, *_: fn.squeeze(given(fn, np.zeros(shape, np.float32), "ABC"), axes=axes))


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("to", ["FLOAT16", "FLOAT", "FLOAT64"])
def test_infinities_and_nan_stay_what_they_are(kind, to):
    same(lambda fn, types, _: fn.cast(given(fn, EXTREMES.astype(kind)), dtype=getattr(types, to)))


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize(
    "graph",
    {
        "constant": lambda fn, types, v: types.Constant([v], dtype=types.FLOAT16, device="cpu"),
        "pad": lambda fn, types, v: fn.pad(given(fn, np.ones(2, np.float16)), fill_value=v, shape=[4]),
        "slice": lambda fn, types, v: fn.slice(
            given(fn, np.ones(2, np.float32)), start=[0], shape=[3], axes=[0], out_of_bounds_policy="pad",
            fill_values=[v], dtype=types.FLOAT16,
        ),
        "crop_mirror_normalize": lambda fn, types, v: fn.crop_mirror_normalize(
            given(fn, np.full((1, 2, 1), v, np.float32), "HWC"), dtype=types.FLOAT16
        ),
        "full_like": lambda fn, types, v: fn.full_like(given(fn, np.ones(2, np.float16)), np.float32(v)),
        "cast_like": lambda fn, types, v: fn.cast_like(
            given(fn, np.full(2, v, np.float32)), given(fn, np.ones(2, np.float16))
        ),
    }.items(),
    ids=lambda one: one[0] if isinstance(one, tuple) else None,
)  # fmt: skip
def test_attention_masks_hold_infinities(graph, value):
    _, make = graph
    same(lambda fn, types, _: make(fn, types, float(value)))


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_crops_hold_infinities(value):  # where DALI's saturate
    data = np.full((1, 2, 1), value, np.float32)
    [cut] = ours(lambda fn, types, _: fn.crop(given(fn, data, "HWC"), crop=(1, 1), dtype=types.FLOAT16))
    np.testing.assert_array_equal(cut.ravel(), [value])


def test_pixels_over_a_deviation_of_zero_are_infinite_in_half_precision():
    wide = np.tile(np.arange(1, 4, dtype=np.uint8), 30).reshape(1, 90, 1)  # longer than a vector of any processor
    same(
        lambda fn, types, _: fn.crop_mirror_normalize(
            given(fn, wide, "HWC"), dtype=types.FLOAT16, mean=[2.0], std=[0.0], output_layout="HWC"
        )
    )


def test_finite_numbers_beyond_half_precision_saturate():
    data = np.array([65520.0, 1e30, 1e300, -1e300, 3.5e38], np.float64)
    [numbers] = ours(lambda fn, types, _: fn.cast(given(fn, data), dtype=types.FLOAT16))
    assert numbers.tolist() == [65504.0, 65504.0, 65504.0, -65504.0, 65504.0]


@pytest.mark.parametrize("fills", [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0], [7.0]])
@pytest.mark.parametrize("policy", ["pad", "trim_to_shape"])
def test_added_channels_need_no_fill_value(fills, policy):
    same(
        lambda fn, types, _: fn.crop_mirror_normalize(
            given(fn, np.full((2, 2, 3), 9, np.uint8), "HWC"), crop=(4, 4), output_layout="HWC", pad_output=True,
            out_of_bounds_policy=policy, fill_values=fills, mean=[1.0, 2.0, 3.0], std=[1.0, 1.0, 1.0],
        )
    )  # fmt: skip


def enumerated(fn, types, make):
    return fn.cast(make(fn, types), dtype=types.INT32)


@pytest.mark.parametrize(
    "make",
    [
        lambda fn, types: types.Constant(types.INT16),
        lambda fn, types: types.Constant(types.INT16, device="cpu"),
        lambda fn, types: types.Constant(5, dtype=types.DATA_TYPE),
        lambda fn, types: types.Constant(5, dtype=types.DATA_TYPE, device="cpu"),
        lambda fn, types: types.Constant([types.INTERP_NN, types.INTERP_CUBIC], device="cpu"),
        lambda fn, types: fn.reinterpret(types.Constant([1, 2], device="cpu"), dtype=types.INTERP_TYPE),
        lambda fn, types: fn.reinterpret(given(fn, np.ones(2, np.int32)), dtype=types.IMAGE_TYPE),
    ],
)
def test_values_of_enumerations_are_integers(make):
    same(lambda fn, types, _: enumerated(fn, types, make))


@pytest.mark.parametrize(
    "filter_",
    [
        lambda fn, types: fn.reinterpret(types.Constant([0], device="cpu"), shape=[], dtype=types.INTERP_TYPE),
        lambda fn, types: fn.reinterpret(fn.random.choice([0, 0]), dtype=types.INTERP_TYPE),
        lambda fn, types: fn.random.choice([types.INTERP_NN, types.INTERP_NN]),
        lambda fn, types: types.Constant(types.INTERP_NN),
    ],
)
def test_filters_may_be_given_per_sample(filter_):
    same(
        lambda fn, types, _: fn.resize(
            given(fn, np.arange(48, dtype=np.uint8).reshape(4, 4, 3), "HWC"), size=(2, 2), antialias=False,
            interp_type=filter_(fn, types),
        )
    )  # fmt: skip


@pytest.mark.parametrize("library", ["penstock", "nvidia.dali"])
def test_a_source_gives_batches_the_layout_that_is_declared(library):
    import importlib

    if library != "penstock":
        oracle.dali()
    lib, functions = importlib.import_module(library), importlib.import_module(f"{library}.fn")
    first, second = (lib.Pipeline(batch_size=1, num_threads=1, device_id=None) for _ in range(2))
    with first:
        first.set_outputs(given(functions, np.zeros((2, 3, 1), np.uint8), "HWC"))
    first.build()
    with second:
        second.set_outputs(functions.external_source(source=lambda: first.run()[0], layout="FHW"))
    second.build()
    assert second.run()[0].layout() == "FHW"


def test_what_is_fed_by_hand_must_have_the_declared_layout():
    pipe = Pipeline(batch_size=1, num_threads=1)
    with pipe:
        pipe.set_outputs(fn.external_source(name="x", layout="ABC"))
    with pytest.raises(RuntimeError, match='Expected data with layout: "ABC" and got: "HWC"'):
        pipe.feed_input("x", tensors.TensorListCPU(CUBE[None], "HWC"))
    pipe.feed_input("x", tensors.TensorListCPU(CUBE[None], "HWC"), layout="ABC")
    assert pipe.run()[0].layout() == "ABC"


@pytest.mark.parametrize("nothing", [np.zeros((0, 3), np.float32), []], ids=["array", "list"])
def test_batches_may_have_no_samples(nothing):
    batches = [np.ones((2, 3), np.float32), nothing, np.ones((1, 3), np.float32)]

    def graph(fn, *_):
        x = fn.external_source(source=iter(batches).__next__)
        return x + 1, fn.pad(x, shape=[4]), fn.normalize(x, batch=True), fn.python_function(x, function=lambda a: a * 2)

    counts = [[len(output) for output in outputs] for outputs in run_ours(graph, batch_size=2, iterations=3)]
    assert counts == [[2] * 4, [0] * 4, [1] * 4]


def test_batches_of_one_source_may_differ_in_type_and_rank():
    batches = [np.ones((2, 3), np.float32), np.ones((2, 3), np.int32), np.ones((2, 3, 2), np.int32), np.ones(2)]

    def graph(fn, *_):
        return fn.external_source(source=iter(batches).__next__) + 1

    made = [outputs[0][0] for outputs in run_ours(graph, batch_size=2, iterations=4)]
    assert [(one.dtype, one.shape) for one in made] == [(batch.dtype, batch.shape[1:]) for batch in batches]


@pytest.mark.parametrize("op", ["uniform", "normal", "beta"])
def test_doubles_have_53_random_bits(op):
    options = {"uniform": {"range": [1.0, 1.000001]}, "normal": {"mean": 1.0, "stddev": 1e-6},
               "beta": {"alpha": 1e7, "beta": 1.0}}[op]  # fmt: skip
    [numbers] = ours(lambda fn, types, _: getattr(fn.random, op)(shape=[20000], dtype=types.FLOAT64, **options))
    assert len(np.unique(numbers)) > 19990


def test_types_are_called_as_dalis_are():
    for array in (np.zeros(2, kind) for kind in (np.uint8, np.int64, np.float16, np.float32, np.float64, bool)):
        tensor = tensors.TensorCPU(array)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # DALI deprecates it
            assert tensor.dtype() == oracle.dali().tensors.TensorCPU(array).dtype()
        assert tensor.dtype == types.to_dali_type(array.dtype)
    with pytest.raises(TypeError, match="buffers have no type for DALIDataType.NO_TYPE"):
        types.DALIDataType.NO_TYPE()
