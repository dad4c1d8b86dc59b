"""What tests share of operators that look elements up between those that there are."""

import numpy as np
import pytest
from oracle import run_dali, run_ours


def noise(shape, dtype, seed):
    """Values that differ from neighbour to neighbour, whole numbers or not as the type has them."""
    values = np.random.default_rng(seed).uniform(0, 250, shape)
    return values.astype(dtype)


def assert_near(ours, theirs):
    """Equal shapes and types; whole numbers within 1 in 999 of 1000 places and 3 everywhere, floats within 1e-4 but for
    ties: places of which a last bit decides to which element they belong.
    """
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    apart = np.abs(ours.astype(np.float64) - theirs.astype(np.float64))
    if ours.dtype == np.float32:
        assert np.mean(apart > 1e-4 * np.maximum(np.abs(theirs), 250)) <= 1e-3
        return
    assert np.mean(apart > 1) <= 1e-3
    assert apart.max(initial=0) <= 3


def graph_of(op, samples, layout, second=None, **options):
    """A graph that applies `op` to `samples`. Lists of arrays are given per sample, as `second` is, the second input;
    strings are names in `types`, or themselves.
    """

    def graph(fn, types, math):
        del math

        def given(value):
            if isinstance(value, str):
                return getattr(types, value, value)
            per_sample = isinstance(value, list) and isinstance(value[0], np.ndarray | np.generic)
            return fn.external_source(lambda: value) if per_sample else value

        more = [] if second is None else [given(second)]
        data = fn.external_source(lambda: samples, layout=layout)
        return getattr(fn, op)(data, *more, **{name: given(value) for name, value in options.items()})

    return graph


def both(graph, count):
    """The samples of a graph of one output, Penstock's and DALI's."""
    return run_ours(graph, count)[0][0], run_dali(graph, count)[0][0]


def check(op, samples, layout, second=None, **options):
    """Penstock's results are near DALI's."""
    for ours, theirs in zip(*both(graph_of(op, samples, layout, second, **options), len(samples)), strict=True):
        assert_near(ours, theirs)


def check_crop(op, samples, layout, **options):
    """What a crop takes of the result is that part of the whole."""
    whole = graph_of(op, samples, layout, **options)

    def cropped(fn, types, math):
        return fn.slice(whole(fn, types, math), start=[5, 8], shape=[9, 13], axes=[0, 1])

    parts, wholes = (run_ours(graph, len(samples))[0][0] for graph in (cropped, whole))
    for part, one in zip(parts, wholes, strict=True):
        np.testing.assert_array_equal(part, one[5:14, 8:21])


def check_refused(op, error, words, sample, layout, second=None, **options):
    """Building or running it raises `error`, whose message names the operator and has `words`."""
    second = None if second is None else [second]
    with pytest.raises(error, match=words) as caught:
        run_ours(graph_of(op, [sample], layout, second, **options), 1)
    assert op in str(caught.value)
