"""`penstock.torch.Loader`: the manners of a DataLoader."""

import copy
import itertools
import pickle

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock._ranks import discover


def pipe_of(root, batch_size=2, **reader):
    with Pipeline(batch_size=batch_size, seed=3) as pipe:
        data, label = fn.readers.file(file_root=root, **reader)
        pipe.set_outputs(data, label)
    return pipe


def loader_of(root, batch_size=2, names=None, end="partial", shard=None, **reader):
    from penstock.torch import Loader

    return Loader(pipe_of(root, batch_size, **reader), names, epoch_end=end, shard=shard)


def numbers(batch):
    return batch[0].flatten().tolist()


@pytest.mark.usefixtures("torch")
class TestLoops:
    def test_batches_are_tuples_of_tensors_and_the_last_one_is_short(self, numbered, torch):
        loader = loader_of(numbered(5))
        assert len(loader) == 3
        for _ in range(2):
            batches = list(loader)
            assert all(isinstance(part, torch.Tensor) for batch in batches for part in batch)
            assert [numbers(batch) for batch in batches] == [[0, 1], [2, 3], [4]]

    def test_names_make_dicts_and_pad_adds_a_mask(self, numbered):
        loader = loader_of(numbered(3), names=["data", "label"], end="pad")
        last = list(loader)[-1]
        assert sorted(last) == ["data", "label", "valid"]
        assert (last["data"].flatten().tolist(), last["valid"].tolist()) == ([2, 2], [True, False])

    @pytest.mark.parametrize("end,expected", [("drop", [[0, 1], [2, 3]]), ("wrap", [[0, 1], [2, 3], [4, 0]])])
    def test_the_end_of_epochs_can_be_chosen(self, numbered, end, expected):
        loader = loader_of(numbered(5), end=end)
        assert ([numbers(batch) for batch in loader], len(loader)) == (expected, len(expected))
        assert loader.drop_last == (end == "drop")

    def test_what_the_reader_was_told_stays(self, numbered):
        loader = loader_of(numbered(7), epoch_end="drop", shard_id=1, num_shards=2, shard=(0, 4))
        assert [numbers(batch) for batch in loader] == [[3, 4]]
        assert loader.shard == (0, 4)  # of this process, whatever the reader reads
        loader = loader_of(numbered(3), pad_last_batch=True)
        assert [numbers(batch) for batch in loader] == [[0, 1], [2]]

    def test_every_epoch_is_another_permutation_of_everything(self, numbered):
        loader = loader_of(numbered(20), batch_size=3, random_shuffle=True)
        epochs = [[i for batch in loader for i in numbers(batch)] for _ in range(3)]
        assert [sorted(epoch) for epoch in epochs] == [list(range(20))] * 3
        assert len({tuple(epoch) for epoch in epochs}) == 3

    def test_a_loop_that_was_left_is_followed_by_a_fresh_epoch(self, numbered):
        whole = [[numbers(batch) for batch in loader] for loader in [loader_of(numbered(9), random_shuffle=True)] * 3]
        loader = loader_of(numbered(9), random_shuffle=True)
        iter(loader)  # a loop that never began leaves nothing behind
        assert numbers(next(iter(loader))) == whole[0][0]
        assert [numbers(batch) for batch in loader] == whole[1]
        assert [numbers(batch) for batch in loader] == whole[2]

    def test_an_older_loop_says_that_it_was_ended(self, numbered):
        loader = loader_of(numbered(5))
        first = iter(loader)
        next(first)
        next(iter(loader))
        with pytest.raises(RuntimeError, match="one loop at a time"):
            next(first)

    def test_a_finished_loop_stays_finished(self, numbered):
        loop = iter(loader_of(numbered(2)))
        assert len(list(loop)) == 1
        assert next(loop, "end") == "end"

    def test_set_epoch_goes_anywhere(self, numbered):
        loader = loader_of(numbered(9), random_shuffle=True)
        epochs = [[numbers(batch) for batch in loader] for _ in range(4)]
        for epoch in (0, 3, 3, 1):
            loader.sampler.set_epoch(epoch)
            loader.set_epoch(epoch)
            assert [numbers(batch) for batch in loader] == epochs[epoch]
        assert [numbers(batch) for batch in loader] == epochs[2]
        next(iter(loader))
        loader.set_epoch(3)  # which was begun just now
        assert [numbers(batch) for batch in loader] == epochs[3]

    def test_set_epoch_leaves_the_loop_under_way_alone(self, numbered):
        loader = loader_of(numbered(9), random_shuffle=True)
        epochs = [[numbers(batch) for batch in loader] for _ in range(6)]
        loader = loader_of(numbered(9), random_shuffle=True)
        given = []
        for batch in loader:
            given.append(numbers(batch))
            loader.set_epoch(5)
        assert given == epochs[0]
        assert [numbers(batch) for batch in loader] == epochs[5]

    def test_set_epoch_takes_whole_numbers_of_every_kind(self, numbered, torch):
        loader = loader_of(numbered(9), random_shuffle=True)
        epochs = [[numbers(batch) for batch in loader] for _ in range(3)]
        for epoch in (np.int64(2), torch.tensor(1)):
            loader.set_epoch(epoch)
            assert [numbers(batch) for batch in loader] == epochs[int(epoch)]
        for epoch, error in (("1", TypeError), (None, TypeError), (-1, ValueError), (2**63, ValueError)):
            with pytest.raises(error, match=f"epoch is .*got {epoch!r}"):
                loader.set_epoch(epoch)

    def test_python_sources_end_epochs(self, torch):
        from penstock.torch import Loader

        def source(i):
            if i == 3:
                raise StopIteration
            return np.full((2, 1), i)

        with Pipeline(batch_size=2) as pipe:
            pipe.set_outputs(fn.external_source(source))
        loader = Loader(pipe)
        assert [[int(x[0]) for (x,) in loader] for _ in range(2)] == [[0, 1, 2]] * 2
        with pytest.raises(TypeError, match="no length"):
            len(loader)

    def test_outputs_that_differ_in_shape(self, torch):
        from penstock.torch import Loader

        def pipe():
            with Pipeline(batch_size=2) as made:
                made.set_outputs(fn.external_source(lambda i: [np.zeros(1 + i), np.ones(2)], name="x"))
            return made

        with pytest.raises(RuntimeError, match="output 'boxes'.*list"):
            next(iter(Loader(pipe(), ["boxes"])))
        [lists] = next(iter(Loader(pipe(), ragged=[0])))
        assert [part.tolist() for part in lists] == [[0.0], [1.0, 1.0]]
        for ragged in (["boxes"], [0]):
            assert [len(part) for part in next(iter(Loader(pipe(), ["boxes"], ragged=ragged)))["boxes"]] == [1, 2]
        for names, ragged in ((["boxes"], ["Boxes"]), (["boxes"], [1]), (None, [-1])):
            with pytest.raises(ValueError, match="`ragged` has .*, the outputs are"):
                next(iter(Loader(pipe(), names, ragged=ragged)))

    def test_a_batch_without_rows_is_like_those_before(self, numbered, torch):
        from penstock.torch import Loader

        with Pipeline(batch_size=2) as pipe:
            _, label = fn.readers.file(file_root=numbered(5))
            pipe.set_outputs(fn.reshape(fn.cat(label, label), shape=[1, 2]))
        first, last = [x for (x,) in Loader(pipe, shard=(0, 2))]
        assert (first.shape, last.shape, last.dtype) == ((2, 1, 2), (0, 1, 2), torch.int32)

    def test_it_has_the_attributes_of_a_dataloader(self, numbered):
        loader = loader_of(numbered(5), shard=(1, 2))
        assert (loader.batch_size, loader.drop_last, len(loader.dataset), loader.num_workers) == (2, False, 5, 0)

    def test_mistakes_are_named(self, numbered):
        with pytest.raises(ValueError, match="epoch_end"):
            loader_of(numbered(5), end="perhaps")
        with pytest.raises(ValueError, match="differ"):
            loader_of(numbered(5), names=["x", "x"])
        with pytest.raises(ValueError, match="1 names for 2 outputs"):
            next(iter(loader_of(numbered(5), names=["x"])))
        with pytest.raises(ValueError, match="built for one process, but this is rank 1 of 2"):
            built = pipe_of(numbered(5))
            built.build()
            from penstock.torch import Loader

            len(Loader(built, shard=(1, 2)))
        with pytest.raises(ValueError, match="built already.*epoch_end='drop'"):
            len(Loader(built, epoch_end="drop"))
        loader = loader_of(numbered(5))
        next(iter(loader))
        with pytest.raises(ValueError, match="serves another loader"):
            next(iter(Loader(loader.pipe)))
        for no_pipeline in (None, loader, [loader.pipe]):
            with pytest.raises(TypeError, match="a pipeline is expected here, got"):
                Loader(no_pipeline)
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            for one in (loader, loader_of(numbered(5))):
                with pytest.raises(TypeError, match="a loader cannot be copied or pickled"):
                    copied(one)


