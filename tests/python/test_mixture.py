"""readers.mixture: ratios, epochs, shards, resuming, framework iterators, mistakes."""

import collections
import json
import pathlib

import numpy as np
import pytest
from records import write_tar

from penstock import Pipeline, fn
from penstock.pipeline.contract import run_of


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Folders `a` of 30 files, `b` of 7 and `c` of 200, whose files hold their set and number; `a.tar` of 12."""
    root = tmp_path_factory.mktemp("mixture")
    for name, count in {"a": 30, "b": 7, "c": 200}.items():
        for i in range(count):
            folder = root / name / f"class {i % 2}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{i:03}.jpg").write_bytes(f"{name}{i}".encode())
    members = [
        (f"{i}.{kind}", f"t{i}".encode() if kind == "jpg" else b"\1\0\0\0")
        for i in range(12)
        for kind in ("jpg", "cls")
    ]
    write_tar(root / "t.tar", members)
    return root


def files(root, name, **arguments):
    return fn.readers.file(file_root=str(root / name), **arguments)


def make(root, names="abc", batch_size=10, parts=None, seed=1, **arguments):
    """A pipeline over a mixture of folders."""
    arguments = {"epoch_end": "partial", "random_shuffle": True, "name": "mix", **arguments}
    with Pipeline(batch_size, 2, seed=seed, device_id=None) as pipe:
        readers = [files(root, name, **(parts or {}).get(name, {})) for name in names]
        pipe.set_outputs(*fn.readers.mixture(*readers, **arguments))
    pipe.build()
    return pipe


def texts(batch):
    return [np.array(sample).tobytes().decode() for sample in batch[0]]


def epoch_of(pipe):
    return [text for _ in range(pipe.reader_facts("mix")["steps_per_epoch"]) for text in texts(pipe.run())]


def by_set(samples):
    return dict(collections.Counter(text[0] for text in samples))


def test_each_set_has_its_ratio_of_every_epoch(root):
    pipe = make(root, ratios=[5, 3, 2], epoch_size=1000)
    assert pipe.reader_facts("mix")["epoch_size"] == 1000
    seen = collections.Counter()
    for _ in range(3):
        samples = epoch_of(pipe)
        assert by_set(samples) == {"a": 500, "b": 300, "c": 200}
        seen.update(samples)
    assert len(seen) == 30 + 7 + 200
    for name, count in {"a": 1500 / 30, "b": 900 / 7, "c": 600 / 200}.items():
        assert {abs(n - count) < 1 for text, n in seen.items() if text[0] == name} == {True}


def test_ratios_hold_in_each_thousand_samples(root):
    pipe = make(root, ratios=[0.61, 0.28, 0.11], epoch_size=5500, batch_size=100)
    samples = epoch_of(pipe)
    for begin in range(0, 5000, 1000):
        counts = by_set(samples[begin : begin + 1000])
        assert all(abs(counts[name] - share) <= 1 for name, share in {"a": 610, "b": 280, "c": 110}.items())


def test_without_ratios_an_epoch_has_each_sample_once(root):
    pipe = make(root)
    first, second = epoch_of(pipe), epoch_of(pipe)
    everything = {f"{name}{i}" for name, count in {"a": 30, "b": 7, "c": 200}.items() for i in range(count)}
    assert len(first) == len(second) == 237
    assert set(first) == set(second) == everything
    assert first != second


def test_ratios_may_change_by_epoch(root):
    pipe = make(root, "ab", ratios=[[9, 1], [1, 1], [0, 1]], epoch_size=200)
    assert [by_set(epoch_of(pipe)) for _ in range(4)] == [
        {"a": 180, "b": 20},
        {"a": 100, "b": 100},
        {"b": 200},
        {"b": 200},
    ]


def test_indices_and_the_output_say_which_set(root):
    pipe = make(root, ratios=[1, 1, 1], return_set=True)
    for _ in range(30):
        batch = pipe.run()
        sets = [int(np.array(one)[0]) for one in batch[2]]
        assert ["abc"[one] for one in sets] == [text[0] for text in texts(batch)]
        assert [np.searchsorted([30, 37], i, side="right") for i in batch.indices] == sets
        sources = [pathlib.Path(sample.source_info()).name for sample in batch[0]]
        assert sources == [f"{int(text[1:]):03}.jpg" for text in texts(batch)]


def test_readers_of_different_kinds_mix(root):
    with Pipeline(8, 2, device_id=None) as pipe:
        tar = fn.readers.webdataset(paths=str(root / "t.tar"), ext=["jpg", "cls"])
        folder = files(root, "b", labels=None)
        mixed = fn.readers.mixture(folder, tar, ratios=[1, 3], epoch_size=400, name="mix")
        pipe.set_outputs(mixed[0])
    assert by_set(epoch_of(pipe)) == {"b": 100, "t": 300}


def test_a_reader_of_one_output_gives_a_node_and_may_be_read_beside_the_mixture(root):
    with Pipeline(8, 2, device_id=None) as pipe:
        one = fn.readers.webdataset(paths=str(root / "t.tar"), ext="jpg", name="alone")
        two = fn.readers.webdataset(paths=str(root / "t.tar"), ext="jpg", subset=[0, 1])
        mixed = fn.readers.mixture([one, two], ratios=[3, 1], epoch_size=48, name="mix")
        pipe.set_outputs(mixed, one)
    pipe.build()
    assert sorted(pipe.reader_facts()) == ["alone", "mix"]
    assert collections.Counter(epoch_of(pipe)) == {f"t{i}": 3 + 6 * (i < 2) for i in range(12)}


def test_a_mixture_may_be_a_part_of_another(root):
    with Pipeline(8, 2, device_id=None) as pipe:
        inner = fn.readers.mixture(files(root, "a"), files(root, "b"), ratios=[3, 1])
        pipe.set_outputs(*fn.readers.mixture(inner, files(root, "c"), ratios=[1, 1], epoch_size=400, name="mix"))
    assert by_set(epoch_of(pipe)) == pytest.approx({"a": 150, "b": 50, "c": 200}, abs=1)


def test_parts_may_have_selections_of_their_own(root):
    parts = {"a": {"subset": [3, 4]}, "c": {"balance": "class", "classes": [0] * 199 + [1]}}
    samples = epoch_of(make(root, "ac", parts=parts, ratios=[1, 1], epoch_size=400))
    counts = collections.Counter(samples)
    assert by_set(samples) == {"a": 200, "c": 200}
    assert sorted(count for text, count in counts.items() if text[0] == "a") == [100, 100]
    assert max(count for text, count in counts.items() if text[0] == "c") == 100


@pytest.mark.parametrize("end", ["partial", "pad"])
def test_shards_do_not_overlap_and_resume_on_any_other_number_of_them(root, end):
    arguments = {"ratios": [5, 3, 2], "epoch_size": 313, "batch_size": 7, "epoch_end": end}

    def ranks(count, state=None):
        pipes = [make(root, num_shards=count, shard_id=k, **arguments) for k in range(count)]
        for pipe in pipes:
            if state is not None:
                pipe.load_state_dict(state)
        return pipes

    def take(pipes, steps):
        taken = []
        for pipe in pipes:
            for _ in range(steps):
                batch = pipe.run()
                taken += [i for i, valid in zip(batch.indices, batch.valid, strict=True) if valid]
        return taken

    [whole] = ranks(1)
    expected = collections.Counter(take([whole], whole.reader_facts("mix")["steps_per_epoch"]))
    assert sum(expected.values()) == 313
    for counts in [(1, 3), (2, 1), (3, 2), (4, 3)]:
        for steps in (1, 2, 5, 9):
            first = ranks(counts[0])
            seen = take(first, steps)
            second = ranks(counts[1], first[0].state_dict())
            left = [run_of(pipe).reader_start("mix")[2] for pipe in second]
            assert len(set(left)) == 1
            seen += take(second, left[0])
            assert collections.Counter(seen) == expected


def test_a_state_goes_on_exactly_at_any_place_of_any_epoch(root):
    arguments = {"ratios": [[1, 2, 3], [3, 2, 1]], "epoch_size": 100}
    pipe = make(root, **arguments)
    states, batches = [], []
    for _ in range(35):
        states.append(json.dumps(pipe.state_dict()))
        batches.append(texts(pipe.run()))
    for at in (0, 1, 9, 10, 19, 30):
        again = make(root, **arguments)
        again.load_state_dict(json.loads(states[at]))
        assert [texts(again.run()) for _ in range(4)] == batches[at : at + 4]


def test_a_state_is_refused_by_another_mixture(root):
    state = make(root, ratios=[5, 3, 2]).state_dict()
    for names, ratios in (("abc", [5, 3, 1]), ("acb", [5, 3, 2]), ("ab", [5, 3])):
        with pytest.raises(ValueError, match="the state is of a pipeline|the data set of"):
            make(root, names, ratios=ratios).load_state_dict(state)
    with pytest.raises(ValueError, match="another subset, other weights"):
        make(root, ratios=[5, 3, 2], parts={"a": {"subset": list(range(29, -1, -1))}}).load_state_dict(state)


def test_seeds_decide(root):
    def samples(seed):
        with Pipeline(10, 2, shuffle_seed=seed, device_id=None) as pipe:
            readers = [files(root, name) for name in "abc"]
            pipe.set_outputs(*fn.readers.mixture(*readers, ratios=[1, 1, 1], random_shuffle=True, name="mix"))
        return epoch_of(pipe)

    assert samples(1) == samples(1)
    assert samples(1) != samples(2)
    assert [text[0] for text in samples(1)] == [text[0] for text in samples(2)]


def test_a_sample_that_comes_again_in_an_epoch_is_augmented_anew(root):
    with Pipeline(10, 2, device_id=None) as pipe:
        data, _ = fn.readers.mixture(files(root, "b"), ratios=[1], epoch_size=70, name="mix")
        pipe.set_outputs(data, fn.random.uniform(range=[0, 1]))
    drawn = collections.defaultdict(set)
    for _ in range(14):
        batch = pipe.run()
        for text, number in zip(texts(batch), batch[1], strict=True):
            drawn[text].add(float(np.array(number)))
    assert [len(numbers) for numbers in drawn.values()] == [20] * 7


def test_a_broken_file_is_named_and_replaced_by_one_of_the_selection(root, tmp_path):
    for i in range(5):
        (tmp_path / "class").mkdir(exist_ok=True)
        (tmp_path / "class" / f"{i}.jpg").write_bytes(b"" if i == 2 else f"x{i}".encode())

    def pipe(**options):
        with Pipeline(10, 2, device_id=None, **options) as pipe:
            broken = fn.readers.file(file_root=str(tmp_path))
            pipe.set_outputs(*fn.readers.mixture(broken, files(root, "b", subset=[1]), ratios=[1, 1], name="mix"))
        return pipe

    with pytest.raises(RuntimeError, match=r"\[readers.file\] file is empty.*2\.jpg"):
        epoch_of(pipe())
    samples = epoch_of(pipe(on_error="replace"))
    assert set(samples) <= {"x0", "x1", "x3", "x4", *["b2", "b1"]}
    assert len({text for text in samples if text[0] == "b"}) == 1


def test_frameworks_know_the_size_of_its_epochs(root, torch):
    del torch
    from penstock.plugin.pytorch import DALIGenericIterator, LastBatchPolicy

    with Pipeline(10, 2, device_id=None) as pipe:
        mixed = fn.readers.mixture(files(root, "a"), files(root, "b"), ratios=[2, 1], epoch_size=45, name="mix")
        pipe.set_outputs(fn.pad(mixed[0]), mixed[1])
    iterator = DALIGenericIterator(pipe, ["x", "y"], reader_name="mix", last_batch_policy=LastBatchPolicy.PARTIAL)
    assert [len(batch[0]["x"]) for batch in iterator] == [10, 10, 10, 10, 5]


def test_torch_loaders_tell_the_mixture_its_shard(root, torch):
    del torch
    from penstock.torch import Loader

    seen = []
    for rank in range(2):
        with Pipeline(8, 2, device_id=None) as pipe:
            mixed = fn.readers.mixture(files(root, "a"), files(root, "b"), return_set=True)
            pipe.set_outputs(fn.pad(mixed[0]), *mixed[1:])
        loader = Loader(pipe, shard=(rank, 2))
        seen += [bytes(row[row > 0].tolist()) for batch in loader for row in batch[0].numpy()]
    assert len(seen) == len(set(seen)) == 37


def test_a_jax_iterator_gives_each_sample_once(on_four_devices, root):
    epochs = on_four_devices(
        """
