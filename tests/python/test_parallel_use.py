"""`DataParallel` in a program: what surrounds a call, errors, and the wrapper as a module among others."""

import copy
import pickle
import sys
import threading

import pytest

torch = pytest.importorskip("torch")
from spread import TWO, Calls, net, parts, spread  # noqa: E402
from torch import nn  # noqa: E402

from penstock.parallel import DataParallel  # noqa: E402


class TestContext:
    def modes(self, parallel):
        return parallel(torch.ones(2, 3))[0]

    def test_grad_and_inference_mode_are_the_callers(self):
        parallel = spread(lambda self, x: ((torch.is_grad_enabled(), torch.is_inference_mode_enabled()), x))
        assert self.modes(parallel) == (True, False)
        with torch.no_grad():
            assert self.modes(parallel) == (False, False)
        with torch.inference_mode():
            assert self.modes(parallel) == (False, True)
        parallel(torch.ones(2, 3))[1].sum()

    def test_weights_copied_in_inference_mode_can_be_trained(self):
        parallel, x = DataParallel(nn.Linear(3, 1), TWO), torch.ones(2, 3)
        with torch.inference_mode():
            parallel(x)
        parallel(x).sum().backward()
        assert parallel.module.weight.grad is not None

    def test_autocast_keeps_its_dtype(self):
        parallel = DataParallel(nn.Linear(3, 3), TWO)
        for dtype in (torch.bfloat16, torch.float16):
            with torch.autocast("cpu", dtype):
                assert parallel(torch.ones(2, 3)).dtype == dtype
        with torch.autocast("cpu", torch.bfloat16):
            inside = spread(lambda self, x: torch.get_autocast_dtype("cpu") == torch.bfloat16)
            assert inside(torch.ones(2)) is True
        assert parallel(torch.ones(2, 3)).dtype == torch.float32

    def test_random_numbers_repeat(self):
        parallel = DataParallel(nn.Dropout(), [f"cpu:{i}" for i in range(4)])
        x = torch.ones(64, 50)
        results = []
        for _ in range(3):
            torch.manual_seed(3)
            results.append(parallel(x))
        assert torch.equal(results[0], results[1])
        assert torch.equal(results[0], results[2])
        torch.manual_seed(3)
        assert torch.equal(results[0], parts([16] * 4, nn.Dropout(), x))


class TestErrors:
    @staticmethod
    def fails(kind, rows, count=2):
        def function(self, x):
            if len(x) in rows:
                raise kind(f"no {len(x)}")
            return x

        return spread(function, [f"cpu:{i}" for i in range(count)])

    def test_one_comes_with_type_device_and_rows(self):
        with pytest.raises(IndexError) as caught:
            self.fails(IndexError, {1})(torch.zeros(3))
        text = str(caught.value)
        assert "Caught IndexError in replica 1 on device cpu:1 (rows 2 to 2 of 3).\nOriginal Traceback" in text
        assert 'raise kind(f"no {len(x)}")' in text
        assert "IndexError: no 1" in text

    @pytest.mark.parametrize("kind", [ValueError, KeyError, torch.OutOfMemoryError])
    def test_several_come_as_a_group_of_the_first_ones_type(self, kind):
        with pytest.raises(kind, match="2 of 2 replicas failed") as caught:
            self.fails(kind, {2})(torch.zeros(4))
        assert isinstance(caught.value, ExceptionGroup)
        assert [type(error) for error in caught.value.exceptions] == [kind, kind]
        assert "in replica 0 on device cpu:0 (rows 0 to 1 of 4)" in str(caught.value)
        assert f"{kind.__name__}: {kind('no 2')}" in str(caught.value)

    def test_types_that_take_no_text_keep_theirs(self):
        class Odd(Exception):
            def __init__(self, a, b):
                super().__init__(a, b)

        def function(self, x):
            raise Odd(1, 2)

        with pytest.raises(Odd) as caught:
            DataParallel(Calls(function), TWO)(torch.zeros(1))
        assert caught.value.__notes__ == ["raised in replica 0 on device cpu:1 (rows 0 to 0 of 1)"]

    def test_what_is_no_error_ends_the_program_as_ever(self):
        def interrupts(self, x):
            raise KeyboardInterrupt

        def exits(self, x):
            sys.exit(3) if len(x) == 1 else int("no number")

        with pytest.raises(KeyboardInterrupt):
            spread(interrupts)(torch.zeros(4))
        with pytest.raises(SystemExit) as caught:
            spread(exits)(torch.zeros(3))
        assert caught.value.code == 3

    def test_the_wrapper_goes_on_after_errors(self):
        parallel = self.fails(ValueError, {2})
        with pytest.raises(ValueError):
            parallel(torch.zeros(4))
        assert len(parallel(torch.zeros(6))) == 6


