"""`DataParallel`: modules that are compiled, lazy, stateful or otherwise unlike others."""

import pytest

torch = pytest.importorskip("torch")
from spread import TWO, Calls, spread  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

from penstock.parallel import DataParallel  # noqa: E402


class TestCompiled:
    @pytest.mark.parametrize("around", [lambda m: m, lambda m: nn.Sequential(m, nn.ReLU())])
    def test_replicas_are_compiled_with_their_own_weights(self, around):
        graphs = []

        def backend(graph, _):
            graphs.append(graph)
            return graph.forward

        net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
        module, x = around(torch.compile(net, backend=backend)), torch.randn(8, 4)
        parallel = DataParallel(module, TWO)
        parallel(x).sum().backward()
        assert [name for name, _ in net.named_parameters()] == ["0.weight", "0.bias", "1.weight", "1.bias"]
        assert net[0].weight.grad is not None
        count = len(graphs)
        parallel(x)
        assert 1 <= count == len(graphs)
        with torch.no_grad():
            net[0].weight.mul_(2)
            torch.testing.assert_close(parallel.eval()(x), module(x))

    def test_modules_that_compile_their_own_call_run_on_their_own_weights(self):
        module = Calls(lambda self, x: (x, self.weight.data_ptr()))
        module.compile(backend="eager")
        one, two = DataParallel(module, TWO, outputs="sharded")(torch.ones(2))
        assert one[1] != two[1]

    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_torchscript_is_refused(self):
        class Plain(nn.Module):
            def forward(self, x):
                return x * 2

        for module in (torch.jit.script(Plain()), nn.Sequential(torch.jit.script(nn.Linear(2, 2)))):
            with pytest.raises(RuntimeError, match="a ScriptModule cannot be replicated"):
                DataParallel(module, TWO)(torch.zeros(2, 2))


class TestChanges:
    def test_lazy_modules_work_once_they_have_weights(self):
        module, x = nn.Sequential(nn.LazyLinear(3), nn.LazyLinear(2)), torch.randn(4, 2)
        parallel = DataParallel(module, TWO)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="Run a dummy forward pass"):
                parallel(x)
        expected = module(x)
        torch.testing.assert_close(parallel(x), expected)

    def test_another_class_arrives(self):
        class Doubled(nn.ReLU):
            def forward(self, x):
                return 2 * x

        module = nn.Sequential(nn.ReLU())
        parallel, x = DataParallel(module, TWO), -torch.ones(2)
        assert parallel(x).tolist() == [0, 0]
        module[0].__class__ = Doubled
        assert parallel(x).tolist() == [-2, -2]

    def test_attributes_that_forward_sets_are_the_modules_again_in_the_next_call(self):
        def function(self, x):
            self.count = self.count + 1
            self.extra = nn.ReLU()
            return x * self.count, len(self._modules)

        parallel = spread(function)
        parallel.module.count = 0
        for _ in range(2):
            out, children = parallel(torch.ones(2))
            assert (out.tolist(), children) == ([1, 1], 1)
        assert parallel.module.count == 0
        assert list(parallel.module._modules) == []


class TestGradients:
    @pytest.mark.parametrize("reentrant", [True, False])
    @pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
    def test_checkpoints_survive_calls_without_gradients(self, reentrant, mode):
        class Saving(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)

            def forward(self, x):
                return checkpoint(self.second, torch.tanh(self.first(x)), use_reentrant=reentrant)

        module, x = Saving(), torch.randn(6, 4)
        parallel = DataParallel(module, TWO)
        gradients = []
        for model in (module, parallel):
            module.zero_grad()
            out = model(x)
            with mode():
                model(x)
            out.square().sum().backward()
            gradients.append([p.grad for p in module.parameters()])
        for ours, theirs in zip(*gradients, strict=True):
            torch.testing.assert_close(ours, theirs)

    def test_sparse_gradients_arrive(self):
        module, rows = nn.Embedding(10, 3, sparse=True), torch.tensor([1, 2, 2, 4])
        DataParallel(module, TWO)(rows).sum().backward()
        assert module.weight.grad.is_sparse
        assert module.weight.grad.to_dense().sum(1).tolist() == [0, 3, 6, 0, 3, 0, 0, 0, 0, 0]
