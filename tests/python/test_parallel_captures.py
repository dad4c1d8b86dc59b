"""`DataParallel` with graphs: what is captured, what is not and is told, and changes that make a capture void.

Virtual devices pretend to have graphs (see pretend.py); tests/python/gpu has the real ones.
"""

import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from pretend import CALLS, called, pair, pretend, worst  # noqa: E402
from spread import TWO, Calls  # noqa: E402
from torch import nn  # noqa: E402

from penstock.parallel import DataParallel, _graphs  # noqa: E402


@pytest.fixture(autouse=True)
def machines(monkeypatch):
    pretend(monkeypatch)


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
            (lambda self, x: x.mul_(1), "changes its arguments"),
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

    @pytest.mark.parametrize(
        "change",
        [
            lambda m: m.scales.append(5.0),
            lambda m: m.scales.__setitem__(0, 4.0),
            lambda m: m.named.update(a=3.0),
            lambda m: m.named.clear(),
            lambda m: setattr(m, "scales", [7.0]),
            lambda m: (delattr(m, "scale"), setattr(m, "other", 1.0)),
        ],
    )
    def test_of_attributes_in_place(self, change):
        def function(self, x):
            return x * sum(self.scales) + sum(self.named.values()) + getattr(self, "scale", 9.0)

        module = Calls(function)
        module.scales, module.named, module.scale = [2.0], {"a": 1.0}, 3.0
        parallel, _ = called(None, torch.ones(4), module=module)
        assert parallel.graph_status == "graphs"
        change(module)
        assert torch.equal(parallel(torch.ones(4)), function(module, torch.ones(4)))
        assert parallel.graph_status.startswith("no graphs, because the first 3 calls")

    def test_of_strides(self):
        parallel = called(None, torch.ones(4, 3), module=nn.Linear(3, 3))[0]
        parallel.module.weight.data = parallel.module.weight.data.t()
        assert torch.allclose(parallel(torch.ones(4, 3)), parallel.module(torch.ones(4, 3)))

    def test_of_the_module_itself(self):
        parallel, _ = called(None, torch.ones(4, 3), module=nn.Linear(3, 3))
        parallel.module = nn.Linear(3, 3)
        for _ in range(CALLS + 2):
            assert torch.equal(parallel(torch.ones(4, 3)), parallel.module(torch.ones(4, 3)))
        assert parallel.graph_status == "graphs"

    def test_of_a_class(self):
        parallel, _ = called(None, torch.ones(4, 3), module=nn.Sequential(nn.ReLU()))
        parallel.module[0].__class__ = nn.Tanh
        parallel(torch.ones(4, 3))
        assert parallel.graph_status.startswith("no graphs, because the first 3 calls")

    def test_of_precision(self):
        parallel, _ = called(None, torch.ones(4, 3), module=nn.Linear(3, 3))
        before = torch.get_float32_matmul_precision()
        try:
            torch.set_float32_matmul_precision("medium")
            parallel(torch.ones(4, 3))
        finally:
            torch.set_float32_matmul_precision(before)
        assert parallel.graph_status.startswith("no graphs, because the first 3 calls")

    @pytest.mark.parametrize(("name", "value"), [("dim", 1), ("outputs", "sharded"), ("split", [3, 1])])
    def test_of_the_wrapper(self, name, value):
        def given(**options):
            with torch.no_grad():  # each part tells of itself
                parallel, _ = called(lambda self, x: x + 100 * x.sum(), torch.arange(16.0).reshape(4, 4), **options)
                setattr(parallel, name, value)
                made = [parallel(torch.arange(16.0).reshape(4, 4)) for _ in range(CALLS + 2)]
            return parallel.graph_status, [part for one in made for part in (one if isinstance(one, list) else [one])]

        status, made = given()
        _, meant = given(graphs=False)
        assert status == "graphs"
        assert [one.tolist() for one in made] == [one.tolist() for one in meant]

    def test_attributes_that_do_not_compare(self):
        module = Calls(lambda self, x: x + 1)
        module.several = [np.zeros(2)]
        parallel, _ = called(None, torch.ones(4), module=module)
        assert parallel.graph_status == "graphs"
        module.several = [np.zeros(2)]
        parallel(torch.ones(4))
        assert parallel.graph_status.startswith("no graphs, because the first 3 calls")

    def test_what_other_replicas_do_to_buffers_is_lost(self):
        def function(self, x):
            self.state.add_(len(x))
            return self.state.clone().reshape(1)

        parallel = DataParallel(Calls(function), TWO)
        parallel.module.register_buffer("state", torch.zeros(()))
        for n in range(CALLS + 3):
            assert parallel(torch.zeros(3)).tolist() == [2 * n + 2, 2 * n + 1]
        assert parallel.graph_status == "graphs"
