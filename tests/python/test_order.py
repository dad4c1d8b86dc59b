"""Which sample comes when: the worked examples of DALI's sharding rules, through fn.readers.file."""

import oracle
import pytest

import penstock
from penstock import Pipeline, fn


def batches(text):
    return [[int(sample) for sample in batch.split()] for batch in text.split("/")]


def delivered(pipe, count):
    return [[int(sample[0]) for sample in pipe.run()[0].as_array()] for _ in range(count)]


def reader(root, batch_size, module=penstock, **arguments):
    pipe = module.Pipeline(batch_size=batch_size, num_threads=1, device_id=None)
    with pipe:
        data, _ = module.fn.readers.file(file_root=root, **arguments)
        pipe.set_outputs(data)
    pipe.build()
    return pipe


# (samples, shards, batch, pad, stick) -> batches of each shard
EXAMPLES = {
    (10, 3, 4, False, False): ["0 1 2 3/4 5 6 7/8 9 0 1", "3 4 5 6/7 8 9 0/1 2 3 4", "6 7 8 9/0 1 2 3/4 5 6 7"],
    (10, 3, 4, False, True): ["0 1 2 0/1 2 0 1/2 0 1 2", "3 4 5 3/4 5 3 4/5 3 4 5", "6 7 8 9/6 7 8 9"],
    (10, 3, 4, True, False): ["0 1 2 2/3 4 5 5/6 7 8 9/0 1 2 2", "3 4 5 5/6 7 8 9/0 1 2 2", "6 7 8 9/0 1 2 2/3 4 5 5"],
    (10, 3, 4, True, True): ["0 1 2 2/0 1 2 2", "3 4 5 5/3 4 5 5", "6 7 8 9/6 7 8 9"],
    (7, 2, 2, False, False): ["0 1/2 3/4 5/6 0/1 2", "3 4/5 6/0 1/2 3/4 5"],
    (7, 2, 2, False, True): ["0 1/2 0/1 2/0 1", "3 4/5 6/3 4"],
    (7, 2, 2, True, False): ["0 1/2 2/3 4/5 6/0 1", "3 4/5 6/0 1/2 2/3 4"],
    (7, 2, 2, True, True): ["0 1/2 2/0 1", "3 4/5 6/3 4"],
    (5, 1, 2, True, False): ["0 1/2 3/4 4/0 1"],
    (5, 1, 2, False, False): ["0 1/2 3/4 0/1 2/3 4"],
}
CASES = [(*key, shard, text) for key, shards in EXAMPLES.items() for shard, text in enumerate(shards)]


@pytest.mark.parametrize("samples,shards,batch,pad,stick,shard,expected", CASES)
@pytest.mark.parametrize("library", ["penstock", "nvidia.dali"])
def test_shards_come_in_dalis_order(numbered, library, samples, shards, batch, pad, stick, shard, expected):
    module = penstock if library == "penstock" else oracle.dali()
    pipe = reader(
        numbered(samples), batch, module, num_shards=shards, shard_id=shard, pad_last_batch=pad, stick_to_shard=stick
    )
    expected = batches(expected)
    assert delivered(pipe, len(expected)) == expected


def test_a_shuffled_epoch_is_a_permutation_of_everything_and_each_epoch_another(numbered):
    root = numbered(24)
    shards = [reader(root, 4, random_shuffle=True, num_shards=2, shard_id=k, epoch_end="drop") for k in range(2)]
    epochs = [sorted(i for shard in shards for batch in delivered(shard, 3) for i in batch) for _ in range(3)]
    assert epochs == [list(range(24))] * 3
    one = reader(root, 24, random_shuffle=True)
    first, second = delivered(one, 2)
    assert sorted(first) == sorted(second) == list(range(24))
    assert first != second


@pytest.mark.parametrize("where", ["reader", "pipeline"])
def test_other_seeds_on_each_rank_leave_every_sample_to_one_rank(numbered, where):
    def rank(k):
        with Pipeline(batch_size=4, seed=k if where == "pipeline" else None) as pipe:
            own = {"seed": k} if where == "reader" else {}
            data, _ = fn.readers.file(
                file_root=numbered(24), random_shuffle=True, num_shards=3, shard_id=k, epoch_end="drop", **own
            )
            pipe.set_outputs(data)
        return pipe

    ranks = [rank(k) for k in range(3)]
    for _ in range(3):
        assert sorted(i for one in ranks for batch in delivered(one, 2) for i in batch) == list(range(24))


def test_the_order_follows_shuffle_seed_not_seed(numbered):
    root = numbered(24)

    def order(**options):
        with penstock.Pipeline(batch_size=24, **options) as pipe:
            pipe.set_outputs(fn.readers.file(file_root=root, random_shuffle=True)[0])
        return delivered(pipe, 1)

    assert order(seed=1) == order(seed=2)
    assert order(seed=1, shuffle_seed=5) != order(seed=1)


def orders(root, *seeds):
    """What readers with these seeds deliver in an epoch, one after the other in a pipeline."""
    with penstock.Pipeline(batch_size=24) as pipe:
        readers = [fn.readers.file(file_root=root, random_shuffle=True, seed=seed)[0] for seed in seeds]
        pipe.set_outputs(*readers)
    return [[int(sample[0]) for sample in batch.as_array()] for batch in pipe.run()]


def test_readers_with_one_seed_shuffle_alike_and_with_others_do_not(numbered):
    root = numbered(24)
    pictures, masks, others = orders(root, 5, 5, 6)
    assert pictures == masks != others and sorted(others) == list(range(24))
    assert orders(root, None, None) == [pictures, pictures]
    assert orders(root, 105, 105, 106) == [pictures, masks, others], "seeds of another rank"
    assert orders(root, -1, 7, None) == [pictures, others, pictures]


@pytest.mark.parametrize(
    "end,expected,valid",
    [
        ("pad", "0 1 2/3 4 4", "111/110"),
        ("drop", "0 1 2", "111"),
        ("partial", "0 1 2/3 4", "111/11"),
        ("wrap", "0 1 2/3 4 0", "111/111"),
    ],
)
def test_epoch_end_says_how_the_last_batch_is_filled(numbered, end, expected, valid):
    pipe = reader(numbered(5), 3, epoch_end=end)
    expected = batches(expected)
    steps = pipe.reader_meta()
    assert [meta["steps_per_epoch"] for meta in steps.values()] == [len(expected)]
    for _ in range(2):  # each epoch alike
        for batch, marks in zip(expected, valid.split("/"), strict=True):
            outputs = pipe.run()
            assert [int(sample[0]) for sample in outputs[0].as_array()] == batch
            assert [int(mark) for mark in outputs.valid] == [int(mark) for mark in marks]


def test_more_shards_than_samples_is_refused(numbered):
    with pytest.raises(ValueError, match=r"(?i)number of input samples: 3.*requested number of shards: 4"):
        reader(numbered(3), 1, num_shards=4, shard_id=0)
