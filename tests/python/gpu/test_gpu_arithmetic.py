"""Functions of arithmetic on a GPU: the CPU's results, for all functions and all pairs of types."""

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock._call import call

_TYPES = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
          "bool"]  # fmt: skip
_UNARY = ["plus", "minus", "abs", "bitnot", "fabs", "floor", "ceil", "sqrt", "cbrt", "exp", "log", "log2", "log10",
          "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
          "rsqrt"]  # fmt: skip
_BINARY = ["add", "sub", "mul", "div", "mod", "pow", "min", "max", "bitand", "bitor", "bitxor", "lshift", "rshift",
           "fdiv", "fpow", "atan2", "eq", "neq", "lt", "leq", "gt", "geq"]  # fmt: skip
_COMPARISONS = ["eq", "neq", "lt", "leq", "gt", "geq"]


def _values(dtype, i, nonzero=False):
    """Small and extreme values; no zeros where integers are divided."""
    random = np.random.default_rng(i)
    if dtype == "bool":
        return random.integers(1 if nonzero else 0, 2, (6, 7)).astype(bool)
    if np.dtype(dtype).kind == "f":
        return (random.normal(size=(6, 7)) * 2).astype(dtype)
    info = np.iinfo(dtype)
    values = random.integers(-9 if info.min else 0, 10, (6, 7)).astype(dtype)
    values.flat[:4] = [info.min, info.max, info.max - 1, info.min]
    return np.where(values == 0, np.array(3, dtype), values) if nonzero else values


def _source(array):
    return fn.external_source(source=lambda: [array, array[:3]])


def _run(graph, arrays, device):
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=0)
    try:
        with pipe:
            nodes = [_source(array) for array in arrays]
            made = graph(nodes, device)
            pipe.set_outputs(*(node.gpu() if device == "gpu" else node for node in made))
        return [np.asarray(output.as_cpu()[k]) for output in pipe.run() for k in range(2)]
    finally:
        pipe.close()


def _functions(names):
    """One graph that applies each of the functions to the inputs."""
    return lambda inputs, device: [call("arithmetic", inputs, {"op": name, "device": device}) for name in names]


def _compare(names, arrays):
    graph = _functions(names)
    expected, got = _run(graph, arrays, "cpu"), _run(graph, arrays, "gpu")
    for i, (a, b) in enumerate(zip(expected, got, strict=True)):
        where = f"{names[i // 2]} of {[array.dtype.name for array in arrays]}"
        assert a.dtype == b.dtype and a.shape == b.shape, where
        if a.dtype.kind == "f":
            rtol = 2e-3 if a.dtype == "f2" else 3e-6
            np.testing.assert_allclose(b.astype("f8"), a.astype("f8"), rtol=rtol, err_msg=where)
        else:
            np.testing.assert_array_equal(b, a, err_msg=where)


def _takes(name, types):
    """Whether the function takes operands of these types."""
    bits = name.startswith("bit") or name.endswith("shift")
    if bits:
        return not any(dtype.startswith("float") for dtype in types)
    return name in ("plus", "mul", *_COMPARISONS) or set(types) != {"bool"}


@pytest.mark.parametrize("dtype", _TYPES)
def test_unary(dtype):
    _compare([name for name in _UNARY if _takes(name, [dtype])], [_values(dtype, 1)])


@pytest.mark.parametrize("first", _TYPES)
@pytest.mark.parametrize("second", _TYPES)
def test_binary(first, second):
    names = [name for name in _BINARY if _takes(name, [first, second])]
    _compare(names, [_values(first, 1), _values(second, 2, nonzero=True)])


def test_constants_on_either_side_and_clamp():
    def graph(nodes, device):
        x = nodes[0].gpu() if device == "gpu" else nodes[0]
        from penstock import math

        return [3 - x, x - 3, 2**x, math.clamp(x, 1, 2.5), (x // 2) % 3, 7 / (x * x + 1), x > 2, -x]

    for dtype in ("uint8", "int32", "float32"):
        array = _values(dtype, 4)
        for a, b in zip(_run(graph, [array], "cpu"), _run(graph, [array], "gpu"), strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(b, a, rtol=3e-6)


def test_a_division_by_zero_is_the_cpus_error():
    zero = np.array([[1, 0, 2]] * 4, np.int32)
    for function in ("div", "mod"):
        with pytest.raises(RuntimeError, match="integer division by zero"):
            _run(_functions([function]), [zero + 5, zero], "gpu")


def test_shapes_are_broadcast():
    rows, column = np.arange(12, dtype=np.int16).reshape(4, 3), np.float32([[1], [2], [3], [4]])

    def graph(nodes, device):
        a, b = nodes
        if device == "gpu":
            a, b = a.gpu(), b.gpu()
        return [a * b, b - a]

    with Pipeline(batch_size=1, device_id=0) as pipe:
        a = fn.external_source(source=lambda: [rows])
        b = fn.external_source(source=lambda: [column])
        pipe.set_outputs(*graph([a, b], "gpu"))
    product, difference = pipe.run()
    np.testing.assert_array_equal(np.asarray(product.as_cpu()[0]), rows * column)
    np.testing.assert_array_equal(np.asarray(difference.as_cpu()[0]), column - rows)
