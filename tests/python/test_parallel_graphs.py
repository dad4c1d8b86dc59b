"""`DataParallel` with graphs: results are those of the eager way, forward, backward and in one step.

Virtual devices pretend to have graphs (see pretend.py); tests/python/gpu has the real ones.
"""

import copy
import threading

import pytest

torch = pytest.importorskip("torch")
from pretend import CALLS, PretendMachine, called, network, pair, pretend, worst  # noqa: E402
from spread import TWO, Calls, parts  # noqa: E402
from torch import nn  # noqa: E402

from penstock.parallel import DataParallel, Sharded, _reduction, _stage  # noqa: E402
from penstock.parallel._program import Program  # noqa: E402


@pytest.fixture(autouse=True)
def machines(monkeypatch):
    pretend(monkeypatch)


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

    @pytest.mark.parametrize("dim", [0, 1])
    @pytest.mark.parametrize(
        "made",
        [
            lambda n: torch.randn(4, 6) + n,
            lambda n: (torch.randn(6, 4) + n).T,
            lambda n: (torch.randn(4, 12) + n)[:, ::2],
            lambda n: torch.arange(n, 24 + n).reshape(4, 6),
            lambda n: torch.randn(4, 6, dtype=torch.complex64).conj().imag,
            lambda n: torch.randn(4, 6).neg() if n % 2 else torch._neg_view(torch.randn(4, 6)),
            lambda n: torch.randn(4, 6, dtype=torch.complex64).conj(),
            lambda n: (torch.randn(4, 6) + n).expand(4, 6).requires_grad_(),
            lambda n: torch.zeros(0, 6),
        ],
    )
    def test_arguments_and_results_lie_in_memory_as_they_like(self, dim, made):
        functions = lambda self, x: (x + 1, x.T.contiguous().T * 2, x.conj(), torch._neg_view(x))  # noqa: E731
        parallel = DataParallel(Calls(functions), TWO, dim=dim)
        for n in range(CALLS + 3):
            x = made(n)
            for out, want in zip(parallel(x), functions(None, x), strict=True):
                assert torch.equal(out, want)
        assert parallel.graph_status == "graphs"

    def test_more_arguments_than_a_launch_takes(self):
        def function(self, *several):
            return [x + n for n, x in enumerate(several)]

        parallel = DataParallel(Calls(function), TWO)
        for n in range(CALLS + 3):
            several = [torch.full((3, 2), float(n), requires_grad=True) for _ in range(20)]
            made = parallel(*several)
            assert all(torch.equal(out, x + k) for k, (out, x) in enumerate(zip(made, several, strict=True)))
            sum((out * torch.full((3, 2), float(k))).sum() for k, out in enumerate(made)).backward()
            assert [x.grad[2, 1] for x in several] == list(range(20))
            del made
        assert parallel.graph_status == "graphs"

    def test_shards_go_in_and_out(self):
        with torch.no_grad():
            parallel, _ = called(lambda self, x: x * 2, Sharded([torch.ones(1), torch.ones(3)]), outputs="sharded")
            out = parallel(Sharded([torch.full((1,), 2.0), torch.full((3,), 3.0)]))
        assert parallel.graph_status == "graphs"
        assert isinstance(out, Sharded)
        assert [one.tolist() for one in out] == [[4], [6, 6, 6]]

    def test_sharded_results_stay_where_they_were_made(self, monkeypatch):
        def sent(self, i, tensors):
            raise AssertionError("results of another device would take room on the first")

        monkeypatch.setattr(_stage.Outbox, "put", sent)
        with torch.no_grad():
            parallel, _ = called(lambda self, x: x * 2, torch.ones(4), outputs="sharded")
            assert [one.tolist() for one in parallel(torch.ones(4))] == [[2, 2], [2, 2]]
        assert parallel.graph_status == "graphs"

    def test_older_graphs_go_on_behind_a_capture_that_failed(self, monkeypatch):
        def fails(self, i, function, after=None):
            raise RuntimeError("no room")

        with torch.no_grad():
            parallel, _ = called(lambda self, x: x + self.weight, torch.zeros(4, 3))
            with monkeypatch.context() as patched, pytest.warns(UserWarning, match="capturing failed with Runtime"):
                patched.setattr(PretendMachine, "record", fails)
                for _ in range(CALLS + 1):
                    parallel(torch.zeros(6, 3))
            assert torch.equal(parallel(torch.zeros(4, 3)), torch.ones(4, 3))
        assert parallel.graph_status == "graphs"

    def test_gradients_of_shards_come_without_graphs(self):
        shards = Sharded([torch.ones(1, requires_grad=True), torch.ones(3, requires_grad=True)])
        with pytest.warns(UserWarning, match="gradients of a Sharded"):
            _, out = called(lambda self, x: x * 2, shards)
        out.sum().backward()
        assert [one.grad.tolist() for one in shards] == [[2], [2, 2, 2]]

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

    @pytest.mark.parametrize("calls", [0, 1], ids=["not sent", "sent"])
    def test_weights_that_changed_before_the_backward_pass_are_refused(self, calls):
        parallel, out = called(lambda self, x: x * self.weight * self.weight, torch.ones(4, 3))
        with torch.no_grad():
            parallel.module.weight.mul_(2)
        for _ in range(calls):
            parallel(torch.ones(4, 3))  # runs without, for the first is still awaited, and sends the weights
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            out.sum().backward()

    def test_what_no_backward_pass_reads_may_change_before_it(self):
        graphs, eager = pair()
        for n in range(CALLS + 3):
            x, found = torch.randn(6, 8), []
            for model in (graphs, eager):
                model.zero_grad()
                first = model(x)
                with torch.no_grad():
                    model.module[0].bias.add_(1)
                second = model(2 * x) if n % 2 else 0  # counts on in its batch normalisation
                (first.square() + second).sum().backward()
                found.append([p.grad for p in model.parameters()])
                del first, second
            assert worst(*found) < 1e-5

    def test_a_backward_pass_and_a_forward_pass_of_another_thread_take_turns(self, monkeypatch):
        graphs, eager = pair(lambda: nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1)))
        for model in (graphs, eager):
            for _ in range(CALLS + 1):
                model(torch.ones(4, 8)).sum().backward()
            model.zero_grad()
        real = Program.play_backward

        def play_backward(*args):
            other.start()
            other.join(1)
            return real(*args)

        other = threading.Thread(target=lambda: graphs(torch.ones(4, 8)))
        monkeypatch.setattr(Program, "play_backward", play_backward)
        x = torch.randn(4, 8)
        for model in (graphs, eager):
            model(x).square().sum().backward()
        other.join()
        assert worst(*([p.grad for p in model.parameters()] for model in (graphs, eager))) < 1e-6

    @pytest.mark.parametrize("dim", [0, 1])
    @pytest.mark.parametrize(
        "loss", [torch.sum, lambda x: x.square().mean(), lambda x: (x.T * torch.arange(6.0)[:, None]).sum()]
    )
    def test_gradients_come_in_any_layout(self, loss, dim):
        function = lambda self, x: (x * self.weight.sum(), 3 * x, x.detach() + 1)  # noqa: E731
        graphs, eager = (DataParallel(Calls(function), TWO, dim=dim, graphs=one) for one in ("auto", False))
        for n in range(CALLS + 3):
            found = []
            for model in (graphs, eager):
                x = torch.full((4, 6), 1.0 + n, requires_grad=True)
                model.zero_grad()
                first, second, _ = model(x)
                (loss(first) + loss(second)).backward()
                found.append([x.grad, model.module.weight.grad])
            assert worst(*found) < 1e-3
        assert graphs.graph_status == "graphs"

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