class TestTheWrapper:
    def test_attributes_are_the_modules(self):
        parallel = DataParallel(net(), TWO)
        assert parallel.first is parallel.module.first
        assert list(parallel.state_dict())[0] == "module.first.weight"
        with pytest.raises(AttributeError, match="nothing"):
            parallel.nothing  # noqa: B018

    def test_forward_can_be_replaced(self):
        parallel, x = DataParallel(nn.Linear(3, 2), TWO), torch.randn(4, 3)
        forward = parallel.forward
        parallel.forward = lambda x: forward(x) + 1
        assert torch.equal(parallel(x), forward(x) + 1)
        del parallel.forward
        assert torch.equal(parallel(x), forward(x))

    def test_copies_and_pickles_work_alone(self):
        parallel, x = DataParallel(nn.Linear(3, 2), TWO), torch.randn(4, 3)
        expected = parallel(x)
        for other in (copy.deepcopy(parallel), pickle.loads(pickle.dumps(parallel))):
            assert torch.equal(other(x), expected)
            with torch.no_grad():
                other.module.weight.zero_()
                other.module.bias.zero_()
            assert other(x).abs().sum() == 0
        assert torch.equal(parallel(x), expected)

    def test_several_threads_may_call(self):
        parallel, results = DataParallel(net(), TWO), {}
        inputs = [torch.randn(3 + i, 32) for i in range(6)]

        def call(i):
            results[i] = [parallel(inputs[i]) for _ in range(5)]

        threads = [threading.Thread(target=call, args=(i,)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        for i, x in enumerate(inputs):
            expected = parts([-(-len(x) // 2), len(x) // 2], parallel.module, x)
            assert all(torch.equal(result, expected) for result in results[i])

    def test_threads_end_with_the_wrapper(self):
        def running():
            return [thread for thread in threading.enumerate() if thread.name == "penstock cpu:77"]

        parallel = DataParallel(nn.Linear(1, 1), ["cpu:77", "cpu:78"])
        parallel(torch.ones(2, 1))
        [thread] = running()
        parallel(torch.ones(2, 1))
        assert running() == [thread]
        del parallel
        thread.join(10)
        assert not thread.is_alive()

    def test_wrappers_can_hold_wrappers(self):
        inner = DataParallel(nn.Linear(3, 3), TWO)
        outer = DataParallel(nn.Sequential(nn.Linear(3, 3), inner), TWO)
        x = torch.randn(8, 3)
        torch.testing.assert_close(outer(x), inner.module(outer.module[0](x)))
        outer(x).sum().backward()
        assert inner.module.weight.grad is not None

    def test_compiled_it_gives_the_same(self):
        class Around(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = DataParallel(nn.Linear(3, 3), TWO)

            def forward(self, x):
                return torch.relu(self.inner(x * 2)) + 1

        module, x = Around(), torch.randn(4, 3)
        expected = module(x)
        torch.testing.assert_close(torch.compile(module, backend="eager")(x), expected)
        torch.testing.assert_close(torch.compile(module.inner, backend="eager")(x), module.inner(x))
