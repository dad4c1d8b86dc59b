"""`DataParallel` with real CUDA graphs on two GPUs: results are those without."""

import copy

import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from penstock.parallel import DataParallel  # noqa: E402

pytestmark = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs that PyTorch can use")
IDS = [1, 0]
CALLS = 3  # that run without


def convolutions():
    layers = nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten(), nn.Dropout(), nn.Linear(16 * 36, 8)
    return nn.Sequential(*layers).to("cuda:1")


def layers():
    return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4)).to("cuda:1")


def worst(a, b):
    return max((one - other).abs().max().item() for one, other in zip(a, b, strict=True))


def test_inference_notices_edits_of_data():
    module = convolutions().eval()
    parallel = DataParallel(module, IDS)
    with torch.no_grad():
        for n in range(CALLS + 4):
            x = torch.randn(5, 3, 8, 8, device="cuda:1" if n % 2 else "cpu")
            module[0].weight.data.mul_(1.05)
            out = parallel(x)
            assert torch.equal(out, torch.cat([module(part.to("cuda:1")) for part in x.split([3, 2])]))
    assert parallel.graph_status == "graphs"


def test_training_with_dropout_is_that_without():
    module = convolutions()
    other = copy.deepcopy(module)
    results = []
    for model in (DataParallel(module, IDS), DataParallel(other, IDS, graphs=False)):
        torch.manual_seed(3)
        inputs = [torch.randn(9, 3, 8, 8, device="cuda:1") for _ in range(CALLS + 4)]
        optimizer, found = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9), []
        for x in inputs:
            x.requires_grad_()
            optimizer.zero_grad()
            out = model(x)
            out.square().mean().backward()
            optimizer.step()
            found += [out.detach(), x.grad]
        results.append([*found, *model.parameters(), *model.buffers()])
    assert worst(*results) == 0


@pytest.mark.parametrize(
    "made",
    [
        lambda: torch.randn(5, 8, device="cuda:1"),
        lambda: torch.randn(5, 8, device="cuda:0"),
        lambda: torch.randn(5, 8),
        lambda: torch.randn(8, 5, device="cuda:1").T,
        lambda: torch.randn(6, 8, device="cuda:1")[1:],
        lambda: torch.randn(5, 9, device="cuda:1")[:, 1:],
        lambda: torch.randn(5, 8, dtype=torch.complex64, device="cuda:1").conj().imag,
    ],
)
def test_arguments_and_gradients_may_lie_anywhere(made):
    module = layers()
    models = [DataParallel(one, IDS, graphs=g) for one, g in ((module, "auto"), (copy.deepcopy(module), False))]
    for n in range(CALLS + 4):
        x, found = made(), []
        for model in models:
            own = x.detach().requires_grad_()
            model.zero_grad()
            out = model(own)
            loss = (out.square().mean(), out.sum(), out[1:].sum() + out.cpu()[0].sum(), out.T.contiguous().norm())[
                n % 4
            ]
            loss.backward()
            found.append([out.detach(), own.grad, *(p.grad for p in model.parameters())])
        # Not bit for bit: how cuBLAS adds up depends on how its operands lie, and captured ones lie side by side.
        assert worst(*found) < 1e-5
    assert models[0].graph_status == "graphs"


def test_graphs_are_launched_by_the_engine_unless_they_draw_random_numbers():
    launched = hasattr(torch.cuda.CUDAGraph, "raw_cuda_graph_exec")
    for make, by_engine in ((layers, launched), (convolutions, False)):
        parallel = DataParallel(make(), IDS)
        for _ in range(CALLS + 3):
            out = parallel(torch.randn(4, 3, 8, 8) if make is convolutions else torch.randn(4, 8))
            out.sum().backward()
        assert parallel.graph_status == "graphs"
        [program] = parallel._engine.graphs._programs.values()
        for replays in (program._forward_replays, program._backward_replays):
            # Dropout draws in the forward pass only.
            assert (replays._sequence is not None) == (by_engine or (launched and replays is program._backward_replays))


@pytest.mark.parametrize(
    "make",
    [
        lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
        lambda p: torch.optim.AdamW(p, lr=0.01, capturable=True),
        lambda p: torch.optim.Adam(p, lr=0.01),
    ],
)
def test_steps_in_one_call_are_those_without(make):
    module = layers()
    modules = module, copy.deepcopy(module)
    optimizers = [make(one.parameters()) for one in modules]
    wrappers = [DataParallel(one, IDS, graphs=graphs) for one, graphs in zip(modules, ("auto", False), strict=True)]
    steps = [one.train_step(nn.functional.mse_loss, own) for one, own in zip(wrappers, optimizers, strict=True)]
    for n in range(CALLS + 8):
        if n == CALLS + 4:
            for one, optimizer in zip(modules, optimizers, strict=True):
                optimizer.param_groups[0]["lr"] = 0.02
                one[0].weight.data.mul_(1.1)
        x, y = torch.randn(6, 8, device="cuda:1"), torch.randn(6, 4, device="cuda:1")
        ours, theirs = (step(x, y).item() for step in steps)
        assert ours == pytest.approx(theirs, rel=1e-6)
        assert worst(modules[0].parameters(), modules[1].parameters()) < 1e-6
    assert steps[0].graph_status == "graphs"


