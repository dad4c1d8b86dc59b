"""`DataParallel`: buffers, above all statistics that batch normalisation changes without moving a version counter."""

import pytest

torch = pytest.importorskip("torch")
from pretend import PretendMachine, pretend  # noqa: E402
from spread import TWO, spread  # noqa: E402
from torch import nn  # noqa: E402

from penstock.parallel import DataParallel  # noqa: E402

THREE = [*TWO, "cpu:5"]


def normed():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))


class TestBackward:
    """What happens between a forward and its backward pass is no error where the module alone allows it."""

    @pytest.fixture(params=["copies", "launches"])
    def parallel(self, request, monkeypatch):
        if request.param == "launches":
            pretend(monkeypatch)
        return DataParallel(normed(), TWO)

    def test_two_forward_passes_and_one_backward_pass(self, parallel):
        x = torch.randn(8, 4)
        (parallel(x).sum() - parallel(-x).square().sum()).backward()
        assert parallel.module[0].weight.grad.abs().sum() > 0

    def test_validation_before_the_backward_pass(self, parallel):
        out = parallel(torch.randn(8, 4))
        parallel.eval()
        with torch.no_grad():
            parallel(torch.randn(8, 4))
        out.sum().backward()

    def test_changes_that_count_are_errors_on_all_devices(self, parallel):
        def function(self, x):
            return x * self.weight[0] if len(x) == 1 else x

        own = spread(function)
        out = own(torch.ones(3, requires_grad=True))
        with torch.no_grad():
            own.module.weight.add_(1)
            own(torch.ones(3))
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            out.sum().backward()

    def test_averages_can_be_trained(self):
        module = normed()
        parallel = DataParallel(module, TWO, buffers="mean")
        x = torch.randn(8, 4)
        before = module[1].running_mean.clone()
        parallel(x).sum().backward()
        assert not torch.equal(module[1].running_mean, before)
        step = parallel.train_step(nn.functional.mse_loss, torch.optim.SGD(module.parameters(), lr=0.1))
        assert step(x, torch.zeros(8, 1)) > 0


class TestAverages:
    def test_what_no_replica_has_changed_stays_to_the_bit(self):
        parallel = spread(lambda self, x: x * self.state, THREE, buffers="mean")
        masks = {
            "lowest": torch.full((2,), torch.finfo(torch.float32).min),
            "lowest_double": torch.full((2,), torch.finfo(torch.float64).min, dtype=torch.float64),
            "infinite": torch.tensor([float("-inf"), 0.1]),
            "state": torch.ones(()),
        }
        for name, mask in masks.items():
            parallel.module.register_buffer(name, mask.clone())
        for _ in range(3):
            parallel(torch.ones(6))
        for name, mask in masks.items():
            assert torch.equal(getattr(parallel.module, name), mask), name

    def test_large_numbers_of_small_types_do_not_overflow(self):
        parallel = spread(lambda self, x: self.state.add_(len(x) * 8).clone().reshape(1), buffers="mean")
        parallel.module.register_buffer("state", torch.full((), 60000.0, dtype=torch.float16))
        parallel(torch.ones(6))
        assert parallel.module.state == 60032


class TestStaleCopies:
    """Copies that nothing counted as changed are not taken for what was sent."""

    @pytest.mark.parametrize("notices", [True, False])
    def test_statistics_after_training(self, notices):
        module = nn.BatchNorm1d(2)
        parallel = DataParallel(module, TWO, notice_data_edits=notices)
        for _ in range(3):
            parallel(torch.cat([torch.randn(4, 2), torch.randn(4, 2) * 10 + 50]))
        parallel.eval()
        x = torch.randn(8, 2)
        torch.testing.assert_close(parallel(x), module(x))

    def test_statistics_of_one_replica_alone(self, monkeypatch):
        """The first one's are what they were, so the launch that compares them has nothing to send."""
        pretend(monkeypatch)
        monkeypatch.setattr(PretendMachine, "careful", True)
        module, zeros = nn.BatchNorm1d(2, momentum=1.0), torch.zeros(4, 2)
        module.running_var.zero_()
        parallel = DataParallel(module, TWO)
        module.num_batches_tracked = None  # which would be counted
        parallel(torch.cat([zeros, torch.randn(4, 2) * 10 + 50]))
        parallel.eval()
        x = torch.randn(8, 2)
        assert torch.equal(parallel(x), module(x))

    @pytest.mark.parametrize("training", [True, False])
    def test_edits_of_data_on_the_third_replica(self, training):
        def function(self, x):
            if x.max() > 10:
                self.state.data.fill_(7)
            return self.state.expand(len(x)).clone()

        parallel = spread(function, THREE).train(training)
        parallel.module.register_buffer("state", torch.zeros(()))
        parallel(torch.zeros(3))
        parallel(torch.tensor([0.0, 0.0, 20.0]))
        assert parallel(torch.zeros(3)).tolist() == [0, 0, 0]

    @pytest.mark.parametrize("make", [torch.Tensor.to_sparse, torch.Tensor.to_sparse_csr])
    def test_sparse_ones_are_followed(self, make):
        parallel = spread(lambda self, x: (self.matrix @ x.T).T)
        parallel.module.register_buffer("matrix", make(torch.eye(3)))
        x = torch.randn(4, 3)
        torch.testing.assert_close(parallel(x), x)
        parallel.module.matrix.copy_(make(2 * torch.eye(3)))
        torch.testing.assert_close(parallel(x), 2 * x)
