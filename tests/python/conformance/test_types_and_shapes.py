"""Every operator takes the layouts and types that it declares, and samples of any shape."""

import cases
import pytest
from runs import OPERATORS, REFUSALS, Run, each_operator, is_clear, outcome, runnable, same, with_inputs

from penstock import types
from penstock._schema import schemas


@each_operator
def test_every_layout_runs_and_what_is_refused_is_refused_clearly(op, folder):
    ran = set()
    for case in cases.cases_of(op):
        error = outcome(case, folder)
        assert error is None or is_clear(error, op), f"{case}: {error}"
        if error is None:
            ran |= {one.layout for one in case.inputs} or {""}
    declared = {layout for one in schemas()[op].inputs for layout in one["layouts"]}
    assert ran >= (declared or {""}), "add to cases.py what it needs"


@with_inputs
@pytest.mark.parametrize("form", ["empty", "one"])
def test_samples_without_or_of_one_element(op, form, folder):
    """They give a result or one clear error, and the samples beside them are what they are without them."""
    for case in runnable(op, folder):
        try:
            Run(case, folder, form).batches(1)
        except REFUSALS as e:
            assert is_clear(e, op), f"{case}: {e}"
        if schemas()[op].kind == "sample" and form == "empty":
            run = Run(case, folder, form, on_error="skip")
            same(run.batches(1)[-4:], Run(case, folder).batches(1)[-4:])
            assert len(run.pipe.failures()) <= 1


OUTPUTS_VARY = [name for name, schema in schemas().items() if schema.outputs_vary]


@each_operator
def test_types_and_layouts_are_as_declared(op, folder):
    schema = schemas()[op]
    dtype = schema.args.get("dtype", {"default": None})
    for case in runnable(op, folder):
        batches = Run(case, folder).pipe.run()
        assert len(batches) == len(schema.outputs) or op in OUTPUTS_VARY
        for batch in batches:
            assert len(batch.layout()) in (0, batch.ndim())
        if dtype["default"] is not None and "dtype" not in case.arguments(folder):
            assert batches[0].dtype == types.DALIDataType(dtype["default"])
        if schema.inputs and schema.inputs[0]["layouts"] and "output_layout" not in schema.args:
            assert batches[0].layout() == case.inputs[0].layout


@pytest.mark.parametrize("op", [op for op in OPERATORS if "dtype" in schemas()[op].args])
@pytest.mark.parametrize("wanted", [types.UINT8, types.INT16, types.INT32, types.INT64, types.FLOAT16, types.FLOAT])
def test_the_type_asked_for_is_the_type_given_or_refused(op, wanted, folder):
    for case in runnable(op, folder):
        try:
            [batch, *_] = Run(case, folder, arguments={"dtype": wanted}).pipe.run()
        except REFUSALS as e:
            assert is_clear(e, op), f"{case}: {e}"
        else:
            assert batch.dtype == wanted, case
