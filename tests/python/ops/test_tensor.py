"""Operators that reshape, rearrange, convert and make tensors do what DALI's do; checked against DALI itself."""

import functools

import numpy as np
import oracle
import pytest

PICTURE = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
THIN = np.arange(3, dtype=np.uint8).reshape(1, 3, 1)


def fed(fn, array, layout):
    return fn.external_source(source=lambda: [array], layout=layout, batch=True)


def outcome(library, build, arrays, layouts):
    """Type, shape, layout and values of the one sample that the graph makes."""
    pipe = library.Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        nodes = [fed(library.fn, array, layout) for array, layout in zip(arrays, layouts, strict=True)]
        pipe.set_outputs(build(library.fn, library.types, *nodes))
    pipe.build()
    made = pipe.run()[0]
    sample = np.array(made[0])
    return sample.dtype, sample.shape, made.layout(), sample.tolist()


def check(build, *arrays, layouts=None):
    import penstock

    layouts = layouts or ["HWC" if array.ndim == 3 else None for array in arrays]
    ours = outcome(penstock, build, arrays, layouts)
    assert ours == outcome(oracle.dali(), build, arrays, layouts)


def cases(*table):
    return pytest.mark.parametrize("arguments", table, ids=str)


@cases(
    {"shape": [6, 4]}, {"shape": [-1, 4]}, {"shape": [3, 2, 4]}, {"shape": 24}, {"rel_shape": [1, -1]},
    {"rel_shape": [0.5, 2, 1]}, {"rel_shape": [1, 1, 1, -1]}, {"rel_shape": [0.3, -1]}, {"src_dims": [1, 0, 2]},
    {"rel_shape": [2, 0.5, 1], "src_dims": [1, 0, 2]}, {"layout": "ABC"}, {"layout": ""},
    {"shape": [6, 4], "layout": "AB"}, {"src_dims": [-1, 0, 1, 2], "layout": "FHWC"},
)  # fmt: skip
def test_reshape(arguments):
    check(lambda fn, types, x: fn.reshape(x, **arguments), PICTURE)


def test_reshape_by_a_node():
    shape = np.array([4, 6], np.int64)
    check(lambda fn, types, x, s: fn.reshape(x, s, layout="AB"), PICTURE, shape)
    check(lambda fn, types, x, s: fn.reshape(x, shape=s, layout="AB"), PICTURE, shape.astype(np.int16))


def of_equal_samples(build, *inputs):
    """What the graph makes of a batch of equal pictures and of inputs that differ."""
    import penstock

    pipe = penstock.Pipeline(batch_size=len(inputs[0]), num_threads=1, device_id=None)
    with pipe:
        pictures = penstock.fn.external_source(source=lambda: [PICTURE] * len(inputs[0]), layout="HWC")
        given = [penstock.fn.external_source(source=functools.partial(list, each)) for each in inputs]
        pipe.set_outputs(build(penstock.fn, pictures, *given))
    return [np.array(sample) for sample in pipe.run()[0]]


def test_equal_samples_take_shapes_of_their_own():
    shapes = [np.int64(one) for one in ([4, 6], [4, 6], [24, 1], [2, 12])]
    made = of_equal_samples(lambda fn, pictures, shape: fn.reshape(pictures, shape, layout="AB"), shapes)
    assert [one.shape for one in made] == [tuple(shape) for shape in shapes]


def test_equal_samples_take_windows_of_their_own():
    starts, sizes = [np.float32(one) for one in ([0, 0], [0, 1], [1, 1])], [np.float32([1, 2])] * 3
    made = of_equal_samples(
        lambda fn, pictures, start, size: fn.slice(
            pictures, start, size, normalized_anchor=False, normalized_shape=False, axes=[0, 1]
        ),
        starts, sizes,
    )  # fmt: skip
    for one, (y, x) in zip(made, np.int64(starts), strict=True):
        np.testing.assert_array_equal(one, PICTURE[y : y + 1, x : x + 2])


@cases(
    {"dtype": "UINT16"}, {"dtype": "UINT32", "shape": [6]}, {"dtype": "UINT32", "shape": [2, -1]},
    {"dtype": "UINT32", "rel_shape": [1, 1, 0.25]}, {"dtype": "INT8"}, {"dtype": "UINT32", "src_dims": [0, 1, 2]},
    {"layout": "ABC"},
)  # fmt: skip
def test_reinterpret(arguments):
    def build(fn, types, x):
        given = dict(arguments)
        if "dtype" in given:
            given["dtype"] = getattr(types, given["dtype"])
        return fn.reinterpret(x, **given)

    check(build, PICTURE)


@cases(
    {"axes": [0]}, {"axes": [3]}, {"axes": [0, 2]}, {"axes": [2, 0]}, {"axes": 0, "new_axis_names": "F"},
    {"axes": [0, 2], "new_axis_names": "FD"}, {"axes": [2, 0], "new_axis_names": "FD"},
)  # fmt: skip
def test_expand_dims(arguments):
    check(lambda fn, types, x: fn.expand_dims(x, **arguments), PICTURE)