from penstock import fn
def mixed(num_shards, shard_id):
    a, b = [fn.readers.file(file_root=f"{ROOT}/{name}") for name in "ab"]
    data, _, which = fn.readers.mixture(
        a, b, ratios=[3, 1], epoch_size=120, return_set=True, num_shards=num_shards, shard_id=shard_id, epoch_end="pad"
    )
    return which

it = data_iterator(mixed, output_map=["x"], sharding=NamedSharding(mesh, P("batch")))(batch_size=24)
for epoch in range(2):
    got = []
    for batch in it:
        got += numbers(batch["x"][np.asarray(batch["valid"])])
    tell(got)
""".replace("{ROOT}", str(root)),
        str(root),
        4,
    )
    assert [collections.Counter(np.ravel(epoch).tolist()) for epoch in epochs] == [{0: 90, 1: 30}] * 2


@pytest.mark.parametrize(
    ("ratios", "text"),
    [
        ([1, -1], "ratios are numbers from 0 on, that of set 1 is -1"),
        ([1, float("nan")], "ratios are numbers from 0 on, that of set 1 is nan"),
        ([1, float("inf")], "ratios are numbers from 0 on, that of set 1 is inf"),
        ([0, 0], "the ratios are all 0"),
        ([1, 2, 3], "one ratio for each of the 2 sets, .*; there are 3"),
        ([], "one ratio for each of the 2 sets, .*; there are 0"),
        ([1, 1e-6], "leaves it no sample in an epoch of 37; give a larger epoch_size"),
        ("half", "a list of numbers"),
    ],
)
def test_ratios_that_are_none_are_refused(root, ratios, text):
    with pytest.raises((ValueError, TypeError), match=text):
        make(root, "ab", ratios=ratios)


def test_mistakes_are_named(root, tmp_path):
    def refused(text, *readers, kind=ValueError, **arguments):
        with pytest.raises(kind, match=text), Pipeline(4, 1, device_id=None) as pipe:
            made = fn.readers.mixture(*[reader() for reader in readers], **arguments)
            pipe.set_outputs(*(made if isinstance(made, list) else [made]))
            pipe.build()
            pipe.run()

    def a(**arguments):
        return lambda: files(root, "a", **arguments)

    (tmp_path / "empty").mkdir()
    refused("there is nothing to mix")
    refused("`random_shuffle` decides about the order .* give it to the mixture", a(random_shuffle=True))
    refused("`num_shards` decides about the order", a(num_shards=2))
    refused(r"\[readers.file\] No files found", a(), lambda: files(tmp_path, "empty"))
    refused("the readers must give the same outputs, they give 1 to 2", a(), lambda: a()()[:1])
    refused("takes all outputs of each reader, in order: readers.file has 2", lambda: a()()[::-1])
    refused("takes all outputs of each reader", lambda: a()()[:1])
    refused("mixes readers: give it outputs of readers, not of flip", lambda: [fn.flip(x) for x in a()()])
    refused("takes what readers give; reader 1 is 'folder'", a(), lambda: "folder", kind=TypeError)
    refused("epoch_size must be positive, got 0", a(), epoch_size=0)
    refused("stick_to_shard cannot be kept", a(), stick_to_shard=True)
    refused("unexpected argument `weights`", a(), weights=[1], kind=TypeError)


def test_outputs_of_different_types_are_refused(root, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros(3, np.float32))
    with Pipeline(4, 1, device_id=None) as pipe:
        numbers = fn.readers.numpy(files=[str(tmp_path / "x.npy")])
        members = fn.readers.webdataset(paths=str(root / "t.tar"), ext="jpg")
        pipe.set_outputs(fn.readers.mixture(numbers, members, ratios=[1, 1]))
    with pytest.raises((RuntimeError, ValueError), match="(?s)type|uint8|float"):
        pipe.run()