@pytest.mark.usefixtures("torch")
class TestResume:
    @pytest.mark.parametrize("taken", range(8))
    def test_it_goes_on_anywhere(self, numbered, taken):
        root = numbered(5)

        def steps(loader, count):
            """Batches of one loop after the other, with the ends of the loops."""
            rest = []
            while len(rest) < count:
                rest += [*map(numbers, loader), "end"]
            return rest

        loader = loader_of(root, random_shuffle=True)
        state, whole = loader.state_dict(), []
        while len(whole) < 16:
            for batch in loader:
                whole.append(numbers(batch))
                if len(whole) == taken:
                    state = loader.state_dict()
            whole.append("end")
            if len(whole) == taken:
                state = loader.state_dict()
        other = loader_of(root, random_shuffle=True)
        next(iter(other))
        other.load_state_dict(state)
        assert steps(other, 8)[:8] == whole[taken : taken + 8]

    @pytest.mark.parametrize("ranks,others", [(1, 2), (2, 1), (2, 3), (3, 1)])
    def test_on_another_number_of_ranks_the_epoch_is_finished_exactly(self, numbered, ranks, others):
        root = numbered(23)
        before = [loader_of(root, random_shuffle=True, shard=(r, ranks), end="pad") for r in range(ranks)]
        seen = []
        for loader in before:
            for data, _, valid in itertools.islice(loader, 2):
                seen += data.flatten()[valid].tolist()
        states = [loader.state_dict() for loader in before]
        counts = set()
        for r in range(others):
            loader = loader_of(root, random_shuffle=True, shard=(r, others), end="pad")
            loader.load_state_dict(states[0])
            rest = list(loader)
            counts.add(len(rest))
            for data, _, valid in rest:
                seen += data.flatten()[valid].tolist()
            assert len(list(loader)) == len(loader)
        assert sorted(seen) == list(range(23))
        assert len(counts) == 1

    def test_an_epoch_that_lacks_its_end_only_is_still_the_one_before(self, numbered):
        loader = loader_of(numbered(5), random_shuffle=True)
        loop = iter(loader)
        for _ in range(len(loader)):
            next(loop)
        other = loader_of(numbered(5), random_shuffle=True)
        other.load_state_dict(loader.state_dict())
        other.set_epoch(0)
        assert list(other) == []
        assert next(loop, "end") == "end"
        assert [numbers(batch) for batch in other] == [numbers(batch) for batch in loader]

    def test_what_is_no_state_changes_nothing(self, numbered):
        loader = loader_of(numbered(5))
        state = loader.state_dict()
        next(iter(loader))
        expected = loader.state_dict()
        del state["finished"]
        with pytest.raises(ValueError, match="`finished` of the state of the loader is 1; True or False was saved"):
            loader.load_state_dict({**state, "finished": 1})
        for none in (state, {}, None, {"pipelines": [], "finished": False}):
            with pytest.raises(ValueError, match="no state of a loader"):
                loader.load_state_dict(none)
        assert loader.state_dict() == expected

    def test_the_state_of_another_pipeline_is_refused(self, numbered):
        state = loader_of(numbered(5)).state_dict()
        with pytest.raises(ValueError, match="5 samples"):
            loader_of(numbered(6)).load_state_dict(state)


