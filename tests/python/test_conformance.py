"""What every operator of the registry promises, whatever it computes. A new operator is tested by being there."""

import ctypes
import functools
import json
import pathlib
import re

import cases
import numpy as np
import pytest

import penstock.pipeline
from penstock import Pipeline, _core, fn, types
from penstock._schema import public_names, schemas

ROOT = pathlib.Path(__file__).parents[2]
OPERATORS = cases.all_operators()
each_operator = pytest.mark.parametrize("op", OPERATORS)
each_public_name = pytest.mark.parametrize("name", public_names())
_REFUSALS = (ValueError, TypeError, IndexError, KeyError, RuntimeError, MemoryError)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cases")


class Run:
    """A case at work on a source of numbered samples."""

    def __init__(
        self, case, folder, form="plain", batch_size=5, number=None, through=None, checkpoint=None, no_copy=False,
        arguments=None, seed=7, num_threads=1, on_error="raise",
    ):  # fmt: skip
        self.fed = []  # (array, copy of it)
        with Pipeline(batch_size, num_threads, seed=seed, checkpoint=checkpoint, on_error=on_error) as self.pipe:
            nodes = [self._source(one, form, number, no_copy) for one in case.inputs]
            outputs = case.apply(nodes, folder, arguments)
            self.pipe.set_outputs(*(through(nodes, outputs) if through else outputs))

    def _source(self, one, form, number, no_copy):
        def sample(info):
            array = one.make(info.idx_in_epoch, form) if number is None else one.make(number(info), form)
            if no_copy:
                self.fed.append((array, array.copy()))
            return array

        return fn.external_source(sample, batch=False, layout=one.layout or None, no_copy=no_copy)

    def batches(self, count):
        """Each sample of `count` batches as the tuple of its outputs."""
        samples = []
        for _ in range(count):
            outputs = self.pipe.run()
            samples += zip(*([np.array(sample) for sample in output] for output in outputs), strict=True)
        return samples


def same(mine, theirs):
    """Bit for bit, also where there are no numbers."""
    assert len(mine) == len(theirs)
    for i, (a, b) in enumerate(zip(mine, theirs, strict=True)):
        for output, (x, y) in enumerate(zip(a, b, strict=True)):
            where = f"sample {i}, output {output}"
            assert (x.dtype, x.shape) == (y.dtype, y.shape), where
            assert x.tobytes() == y.tobytes(), where


def is_clear(error, op):
    """One error that names the operator and says what is wrong."""
    text = str(error)
    return isinstance(error, _REFUSALS) and op in text.splitlines()[0] and "unknown exception" not in text


@functools.cache
def outcome(case, folder):
    """None when the case runs, or the error."""
    try:
        Run(case, folder).batches(1)
    except _REFUSALS as e:
        return e
    return None


def runnable(op, folder):
    return [case for case in cases.cases_of(op) if outcome(case, folder) is None]


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


# Documentation --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", schemas())
def test_everything_is_documented(op):
    schema = schemas()[op]
    assert len(schema.doc) > 10
    for one in [*schema.inputs, *schema.outputs]:
        assert one["name"].isidentifier()
        assert one["doc"].strip(), one["name"]
    for arg in schema.args.values():
        assert arg["doc"].strip(), arg["name"]
        assert arg["type"], arg["name"]


