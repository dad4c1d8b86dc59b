"""Data sets of fewer samples than ranks: where epochs end as Penstock's do, ranks without samples take their part."""

import importlib

import numpy as np
import pytest

from penstock import Pipeline, fn, types

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


def drawn(pictures, rank, function=None):
    """Of 12 pictures on 20 ranks: pixels, labels and numbers, of several types and extents."""
    pipe = Pipeline(batch_size=BATCH)
    with pipe:
        files, labels = fn.readers.file(
            file_root=str(pictures), epoch_end="partial", num_shards=20, shard_id=rank, name="r"
        )
        images = fn.resize(fn.decoders.image(files), size=(6, 7))
        mean = fn.reductions.mean(images)
        label = (
            fn.cast(labels, dtype=types.UINT8) if function is None else fn.python_function(labels, function=function)
        )
        pipe.set_outputs(images, label, fn.crop_mirror_normalize(images), mean, fn.cast(mean, dtype=types.FLOAT16))
    return pipe


EXTENTS = [(6, 7, 3), (1,), (3, 6, 7), (), ()]
TYPES = ["uint8", "uint8", "float32", "float32", "float16"]
WITH, WITHOUT = 1, 0  # ranks


def kinds(batch):
    """Extents of samples and types of a batch's arrays, and how many samples there are."""
    arrays = list((batch if isinstance(batch, dict) else batch[0]).values())
    return [tuple(one.shape[1:]) for one in arrays], [str(one.dtype).split(".")[-1] for one in arrays], len(arrays[0])


@pytest.mark.parametrize("plugin", ["pytorch", "jax"])
def test_a_rank_without_samples_gets_no_rows_of_what_samples_are(pictures, plugin):
    pytest.importorskip(plugin.removeprefix("py"))
    make = importlib.import_module(f"penstock.plugin.{plugin}").DALIGenericIterator
    for rank, rows in ((WITH, 1), (WITHOUT, 0)):
        iterator = make(drawn(pictures, rank), list("abcde"))
        for _ in range(2):
            assert [kinds(batch) for batch in iterator] == [(EXTENTS, TYPES, rows)]


def test_loaders_and_ragged_iterators_give_no_rows_of_what_samples_are(pictures, torch):
    del torch
    from penstock.plugin.pytorch import DALIRaggedIterator
    from penstock.torch import Loader

    [batch] = Loader(drawn(pictures, WITHOUT), list("abcde"), shard=(WITHOUT, 20), ragged=["b"])
    assert batch.pop("b") == []
    assert kinds(batch)[:2] == (EXTENTS[:1] + EXTENTS[2:], TYPES[:1] + TYPES[2:])
    tags = ["dense", "sparse_list", "sparse_coo", "dense", "dense"]
    [[batch]] = DALIRaggedIterator(drawn(pictures, WITHOUT), list("abcde"), output_types=tags)
    assert batch.pop("b") == []
    assert [tuple(one.shape) for one in batch.values()] == [(0, 6, 7, 3), (0, 0, 0, 0), (0,), (0,)]
    assert kinds(batch)[1] == TYPES[:1] + TYPES[2:]


@pytest.mark.parametrize("plugin", ["pytorch", "jax"])
def test_behind_a_function_of_python_samples_are_unknown_until_there_is_one(pictures, plugin):
    pytest.importorskip(plugin.removeprefix("py"))
    make = importlib.import_module(f"penstock.plugin.{plugin}").DALIGenericIterator
    seen = []
    iterator = make(drawn(pictures, WITHOUT, lambda label: seen.append(label) or label), list("abcde"))
    assert [kinds(batch)[0] for batch in iterator] == [[()] * 5]
    assert seen == []  # nobody's functions are called to learn it


def test_where_no_sample_can_be_made_an_epoch_has_its_steps_all_the_same(numbered, torch):
    del torch
    from penstock.plugin.pytorch import DALIGenericIterator

    pipe = Pipeline(batch_size=BATCH)
    with pipe:
        files = fn.readers.file(file_root=numbered(3), epoch_end="partial", num_shards=9, shard_id=0, name="r")[0]
        pipe.set_outputs(fn.decoders.image(files))  # no file is a picture
    [[batch]] = DALIGenericIterator(pipe, ["x"])
    assert tuple(batch["x"].shape) == (0,)


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
