"""`DataParallel.train_step` with graphs: steps are those of one device, and what optimizers it captures.

Virtual devices pretend to have graphs (see pretend.py); tests/python/gpu has the real ones.
"""

import copy

import pytest

torch = pytest.importorskip("torch")
from pretend import CALLS, PretendMachine, network, pretend, worst  # noqa: E402
from spread import TWO, parts  # noqa: E402
from torch import nn  # noqa: E402

from penstock.parallel import DataParallel  # noqa: E402


@pytest.fixture(autouse=True)
def machines(monkeypatch):
    pretend(monkeypatch)


class TestTrainStep:
    @pytest.fixture(autouse=True)
    def careful(self, monkeypatch):
        monkeypatch.setattr(PretendMachine, "careful", True)

    @pytest.mark.parametrize(
        "optimizer",
        [
            lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
            lambda p: torch.optim.AdamW(p, lr=0.01),
        ],
    )
    def test_it_is_the_step_of_one_device(self, optimizer):
        module = network()
        alone = copy.deepcopy(module)
        parallel = DataParallel(module, TWO)
        ours, theirs = optimizer(module.parameters()), optimizer(alone.parameters())
        step = parallel.train_step(nn.functional.mse_loss, ours)
        schedule = torch.optim.lr_scheduler.StepLR(ours, 6), torch.optim.lr_scheduler.StepLR(theirs, 6)
        for n in range(13):
            if n == 11:
                for one in (*ours.state.values(), *theirs.state.values()):
                    one.get("momentum_buffer", one.get("exp_avg")).mul_(-3)
            if n == 9:
                for one in (module, alone):
                    one[0].weight.data.mul_(1.5)
            if n == 10:
                ours.load_state_dict(copy.deepcopy(ours.state_dict()))
            x, y = torch.randn(6, 8), torch.randn(6, 4)
            alone.train(), theirs.zero_grad()
            halves = zip(x.split(3), y.split(3), strict=True)
            loss = sum(nn.functional.mse_loss(alone(own), want) for own, want in halves) / 2
            loss.backward()
            theirs.step()
            assert step(x, y).item() == pytest.approx(loss.item(), rel=1e-5)
            assert worst(module.parameters(), alone.parameters()) < 1e-5
            for one in schedule:
                one.step()
        assert step.graph_status == "graphs"
        assert module[0].weight.grad is not None
        assert torch.equal(parallel.eval()(x), parts([3, 3], module.eval(), x))

    def test_replicas_stay_equal_and_losses_are_the_callers(self):
        module = network()
        parallel = DataParallel(module, TWO)
        step = parallel.train_step(nn.functional.mse_loss, torch.optim.SGD(module.parameters(), lr=0.1))
        losses = [step(torch.randn(6, 8), torch.randn(6, 4)) for _ in range(8)]
        assert len({loss.item() for loss in losses}) == 8
        entries = parallel._engine.weights._entries
        assert all(torch.equal(entries[id(p)].copies[1], p) for p in module.parameters())

    def test_an_optimizer_over_something_else_runs_without(self):
        module, other = network(), nn.Linear(1, 1)
        optimizer = torch.optim.SGD([*module.parameters(), *other.parameters()], lr=0.1)
        step = DataParallel(module, TWO).train_step(nn.functional.mse_loss, optimizer)
        with pytest.warns(UserWarning, match="parameters that are not the module's"):
            for _ in range(CALLS + 1):
                step(torch.randn(6, 8), torch.randn(6, 4))