@functools.cache
def stubs():
    """Qualified name -> signature, from fn.pyi."""
    found, space = {}, []
    for block in re.finditer(
        r"^( *)(?:class (\w+):|def (\w+)\((.*?)\n? *\) ->)", (ROOT / "python/penstock/fn.pyi").read_text(), re.M | re.S
    ):
        indent, klass, function, parameters = block.groups()
        space = space[: len(indent) // 4]
        if klass:
            space.append(klass)
        else:
            found[".".join([*space, function])] = parameters
    return found


@each_public_name
def test_stubs_show_every_argument(name):
    signature = stubs()[name]
    for arg in public_names()[name].args.values():
        assert arg["hidden"] or re.search(rf"\b{arg['name']}: [^=]+( = |,|$)", signature), arg["name"]


@pytest.mark.parametrize("op", sorted({schema.name for schema in public_names().values()}))
def test_reference_pages_tell_every_argument(op):
    page = (ROOT / f"docs/reference/{op}.md").read_text()
    for arg in schemas()[op].args.values():
        assert arg["hidden"] or f"| `{arg['name']}` |" in page, arg["name"]
    assert f"]({op}.md)" in (ROOT / "docs/reference/README.md").read_text()


# Mistakes -------------------------------------------------------------------------------------------------------------


def call(op, folder, arguments=None, drop_input=False, extra_inputs=0):
    """The operator in a graph of its own, with arguments replaced or added, built."""
    case = cases.cases_of(op)[0]
    with Pipeline(2) as pipe:
        inputs = [fn.external_source(name=f"in{i}") for i in range(len(case.inputs) + extra_inputs)]
        pipe.set_outputs(*case.apply(inputs[1:] if drop_input else inputs, folder, arguments))
    pipe.build()


def shown_arguments(op, deprecated=False):
    args = schemas()[op].args.values()
    return {arg["name"]: arg for arg in args if not arg["hidden"] and (deprecated or not arg["deprecated"])}


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
        other = 3.5 if arg["type"] in ("str", "list of str") else "text"
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
            except _REFUSALS as e:
                assert is_clear(e, op), f"{name}={value}: {e}"


with_inputs = pytest.mark.parametrize("op", [op for op in OPERATORS if schemas()[op].inputs])


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


# Results --------------------------------------------------------------------------------------------------------------

# An operator over the whole batch may well depend on it.
by_sample = pytest.mark.parametrize("op", [op for op in OPERATORS if schemas()[op].kind in ("sample", "reader")])


@by_sample
def test_results_do_not_depend_on_the_batch_size(op, folder):
    for case in runnable(op, folder):
        same(Run(case, folder, "ragged", batch_size=1).batches(5), Run(case, folder, "ragged").batches(1))


@each_operator
def test_results_do_not_depend_on_the_number_of_threads(op, folder):
    for case in runnable(op, folder):
        same(*(Run(case, folder, "ragged", num_threads=threads).batches(2) for threads in (1, 2)))


@by_sample
def test_results_do_not_depend_on_the_neighbours(op, folder):
    """Sample k among others of other shapes, and among others of its own shape."""
    for case in runnable(op, folder):
        among_others = Run(case, folder, "ragged").batches(1)
        for k in range(3):
            alike = Run(case, folder, "ragged", number=lambda info, k=k: k if info.idx_in_batch == k else k + 3)
            same(alike.batches(1)[k : k + 1], among_others[k : k + 1])


@each_operator
def test_a_resumed_run_goes_on_bit_for_bit(op, folder):
    for case in runnable(op, folder):
        first = Run(case, folder, "ragged", batch_size=4)
        first.batches(2)
        saved = first.pipe.checkpoint()
        same(Run(case, folder, "ragged", batch_size=4, checkpoint=saved).batches(3), first.batches(3))


@each_operator
def test_a_second_run_is_the_same(op, folder):
    for case in runnable(op, folder):
        same(Run(case, folder).batches(2), Run(case, folder).batches(2))


@each_operator
def test_results_do_not_depend_on_what_lay_in_memory(op, folder):
    """Blocks of the pool hold results of other samples; what comes from the system is filled."""
    fill = functools.partial(ctypes.CDLL(None).mallopt, -6)  # M_PERTURB of glibc
    for case in runnable(op, folder):
        clean = Run(case, folder, "ragged").batches(1)
        try:
            for byte in (0x5A, 0xFF):
                fill(byte)
                Run(case, folder, "ragged", number=lambda info, byte=byte: info.idx_in_epoch + byte * 3).batches(1)
                same(Run(case, folder, "ragged").batches(1), clean)
        finally:
            fill(0)


@with_inputs
def test_inputs_are_not_modified(op, folder):
    for case in runnable(op, folder):
        run = Run(case, folder, no_copy=True, through=lambda nodes, outputs: [*nodes, *outputs])
        rows = run.batches(1)
        for array, copy in run.fed:
            assert array.tobytes() == copy.tobytes()
        for i, row in enumerate(rows):
            same([row[: len(case.inputs)]], [tuple(one.make(i) for one in case.inputs)])


def cuts(node, ndim, starts=(0.2, 0.4)):
    """Two windows that overlap in part: what is held for both is more than either needs."""
    if not ndim:
        return [node]
    axes = list(range(ndim))
    return [fn.slice(node, rel_start=[start] * ndim, rel_shape=[0.5] * ndim, axes=axes) for start in starts]


class Cut(cases.Case):
    """A case whose inputs are windows, where they are not just bytes; others read other windows of the same."""

    def apply(self, nodes, folder, more=None):
        windows = [fn.slice(node, start=[1, 0], shape=[10, 10], axes=[0, 1], out_of_bounds_policy="trim_to_shape")
                   if one.layout else node for node, one in zip(nodes, self.inputs, strict=True)]  # fmt: skip
        others = [
            cut
            for window, one in zip(windows, self.inputs, strict=True)
            if one.layout
            for cut in cuts(window, len(one.layout), starts=(0.0, 0.5))
        ]
        return [*super().apply(windows, folder, more), *others]


@by_sample
@pytest.mark.parametrize("form", ["plain", "ragged"])
def test_pushing_regions_changes_nothing(op, form, folder, monkeypatch):
    for case in runnable(op, folder):
        ranks = [array.ndim for array in Run(case, folder).batches(1)[0]]

        def through(nodes, outputs, ranks=ranks):
            del nodes
            made = [cut for node, ndim in zip(outputs, ranks, strict=False) for cut in cuts(node, ndim)]
            return made + outputs[len(ranks) :]

        pushed = Run(Cut(case.op, case.inputs), folder, form, through=through).batches(1)
        whole = functools.partial(_core.Pipeline, push_regions=False)
        with monkeypatch.context() as patch:
            patch.setattr(penstock.pipeline, "_core", _Replaced(_core, Pipeline=whole))
            same(pushed, Run(Cut(case.op, case.inputs), folder, form, through=through).batches(1))


class _Replaced:
    """A module with some names replaced."""

    def __init__(self, module, **names):
        self._module = module
        self.__dict__.update(names)

    def __getattr__(self, name):
        return getattr(self._module, name)


@pytest.mark.parametrize("op", [op for op in OPERATORS if schemas()[op].random and schemas()[op].kind != "reader"])
def test_seeds_decide_about_random_numbers(op, folder):
    case = runnable(op, folder)[0]

    def numbers(**seeds):
        return [b"".join(array.tobytes() for array in row) for row in Run(case, folder, **seeds).batches(4)]

    for seeds in ({"seed": 1}, {"arguments": {"seed": 1}}):
        assert numbers(**seeds) == numbers(**seeds)
    assert numbers(seed=1) != numbers(seed=2)
    assert numbers(arguments={"seed": 1}) != numbers(arguments={"seed": 2})
    assert numbers(seed=1, arguments={"seed": 3}) == numbers(seed=2, arguments={"seed": 3})


@pytest.mark.parametrize("op", [op for op in OPERATORS if schemas()[op].kind == "reader"])
def test_shuffle_seeds_decide_about_orders(op, folder):
    case = cases.cases_of(op)[0]

    def order(seed):
        return Run(case, folder, arguments={"random_shuffle": True, "seed": seed}).batches(2)

    same(order(1), order(1))
    with pytest.raises(AssertionError):
        same(order(1), order(2))


# Odd shapes, types and layouts ----------------------------------------------------------------------------------------


@with_inputs
@pytest.mark.parametrize("form", ["empty", "one"])
def test_samples_without_or_of_one_element(op, form, folder):
    """They give a result or one clear error, and the samples beside them are what they are without them."""
    for case in runnable(op, folder):
        try:
            Run(case, folder, form).batches(1)
        except _REFUSALS as e:
            assert is_clear(e, op), f"{case}: {e}"
        if schemas()[op].kind == "sample" and form == "empty":
            run = Run(case, folder, form, on_error="skip")
            same(run.batches(1)[-4:], Run(case, folder).batches(1)[-4:])
            assert len(run.pipe.failures()) <= 1


OUTPUTS_VARY = [one["name"] for one in json.loads(_core.schema_json()) if one["outputs_vary"]]


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
        except _REFUSALS as e:
            assert is_clear(e, op), f"{case}: {e}"
        else:
            assert batch.dtype == wanted, case
