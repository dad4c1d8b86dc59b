"""`DataParallel` on virtual devices of the CPU: what torch.nn.DataParallel means, and what goes beyond."""

import collections
import copy
import dataclasses
import pickle
import threading

import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from penstock.parallel import DataParallel, Sharded  # noqa: E402

TWO = ["cpu:1", "cpu:3"]


class Net(nn.Module):
    """The network of the seed: 32 to 64 with one layer between; notes what each replica sees."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(32, 16), nn.Linear(16, 64)
        self.seen = []  # shared by replicas: list.append is atomic

    def forward(self, x):
        self.seen.append((threading.current_thread().name, tuple(x.shape)))
        return self.second(torch.relu(self.first(x)))


class Calls(nn.Module):
    """Whatever function one likes, with one weight."""

    def __init__(self, function):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(self, *args, **kwargs)


def spread(function, devices=TWO, **options):
    return DataParallel(Calls(function), devices, **options)


def net(seed=0, make=Net):
    torch.manual_seed(seed)
    return make()


def parts(sizes, module, x):
    return torch.cat([module(part) for part in x.split(sizes)])


class TestTheSeedsStory:
    def test_three_rows_are_split_two_and_one_and_gathered(self):
        module, x = net(), torch.randn(3, 32)
        parallel = DataParallel(module, TWO)
        out = parallel(x)
        assert sorted(module.seen) == [("penstock cpu:1", (2, 32)), ("penstock cpu:3", (1, 32))]
        assert (out.shape, parallel.device_ids, parallel.output_device) == ((3, 64), TWO, "cpu:1")
        assert torch.equal(out, parts([2, 1], module, x))

    def test_a_module_that_lies_elsewhere_is_named(self):
        parallel = DataParallel(net().to("meta"), TWO)
        message = r"module must have its parameters and buffers on device cpu:1 \(device_ids\[0\]\) but found one of "
        with pytest.raises(RuntimeError, match=message + "them on device: meta"):
            parallel(torch.randn(3, 32))


class TestDevices:
    @pytest.mark.skipif(torch.cuda.is_available(), reason="is about hosts without a GPU")
    @pytest.mark.parametrize("ids", [None, [1, 3], ["cuda:0"]])
    def test_without_an_accelerator_the_module_runs_as_it_is(self, ids):
        parallel = DataParallel(net(), ids)
        x = torch.randn(3, 32)
        assert parallel.device_ids == []
        assert torch.equal(parallel(x), parallel.module(x))
        assert parallel.module.seen[0][1] == (3, 32)

    def test_no_devices_are_refused(self):
        with pytest.raises(RuntimeError, match="no available devices were found"):
            DataParallel(net(), [])
        with pytest.raises(ValueError, match="must differ"):
            DataParallel(net(), ["cpu:0", "cpu:0"])

    def test_one_device_runs_the_module_itself(self):
        calls = spread(lambda self, x: (self, x), ["cpu:0"], output_device="meta")
        module, x = calls(torch.ones(2))
        assert module is calls.module
        assert x.device.type == "cpu"

    def test_an_imbalance_of_gpus_is_said(self, monkeypatch):
        from penstock.parallel import _devices

        facts = collections.namedtuple("Facts", "total_memory multi_processor_count")
        monkeypatch.setattr(torch.cuda, "get_device_properties", lambda i: facts([100, 70][i], 1))
        with pytest.warns(UserWarning, match="imbalance between your GPUs. You may want to exclude GPU 1 which"):
            _devices._warn_of_imbalance([0, 1])

    @pytest.mark.parametrize("options", [{"split": [1]}, {"split": "odd"}, {"outputs": "all"}, {"buffers": "last"}])
    def test_wrong_choices_are_named(self, options):
        with pytest.raises(ValueError, match=next(iter(options))):
            DataParallel(net(), TWO, **options)


class TestScatter:
    @pytest.mark.parametrize(
        "rows,devices,split,sizes",
        [
            (3, 2, "chunk", [2, 1]), (5, 4, "chunk", [2, 2, 1]), (1, 3, "chunk", [1]), (9, 8, "chunk", [2, 2, 2, 2, 1]),
            (0, 2, "chunk", [0, 0]), (9, 8, "even", [2, 1, 1, 1, 1, 1, 1, 1]), (2, 3, "even", [1, 1]),
            (9, 2, [2, 1], [6, 3]), (0, 2, "even", [0, 0]),
        ],
    )  # fmt: skip
    def test_rows_are_shared(self, rows, devices, split, sizes):
        from penstock.parallel._scatter import sizes_of

        assert sizes_of(rows, devices, split) == sizes
        if split == "chunk":
            assert sizes == [len(part) for part in torch.chunk(torch.zeros(rows, 1), devices)]
        parallel = spread(lambda self, x: x, [f"cpu:{i}" for i in range(devices)], split=split, outputs="sharded")
        assert [len(x) for x in parallel(torch.zeros(rows, 2))] == sizes

    def test_tensors_are_cut_in_any_structure_and_the_rest_goes_by_reference(self):
        point, thing = collections.namedtuple("Point", "x y"), object()
        given = {"a": [torch.arange(3), "text"], "b": point(torch.arange(3), None), "c": (thing, 5)}
        one, two = spread(lambda self, value, flag: (value, flag), outputs="sharded")(given, flag=thing)
        assert [part[0]["a"][0].tolist() for part in (one, two)] == [[0, 1], [2]]
        assert [part[0]["b"].x.tolist() for part in (one, two)] == [[0, 1], [2]]
        assert isinstance(two[0]["b"], point)
        assert all(part[0]["c"] == (thing, 5) and part[1] is thing and part[0]["a"][1] == "text" for part in (one, two))

    def test_shards_of_one_wrapper_go_into_another_as_they_are(self):
        first = spread(lambda self, x: x + 1, outputs="sharded", split=[1, 3])
        shards = first(torch.arange(8))
        assert [shard.tolist() for shard in shards] == [[1, 2], [3, 4, 5, 6, 7, 8]]
        second = spread(lambda self, x, y: (x * 10, y, x.data_ptr()), outputs="sharded")
        (one, y, where), (two, z, _) = second(shards, torch.arange(2))
        assert (y.tolist(), z.tolist()) == ([0], [1])
        assert (one.tolist(), two.tolist(), where) == ([10, 20], [30, 40, 50, 60, 70, 80], shards[0].data_ptr())
        with pytest.raises(ValueError, match="3 shards for 2 devices"):
            second(Sharded([torch.zeros(1)] * 3), 1)

    def test_another_dimension(self):
        parallel = spread(lambda self, x: x * 2, dim=1)
        x = torch.randn(2, 5)
        assert torch.equal(parallel(x), x * 2)

    def test_keywords_alone_and_nothing_at_all(self):
        assert spread(lambda self, *, x: x)(x=torch.arange(4)).tolist() == [0, 1, 2, 3]
        calls = []
        spread(lambda self: calls.append(1))()
        assert calls == [1]
        spread(lambda self, flag: calls.append(flag))("each")
        assert calls == [1, "each", "each"]

    def test_inputs_that_would_lose_rows_are_refused(self):
        with pytest.raises(ValueError, match=r"differ in length along dimension 0: \[1, 3\]"):
            spread(lambda self, x, y: x)(torch.zeros(3), torch.zeros(1))
        with pytest.raises(ValueError, match="cannot be scattered"):
            spread(lambda self, x: x)(torch.tensor(1.0))


class TestGather:
    def test_structures_come_back_with_their_types(self):
        @dataclasses.dataclass
        class Result:
            logits: object
            name: str

        point = collections.namedtuple("Point", "x y")

        def function(self, x):
            ordered = collections.OrderedDict(b=x, a=None)
            return Result([x, (x + 1, "same")], "n"), point(x, 7), ordered, collections.defaultdict(list, k=x)

        result, both, ordered, default = spread(function)(torch.arange(3.0))
        assert result.logits[0].tolist() == [0, 1, 2]
        assert (result.logits[1][1], result.name, both.y, type(both)) == ("same", "n", 7, point)
        assert (list(ordered), ordered["a"], default["k"].tolist()) == (["b", "a"], None, [0, 1, 2])
        assert default.default_factory is list

    def test_scalars_become_a_vector_with_torchs_warning(self):
        with pytest.warns(UserWarning, match="all input tensors were scalars; will instead unsqueeze and return a vec"):
            out = spread(lambda self, x: x.sum())(torch.tensor([1.0, 2.0, 4.0]))
        assert out.tolist() == [3, 4]

    def test_what_differs_is_refused(self):
        with pytest.raises(ValueError, match=r"the output\[0\] differs from replica to replica.*\[2, 1\]"):
            spread(lambda self, x: (len(x), x))(torch.zeros(3))
        with pytest.raises(ValueError, match="All dicts must have the same number of keys"):
            spread(lambda self, x: dict.fromkeys(range(len(x)), x))(torch.zeros(3))
        with pytest.raises(ValueError, match="differs in type"):
            spread(lambda self, x: x if len(x) == 2 else None)(torch.zeros(3))

    def test_outputs_can_stay_apart(self):
        x = torch.randn(5, 32)
        module = net()
        shards = DataParallel(module, TWO, outputs="sharded")(x)
        assert [len(shard) for shard in shards] == [3, 2]
        assert torch.equal(torch.cat(shards), DataParallel(module, TWO, outputs="cpu")(x))


def weights_of_second(parallel, x=None):
    """Weights that the second replica works with."""
    return parallel(torch.zeros(2) if x is None else x)[1]


class TestReplicas:
    """The second replica is the module of this moment, whatever was done to it."""

    @pytest.fixture
    def parallel(self):
        made = spread(lambda self, x: self.weight.detach().clone(), outputs="sharded")
        weights_of_second(made)
        return made

    @pytest.mark.parametrize(
        "change",
        [
            lambda m: m.weight.data.mul_(5),
            lambda m: setattr(m.weight, "data", torch.full((3,), 5.0)),
            lambda m: m.load_state_dict({"weight": torch.full((3,), 5.0)}),
            lambda m: setattr(m, "weight", nn.Parameter(torch.full((3,), 5.0))),
            lambda m: torch.nn.init.constant_(m.weight, 5.0),
            lambda m: m.weight.data[2:].fill_(5),
            lambda m: m.double(),
            lambda m: m.weight.data.copy_(torch.tensor([float("nan"), 1, 1])),
        ],
    )
    def test_changed_weights_arrive(self, parallel, change):
        with torch.no_grad():
            change(parallel.module)
        got = weights_of_second(parallel)
        assert got.dtype == parallel.module.weight.dtype
        assert torch.equal(got.nan_to_num(9), parallel.module.weight.nan_to_num(9))
        assert got.data_ptr() != parallel.module.weight.data_ptr()

    def test_optimizer_steps_arrive(self, parallel):
        optimizer = torch.optim.SGD(parallel.module.parameters(), lr=1.0)
        parallel.module.weight.grad = torch.ones(3)
        optimizer.step()
        assert weights_of_second(parallel).tolist() == [0, 0, 0]

    def test_unchanged_weights_are_not_copied_again(self, parallel, monkeypatch):
        copies = []
        real = torch._foreach_copy_
        monkeypatch.setattr(torch, "_foreach_copy_", lambda a, b, **k: copies.append(len(a)) or real(a, b, **k))
        weights_of_second(parallel)
        assert copies == []
        parallel.module.weight.data.add_(1)
        weights_of_second(parallel)
        assert copies == [1]

    def test_edits_of_data_can_be_left_unnoticed(self):
        made = spread(lambda self, x: self.weight.detach().clone(), outputs="sharded", notice_data_edits=False)
        weights_of_second(made)
        made.module.weight.data.mul_(5)
        assert weights_of_second(made).tolist() == [1, 1, 1]
        with torch.no_grad():
            made.module.weight.mul_(2)
        assert weights_of_second(made).tolist() == [10, 10, 10]

    def test_modes_attributes_hooks_and_layers_arrive(self):
        parallel = spread(lambda self, x: (self.training, getattr(self, "extra", None), list(self._modules), x))
        x = torch.zeros(2)
        assert parallel(x)[:3] == (True, None, [])
        parallel.eval()
        assert parallel(x)[0] is False
        parallel.module.extra = "text"
        assert parallel(x)[1] == "text"
        parallel.module.add_module("late", nn.Linear(1, 1))
        assert parallel(x)[2] == ["late"]
        calls = []
        handle = parallel.module.register_forward_hook(lambda *_: calls.append(1))
        parallel(x)
        handle.remove()
        parallel(x)
        assert calls == [1, 1]

    def test_layers_that_are_replaced_deep_inside_arrive(self):
        module = nn.Sequential(nn.Sequential(nn.Linear(2, 2)))
        parallel = DataParallel(module, TWO)
        x = torch.randn(4, 2)
        parallel(x)
        module[0][0] = nn.Linear(2, 7)
        assert torch.equal(parallel(x), parts([2, 2], module, x))

    def test_parameters_can_be_asked_for_inside(self):
        def function(self, x):
            return [name for name, _ in self.named_parameters()], next(self.parameters()).requires_grad

        assert spread(function)(torch.zeros(2)) == (["weight"], True)

    def test_shared_parameters_stay_shared(self):
        def function(self, x):
            return self.weight is self.also

        parallel = spread(function)
        parallel.module.also = parallel.module.weight
        assert parallel(torch.zeros(2)) is True

    def test_lists_of_parameters_keep_their_length(self):
        parallel = spread(lambda self, x: sum(p.sum() for p in self.many) * x)
        parallel.module.many = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in range(3)])
        assert parallel(torch.ones(2)).tolist() == [3, 3]

    def test_recurrent_layers_use_their_own_weights(self):
        module, x = nn.LSTM(3, 4, batch_first=True), torch.randn(4, 2, 3)
        parallel, own = DataParallel(module, TWO, outputs="sharded"), []
        module.register_forward_pre_hook(lambda layer, _: own.append(layer._flat_weights[0] is layer.weight_ih_l0))
        expected = module(x)[0]
        torch.testing.assert_close(torch.cat([out for out, _ in parallel(x)]), expected)
        with torch.no_grad():
            module.weight_hh_l0.mul_(3)
        torch.testing.assert_close(torch.cat([out for out, _ in parallel(x)]), module(x)[0])
        assert own == [True] * 6

    def test_batch_norm_keeps_the_statistics_of_the_first_replica(self):
        module, alone = nn.BatchNorm1d(2), nn.BatchNorm1d(2)
        parallel, x = DataParallel(module, TWO), torch.randn(8, 2)
        for _ in range(3):
            parallel(x)
            alone(x[:4])
        for ours, theirs in zip(module.buffers(), alone.buffers(), strict=True):
            assert torch.equal(ours, theirs)

    @pytest.mark.parametrize("notices", [True, False])
    def test_what_other_replicas_do_to_buffers_is_lost(self, notices):
        def function(self, x):
            if len(x) == 1:  # the second replica
                self.state.add_(1)
            return self.state.clone().reshape(1)

        parallel = spread(function, notice_data_edits=notices)
        parallel.module.register_buffer("state", torch.zeros(()))
        for _ in range(3):
            assert parallel(torch.zeros(3)).tolist() == [0, 1]
        assert parallel.module.state == 0

    def test_buffers_can_be_averaged(self):
        module = nn.BatchNorm1d(2, momentum=1.0)
        x = torch.randn(8, 2)
        DataParallel(module, TWO, buffers="mean")(x)
        torch.testing.assert_close(module.running_mean, x.mean(0))
        assert module.num_batches_tracked == 1

    def test_what_torchscript_cannot_take_apart_is_refused(self, monkeypatch):
        from penstock.parallel import _replicas

        monkeypatch.setattr(_replicas, "_replicatable_module", lambda _: False)  # such modules are hard to come by
        with pytest.raises(RuntimeError, match="python modules are children of ScriptModule"):
            DataParallel(nn.Linear(2, 2), TWO)(torch.zeros(2, 2))


def wide(seed):
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3),
        nn.GroupNorm(2, 8),
        nn.GELU(),
        nn.Flatten(),
        nn.Linear(8 * 36, 32),
        nn.Tanh(),
        nn.Linear(32, 5),
    )


class TestGradients:
    @pytest.mark.parametrize("split", ["chunk", "even", [5, 1, 2]])
    def test_they_equal_those_of_one_device(self, split):
        x, y = torch.randn(7, 3, 8, 8), torch.randint(0, 5, (7,))
        alone, module = wide(0), wide(0)
        parallel = DataParallel(module, [f"cpu:{i}" for i in range(3)], split=split)
        x.requires_grad_()
        nn.functional.cross_entropy(parallel(x), y).backward()
        gradient, x.grad = x.grad, None
        nn.functional.cross_entropy(alone(x), y).backward()
        for ours, theirs in zip([gradient, *(p.grad for p in module.parameters())],
                                [x.grad, *(p.grad for p in alone.parameters())], strict=True):  # fmt: skip
            assert (ours - theirs).norm() <= 1e-6 * theirs.norm()

    def test_outputs_of_each_part_are_those_of_the_module_bit_for_bit(self):
        module, x = wide(1).eval(), torch.randn(7, 3, 8, 8)
        with torch.no_grad():
            assert torch.equal(DataParallel(module, TWO)(x), parts([4, 3], module, x))

    def test_training_follows_that_of_one_device(self):
        x, y = torch.randn(10, 3, 8, 8), torch.randint(0, 5, (10,))
        losses = []
        for wrap in (lambda m: m, lambda m: DataParallel(m, TWO)):
            module = wide(2)
            model, optimizer = wrap(module), torch.optim.SGD(module.parameters(), lr=0.1, momentum=0.9)
            losses.append([])
            for _ in range(10):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
                losses[-1].append(loss.item())
        assert losses[0][-1] < losses[0][0] / 2
        assert losses[1] == pytest.approx(losses[0], rel=1e-4)

    def test_a_step_in_one_call_is_the_same_step(self):
        x, y = torch.randn(7, 3, 8, 8), torch.randint(0, 5, (7,))
        modules = [wide(3), wide(3), wide(3)]
        steps = []
        for module, devices in zip(modules, [None, ["cpu:0"], TWO], strict=True):
            optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
            step = DataParallel(module, devices).train_step(nn.functional.cross_entropy, optimizer)
            steps.append([step(x, y).item() for _ in range(4)])
        assert steps[1] == pytest.approx(steps[0])
        assert steps[2] == pytest.approx(steps[0], rel=1e-5)

    def test_frozen_parameters_get_none_and_thawed_ones_do(self):
        module = wide(0)
        parallel, x = DataParallel(module, TWO), torch.randn(4, 3, 8, 8)
        module[0].requires_grad_(False)
        parallel(x).sum().backward()
        assert module[0].weight.grad is None
        assert module[4].weight.grad is not None
        module[0].requires_grad_(True)
        parallel(x).sum().backward()
        assert module[0].weight.grad is not None

    def test_gradients_accumulate_and_have_gradients(self):
        module, x = nn.Linear(3, 1), torch.randn(4, 3)
        parallel = DataParallel(module, TWO)
        for _ in range(2):
            parallel(x).sum().backward()
        assert torch.allclose(module.weight.grad, 2 * x.sum(0)[None])
        [first] = torch.autograd.grad(parallel(x).pow(2).sum(), module.weight, create_graph=True)
        [ours] = torch.autograd.grad(first.sum(), module.weight)
        [alone] = torch.autograd.grad(module(x).pow(2).sum(), module.weight, create_graph=True)
        assert torch.allclose(ours, torch.autograd.grad(alone.sum(), module.weight)[0])


class TestContext:
    def modes(self, parallel):
        return parallel(torch.ones(2, 3))[0]

    def test_grad_and_inference_mode_are_the_callers(self):
        parallel = spread(lambda self, x: ((torch.is_grad_enabled(), torch.is_inference_mode_enabled()), x))
        assert self.modes(parallel) == (True, False)
        with torch.no_grad():
            assert self.modes(parallel) == (False, False)
        with torch.inference_mode():
            assert self.modes(parallel) == (False, True)
        parallel(torch.ones(2, 3))[1].sum()

    def test_weights_copied_in_inference_mode_can_be_trained(self):
        parallel, x = DataParallel(nn.Linear(3, 1), TWO), torch.ones(2, 3)
        with torch.inference_mode():
            parallel(x)
        parallel(x).sum().backward()
        assert parallel.module.weight.grad is not None

    def test_autocast_keeps_its_dtype(self):
        parallel = DataParallel(nn.Linear(3, 3), TWO)
        for dtype in (torch.bfloat16, torch.float16):
            with torch.autocast("cpu", dtype):
                assert parallel(torch.ones(2, 3)).dtype == dtype
        with torch.autocast("cpu", torch.bfloat16):
            inside = spread(lambda self, x: torch.get_autocast_dtype("cpu") == torch.bfloat16)
            assert inside(torch.ones(2)) is True
        assert parallel(torch.ones(2, 3)).dtype == torch.float32

    def test_random_numbers_repeat(self):
        parallel = DataParallel(nn.Dropout(), [f"cpu:{i}" for i in range(4)])
        x = torch.ones(64, 50)
        results = []
        for _ in range(3):
            torch.manual_seed(3)
            results.append(parallel(x))
        assert torch.equal(results[0], results[1])
        assert torch.equal(results[0], results[2])
        torch.manual_seed(3)
        assert torch.equal(results[0], parts([16] * 4, nn.Dropout(), x))


class TestErrors:
    @staticmethod
    def fails(kind, rows, count=2):
        def function(self, x):
            if len(x) in rows:
                raise kind(f"no {len(x)}")
            return x

        return spread(function, [f"cpu:{i}" for i in range(count)])

    def test_one_comes_with_type_device_and_rows(self):
        with pytest.raises(IndexError) as caught:
            self.fails(IndexError, {1})(torch.zeros(3))
        text = str(caught.value)
        assert "Caught IndexError in replica 1 on device cpu:1 (rows 2 to 2 of 3).\nOriginal Traceback" in text
        assert 'raise kind(f"no {len(x)}")' in text
        assert "IndexError: no 1" in text

    @pytest.mark.parametrize("kind", [ValueError, KeyError, torch.OutOfMemoryError])
    def test_several_come_as_a_group_of_the_first_ones_type(self, kind):
        with pytest.raises(kind, match="2 of 2 replicas failed") as caught:
            self.fails(kind, {2})(torch.zeros(4))
        assert isinstance(caught.value, ExceptionGroup)
        assert [type(error) for error in caught.value.exceptions] == [kind, kind]

    def test_types_that_take_no_text_keep_theirs(self):
        class Odd(Exception):
            def __init__(self, a, b):
                super().__init__(a, b)

        def function(self, x):
            raise Odd(1, 2)

        with pytest.raises(Odd) as caught:
            DataParallel(Calls(function), TWO)(torch.zeros(1))
        assert caught.value.__notes__ == ["raised in replica 0 on device cpu:1 (rows 0 to 0 of 1)"]

    def test_the_wrapper_goes_on_after_errors(self):
        parallel = self.fails(ValueError, {2})
        with pytest.raises(ValueError):
            parallel(torch.zeros(4))
        assert len(parallel(torch.zeros(6))) == 6


class TestTheWrapper:
    def test_attributes_are_the_modules(self):
        parallel = DataParallel(net(), TWO)
        assert parallel.first is parallel.module.first
        assert list(parallel.state_dict())[0] == "module.first.weight"
        with pytest.raises(AttributeError, match="nothing"):
            parallel.nothing  # noqa: B018

    def test_copies_and_pickles_work_alone(self):
        parallel, x = DataParallel(nn.Linear(3, 2), TWO), torch.randn(4, 3)
        expected = parallel(x)
        for other in (copy.deepcopy(parallel), pickle.loads(pickle.dumps(parallel))):
            assert torch.equal(other(x), expected)
            with torch.no_grad():
                other.module.weight.zero_()
                other.module.bias.zero_()
            assert other(x).abs().sum() == 0
        assert torch.equal(parallel(x), expected)

    def test_several_threads_may_call(self):
        parallel, results = DataParallel(net(), TWO), {}
        inputs = [torch.randn(3 + i, 32) for i in range(6)]

        def call(i):
            results[i] = [parallel(inputs[i]) for _ in range(5)]

        threads = [threading.Thread(target=call, args=(i,)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        for i, x in enumerate(inputs):
            expected = parts([-(-len(x) // 2), len(x) // 2], parallel.module, x)
            assert all(torch.equal(result, expected) for result in results[i])

    def test_threads_end_with_the_wrapper(self):
        def running():
            return [thread for thread in threading.enumerate() if thread.name == "penstock cpu:77"]

        parallel = DataParallel(nn.Linear(1, 1), ["cpu:77", "cpu:78"])
        parallel(torch.ones(2, 1))
        [thread] = running()
        parallel(torch.ones(2, 1))
        assert running() == [thread]
        del parallel
        thread.join(10)
        assert not thread.is_alive()

    def test_wrappers_can_hold_wrappers(self):
        inner = DataParallel(nn.Linear(3, 3), TWO)
        outer = DataParallel(nn.Sequential(nn.Linear(3, 3), inner), TWO)
        x = torch.randn(8, 3)
        torch.testing.assert_close(outer(x), inner.module(outer.module[0](x)))
        outer(x).sum().backward()
        assert inner.module.weight.grad is not None

    def test_compiled_it_gives_the_same(self):
        class Around(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = DataParallel(nn.Linear(3, 3), TWO)

            def forward(self, x):
                return torch.relu(self.inner(x * 2)) + 1

        module, x = Around(), torch.randn(4, 3)
        expected = module(x)
        torch.testing.assert_close(torch.compile(module, backend="eager")(x), expected)
        torch.testing.assert_close(torch.compile(module.inner, backend="eager")(x), module.inner(x))
