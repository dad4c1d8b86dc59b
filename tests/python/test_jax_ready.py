"""Batches that are ready are given in a shorter way than others, and are the same."""

import json
import time
import types
import weakref

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.plugin._epochs import Counted, LastBatchPolicy, OfReader, Stepped


def make_iterator(root, policy="FILL", shards=1, of=None, **reader):
    from penstock.plugin.jax import DALIGenericIterator

    pipes = []
    for shard in range(shards):
        pipe = Pipeline(batch_size=3, num_threads=1)
        with pipe:
            data, label = fn.readers.file(file_root=root, name="r", num_shards=shards, shard_id=shard, **reader)
            pipe.set_outputs(data, label)
        pipes.append(pipe)
    return (of or DALIGenericIterator)(
        pipes, ["x", "y"], reader_name="r", auto_reset=True, last_batch_policy=LastBatchPolicy[policy]
    )


def steps(iterator, count, rest):
    """What an iterator gives, with its state behind each batch."""
    for _ in range(count):
        time.sleep(rest)
        batch = next(iterator, None)
        yield batch and np.asarray(batch["x"]).tolist(), json.dumps(iterator.state_dict())


@pytest.mark.parametrize("policy", ["FILL", "DROP", "PARTIAL"])
@pytest.mark.parametrize("reader", [{}, {"pad_last_batch": True}, {"epoch_end": "pad", "random_shuffle": True}])
@pytest.mark.parametrize("shards", [1, 2])
def test_batches_and_states_are_the_same_whether_one_waits_or_not(numbered, jax, policy, reader, shards):
    del jax
    from penstock.plugin.jax import DALIGenericIterator

    class Short(DALIGenericIterator):
        taken = 0

        def _next(self):
            self.taken += 1
            return super()._next()

    class Long(DALIGenericIterator):
        _full = property(lambda self: False, lambda self, value: None)

    root = numbered(25)
    short, long = (make_iterator(root, policy, shards, of, **reader) for of in (Short, Long))
    assert list(steps(short, 24, 0.005)) == list(steps(long, 24, 0))
    assert short.taken < 24


@pytest.mark.parametrize("policy", LastBatchPolicy)
@pytest.mark.parametrize("pads", [False, True])
@pytest.mark.parametrize("sticks", [False, True])
@pytest.mark.parametrize("samples,shards", [(25, 1), (25, 2), (24, 2), (2, 1), (47, 4)])
def test_counting_a_whole_batch_is_adding_its_step(policy, pads, sticks, samples, shards):
    meta = {
        "epoch_size": samples, "number_of_shards": shards, "pad_last_batch": pads, "stick_to_shard": sticks,
        "steps_per_epoch": samples // 3,
    }  # fmt: skip
    accounts = [
        OfReader(meta, range(shards), 3, policy),
        Counted(samples, shards, range(shards), 3, policy, pads),
        Counted(-1, shards, range(shards), 3, policy, pads),
        Stepped(meta, 3, None),
    ]
    for account in accounts:
        for _ in range(60):
            if account.ended():
                account.next_epoch()
            before = account.counter
            whole = before + account.step <= account.whole
            ended, dropped = account.ended(), account.advance()
            kept = {account.kept(i) for i in range(shards)} | {account.most_kept()}
            assert not whole or (account.counter, ended, dropped) == (before + account.step, False, False)
            assert not whole or kept in ({None}, {3})


def test_ctrl_c_finds_a_ready_batch_given(numbered, jax):
    """Behind the call that asks for the next one: that batch is gone, and all counts agree about it."""
    del jax
    iterator, other = (make_iterator(root) for root in [numbered(250)] * 2)
    while iterator._first_batch or not (iterator._full and iterator._ahead.made):
        next(iterator, None)
        next(other, None)
        time.sleep(0.01)
    asked = iterator._ahead.asked

    def put(work):
        asked.put(work)
        raise KeyboardInterrupt

    iterator._ahead.asked = types.SimpleNamespace(put=put)
    with pytest.raises(KeyboardInterrupt):
        next(iterator)
    iterator._ahead.asked = asked
    next(other)
    assert iterator.state_dict() == other.state_dict()
    assert list(steps(iterator, 12, 0.005)) == list(steps(other, 12, 0))


def test_an_iterator_ends_with_its_last_reference_though_a_batch_is_ready(numbered, jax):
    del jax
    iterator = make_iterator(numbered(25))
    iterator._ahead.settle()
    assert iterator._ahead.made
    ended = weakref.ref(iterator)
    del iterator
    assert ended() is None


def test_only_sources_and_epochs_that_are_left_wait_for_what_is_being_made(numbered, jax, monkeypatch):
    del jax
    from penstock.plugin.jax import DALIGenericIterator
    from penstock.plugin.jax._ahead import Ahead

    waits, settle = [], Ahead.settle
    monkeypatch.setattr(Ahead, "settle", lambda self: [waits.append(1), settle(self)][1])
    of_reader = make_iterator(numbered(12))
    for _ in range(3):
        assert len(list(of_reader)) == 4
    assert not waits
    for _ in of_reader:
        break
    assert len(list(of_reader)) == 4
    assert len(waits) == 1
    with Pipeline(batch_size=3) as pipe:
        pipe.set_outputs(fn.external_source(source=[np.zeros((3, 1), np.float32)] * 4, batch=True, cycle="raise"))
    of_source = DALIGenericIterator(pipe, ["x"], auto_reset=True)
    waits.clear()
    for _ in range(3):
        assert len(list(of_source)) == 4
    assert len(waits) >= 3
