"""What every operator gives depends on its inputs, arguments and seed alone."""

import ctypes
import functools

import cases
import pytest
from runs import OPERATORS, Run, by_sample, each_operator, runnable, same, with_inputs

from penstock._schema import schemas


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
def test_an_input_without_a_layout_has_the_first_declared_one_of_its_rank(op, folder):
    layouts = [layout for one in schemas()[op].inputs for layout in one["layouts"]]
    firsts = {len(layout): layout for layout in reversed(layouts)}
    for case in runnable(op, folder):
        if any(one.layout and firsts.get(len(one.layout)) == one.layout for one in case.inputs):
            same(*(Run(case, folder, "ragged", labelled=said).batches(2) for said in (False, True)))


@with_inputs
def test_inputs_are_not_modified(op, folder):
    for case in runnable(op, folder):
        run = Run(case, folder, no_copy=True, through=lambda nodes, outputs: [*nodes, *outputs])
        rows = run.batches(1)
        for array, copy in run.fed:
            assert array.tobytes() == copy.tobytes()
        for i, row in enumerate(rows):
            same([row[: len(case.inputs)]], [tuple(one.make(i) for one in case.inputs)])


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
        return Run(case, folder, arguments={"random_shuffle": True, "shuffle_after_epoch_seed": seed}).batches(2)

    same(order(1), order(1))
    with pytest.raises(AssertionError):
        same(order(1), order(2))
