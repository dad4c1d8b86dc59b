"""Random operators: DALI's shapes and types; numbers of our own, which only seed, epoch and sample decide."""

import numpy as np
import oracle
import pytest

GRAPHS = {
    "coin_flip": lambda fn, types: fn.random.coin_flip(),
    "coin_flip bool": lambda fn, types: fn.random.coin_flip(probability=0.3, dtype=types.BOOL, shape=[3]),
    "uniform": lambda fn, types: fn.random.uniform(),
    "uniform uint8": lambda fn, types: fn.random.uniform(range=[0, 300], dtype=types.UINT8, shape=[2, 3]),
    "uniform values": lambda fn, types: fn.random.uniform(values=[1, 2, 5], shape=4),
    "normal": lambda fn, types: fn.random.normal(mean=3, stddev=2, shape=(2,)),
    "normal like": lambda fn, types: fn.random.normal(fn.zeros(shape=[2, 5])),
    "beta": lambda fn, types: fn.random.beta(alpha=2, beta=0.5, dtype=types.FLOAT64),
    "choice scalar": lambda fn, types: fn.random.choice(7, shape=[3]),
    "choice list": lambda fn, types: fn.random.choice(types.Constant([1.5, 2.5, 3.5], device="cpu"), p=[0.5, 0, 0.5]),
    "choice rows": lambda fn, types: fn.random.choice(types.Constant(np.ones((4, 2), np.int32)), shape=[5]),
    "choice of 64 bits": lambda fn, types: fn.random.choice(types.Constant(2**40, dtype=types.INT64), shape=[3]),
    "legacy": lambda fn, types: fn.uniform(range=[0.0, 1.0]),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_types_and_shapes_as_in_dali(name):
    def graph(fn, types, math):
        return GRAPHS[name](fn, types)

    for mine, his in zip(oracle.run_ours(graph)[0], oracle.run_dali(graph)[0], strict=True):
        assert [(x.dtype, x.shape) for x in mine] == [(x.dtype, x.shape) for x in his]


def test_choices_among_more_than_32_bits_reach_all_of_them():
    def graph(fn, types, math):
        return fn.random.choice(types.Constant(2**40, dtype=types.INT64), shape=[1000])

    picks = oracle.run_ours(graph, batch_size=1)[0][0][0]
    assert picks.min() >= 0 and picks.max() < 2**40
    assert len(np.unique(picks)) == 1000
    assert 0.45 < np.mean(picks) / 2**40 < 0.55 and 0.4 < np.mean(picks % 2) < 0.6


def test_batches_do_not_change_the_numbers():
    def graph(fn, types, math):
        return fn.random.uniform(), fn.random.normal(shape=[3]), fn.random.coin_flip(shape=[8])

    by_four = oracle.run_ours(graph, batch_size=4, iterations=3)
    by_six = oracle.run_ours(graph, batch_size=6, iterations=2)
    for output in range(3):
        four = np.stack([x for batch in by_four for x in batch[output]])
        six = np.stack([x for batch in by_six for x in batch[output]])
        np.testing.assert_array_equal(four, six)
        assert len(np.unique(four, axis=0)) > 1


def test_arguments_may_differ_per_sample():
    def graph(fn, types, math):
        low = fn.external_source(source=lambda: [np.float32([i, i]) for i in range(4)], batch=True)
        return fn.random.uniform(range=low), fn.random.normal(mean=low[0], stddev=0.0)

    for values in oracle.run_ours(graph)[0]:
        np.testing.assert_array_equal(np.stack(values), [0, 1, 2, 3])
