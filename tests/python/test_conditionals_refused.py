"""`if`, `and`, `or` and `not` over nodes: what is refused, and how errors read."""

import linecache
import pathlib
import traceback

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.pipeline import do_not_convert

_BATCH = 8


def _numbers(dtype=np.int32):
    return fn.external_source(lambda info: np.array(info.idx_in_batch, dtype), batch=False)


def _run(definition, batches=1, **options):
    """What the definition's pipeline gives for the numbers 0 to 7, as lists, one an output."""
    options = {"batch_size": _BATCH, "num_threads": 2, **options}
    pipeline = pipeline_def(definition, enable_conditionals=True, **options)()
    made = [pipeline.run() for _ in range(batches)]
    return [[np.asarray(sample).tolist() for batch in column for sample in batch] for column in zip(*made, strict=True)]


def test_a_name_needs_a_value_on_all_paths():
    def definition():
        if _numbers() > 3:
            output = fn.random.uniform()
        return output

    with pytest.raises(RuntimeError, match="Variable 'output' must also be initialized in the `else` branch"):
        _run(definition)


def test_a_name_that_nobody_reads_needs_none():
    def definition():
        x = _numbers()
        if x > 3:
            here = x + 1
            y = here * 2
        else:
            y = x
        return y

    assert _run(definition) == [[0, 1, 2, 3, 10, 12, 14, 16]]


def test_what_stands_behind_a_branch_that_returns_is_the_other_branch():
    def chosen(x):
        y = x + 1
        if x < 2:
            return y
        elif x < 4:  # noqa: RET505
            y = y * 10
        else:
            return -x
        if y > 35:
            return y + 1
        return y

    def definition():
        return chosen(_numbers())

    assert _run(definition) == [[1, 2, 30, 41, -4, -5, -6, -7]]


def test_both_branches_return_or_none():
    def definition():
        if _numbers() > 3:
            return fn.random.uniform()

    with pytest.raises(RuntimeError, match="The `else` branch must also have a return statement"):
        _run(definition)


def test_branches_give_one_structure():
    def definition():
        x = _numbers()
        y = (x, x) if x > 3 else (x,)
        return y

    with pytest.raises(ValueError, match=r"same nesting structure(.|\n)*'If' output structure: \(\*, \*\)"):
        _run(definition)


def test_branches_give_one_type():
    def definition():
        x = _numbers()
        return fn.cast(x, dtype=types.FLOAT) if x > 3 else x

    with pytest.raises(RuntimeError, match=r"Divergent data found.* int32 of 0 dimensions and float32 of 0"):
        _run(definition)


def test_branches_give_one_rank_at_the_users_line():
    def definition():
        x = _numbers()
        return fn.stack(x, x) if x > 3 else x

    with pytest.raises(RuntimeError, match=r"Divergent data found(.|\n)*in .*definition"):
        _run(definition)


def test_conditions_are_scalars():
    def definition():
        x = _numbers()
        return 1 if fn.stack(x, x) else 0

    with pytest.raises(RuntimeError, match="Conditions inside `if` statements are restricted to scalar .* Got a 1-d"):
        _run(definition)


def test_conditions_are_read_on_the_host():
    def definition():
        x = _numbers()
        return 1 if x.gpu() > 3 else 0

    with pytest.raises(ValueError, match='Invalid device "gpu"'):
        _run(definition)


@pytest.mark.parametrize("side", ["left", "right"])
def test_logic_is_over_booleans(side):
    def definition():
        x = _numbers()
        return x and x > 3 if side == "left" else x >= 0 or x

    if side == "right":

        def definition():  # noqa: F811
            x = _numbers()
            return x < 0 or x

    with pytest.raises(RuntimeError, match=f"type `int32` as the {side} argument in logical expression"):
        _run(definition)


def test_values_of_one_branch_are_not_to_be_had_outside():
    def definition():
        x = _numbers()
        made = []
        if x > 3:
            made.append(x + 1)
        return made[0]

    with pytest.raises(ValueError, match=r"made in one branch of an `if` only(.|\n)*made.append\(x \+ 1\)"):
        _run(definition)


def test_a_branch_cannot_leave_a_loop():
    def definition():
        x = _numbers()
        for _ in range(3):
            if x > 3:
                break
        return x

    with pytest.raises(SyntaxError, match="`break` in one branch of an `if` over a node"):
        _run(definition)


