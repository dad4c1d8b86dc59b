"""`DataParallel.train_step` with graphs: steps are those of one device, and what optimizers it captures.

Virtual devices pretend to have graphs (see pretend.py); tests/python/gpu has the real ones.
"""

import copy
import importlib

import pytest

torch = pytest.importorskip("torch")
from pretend import CALLS, PretendMachine, network, pair, pretend, worst  # noqa: E402
from spread import TWO, parts  # noqa: E402
from torch import nn  # noqa: E402

from penstock.parallel import DataParallel  # noqa: E402


@pytest.fixture(autouse=True)
def machines(monkeypatch):
    pretend(monkeypatch)
    monkeypatch.setattr(PretendMachine, "careful", True)


class TestTrainStep:
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


class Reads(torch.optim.Optimizer):
    """Says that it can be captured, and cannot."""

    def __init__(self, parameters):
        super().__init__(parameters, {"capturable": True})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for one in group["params"]:
                one.sub_(one.grad, alpha=0.1 / (1 + one.grad.abs().max().item()))


class Steps:
    """The same steps with graphs and without."""

    def __init__(self, optimizer=lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), **options):
        self.models = pair(**options)
        self.optimizers = [optimizer(model.parameters()) for model in self.models]
        both = zip(self.models, self.optimizers, strict=True)
        self.steps = [model.train_step(nn.functional.mse_loss, own) for model, own in both]

    def take(self, count):
        for _ in range(count):
            x, y = torch.randn(6, 8), torch.randn(6, 4)
            losses = [step(x, y) for step in self.steps]
            assert losses[0].item() == pytest.approx(losses[1].item(), rel=1e-5)
            assert worst(*(model.state_dict().values() for model in self.models)) < 1e-5

    def change(self, function):
        for model, optimizer in zip(self.models, self.optimizers, strict=True):
            function(model.module, optimizer)

    @property
    def status(self):
        return self.steps[0].graph_status

    @property
    def captured(self):
        [program] = self.steps[0]._graphs._programs.values()
        return len(program._update._replays)


class TestOptimizers:
    @pytest.mark.parametrize(
        "make",
        [
            lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
            lambda p: torch.optim.Adam(p, lr=0.01, capturable=True),
        ],
    )
    def test_that_only_tensors_tell_what_to_do_are_captured(self, make, monkeypatch):
        monkeypatch.setattr(
            importlib.import_module("torch.optim.adam"), "_get_capturable_supported_devices", lambda **_: ["cpu"]
        )
        steps = Steps(make)
        steps.take(CALLS + 6)
        assert steps.captured == 1

    @pytest.mark.parametrize(
        "layers",
        [
            lambda: [nn.Conv2d(2, 4, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1)],
            lambda: [nn.Flatten(2), nn.TransformerEncoderLayer(4, 2, 8, dropout=0, batch_first=True), nn.LazyLinear(2)],
        ],
    )
    def test_usual_networks_are_captured(self, layers):
        def make():
            torch.manual_seed(0)
            module = nn.Sequential(nn.Unflatten(1, (2, 2, 2)), *layers(), nn.Flatten())
            module(torch.zeros(2, 8))
            return module

        steps = Steps(make=make)
        steps.take(CALLS + 6)
        assert steps.status == "graphs"
        assert steps.captured == 1

    @pytest.mark.parametrize(
        ("make", "reason"),
        [
            (lambda p: torch.optim.Adagrad(p, lr=0.1, lr_decay=0.5), "a Adagrad may depend on numbers"),
            (lambda p: torch.optim.Adafactor(p, lr=0.5), "a Adafactor may depend on numbers"),
            (lambda p: torch.optim.NAdam(p), "it has no capturable=True"),
            (Reads, "capturing it failed with RuntimeError: operation not permitted"),
        ],
    )
    def test_others_step_without_and_are_told_once(self, make, reason):
        steps = Steps(make)
        with pytest.warns(UserWarning, match=reason) as told:
            steps.take(CALLS + 6)
        assert len(told) == 1
        assert steps.status == "graphs"
        assert not steps.captured

    @pytest.mark.parametrize(
        "change",
        [
            lambda m, o: o.state.clear(),
            lambda m, o: o.load_state_dict({"state": {}, "param_groups": o.state_dict()["param_groups"]}),
        ],
    )
    def test_state_that_begins_anew(self, change):
        steps = Steps()
        steps.take(CALLS + 4)
        steps.change(change)
        steps.take(5)
        assert steps.captured == 1

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            (lambda m, o: m[0].weight.register_hook(torch.zeros_like), "parameters have hooks"),
            (lambda m, o: m[3].bias.register_post_accumulate_grad_hook(_clear), "parameters have hooks"),
            (lambda m, o: o.register_step_pre_hook(lambda *_: _clear(m[0].weight)), "the optimizer has hooks"),
            (lambda m, o: setattr(o, "step", lambda: [_clear(m[0].weight), type(o).step(o)]), "a step of its own"),
        ],
    )
    @pytest.mark.parametrize("before", [0, CALLS + 4])
    def test_hooks_run(self, change, reason, before):
        steps = Steps()
        steps.take(before)
        steps.change(change)
        with pytest.warns(UserWarning, match=reason):
            steps.take(CALLS + 2)
        assert reason in steps.status

    def test_hooks_that_are_gone_do_not_matter(self):
        steps, handles = Steps(), []
        steps.take(CALLS + 4)
        steps.change(lambda m, o: handles.append(m[0].weight.register_hook(torch.zeros_like)))
        with pytest.warns(UserWarning, match="parameters have hooks"):
            steps.take(1)
        for one in handles:
            one.remove()
        steps.take(2)
        assert steps.status == "graphs"

    def test_parameters_that_come_later(self):
        steps = Steps()
        for one in steps.optimizers:
            del one.param_groups[0]["params"][2:]
        steps.take(CALLS + 4)
        steps.change(lambda m, o: o.add_param_group({"params": list(m[3].parameters()), "lr": 0.01}))
        steps.take(CALLS + 4)
        steps.change(lambda m, o: o.param_groups[0]["params"].append(m[1].weight))
        steps.take(CALLS + 4)
        assert steps.status == "graphs"

    def test_one_that_needs_a_closure_is_refused(self):
        module = network()
        with pytest.raises(ValueError, match="LBFGS.step needs a closure"):
            DataParallel(module, TWO).train_step(nn.functional.mse_loss, torch.optim.LBFGS(module.parameters()))


def _clear(parameter):
    parameter.grad.zero_()


class TestTheWrapper:
    def test_a_mean_of_buffers_is_taken_without_graphs(self):
        # Batch normalisation behind which nothing needs gradients
        make = lambda: nn.Sequential(nn.BatchNorm1d(8, affine=False), nn.Linear(8, 4))  # noqa: E731
        steps = Steps(make=make, buffers="mean")
        steps.take(CALLS + 2)
        assert 'buffers="mean"' in steps.status

    def test_another_module_is_not_the_one_that_was_captured(self):
        steps = Steps()
        steps.take(CALLS + 2)
        before = [copy.deepcopy(model.module.state_dict()) for model in steps.models]
        olds = [model.module for model in steps.models]
        for model in steps.models:
            model.module = network(1)
        steps.take(1)
        for old, then in zip(olds, before, strict=True):
            assert worst(old.buffers(), [then[name] for name, _ in old.named_buffers()]) == 0