@pytest.mark.parametrize("ranks", range(1, 5))
@pytest.mark.parametrize("end", ["pad", "partial"])
@pytest.mark.usefixtures("torch")
def test_evaluation_counts_every_sample_once_on_any_number_of_ranks(numbered, end, ranks):
    for samples in (4, 5, 7, 16):
        loaders = [loader_of(numbered(samples), 3, shard=(r, ranks), end=end) for r in range(ranks)]
        for _ in range(2):
            seen, steps = [], set()
            for loader in loaders:
                epoch = list(loader)
                steps.add(len(epoch))
                for data, *rest in epoch:
                    flat = data.flatten()
                    seen += (flat[rest[-1]] if end == "pad" else flat).tolist()
            assert sorted(seen) == list(range(samples))
            assert steps == {len(loaders[0])}


class TestRanks:
    def test_launchers_are_read_inside_out(self):
        slurm = {"SLURM_PROCID": "1", "SLURM_NTASKS": "2"}
        assert discover({})[:2] == (0, 1)
        assert discover(slurm)[:2] == (0, 1)  # a shell in an allocation
        assert discover({**slurm, "SLURM_STEP_ID": "0"})[:2] == (1, 2)
        torchrun = {"RANK": "9", "WORLD_SIZE": "16"}
        assert discover({**slurm, "SLURM_STEP_ID": "0", **torchrun})[:2] == (9, 16)
        assert discover({"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4"})[:2] == (3, 4)
        for rank in ("", "x"):
            with pytest.raises(ValueError, match=f"RANK='{rank}', which is no number: unset it"):
                discover({"RANK": rank, "WORLD_SIZE": "2"})

    def test_what_contradicts_is_refused(self, monkeypatch, torch):
        import torch.distributed as dist

        monkeypatch.setattr(dist, "is_initialized", lambda: True)
        monkeypatch.setattr(dist, "get_rank", lambda: 1)
        monkeypatch.setattr(dist, "get_world_size", lambda: 2)
        assert discover({}) == (1, 2, "torch.distributed")
        with pytest.raises(RuntimeError, match="rank 1 of 2.*rank 1 of 3"):
            discover({"RANK": "1", "WORLD_SIZE": "3"})

    def test_processes_that_are_connected_too_late_are_named(self, monkeypatch, numbered, torch):
        loader = loader_of(numbered(4))
        assert len(loader) == 2
        monkeypatch.setenv("RANK", "1")
        monkeypatch.setenv("WORLD_SIZE", "2")
        with pytest.raises(RuntimeError, match="connect the processes before"):
            iter(loader)


