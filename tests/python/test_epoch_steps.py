"""Epochs of framework iterators over all small sizes: pure accounts, no pipelines."""

import itertools

import pytest

from penstock.plugin._epochs import Counted, LastBatchPolicy, OfReader

GRID = list(itertools.product(range(1, 65), range(1, 9), range(1, 10)))  # samples, shards, batch


def account(samples, shards, shard, batch, policy, pads, sticks):
    meta = {"epoch_size": samples, "number_of_shards": shards, "pad_last_batch": pads, "stick_to_shard": sticks}
    return OfReader(meta, [shard], batch, policy)


def epoch_of(one, pipeline=0):
    """What `kept` and `most_kept` say of each batch that is given, and the batches that were taken."""
    given, taken = [], 0
    while not one.ended():
        taken += 1
        if one.advance():
            break
        given.append((one.kept(pipeline), one.most_kept()))
    one.next_epoch()
    return given, taken


@pytest.mark.parametrize("policy", LastBatchPolicy)
@pytest.mark.parametrize("pads,sticks", [(False, False), (False, True), (True, False), (True, True)])
def test_all_shards_take_the_same_number_of_steps(policy, pads, sticks):
    for samples, shards, batch in GRID:
        first, last = (account(samples, shards, k, batch, policy, pads, sticks) for k in (0, shards - 1))
        for _ in range(2):
            (some, taken), (others, also_taken) = epoch_of(first), epoch_of(last)
            assert (len(some), taken) == (len(others), also_taken), (samples, shards, batch)
            assert [most for _, most in some] == [most for _, most in others]


def test_partial_batches_hold_every_sample_once_and_nobody_keeps_more_than_the_most():
    for samples, shards, batch in GRID:
        total = 0
        for shard in range(shards):
            given, _ = epoch_of(account(samples, shards, shard, batch, LastBatchPolicy.PARTIAL, True, False))
            assert all(kept <= most <= batch for kept, most in given)
            total += sum(kept for kept, _ in given)
        assert total == samples


def test_a_size_is_shared_by_the_pipelines_of_all_processes():
    for size, pipelines, batch in GRID:
        epochs = [
            epoch_of(Counted(size, pipelines, [i], batch, LastBatchPolicy.PARTIAL, False))[0] for i in range(pipelines)
        ]
        assert len({len(given) for given in epochs}) == 1
        assert sum(kept for given in epochs for kept, _ in given) == size
        assert len({tuple(most for _, most in given) for given in epochs}) == 1
