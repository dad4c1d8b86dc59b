"""`DataParallel` with graphs: what is captured, what is not and is told, and that results are those of the eager way.

Virtual devices pretend to have graphs (see pretend.py); tests/python/gpu has the real ones.
"""

import copy
import random

import pytest

torch = pytest.importorskip("torch")
from pretend import PretendMachine, pretend  # noqa: E402
from spread import TWO, Calls, parts  # noqa: E402
from torch import nn  # noqa: E402

from penstock.parallel import DataParallel, Sharded, _graphs  # noqa: E402

CALLS = 3  # that run without


@pytest.fixture(autouse=True)
def machines(monkeypatch):
    pretend(monkeypatch)


def network(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4))


def pair(make=network, **options):
    """The same module twice: with graphs and without."""
    module = make()
    return DataParallel(module, TWO, **options), DataParallel(copy.deepcopy(module), TWO, graphs=False, **options)


def called(function, *args, calls=CALLS + 2, **options):
    """The wrapper after some calls, and the last result."""
    parallel = DataParallel(Calls(function), TWO, **options)
    for _ in range(calls):
        result = None  # or its backward pass might still come
        result = parallel(*args)
    return parallel, result


def worst(a, b):
    return max((one - other).abs().max().item() for one, other in zip(a, b, strict=True))


class TestInference:
    def test_results_and_noticed_edits_are_those_without(self):
        graphs, eager = pair()
        graphs.eval(), eager.eval()
        for n in range(CALLS + 4):
            x = torch.randn(5, 8)
            for one in (graphs, eager):
                one.module[0].weight.data.mul_(1.1)
            with torch.no_grad():
                assert torch.equal(graphs(x), eager(x))
            assert graphs.graph_status.startswith("graphs" if n >= CALLS else "no graphs, because the first 3 calls")

    def test_results_are_never_written_again(self):
        with torch.no_grad():
            parallel, first = called(lambda self, x: x + self.weight, torch.zeros(4, 3))
            parallel(torch.ones(4, 3))
        assert parallel.graph_status == "graphs"
        assert torch.equal(first, torch.ones(4, 3))

    def test_structures_other_dimensions_and_values(self):
        def function(self, pair, *, scale):
            return {"a": pair[0] * scale, "b": (pair[1] + 1, "text", None)}

        parallel = DataParallel(Calls(function), TWO, dim=1)
        for n in range(CALLS + 2):
            x = torch.randn(2, 5)
            out = parallel([x, x + n], scale=3)
            assert torch.equal(out["a"], x * 3)
            assert torch.equal(out["b"][0], x + n + 1)
            assert out["b"][1:] == ("text", None)
        assert parallel.graph_status == "graphs"
        assert torch.equal(parallel([x, x], scale=2)["a"], x * 2)

    def test_scalars_become_a_vector_with_torchs_warning(self):
        with pytest.warns(UserWarning, match="all input tensors were scalars"):
            parallel = called(lambda self, x: (x * self.weight).sum(), torch.ones(3, 3))[0]
        with pytest.warns(UserWarning, match="all input tensors were scalars"):
            out = parallel(torch.full((3, 3), 2.0))
        assert parallel.graph_status == "graphs"
        assert out.tolist() == [12, 6]
        (out[0] + 3 * out[1]).backward()
        assert parallel.module.weight.grad.tolist() == [10, 10, 10]

    def test_shards_go_in_and_out(self):
        with torch.no_grad():
            parallel, _ = called(lambda self, x: x * 2, Sharded([torch.ones(1), torch.ones(3)]), outputs="sharded")
            out = parallel(Sharded([torch.full((1,), 2.0), torch.full((3,), 3.0)]))
        assert parallel.graph_status == "graphs"
        assert isinstance(out, Sharded)
        assert [one.tolist() for one in out] == [[4], [6, 6, 6]]

    def test_fewer_rows_than_devices(self):
        parallel, out = called(lambda self, x: x + self.weight, torch.zeros(1, 3))
        assert parallel.graph_status == "graphs"
        assert out.tolist() == [[1, 1, 1]]

    def test_shapes_and_modes_have_graphs_of_their_own(self):
        graphs, eager = pair()
        for _ in range(CALLS + 2):
            for rows in (4, 6):
                for training in (True, False):
                    graphs.train(training), eager.train(training)
                    x = torch.randn(rows, 8)
                    out, want = graphs(x), eager(x)
                    assert torch.equal(out, want)
                    out.sum().backward()
        assert len(graphs._engine.graphs._programs) == 4
        assert worst(graphs.module.buffers(), eager.module.buffers()) == 0