def test_values_that_are_no_data_are_refused():
    def definition():
        x = _numbers()
        what = object() if x > 3 else object()
        return x, what

    with pytest.raises(TypeError, match="no data"):
        _run(definition)


def _generated(x):
    if x > 3:
        yield x
    else:
        yield -x


@do_not_convert
def _left_alone(x):
    return 1 if x > 3 else 0


def test_a_pipeline_definition_is_not_left_alone():
    with pytest.raises(ValueError, match="Pipeline definition cannot be marked with @do_not_convert"):
        pipeline_def(_left_alone)
    with pytest.raises(ValueError, match="Pipeline definition cannot be marked with @do_not_convert"):
        do_not_convert(pipeline_def(lambda: 1))


@pytest.mark.parametrize(
    "function",
    [_left_alone, lambda x: list(_generated(x))[0], eval("lambda x: 1 if x > 3 else 0")],
    ids=["left alone", "generator", "no source"],
)
def test_code_that_is_not_converted_says_so(function):
    def definition():
        return function(_numbers())

    with pytest.raises(TypeError, match='"DataNode" was used in conditional context(.|\n)*not converted'):
        _run(definition)


def test_conditionals_are_off_unless_asked_for():
    @pipeline_def(batch_size=_BATCH, num_threads=2)
    def definition():
        return 1 if _numbers() > 3 else 0

    with pytest.raises(TypeError, match="`enable_conditionals=True`"):
        definition()
    assert [int(np.asarray(one)) for one in definition(enable_conditionals=True).run()[0]] == [0] * 4 + [1] * 4


def test_errors_keep_the_lines_of_the_users_file():
    def failing():
        raise ValueError("nothing to see")  # the line

    def definition():
        x = _numbers()
        if x > 3:
            x = failing()
        return x

    with pytest.raises(ValueError, match="nothing to see") as caught:
        _run(definition)
    frames = [frame for frame in traceback.extract_tb(caught.tb) if frame.filename == __file__]
    assert frames[-1].line == 'raise ValueError("nothing to see")  # the line'
    assert frames[-2].line == "x = failing()"
    assert frames[-2].name == "definition"


def test_a_definition_goes_on_behind_an_error_in_a_branch():
    def definition():
        x = _numbers()
        try:
            if x > 3:
                x = x.missing
        except AttributeError:
            pass
        return x + 1

    assert _run(definition) == [[1, 2, 3, 4, 5, 6, 7, 8]]


def _countdown(x, n):
    if n == 0:
        return x
    if x > n:
        x = x - 1
    return _countdown(x, n - 1)


def test_functions_call_themselves_and_lambdas_share_lines():
    def definition():
        x = _numbers()
        low, high = (lambda v: 1 if v < 2 else 0), (lambda v: 1 if v > 5 else 0)
        return _countdown(x, 3), low(x), high(x)

    assert _run(definition) == [[0, 1, 1, 1, 1, 2, 3, 4], [1, 1] + [0] * 6, [0] * 6 + [1] * 2]


def test_attributes_are_joined_as_names_are():
    class Kept:
        a = 0

    def definition():
        x, kept = _numbers(), Kept()
        kept.inner = Kept()
        if x > 3:
            kept.a = -x
            kept.only = x
        else:
            kept.inner.a = 2 * x
        assert not hasattr(kept, "only")
        return kept.a, kept.inner.a

    assert _run(definition) == [[0] * 4 + [-4, -5, -6, -7], [0, 2, 4, 6, 0, 0, 0, 0]]


def test_the_guide_runs(capsys):
    """Its blocks one after the other, as a reader would type them into a file."""
    page = pathlib.Path(__file__).parents[2] / "docs" / "conditionals.md"
    names = {"__name__": "__main__"}
    fence = "`" * 3
    for number, block in enumerate(page.read_text(encoding="utf-8").split(f"{fence}python\n")[1:]):
        code = block.partition(fence)[0]
        file = f"<block {number} of the guide>"
        linecache.cache[file] = (len(code), None, code.splitlines(True), file)
        exec(compile(code, file, "exec"), names)
    assert " where #" in capsys.readouterr().out