def large_layers():
    """The weights of the first layer have 17 MB: their gradients travel while the others are summed."""
    return nn.Sequential(nn.Linear(2048, 2100), nn.ReLU(), nn.Linear(2100, 300)).to("cuda:1")


def test_gradients_that_are_summed_while_the_last_one_travels():
    module = large_layers()
    models = [DataParallel(one, IDS, graphs=g) for one, g in ((module, "auto"), (copy.deepcopy(module), False))]
    for _ in range(CALLS + 20):
        x, found = torch.randn(600, 2048, device="cuda:1"), []  # halves of 2 MB, which copy engines carry
        for model in models:
            model.zero_grad()
            out = model(x)
            out.square().sum().backward()
            found.append([out.detach(), *(p.grad for p in model.parameters())])
        for ours, theirs in zip(*found, strict=True):
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-2)
    assert models[0].graph_status == "graphs"


def test_steps_that_sum_while_the_last_gradient_travels():
    module = large_layers()
    modules = module, copy.deepcopy(module)
    optimizers = [torch.optim.SGD(one.parameters(), lr=1e-3, momentum=0.9) for one in modules]
    wrappers = [DataParallel(one, IDS, graphs=graphs) for one, graphs in zip(modules, ("auto", False), strict=True)]
    steps = [one.train_step(nn.functional.mse_loss, own) for one, own in zip(wrappers, optimizers, strict=True)]
    for n in range(CALLS + 20):
        if n % 7 == 6:
            for one in modules:
                one[0].weight.data.mul_(1.1)
        x, y = torch.randn(600, 2048, device="cuda:1"), torch.randn(600, 300, device="cuda:1")
        ours, theirs = (step(x, y).item() for step in steps)
        assert ours == pytest.approx(theirs, rel=1e-5)
    assert steps[0].graph_status == "graphs"
    for p, q in zip(modules[0].parameters(), modules[1].parameters(), strict=True):
        torch.testing.assert_close(p, q, rtol=1e-4, atol=1e-5)
    entries = wrappers[0]._engine.weights._entries
    assert all(torch.equal(entries[id(p)].copies[1], p.to("cuda:0")) for p in module.parameters())


class Meets(nn.Module):
    """Does on the way what no graph can hold."""

    def __init__(self, what):
        super().__init__()
        self.layer, self.dropout, self.what = nn.Linear(4, 4), nn.Dropout(), what

    def forward(self, x):
        self.what(x)
        return self.dropout(self.layer(x))


@pytest.mark.parametrize("what", [lambda x: x.sum().item(), lambda x: torch.cuda.synchronize(), lambda x: x.cpu()])
def test_what_cannot_be_captured_runs_without_and_harms_nothing(what):
    older, pictures = DataParallel(convolutions(), IDS), torch.randn(4, 3, 8, 8)
    for _ in range(CALLS + 1):
        older(pictures)
    parallel = DataParallel(Meets(what).to("cuda:1"), IDS)
    with pytest.warns(UserWarning, match="runs without CUDA graphs, because"):
        for _ in range(CALLS + 2):
            parallel(torch.randn(4, 4)).sum().backward()
    for device in ("cuda:0", "cuda:1"):
        nn.Dropout()(torch.ones(4, device=device))  # the generators are not stuck in the capture that failed
    first, second = (older(pictures).detach() for _ in range(2))
    assert older.graph_status == "graphs"
    assert not torch.equal(first, second)  # its graphs draw from the same generators as before
    again = DataParallel(layers(), IDS)
    for _ in range(CALLS + 2):
        again(torch.randn(4, 8)).sum().backward()
    assert again.graph_status == "graphs"


def test_streams_of_the_caller_and_results_that_are_kept():
    parallel = DataParallel(layers().eval(), IDS)
    inputs, outputs = [torch.randn(4, 8, device="cuda:1") for _ in range(40)], []
    streams = [torch.cuda.Stream("cuda:1") for _ in range(2)]
    torch.cuda.synchronize(1)
    with torch.no_grad():
        for n, x in enumerate(inputs):
            with torch.cuda.stream(streams[n % 2]):
                outputs.append(parallel(x))
        torch.cuda.synchronize(1)
        for x, out in zip(inputs, outputs, strict=True):
            assert torch.equal(out, torch.cat([parallel.module(part) for part in x.split(2)]))


@pytest.mark.parametrize("calls", [CALLS + 2, 1], ids=["graphs", "eager"])
def test_what_was_before_a_step_or_a_forward_pass_comes_back(calls):
    module = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4)).to("cuda:1")
    parallel = DataParallel(module, IDS)
    step = parallel.train_step(nn.functional.mse_loss, torch.optim.SGD(module.parameters(), lr=0.1))
    x, y = torch.randn(6, 8, device="cuda:1"), torch.randn(6, 4, device="cuda:1")
    with torch.no_grad():
        for _ in range(calls):
            parallel.eval()(x)
    for train in (lambda: step(x, y), lambda: parallel(x).sum().backward()):
        parallel.train()
        for _ in range(CALLS + 3):
            before = copy.deepcopy(module.state_dict())
            train()
        module.load_state_dict(before)
        with torch.no_grad():
            alone = torch.cat([module.eval()(part) for part in x.split(3)])
            assert worst([parallel.eval()(x)], [alone]) < 1e-4