class TestLateGradients:
    """The last large gradient travels while others are summed: here it comes when it is waited for, and not before."""

    @pytest.fixture(autouse=True)
    def small_ones_are_late(self, monkeypatch):
        monkeypatch.setattr(_reduction, "_LATE", 64)
        monkeypatch.setattr(PretendMachine, "careful", True)

    def test_are_in_the_sums_of_a_backward_pass(self):
        models = graphs, _ = pair()
        for _ in range(CALLS + 4):
            x = torch.randn(6, 8)
            for model in models:
                model.zero_grad()
                model(x).square().mean().backward()
            assert worst(*([p.grad for p in model.parameters()] for model in models)) == 0
        assert graphs.graph_status == "graphs"
        assert graphs._engine.machine.travelled > 0

    def test_are_in_the_sums_of_a_step(self):
        models = pair()
        optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in models]
        steps = [m.train_step(nn.functional.mse_loss, own) for m, own in zip(models, optimizers, strict=True)]
        for n in range(CALLS + 8):
            if n == CALLS + 5:
                for model in models:
                    model.module[0].weight.data.mul_(1.5)  # which the next step notices
            x, y = torch.randn(6, 8), torch.randn(6, 4)
            assert steps[0](x, y).item() == pytest.approx(steps[1](x, y).item(), rel=1e-6)
            assert worst(*(model.parameters() for model in models)) < 1e-6
        assert steps[0].graph_status == "graphs"
        assert models[0]._engine.machine.travelled > 0

    def test_without_one_all_sums_are_captured_with_the_update(self, monkeypatch):
        monkeypatch.setattr(_reduction, "_LATE", 1 << 40)
        module = network()
        parallel = DataParallel(module, TWO)
        step = parallel.train_step(nn.functional.mse_loss, torch.optim.SGD(module.parameters(), lr=0.1))
        for _ in range(CALLS + 1):
            step(torch.randn(6, 8), torch.randn(6, 4))
        [program] = step._graphs._programs.values()
        assert not any(sums.early for sums in program._sums)


