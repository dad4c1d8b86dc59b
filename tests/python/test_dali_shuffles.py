"""Which samples a shuffle mixes under `penstock.dali`, beside DALI."""

import io
import tarfile

import numpy as np
import pytest
from beside_dali import Both

from penstock import fn


@pytest.fixture
def numbered_records(tmp_path):
    """A tar of 300 numbers, which DALI reads in the order of the file."""
    with tarfile.open(tmp_path / "numbers.tar", "w") as archive:
        for i in range(300):
            member = tarfile.TarInfo(f"{i:05d}.bin")
            member.size = 4
            archive.addfile(member, io.BytesIO(np.int32(i).tobytes()))
    return str(tmp_path / "numbers.tar")


def epochs_of(both, reader, epochs=2, samples=300, **options):
    """Numbers in the records of each epoch."""
    pipe = both.pipe(lambda fn: reader(fn, random_shuffle=True, **options), seed=5)
    taken = [int(np.array(one).view(np.int32)[0]) for _ in range(epochs * samples // 2) for one in pipe.run()[0]]
    return [taken[i * samples : (i + 1) * samples] for i in range(epochs)]


@pytest.mark.parametrize("fill", [1, 2, 30, 1000])
def test_a_shuffle_mixes_the_samples_that_a_buffer_of_initial_fill_would_hold(numbered_records, fill):
    def tar(fn, **options):
        return fn.readers.webdataset(paths=[numbered_records], ext=["bin"], **options)

    for name in ("penstock", "dali"):
        first, second = epochs_of(Both(name), tar, initial_fill=fill)
        assert sorted(first) == sorted(second) == list(range(300))
        for epoch in (first, second):
            assert max(number - place for place, number in enumerate(epoch)) < fill
            late = sorted(place - number for place, number in enumerate(epoch))
            assert late[-1] >= min(3 * fill, 150) or fill == 1
        assert (first == second == list(range(300))) == (fill == 1)


def test_lists_of_files_are_shuffled_once_before_the_buffer(tmp_path):
    names = [str(tmp_path / f"{i:03d}.bin") for i in range(60)]
    for i, name in enumerate(names):
        with open(name, "wb") as file:
            file.write(np.int32(i).tobytes())

    def files(fn, **options):
        return fn.readers.file(files=names, **options)[0]

    for name in ("penstock", "dali"):
        [first, second] = epochs_of(Both(name), files, samples=60, initial_fill=1)
        assert first == second != sorted(first) == list(range(60))
        place = {number: i for i, number in enumerate(first)}
        for epoch in epochs_of(Both(name), files, samples=60, initial_fill=8):
            assert max(place[number] - i for i, number in enumerate(epoch)) < 8
            assert sorted(epoch) == list(range(60)) and epoch != first
        whole = epochs_of(Both(name), files, samples=60)
        assert whole[0] != whole[1] and [sorted(one) for one in whole] == [list(range(60))] * 2


def test_buffered_shuffles_go_on_where_they_stood(numbered_records):
    def made():
        reader = {"random_shuffle": True, "initial_fill": 10, "name": "tar", "num_shards": 2, "shard_id": 1}
        return Both("penstock").pipe(
            lambda fn: fn.readers.webdataset(paths=[numbered_records], ext=["bin"], **reader), seed=1
        )

    def following(pipe, batches):
        return [np.array(one).view(np.int32)[0] for _ in range(batches) for one in pipe.run()[0]]

    for batches in (7, 75, 80):
        pipe, again = made(), made()
        following(pipe, batches)
        again.load_state_dict(pipe.state_dict())
        assert following(again, 100) == following(pipe, 100)
    other = Both("penstock").pipe(
        lambda fn: fn.readers.webdataset(
            paths=[numbered_records], ext=["bin"], random_shuffle=True, initial_fill=11, name="tar", num_shards=2,
            shard_id=1,
        ),
        seed=1,
    )  # fmt: skip
    with pytest.raises(ValueError, match="shuffle_buffer|operator"):
        other.load_state_dict(pipe.state_dict())


def test_penstock_itself_shuffles_all_unless_asked_for_a_buffer(numbered_records):
    from penstock import Pipeline

    def order(**options):
        with Pipeline(2, 1) as pipe:
            pipe.set_outputs(fn.readers.webdataset(paths=numbered_records, ext=["bin"], random_shuffle=True, **options))
        return [int(np.array(one).view(np.int32)[0]) for _ in range(150) for one in pipe.run()[0]]

    def ahead(numbers):
        return max(number - i for i, number in enumerate(numbers))

    assert ahead(order(initial_fill=10)) > 150
    assert ahead(order(shuffle_buffer=10)) == 9
    for size in (-1, 2**24 + 1):
        with pytest.raises(ValueError, match=r"\[readers.webdataset\] shuffle_buffer must be 0"):
            order(shuffle_buffer=size)
