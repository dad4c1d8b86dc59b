"""Runs of any operator: what the conformance tests have in common."""

import functools

import cases
import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock._schema import schemas

OPERATORS = cases.all_operators()
REFUSALS = (ValueError, TypeError, IndexError, KeyError, RuntimeError, MemoryError)

each_operator = pytest.mark.parametrize("op", OPERATORS)
with_inputs = pytest.mark.parametrize("op", [op for op in OPERATORS if schemas()[op].inputs])
# An operator over the whole batch may well depend on it.
by_sample = pytest.mark.parametrize("op", [op for op in OPERATORS if schemas()[op].kind in ("sample", "reader")])


class Run:
    """A case at work on a source of numbered samples."""

    def __init__(
        self, case, folder, form="plain", batch_size=5, number=None, through=None, checkpoint=None, no_copy=False,
        arguments=None, seed=7, num_threads=1, on_error="raise", labelled=True,
    ):  # fmt: skip
        self.fed = []  # (array, copy of it)
        self._labelled = labelled
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

        return fn.external_source(
            sample, batch=False, layout=one.layout if self._labelled and one.layout else None, no_copy=no_copy
        )

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
    return isinstance(error, REFUSALS) and op in text.splitlines()[0] and "unknown exception" not in text


@functools.cache
def outcome(case, folder):
    """None when the case runs, or the error."""
    try:
        Run(case, folder).batches(1)
    except REFUSALS as e:
        return e
    return None


def runnable(op, folder):
    return [case for case in cases.cases_of(op) if outcome(case, folder) is None]
