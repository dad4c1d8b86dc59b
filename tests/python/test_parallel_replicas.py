"""`DataParallel`: replicas that live on and notice every change, and the gradients that come back from them."""

import pytest

torch = pytest.importorskip("torch")
from spread import TWO, parts, spread  # noqa: E402
from torch import nn  # noqa: E402

from penstock.parallel import DataParallel  # noqa: E402


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
