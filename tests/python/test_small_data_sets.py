"""Data sets of fewer samples than ranks: where epochs end as Penstock's do, ranks without samples take their part."""

import importlib

import numpy as np
import pytest

from penstock import Pipeline, fn

RANKS, SAMPLES, BATCH = 8, 5, 2


def pipe_of(root, rank=0, **options):
    if rank is not None:
        options.update(num_shards=RANKS, shard_id=rank)
    pipe = Pipeline(batch_size=BATCH)
    with pipe:
        pipe.set_outputs(fn.readers.file(file_root=root, name="r", **options)[0])
    return pipe


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("end", ["pad", "partial"])
@pytest.mark.parametrize("plugin", ["pytorch", "jax"])
def test_every_sample_is_seen_once_and_all_ranks_take_as_many_steps(numbered, plugin, end, shuffle):
    pytest.importorskip(plugin.removeprefix("py"))
    make = importlib.import_module(f"penstock.plugin.{plugin}").DALIGenericIterator
    root, options = numbered(SAMPLES), {"epoch_end": end, "random_shuffle": shuffle}
    iterators = [make(pipe_of(root, rank, **options), ["x"]) for rank in range(RANKS)]
    for _ in range(3):
        seen = []
        for iterator in iterators:
            [batch] = [one if isinstance(one, dict) else one[0] for one in iterator]
            rows = np.asarray(batch["x"])
            assert len(rows) == BATCH or end == "partial"
            valid = np.asarray(batch["valid"]) if end == "pad" else np.ones(len(rows), bool)
            seen += rows[valid].ravel().tolist()
        assert sorted(seen) == list(range(SAMPLES))


def test_a_loader_of_pytorch_serves_ranks_without_samples(numbered, torch):
    del torch
    from penstock.torch import Loader

    root = numbered(SAMPLES)
    for end in ("pad", "partial"):
        rows = []
        for rank in range(RANKS):
            loader = Loader(pipe_of(root, None), ["x"], shard=(rank, RANKS), epoch_end=end)
            assert len(loader) == 1
            [batch] = loader
            rows.append(int(batch["valid"].sum()) if end == "pad" else len(batch["x"]))
        assert sorted(rows) == [0] * (RANKS - SAMPLES) + [1] * SAMPLES


def test_a_run_goes_on_with_more_ranks_than_there_are_samples(numbered):
    pipe = pipe_of(numbered(SAMPLES), None, epoch_end="pad")
    first = pipe.run().indices.tolist()
    pipes = [pipe_of(numbered(SAMPLES), rank, epoch_end="pad") for rank in range(RANKS)]
    rest = []
    for one in pipes:
        one.load_state_dict(pipe.state_dict())
        outputs = one.run()
        rest += outputs.indices[outputs.valid].tolist()
    assert sorted(first + rest) == list(range(SAMPLES))


@pytest.mark.parametrize("options", [{}, {"pad_last_batch": True}, {"epoch_end": "wrap"}, {"epoch_end": "drop"}])
def test_where_no_row_could_be_told_to_be_padding_it_is_refused(numbered, options):
    with pytest.raises(ValueError, match=r"needs to be at least equal.*may be less"):
        pipe_of(numbered(SAMPLES), **options).build()
