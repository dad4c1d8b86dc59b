"""Every operator gives on a GPU what it gives on the CPU, within the tolerance of its schema."""

import cases
import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock._schema import schemas

_OPERATORS = sorted(name for name, schema in schemas().items() if not schema.host_only)
_CASES = [case for op in _OPERATORS for case in cases.cases_of(op)]
_SAMPLES = 4


def _samples_of(one, form):
    return lambda: [one.make(i, form) for i in range(_SAMPLES)]


def _pipeline(case, device, form, folder):
    pipe = Pipeline(batch_size=_SAMPLES, num_threads=2, seed=5, device_id=0)
    with pipe:
        nodes = [fn.external_source(source=_samples_of(one, form), layout=one.layout or None) for one in case.inputs]
        made = case.apply(nodes, folder, {"device": device})
        pipe.set_outputs(*(node.gpu() if device == "gpu" else node for node in made))
    return pipe


def _results(case, device, form, folder):
    """Arrays of all outputs of one batch; or the error's text."""
    pipe = None
    try:
        pipe = _pipeline(case, device, form, folder)
        outputs = pipe.run()
        if device == "gpu":
            assert {type(output).__name__ for output in outputs} == {"TensorListGPU"}
        return [[np.asarray(output.as_cpu()[i]) for i in range(len(output))] for output in outputs]
    except (RuntimeError, ValueError, TypeError) as e:
        return str(e).split("\n")[0]
    finally:
        if pipe:
            pipe.close()


@pytest.mark.parametrize("op", _OPERATORS)
def test_every_operator_has_a_form(op, tmp_path):
    case = cases.cases_of(op)[0]
    pipe = _pipeline(case, "gpu", "plain", tmp_path)
    pipe.build()
    made = (f" {op}(", f" _{op}(")  # the latter where other nodes stand for it
    lines = [line for line in pipe.explain().splitlines() if any(name in line for name in made)]
    assert lines and all("on the GPU" in line or "renames only" in line for line in lines), lines


@pytest.mark.parametrize("form", ["plain", "ragged", "one", "empty"])
@pytest.mark.parametrize("case", _CASES, ids=str)
def test_gpu_gives_what_the_cpu_gives(case, form, tmp_path):
    expected, got = (_results(case, device, form, tmp_path) for device in ("cpu", "gpu"))
    if isinstance(expected, str):
        assert isinstance(got, str), expected
        return
    assert not isinstance(got, str), got
    tolerance = case.schema.tolerance
    for one, other in zip(expected, got, strict=True):
        for a, b in zip(one, other, strict=True):
            same(a, b, tolerance)


def same(a, b, tolerance=0.0):
    assert a.dtype == b.dtype and a.shape == b.shape
    if a.dtype.kind == "f":
        np.testing.assert_allclose(
            b.astype("f8"),
            a.astype("f8"),
            rtol=1e-3 if a.dtype == "f2" else 1e-5,
            atol=max(tolerance, 1e-5) if tolerance else 1e-4,
        )
    else:
        assert np.abs(a.astype("i8") - b.astype("i8")).max(initial=0) <= tolerance