def test_importing_penstock_does_not_import_torch(script):
    assert script(code="import sys, penstock; print('torch' in sys.modules)") == "False\n"


RANK = """
import sys, torch, torch.distributed as dist
from penstock import Pipeline, fn
from penstock.torch import Loader

dist.init_process_group("gloo")
with Pipeline(batch_size=3) as pipe:
    pipe.set_outputs(fn.readers.file(file_root=sys.argv[1], random_shuffle=True)[0])
loader = Loader(pipe, epoch_end="pad")
for epoch in range(2):
    seen = torch.zeros(19, dtype=torch.int64)
    for data, valid in loader:
        seen.index_add_(0, data.flatten().long(), valid.long())
        dist.all_reduce(torch.ones(1))  # hangs where ranks take different numbers of steps
    dist.all_reduce(seen)
    assert seen.tolist() == [1] * 19, seen
sys.stdout.write(f"rank {dist.get_rank()} took {len(loader)} steps\\n")
dist.destroy_process_group()
"""


@pytest.mark.parametrize("ranks", [2, 4])
def test_ranks_of_torchrun_share_an_epoch_without_being_told(numbered, script, tmp_path, torch, ranks):
    del torch
    program = tmp_path / "rank.py"
    program.write_text(RANK)
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", ranks, program, numbered(19)]
    out = script(*launcher, timeout=120, OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="lo")
    steps = {2: 4, 4: 2}[ranks]  # of 3 samples: the largest shards have 10 and 5
    assert sorted(out.splitlines()) == [f"rank {rank} took {steps} steps" for rank in range(ranks)]