class TestTraining:
    def test_steps_are_those_without(self):
        graphs, eager = pair()
        optimizers = [torch.optim.SGD(one.parameters(), lr=0.1, momentum=0.9) for one in (graphs, eager)]
        for _ in range(CALLS + 4):
            x, results = torch.randn(6, 8), []
            for model, optimizer in zip((graphs, eager), optimizers, strict=True):
                own = x.clone().requires_grad_()
                optimizer.zero_grad()
                model(own).square().mean().backward()
                optimizer.step()
                results.append([own.grad, *(p.grad for p in model.parameters()), *model.buffers()])
            assert worst(*results) == 0
        assert graphs.graph_status == "graphs"

    def test_a_capture_changes_nothing_by_itself(self):
        module = nn.BatchNorm1d(3)
        parallel = DataParallel(module, TWO)
        for n in range(CALLS + 2):
            parallel(torch.randn(4, 3))
            assert module.num_batches_tracked == n + 1

    def test_two_forward_passes_before_a_backward_pass(self):
        graphs, eager = pair()
        graphs.eval(), eager.eval()
        inputs = [torch.randn(4, 8) for _ in range(2)]
        for _ in range(CALLS + 2):
            for model in (graphs, eager):
                model.zero_grad()
                first, second = model(inputs[0]), model(inputs[1])
                (first.sum() * 2 + second.square().sum()).backward()
            ours, theirs = ([p.grad for p in model.parameters()] for model in (graphs, eager))
            assert worst(ours, theirs) < 1e-5
        assert "still needs" in graphs.graph_status

    def test_gradients_accumulate_and_can_be_had_twice(self):
        parallel, out = called(lambda self, x: x * self.weight, torch.ones(4, 3))
        assert parallel.graph_status == "graphs"
        out.sum().backward(retain_graph=True)
        kept = parallel.module.weight.grad.clone()
        out.sum().backward()
        assert torch.equal(parallel.module.weight.grad, 2 * kept)

    def test_a_backward_pass_that_came_too_late_is_refused(self):
        parallel, out = called(lambda self, x: x * self.weight, torch.ones(4, 3))
        out.sum().backward(retain_graph=True)
        parallel(torch.ones(4, 3))
        with pytest.raises(RuntimeError, match="a later forward pass has overwritten"):
            out.sum().backward()

    def test_weights_that_changed_before_the_backward_pass_are_refused(self):
        parallel, out = called(lambda self, x: x * self.weight, torch.ones(4, 3))
        with torch.no_grad():
            parallel.module.weight.mul_(2)
        parallel(torch.ones(4, 3))  # runs without, for the first is still awaited, and sends the weights
        with pytest.raises(RuntimeError, match="weights needed for gradient computation have been modified"):
            out.sum().backward()

    def test_gradients_of_gradients_say_what_to_do(self):
        parallel, out = called(lambda self, x: (x * self.weight) ** 2, torch.ones(4, 3))
        with pytest.raises(RuntimeError, match="graphs=False"):
            torch.autograd.grad(out.sum(), parallel.module.weight, create_graph=True)

    def test_unused_and_frozen_parameters(self):
        module = nn.ModuleDict({"used": nn.Linear(3, 3), "unused": nn.Linear(3, 3), "frozen": nn.Linear(3, 3)})
        module["frozen"].requires_grad_(False)
        module.forward = lambda x: None  # replicas take the class's
        module.__class__ = type("Three", (nn.ModuleDict,), {"forward": lambda self, x: self["frozen"](self["used"](x))})
        del module.__dict__["forward"]
        parallel = DataParallel(module, TWO)
        for _ in range(CALLS + 2):
            parallel.zero_grad()
            parallel(torch.ones(4, 3)).sum().backward()
        assert parallel.graph_status == "graphs"
        assert module["used"].weight.grad.abs().sum() > 0
        assert module["unused"].weight.grad is None
        assert module["frozen"].weight.grad is None

    def test_autocast(self):
        module = nn.Linear(3, 3)
        parallel = DataParallel(module, TWO)
        for _ in range(CALLS + 2):
            with torch.autocast("cpu", torch.bfloat16):
                out = parallel(torch.ones(4, 3))
            assert out.dtype == torch.bfloat16
            parallel.zero_grad()
            out.sum().backward()
        assert parallel.graph_status == "graphs"
        torch.testing.assert_close(module.weight.grad, torch.full((3, 3), 4.0))
        assert parallel(torch.ones(4, 3)).dtype == torch.float32


