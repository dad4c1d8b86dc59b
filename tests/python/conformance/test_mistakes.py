"""Every operator names what is wrong with a call: arguments, types, values, numbers of inputs."""

import re

import cases
import pytest
from runs import OPERATORS, REFUSALS, Run, each_operator, is_clear, runnable, with_inputs

from penstock import Pipeline, fn
from penstock._schema import schemas


def call(op, folder, arguments=None, drop_input=False, extra_inputs=0):
    """The operator in a graph of its own, with arguments replaced or added, built."""
    case = cases.cases_of(op)[0]
    with Pipeline(2) as pipe:
        inputs = [fn.external_source(name=f"in{i}") for i in range(len(case.inputs) + extra_inputs)]
        pipe.set_outputs(*case.apply(inputs[1:] if drop_input else inputs, folder, arguments))
    pipe.build()


def shown_arguments(op, deprecated=False):
    args = schemas()[op].args.values()
    return {arg["name"]: arg for arg in args if not arg["hidden"] and (deprecated or not arg["ignored"])}


# `callback` has no arguments of its own in Python.
takes_arguments = pytest.mark.parametrize("op", [op for op in OPERATORS if shown_arguments(op) and op != "callback"])


@takes_arguments
def test_a_misspelt_argument_comes_with_the_right_one(op, folder):
    for name in shown_arguments(op, deprecated=True):
        middle = len(name) // 2
        wrong = name[: middle + 1] + name[middle:]
        with pytest.raises(TypeError) as error:
            call(op, folder, {wrong: 1})
        assert f"[fn.{op}] got an unexpected argument `{wrong}`; did you mean `{name}`?" in str(error.value)


@takes_arguments
@pytest.mark.parametrize("kind", ["other", "object"])
def test_an_argument_of_the_wrong_type_is_named(op, folder, kind):
    for name, arg in shown_arguments(op).items():
        other = 3.5 if arg["type"].endswith("str") else "text"
        value = object() if kind == "object" else other
        with pytest.raises(TypeError) as error:
            call(op, folder, {name: value})
        text = str(error.value)
        assert op in text, name
        assert f"`{name}`" in text, name


_EXTREMES = {
    "bool": [7],
    "int": [-7, 2**40, -(2**63)],
    "float": [float("nan"), float("inf"), -1e30],
    "str": ["", "no such", "\0"],
    "list of int": [[], [-5, 3], [2**62] * 3, [1] * 50],
    "list of float": [[], [float("nan")] * 2, [1e30] * 3, [0.5] * 50],
    "list of str": [[], [""]],
    "dict of str": [{}, {"": ""}, {"no such": 5}],
    "DALIDataType": [999, -1],
    "DALIImageType": [999],
    "DALIInterpType": [999],
}


@takes_arguments
def test_extreme_values_give_a_result_or_one_clear_error(op, folder):
    case = runnable(op, folder)[0]
    for name, arg in shown_arguments(op).items():
        for value in _EXTREMES[arg["type"]]:
            try:
                Run(case, folder, batch_size=2, arguments={name: value}).batches(1)
            except REFUSALS as e:
                assert is_clear(e, op), f"{name}={value}: {e}"


@with_inputs
def test_an_input_that_is_no_node_is_named(op, folder):
    case = cases.cases_of(op)[0]
    for i in range(len(case.inputs)):
        with Pipeline(2) as pipe:
            inputs = [fn.external_source(name=f"in{k}") for k in range(len(case.inputs))]
            inputs[i] = object()
            name = "python_function" if op == "callback" else op
            with pytest.raises(TypeError, match=rf"input {i} of operator `fn.{name}` cannot be made a constant"):
                case.apply(inputs, folder)
        del pipe


@each_operator
def test_too_many_and_too_few_inputs_are_counted(op, folder):
    least, most = schemas()[op].input_range()
    if most is not None:
        extra = most + 1 - len(cases.cases_of(op)[0].inputs)
        with pytest.raises(ValueError, match=rf"fn.{re.escape(op)} expects .*inputs, but received {most + 1}"):
            call(op, folder, extra_inputs=extra)
    if least == len(cases.cases_of(op)[0].inputs) > 0:
        with pytest.raises(ValueError, match=rf"fn.{re.escape(op)} expects .*inputs, but received {least - 1}"):
            call(op, folder, drop_input=True)
