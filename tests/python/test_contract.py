"""`penstock.pipeline.contract`: a plugin of a few lines against it, and what it refuses."""

import gc
import weakref

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.pipeline.contract import (
    made_together,
    open_operators,
    operator_names,
    put_back,
    run_of,
    take_together,
    wait_for_all,
)


def numbers(iteration):
    if iteration == 5:
        raise StopIteration
    return [np.int32([10 * iteration + i]) for i in range(2)]


def pipe(source=numbers):
    with Pipeline(2, 1) as made:
        made.set_outputs(fn.external_source(source))
    return made


class Lists:
    """Batches of pipelines in step as lists: what a framework's plugin does, without a framework."""

    def __init__(self, pipes):
        self._pipes, self._runs = pipes, [run_of(pipe) for pipe in pipes]

    def __iter__(self):
        return self

    def __next__(self):
        for run in self._runs:
            run.fill()
        return [np.array(one[0].as_array())[:, 0].tolist() for one in take_together(self._runs)]


def test_a_plugin_takes_pipelines_in_step_and_states_follow():
    pipes = [pipe(), pipe()]
    batches = Lists(pipes)
    assert [next(batches) for _ in range(2)] == [[[0, 1]] * 2, [[10, 11]] * 2]
    assert [run_of(one).taken for one in pipes] == [2, 2]
    again = pipe()
    again.load_state_dict(pipes[0].state_dict())
    assert list(Lists([again])) == [[[20, 21]], [[30, 31]], [[40, 41]]] and list(batches)[-1] == [[40, 41]] * 2


def test_what_was_put_back_comes_again_and_is_not_counted():
    one = pipe()
    run = run_of(one)
    run.fill()
    [made] = made_together([run])
    assert (run.taken, run.oldest, made.iteration) == (0, 1, 0)
    put_back([run], [made])
    assert run.oldest == 0 and wait_for_all([run])[0] is made
    run.took(made.iteration)
    assert run.taken == 1 and one.state_dict()["taken"] == 1


def test_operators_are_open_until_the_graph_is_planned():
    one = pipe()
    assert [operator.schema.name for operator in open_operators(one)] == ["external_source"]
    one.build()
    assert open_operators(one) is None and operator_names(one) == ["external_source"]


def test_a_run_is_of_a_pipeline_and_does_not_keep_it():
    one = pipe()
    run, gone = run_of(one), weakref.ref(one)
    assert run_of(one) is run
    one.run()
    del one
    gc.collect()
    assert gone() is None and run.engine.in_flight() == 1
    with pytest.raises(TypeError, match="a pipeline is expected here, got str: 'pipe'"):
        run_of("pipe")