class TestWhatIsNotCaptured:
    """It runs without, gives the right result, and is told once."""

    @pytest.mark.parametrize(
        "function,reason",
        [
            (lambda self, x: x if x.sum() > 0 else -x, "depends on values of tensors"),
            (lambda self, x: x[x > 0].reshape(len(x), -1), "depends on values of tensors"),
            (lambda self, x: x * (1 if random.random() < 2 else 0), "random numbers of Python, NumPy or the CPU"),
            (lambda self, x: x * (1 if torch.rand(1) < 2 else 0), "depends on values|random numbers"),
            (lambda self, x: (setattr(self, "count", getattr(self, "count", 0) + 1), x)[1], "changes attributes"),
            (lambda self, x: (self.__dict__.setdefault("seen", []).append(1), x)[1], "changes attributes"),
            (lambda self, x: (x, self.weight.detach().add_(0))[0], "changes parameters"),
            (lambda self, x: (x, object), "gives a type"),
        ],
    )
    def test_code_whose_effects_a_graph_would_lose(self, function, reason):
        with pytest.warns(UserWarning, match=f"without CUDA graphs, because .*({reason})"):
            parallel, out = called(function, torch.ones(4, 3))
        assert parallel.graph_status.startswith("no graphs, because")
        assert torch.equal(out[0] if isinstance(out, tuple) else out, torch.ones(4, 3))

    def test_hooks(self):
        module, calls = nn.Linear(3, 3), []
        parallel = DataParallel(module, TWO)
        for _ in range(CALLS + 2):
            parallel(torch.ones(2, 3))
        assert parallel.graph_status == "graphs"
        handle = module.register_forward_hook(lambda *_: calls.append(1))
        with pytest.warns(UserWarning, match="a Linear has hooks"):
            for _ in range(CALLS + 2):
                parallel(torch.ones(2, 3))
        assert len(calls) == 2 * (CALLS + 2)
        handle.remove()
        parallel(torch.ones(2, 3))
        assert len(calls) == 2 * (CALLS + 2)

    def test_modes_that_watch(self):
        parallel, _ = called(lambda self, x: x, torch.ones(2))
        watching = torch.autograd.set_detect_anomaly(True, check_nan=False)
        with watching, pytest.warns(UserWarning, match="anomaly detection is on"):
            parallel(torch.ones(2))
        assert parallel.graph_status == "no graphs, because anomaly detection is on"

    def test_arguments_that_may_change_unseen(self):
        with pytest.warns(UserWarning, match="an argument is of type object"):
            called(lambda self, x, thing: x, torch.ones(2), object())

    def test_when_switched_off(self):
        parallel, _ = called(lambda self, x: x, torch.ones(2), graphs=False)
        assert parallel.graph_status == "no call yet"
        with pytest.raises(ValueError, match="graphs"):
            DataParallel(nn.Linear(1, 1), TWO, graphs=True)

    def test_shapes_without_end(self, monkeypatch):
        monkeypatch.setattr(_graphs, "_CAPTURES", 3)
        monkeypatch.setattr(_graphs, "_ALIVE", 2)
        parallel = DataParallel(nn.Linear(1, 1), TWO)
        with pytest.warns(UserWarning, match="3 captures were made"):
            for rows in range(2, 7):
                for _ in range(CALLS + 1):
                    parallel(torch.ones(rows, 1))
        assert len(parallel._engine.graphs._programs) == 2


class TestChangesAreNoticed:
    @pytest.mark.parametrize(
        "change",
        [
            lambda m: setattr(m[0], "weight", nn.Parameter(torch.ones(16, 8))),
            lambda m: setattr(m[0].weight, "data", torch.ones(16, 8)),
            lambda m: m.double().float(),
            lambda m: m[3].requires_grad_(False),
            lambda m: m[1].eval(),
            lambda m: setattr(m[1], "eps", 0.5),
            lambda m: m.append(nn.ReLU()),
            lambda m: m[1].running_mean.add_(1),
            lambda m: torch.nn.init.constant_(m[3].weight, 2.0),
        ],
    )
    def test_after_a_capture(self, change):
        graphs, eager = pair()
        for _ in range(CALLS + 1):
            graphs(torch.ones(6, 8)), eager(torch.ones(6, 8))
        for model in (graphs, eager):
            change(model.module)
        for _ in range(CALLS + 2):
            x = torch.randn(6, 8)
            results = [model(x) for model in (graphs, eager)]
            assert torch.equal(*results)
            for model, result in zip((graphs, eager), results, strict=True):
                model.zero_grad()
                result.square().sum().backward()
            grads = [[p.grad for p in model.parameters() if p.grad is not None] for model in (graphs, eager)]
            assert worst(*grads) < 1e-6
            assert worst(graphs.module.buffers(), eager.module.buffers()) == 0
        assert graphs.graph_status == "graphs"

    def test_what_other_replicas_do_to_buffers_is_lost(self):
        def function(self, x):
            self.state.add_(len(x))
            return self.state.clone().reshape(1)

        parallel = DataParallel(Calls(function), TWO)
        parallel.module.register_buffer("state", torch.zeros(()))
        for n in range(CALLS + 3):
            assert parallel(torch.zeros(3)).tolist() == [2 * n + 2, 2 * n + 1]
        assert parallel.graph_status == "graphs"


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
        for n in range(12):
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
