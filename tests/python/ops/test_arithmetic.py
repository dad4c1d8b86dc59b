"""Arithmetic between nodes gives DALI's types, values and layouts; checked against DALI itself."""

import itertools
import operator

import numpy as np
import oracle
import pytest

TYPES = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64", "bool"]
OPERATORS = [
    "add", "sub", "mul", "truediv", "floordiv", "mod", "eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "xor",
    "lshift", "rshift",
]  # fmt: skip
BINARY = ["pow", "fpow", "min", "max", "atan2"]
UNARY = [
    "abs", "fabs", "floor", "ceil", "sqrt", "cbrt", "exp", "log", "log2", "log10", "sin", "cos", "tan", "asin",
    "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
]  # fmt: skip


def values(dtype, seed=0):
    """Small numbers of both signs without zero, which divides nothing."""
    numbers = np.random.default_rng(seed).integers(1, 7, 24) * np.where(np.arange(24) % 2, -1, 1)
    return np.abs(numbers).astype(dtype) if dtype[0] in "ub" else numbers.astype(dtype)


def fed(fn, array, layout=None):
    return fn.external_source(source=lambda: [array], layout=layout, batch=True)


def applied(name, math, *operands):
    function = getattr(operator, name, None) if name in OPERATORS else getattr(math, name)
    return function(*operands)


def mixes_sign_with_float(a, b):
    return a.startswith("float") != b.startswith("float") and "int" in (a + b).replace("uint", "")


def allowed(name, a, b):
    """Whether DALI takes the two types and computes with them what it should."""
    both_bool = a == b == "bool"
    if name in ("lt", "le", "gt", "ge") and mixes_sign_with_float(a, b):
        return False  # DALI 2.4's CPU orders two negative numbers of these types the wrong way round
    if name in ("and_", "or_", "xor", "lshift", "rshift"):
        return not any(t.startswith("float") for t in (a, b))
    return not both_bool or name in ("mul", "eq", "ne", "lt", "le", "gt", "ge")


@pytest.mark.parametrize("name", OPERATORS + BINARY)
def test_every_pair_of_types_as_in_dali(name):
    pairs = [pair for pair in itertools.product(TYPES, TYPES) if allowed(name, *pair)]

    def graph(fn, types, math):
        left = {t: fed(fn, values(t, 1)) for t in TYPES}
        right = {t: fed(fn, values(t, 2)) for t in TYPES}
        return tuple(applied(name, math, left[a], right[b]) for a, b in pairs)

    relative = 1e-6 if name in ("pow", "fpow", "atan2") else 0
    ours, theirs = (run(graph, batch_size=1)[0] for run in (oracle.run_ours, oracle.run_dali))
    for pair, mine, his in zip(pairs, ours, theirs, strict=True):
        assert mine[0].dtype == his[0].dtype, pair
        np.testing.assert_allclose(mine[0], his[0], rtol=relative, err_msg=str(pair))


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge"])
def test_signed_integers_and_floats_compare_by_value(name):
    pairs = [pair for pair in itertools.product(TYPES, TYPES) if mixes_sign_with_float(*pair)]

    def graph(fn, types, math):
        return tuple(applied(name, math, fed(fn, values(a, 1)), fed(fn, values(b, 2))) for a, b in pairs)

    for (a, b), mine in zip(pairs, oracle.run_ours(graph, batch_size=1)[0], strict=True):
        np.testing.assert_array_equal(mine[0], getattr(operator, name)(values(a, 1), values(b, 2)))


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_operand_as_in_dali(name):
    def graph(fn, types, math):
        return tuple(applied(name, math, fed(fn, values(t))) for t in TYPES if t != "bool")

    for mine, his in zip(oracle.run_ours(graph, 1)[0], oracle.run_dali(graph, 1)[0], strict=True):
        assert mine[0].dtype == his[0].dtype
        np.testing.assert_allclose(mine[0], his[0], rtol=1e-6, atol=1e-7)


def test_signs_and_complements_as_in_dali():
    def graph(fn, types, math):
        numbers = [fed(fn, values(t)) for t in TYPES if t != "bool"]
        whole = [fed(fn, values(t)) for t in TYPES if "float" not in t]
        return (*[-x for x in numbers], *[+x for x in numbers], *[abs(x) for x in numbers], *[~x for x in whole])

    oracle.assert_same(graph, batch_size=1)


