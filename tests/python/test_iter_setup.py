"""`Pipeline.iter_setup`, with which pipelines feed themselves."""

import numpy as np
import pytest

from penstock import Pipeline, fn, ops


class Fed(Pipeline):
    """Gives the numbers below `count` as batches of one sample, in DALI's older style."""

    def __init__(self, count, prefetch=2, classes=True):
        super().__init__(batch_size=1, num_threads=1, device_id=None, prefetch_queue_depth=prefetch)
        self.count, self.numbers, self.classes = count, iter(range(count)), classes

    def define_graph(self):
        self.batch = ops.ExternalSource()() if self.classes else fn.external_source(name="numbers")
        return self.batch

    def iter_setup(self):
        number = next(self.numbers)
        self.feed_input(self.batch if self.classes else "numbers", np.full((1, 1), number, np.int32))

    def again(self):
        self.numbers = iter(range(self.count))
        self.reset()


def epoch(pipe, take):
    numbers = []
    while True:
        try:
            numbers.append(int(take(pipe)[0].as_array()[0, 0]))
        except StopIteration:
            return numbers


def by_run(pipe):
    return pipe.run()


def by_parts(pipe):
    pipe.schedule_run()
    return pipe.share_outputs()


@pytest.mark.parametrize("take", [by_run, by_parts])
@pytest.mark.parametrize("prefetch", [1, 2, 5])
@pytest.mark.parametrize("classes", [True, False])
def test_a_pipeline_feeds_itself_to_the_end_of_each_epoch(take, prefetch, classes):
    pipe = Fed(7, prefetch, classes)
    for _ in range(3):
        assert epoch(pipe, take) == list(range(7))
        pipe.again()


def test_it_is_called_before_each_batch_that_is_started_and_only_then():
    class Counting(Pipeline):
        calls = 0

        def define_graph(self):
            return fn.random.uniform()

        def iter_setup(self):
            self.calls += 1

    pipe = Counting(batch_size=1, num_threads=1, device_id=None, prefetch_queue_depth=3)
    pipe.build()
    assert pipe.calls == 0
    for taken in range(1, 4):
        pipe.run()
        assert pipe.calls == 2 + taken


def test_without_it_nothing_happens_and_by_hand_it_may_be_called():
    with Pipeline(batch_size=1, num_threads=1, device_id=None) as pipe:
        pipe.set_outputs(fn.random.uniform())
    assert pipe.iter_setup() is None
    assert pipe.start_py_workers() is None
    pipe.run()


def test_a_pipeline_that_is_fed_by_hand_may_have_one_of_its_own():
    class Fed(Pipeline):
        calls = 0

        def define_graph(self):
            return fn.external_source(name="x")

        def iter_setup(self):
            self.calls += 1

    pipe = Fed(batch_size=1, num_threads=1, device_id=None)
    for i in range(4):
        pipe.feed_input("x", np.full((1, 1), i, np.int32))
        assert int(pipe.run()[0].as_array()[0, 0]) == i
        assert pipe.calls == i + 2  # that of the batch to come was called, too; once
    with pytest.raises(ValueError, match="has not been fed"):
        pipe.run()


def test_what_it_raises_comes_behind_the_batches_in_the_making_and_it_is_called_again():
    class Failing(Fed):
        failed = False

        def iter_setup(self):
            if not self.failed and not self.count:
                self.failed = True
                raise LookupError("no more of these")
            self.count -= 1
            super().iter_setup()

    pipe = Failing(3)
    pipe.numbers = iter(range(10))
    assert [int(pipe.run()[0].as_array()[0, 0]) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(LookupError, match="no more of these"):
        pipe.run()
    assert int(pipe.run()[0].as_array()[0, 0]) == 3


def test_the_iterator_of_torch_goes_through_it_epoch_by_epoch(torch):
    del torch
    from penstock.plugin.pytorch import DALIGenericIterator

    pipe = Fed(5)
    iterator = DALIGenericIterator([pipe], ["x"])
    for _ in range(2):
        assert [int(batch[0]["x"][0, 0]) for batch in iterator] == list(range(5))
        pipe.numbers = iter(range(5))
        iterator.reset()


def test_the_iterator_of_jax_takes_such_a_pipeline(jax):
    del jax
    from penstock.plugin.jax import DALIGenericIterator

    iterator = DALIGenericIterator([Fed(5)], ["x"])
    assert [int(batch["x"][0, 0]) for batch in iterator] == list(range(5))