class TestGoingBack:
    """Graphs have changed the copies; then somebody restores what the first device had before."""

    @pytest.fixture(autouse=True)
    def careful(self, monkeypatch):
        monkeypatch.setattr(PretendMachine, "careful", True)

    @pytest.mark.parametrize("calls", [CALLS + 2, 1], ids=["graphs", "eager"])
    def test_weights_from_before_a_step_are_sent(self, calls):
        module = network()
        parallel = DataParallel(module, TWO)
        step = parallel.train_step(nn.functional.mse_loss, torch.optim.SGD(module.parameters(), lr=0.1))
        with torch.no_grad():
            for _ in range(calls):  # that the call below is one of a graph
                parallel.eval()(torch.randn(6, 8))
        for _ in range(CALLS + 3):
            before = copy.deepcopy(module.state_dict())
            step(torch.randn(6, 8), torch.randn(6, 4))
        assert step.graph_status == "graphs"
        module.load_state_dict(before)
        with torch.no_grad():
            x = torch.randn(6, 8)
            assert torch.equal(parallel.eval()(x), parts([3, 3], module.eval(), x))

    @pytest.mark.parametrize("calls", [CALLS + 2, 1], ids=["graphs", "eager"])
    def test_statistics_from_before_a_forward_pass_are_sent(self, calls):
        module = network()
        parallel = DataParallel(module, TWO)
        with torch.no_grad():
            for _ in range(calls):
                parallel.eval()(torch.randn(6, 8))
        parallel.train()
        for _ in range(CALLS + 3):
            before = copy.deepcopy(module.state_dict())
            parallel(torch.randn(6, 8)).sum().backward()
        module.load_state_dict(before)
        with torch.no_grad():
            x = torch.randn(6, 8)
            assert torch.equal(parallel.eval()(x), parts([3, 3], module.eval(), x))