def test_constants_as_in_dali():
    def graph(fn, types, math):
        x, y = fed(fn, np.array([5, 200], np.uint8)), fed(fn, np.array([0.5, -3], np.float64))
        return (
            x + 5, 1 - x, x * 2.5, x + True, x / 3, x // 3, 7 % x, x**2, 2**x, x < 7.5, x == 5, x & 6, 1 << (x & 3),
            y + 1, y * 0.1, math.clamp(x, 6, 100), math.clamp(y, -1, types.Constant(0).int8()), math.min(x, 7),
            x + types.Constant(2).uint16(), x + types.Constant(1 << 40).int64(), x + types.Constant(0.1).float64(),
        )  # fmt: skip

    oracle.assert_same(graph, batch_size=1)


SHAPES = [
    ((2, 3), (3,)), ((2, 3), (2, 1)), ((2, 1), (1, 3)), ((2, 3), ()), ((), ()), ((1,), ()), ((40, 50, 3), (3,)),
    ((40, 50, 3), (40, 50, 1)), ((3, 40, 50), (3, 1, 1)), ((0, 3), (3,)), ((1, 0), (3, 1)),
]  # fmt: skip


@pytest.mark.parametrize("a,b", SHAPES)
def test_broadcasting_as_in_dali(a, b):
    def graph(fn, types, math):
        x = np.arange(np.prod(a), dtype=np.float32).reshape(a)
        y = np.arange(np.prod(b), dtype=np.uint8).reshape(b)
        return fed(fn, x) - fed(fn, y), fed(fn, y) - fed(fn, x)

    oracle.assert_same(graph, batch_size=1)


@pytest.mark.parametrize(
    "a,b,expected", [("HWC", None, "HWC"), (None, "HWC", "HWC"), ("HWC", "C", "HWC"), ("WC", "HWC", "HWC")]
)
def test_layouts_as_in_dali(a, b, expected):
    import penstock

    def array(layout):
        return np.zeros([2, 2, 3][3 - len(layout or "HWC") :], np.float32)

    for library in (penstock, oracle.dali()):
        pipe = library.Pipeline(batch_size=1, num_threads=1, device_id=None)
        with pipe:
            pipe.set_outputs(fed(library.fn, array(a), a) + fed(library.fn, array(b), b))
        pipe.build()
        assert pipe.run()[0].layout() == expected


@pytest.mark.parametrize(
    "graph,message",
    [
        (lambda a, f: (a > 1) + (a > 2), r"Inputs to arithmetic operator `\+` cannot be booleans"),
        (lambda a, f: -(a > 1), "Input to arithmetic operator `-` cannot be a boolean"),
        (lambda a, f: f & a, "Inputs to bitwise operator `&` must be of integral type"),
        (lambda a, f: a // (a - a), "integer division by zero"),
        (lambda a, f: a + np.zeros((2, 3), np.float32), "Can't broadcast shapes"),
    ],
)
def test_what_cannot_be_computed_is_refused(graph, message):
    import penstock
    from penstock import fn

    pipe = penstock.Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        whole, real = fed(fn, np.array([1, 2], np.int32)), fed(fn, np.array([1, 2], np.float32))
        pipe.set_outputs(graph(whole, real))
    with pytest.raises(Exception, match=message):
        pipe.build()
        pipe.run()


def test_lists_with_nodes_in_them_are_no_operands():
    import penstock
    from penstock import math

    with penstock.Pipeline(batch_size=1):
        node = penstock.fn.constant(idata=[1])
        for use, said in [
            (lambda: node + [node, 1], r"input 1 of operator `\+` must be .*Got a `list` with nested DataNode"),
            (lambda: (1, node) <= node, r"input 1 of operator `>=` must be .*Got a `tuple` with nested DataNode"),
            (lambda: math.max([node], 1), r"input 0 of operator `max` must be .*Got a `list` with nested DataNode"),
        ]:
            with pytest.raises(TypeError, match=said):
                use()