@cases({"axes": [0]}, {"axes": [2]}, {"axes": [0, 2]}, {"axis_names": "H"}, {"axis_names": "HC"})
def test_squeeze(arguments):
    check(lambda fn, types, x: fn.squeeze(x, **arguments), THIN)


@cases(
    {}, {"perm": [2, 0, 1]}, {"perm": [1, 0, 2]}, {"perm": [2, 0, 1], "transpose_layout": False},
    {"perm": [2, 0, 1], "output_layout": "XYZ"},
)  # fmt: skip
def test_transpose(arguments):
    check(lambda fn, types, x: fn.transpose(x, **arguments), PICTURE)


@cases({"axis": 1}, {"axis": -2}, {"axis_name": "W"})
def test_cat(arguments):
    check(lambda fn, types, x, y: fn.cat(x, y, x, **arguments), PICTURE, PICTURE[:, :1].copy(), layouts=["HWC", None])


@cases({"axis": 0}, {"axis": 1}, {"axis_name": "H"})
def test_the_first_of_several_layouts_counts(arguments):
    """CHW behind HWC: what the letters say of the others is not looked at."""
    square = PICTURE[:3, :3].copy()
    for layouts in (["HWC", "CHW"], ["CHW", "HWC"], ["HWC", None, "CHW"]):
        inputs = [square] * len(layouts)
        check(lambda fn, types, *each: fn.cat(*each, **arguments), *inputs, layouts=layouts)
        named = {"axis": 0, "axis_name": "N"} if "axis_name" in arguments else arguments
        check(lambda fn, types, *each, named=named: fn.stack(*each, **named), *inputs, layouts=layouts)


def test_cat_skips_empty_inputs():
    check(lambda fn, types, x, y: fn.cat(x, y), np.zeros((0, 5), np.uint8), np.ones((2, 3), np.uint8))


@cases({}, {"axis": -1}, {"axis": -3}, {"axis": 3}, {"axis_name": "N"}, {"axis_name": "N", "axis": 1})
def test_stack(arguments):
    check(lambda fn, types, x, y: fn.stack(x, y, **arguments), PICTURE, PICTURE[::-1].copy(), layouts=["HWC", None])


def test_copy():
    check(lambda fn, types, x: fn.copy(x), PICTURE)


@cases({}, {"axis": -1}, {"axis": 0})
@pytest.mark.parametrize("labels", [[1, 2], [1], 1, [[1]], [1.7, -0.5, 3, -1]], ids=str)
def test_one_hot(arguments, labels):
    array = np.array(labels)
    array = array.astype(np.float32 if array.dtype.kind == "f" else np.int32)
    check(lambda fn, types, x: fn.one_hot(x, num_classes=3, **arguments), array)
    check(lambda fn, types, x: fn.one_hot(x, num_classes=3, on_value=7, dtype=types.INT16, **arguments), array)


def test_one_hot_names_its_axis():
    check(lambda fn, types, x: fn.one_hot(x, num_classes=3, axis_name="N"), np.array([1, 2], np.int32), layouts=["C"])


TYPES = [
    "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
    "bool",
]  # fmt: skip
NAMES = [
    "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64", "FLOAT16", "FLOAT", "FLOAT64", "BOOL",
]  # fmt: skip


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", NAMES)
def test_cast_saturates_and_rounds(source, target):
    numbers = np.array([0, 0.5, 1.5, 2.5, -0.5, -1.5, 126.5, 127.5, 255.5, -128.5, 4e4, -4e4])
    if "float" not in source:
        with np.errstate(invalid="ignore"):
            numbers = np.concatenate([numbers.astype(np.int64), [3 << 40, -(3 << 40)]])
    with np.errstate(invalid="ignore", over="ignore"):
        numbers = numbers.astype(source)
    if target == "FLOAT16":
        numbers = numbers[np.abs(numbers.astype(np.float64)) < 65504]  # beyond, DALI's CPU gives infinities
    check(lambda fn, types, x: fn.cast(x, dtype=getattr(types, target)), numbers)
    like = np.zeros(1, dict(zip(NAMES, TYPES, strict=True))[target])
    check(lambda fn, types, x, y: fn.cast_like(x, y), numbers, like)


@pytest.mark.parametrize(
    "make",
    [
        lambda fn, types: types.Constant([1, 2.5, 3], shape=(3, 1), layout="AB"),
        lambda fn, types: types.Constant(5, shape=(2, 2), dtype=types.UINT8),
        lambda fn, types: fn.zeros(shape=[2, 3]),
        lambda fn, types: fn.zeros(),
        lambda fn, types: fn.ones(shape=2, dtype=types.FLOAT16, layout="X"),
    ],
)
def test_constants(make):
    check(lambda fn, types, x: make(fn, types), PICTURE)


