"""Captures of `DataParallel` on a real GPU, one of them: what stays as it was when others go or fail.

tests/python/test_parallel_machine.py plays the same, version by version of PyTorch.
"""

import gc
import sys
import types

import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from penstock.parallel._machine import Machine  # noqa: E402

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU that PyTorch can use")


@pytest.fixture
def machine():
    return Machine([torch.device("cuda", 0)])


def recorded(machine, work):
    with machine.rehearsing(0):
        work()
    return machine.record(0, work)


def products():
    """Work whose sums cuBLAS splits: the parts meet in its workspace."""
    a, b = torch.randn(64, 65536, device="cuda:0"), torch.randn(65536, 64, device="cuda:0")
    bias, small_a, small_b = torch.randn(64, device="cuda:0").half(), a.half(), b.half()
    return lambda: [a @ b, small_a @ small_b, torch.addmm(bias, small_a, small_b)]


def assert_plays(machine, play, made, work):
    """It gives what `work` gives, and writes nothing that others may have got by now."""
    with machine.rehearsing(0):
        others = [torch.zeros(1 << 23, dtype=torch.uint8, device="cuda:0") for _ in range(4)]
    for one in made:
        one.zero_()
    play()
    for ours, theirs in zip(made, work(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-2, atol=1)
    assert not any(one.any() for one in others)


class TestWorkspaces:
    def test_stay_when_another_graph_goes(self, machine):
        work = products()
        play, made = recorded(machine, work)
        for _ in range(2):
            recorded(machine, work)
            gc.collect()
            assert_plays(machine, play, made, work)

    def test_stay_when_graphs_of_torch_compile_give_all_up(self, machine, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch._inductor.cudagraph_trees", types.ModuleType("trees"))
        work = products()
        play, made = recorded(machine, work)
        torch._C._cuda_clearCublasWorkspaces()
        assert_plays(machine, play, made, work)


def raises():
    raise ValueError("of the module")


def leaves_another_stream():
    torch.cuda.set_stream(torch.cuda.Stream())


@pytest.mark.parametrize(
    ("what", "error"), [(raises, ValueError), (torch.cuda.synchronize, RuntimeError), (leaves_another_stream, None)]
)
def test_a_capture_that_fails_leaves_streams_memory_and_random_numbers_as_they_were(machine, what, error):
    ones, stream = torch.ones(1000, device="cuda:0"), torch.cuda.current_stream()

    def seen(fails):
        torch.manual_seed(5)
        play, made = machine.record(0, lambda: nn.functional.dropout(ones))
        found = []
        for n in range(6):
            play()
            found += [made.clone(), nn.functional.dropout(ones)]
            if n == 2 and fails:

                def large():
                    return torch.empty(1 << 28, device="cuda:0"), nn.functional.dropout(ones), what()

                if error:
                    with pytest.raises(error):
                        machine.record(0, large)
                else:
                    machine.record(0, large)
                assert torch.cuda.current_stream() == stream
        return found

    meant = seen(fails=False)
    gc.collect()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_reserved()
    found = seen(fails=True)
    assert [i for i, (a, b) in enumerate(zip(meant, found, strict=True)) if not torch.equal(a, b)] == []
    assert not any(torch.equal(a, b) for i, a in enumerate(found) for b in found[:i])
    gc.collect()
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() < before + (1 << 28)
    assert torch.empty(1 << 29, device="cuda:0").is_cuda


def test_random_numbers_that_are_being_drawn_stay_as_they_are_when_a_capture_begins(machine):
    ones = torch.ones(1000, device="cuda:0")

    def slow():
        torch.cuda._sleep(200_000_000)  # 0.1 s, in which a capture begins
        return nn.functional.dropout(ones)

    play, made = machine.record(0, slow)

    def seen(then):
        torch.manual_seed(5)
        nn.functional.dropout(ones)  # a capture begins with the first number, this graph with another
        play()
        then()
        return made.clone()

    meant = seen(torch.cuda.synchronize)
    assert torch.equal(meant, seen(lambda: machine.record(0, lambda: nn.functional.dropout(ones))))