def test_full_and_the_like():
    row = np.array([1, 2, 3], np.uint8)
    check(lambda fn, types, x: fn.full(x, shape=[2, 3]), row)
    check(lambda fn, types, x: fn.full(x, shape=[2, 3], layout="AB"), np.float32(5.5))
    check(lambda fn, types, x, y: fn.full_like(x, y), PICTURE, np.float32(5))
    check(lambda fn, types, x: fn.ones_like(x), PICTURE)
    check(lambda fn, types, x: fn.zeros_like(x, dtype=types.BOOL), PICTURE)


SUBSCRIPTS = [
    "0", "-1", "0, 1, 2", ":", "::-1", ":, 2:0:-1", ":, ::2", "5:", ":, -2:", ":, :-5", ":, 1", ":, 2:1",
    ":, -100:100:2", ":, 100:-100:-2", "1:0:1", "0, :, ::-2", "1, ::-1, 1", "newaxis", ":, newaxis", 'newaxis("F"), 0',
    "newaxis, 0, newaxis", ":, :, :, newaxis", "0, newaxis, 1",
]  # fmt: skip


@pytest.mark.parametrize("subscript", SUBSCRIPTS)
def test_subscripts(subscript):
    import penstock

    def build(fn, types, x):
        library = penstock if fn is penstock.fn else oracle.dali()
        return eval(f"x[{subscript}]", {"x": x, "newaxis": library.newaxis})

    check(build, PICTURE)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_subscripts_known_at_run_time(dtype):
    one = np.array(1, dtype)
    check(lambda fn, types, x, i: x[i], PICTURE, one)
    check(lambda fn, types, x, i: x[:, i:], PICTURE, one)
    check(lambda fn, types, x, i: x[:, :i, i], PICTURE, one)


@pytest.mark.parametrize(
    "build,message",
    [
        (lambda x: x[2], "Index 2 is out of range for axis 0 of length 2"),
        (lambda x: x[0, 1, 2, 3], "Too many indices"),
        (lambda x: x[::0], "Step cannot be zero"),
        (lambda x: x[:, :, :, 0:1], "Too many indices"),
    ],
)
def test_subscripts_that_do_not_exist_are_refused(build, message):
    for library in (__import__("penstock"), oracle.dali()):
        with pytest.raises(Exception, match=message):
            outcome(library, lambda fn, types, x: build(x), [PICTURE], ["HWC"])


def test_properties_and_shapes():
    check(lambda fn, types, x: fn.get_property(x, key="layout"), PICTURE)
    check(lambda fn, types, x: x.source_info(), PICTURE)
    check(lambda fn, types, x: x.shape(), PICTURE)
    check(lambda fn, types, x: x.shape(dtype=types.FLOAT), PICTURE)


@cases(
    {}, {"axes": [0], "shape": [5]}, {"axes": [0, 1], "align": [4, 4]}, {"axes": [1], "shape": [2]},
    {"axis_names": "HC", "shape": [3, 8], "fill_value": 7}, {"align": 4}, {"axes": [-1], "align": 3},
    {"shape": [-1, 5, -1]}, {"axes": [0, 1], "shape": [5]}, {"fill_value": 9, "shape": [3, 3, 4]},
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
def test_pad(arguments, dtype):
    check(lambda fn, types, x: fn.pad(x, **arguments), PICTURE.astype(dtype))


def test_pad_to_the_largest_sample():
    def graph(fn, types, math):
        ragged = [np.arange(h * w, dtype=np.float32).reshape(h, w) for h, w in [(1, 4), (3, 2), (2, 2), (0, 1)]]
        x = fn.external_source(source=lambda: ragged, batch=True)
        return fn.pad(x, fill_value=-1), fn.pad(x, axes=1, align=3), fn.pad(x, shape=[2, 2])

    oracle.assert_same(graph)


def test_permute_batch():
    def graph(fn, types, math):
        x = fn.external_source(source=lambda: [np.full(i + 1, i, np.uint8) for i in range(4)], batch=True)
        order = fn.external_source(source=lambda: [np.int32(i) for i in (2, 0, 0, 3)], batch=True)
        return fn.permute_batch(x, indices=[3, 1, 2, 0]), fn.permute_batch(x, indices=order)

    oracle.assert_same(graph)


def test_batch_permutation_moves_whole_samples():
    def graph(fn, types, math):
        x = fn.external_source(source=lambda: [np.int32(i) for i in range(4)], batch=True)
        order = fn.batch_permutation(no_fixed_points=True)
        return fn.permute_batch(x, indices=order), order

    for step in oracle.run_ours(graph, iterations=5):
        moved, order = (np.stack(output) for output in step)
        np.testing.assert_array_equal(moved, order)
        assert sorted(moved) == [0, 1, 2, 3]
        assert not np.any(moved == np.arange(4))
