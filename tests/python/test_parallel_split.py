"""`DataParallel` with uneven parts: by weights, and by the speed that is measured."""

import copy
import pickle
import time

import pytest

torch = pytest.importorskip("torch")
from pretend import pretend  # noqa: E402
from spread import TWO, Calls, net  # noqa: E402
from torch import nn  # noqa: E402

from penstock.parallel import DataParallel, _balance  # noqa: E402

ROWS = 24
FIRST = _balance._UNSETTLED + _balance._FIRST_WINDOW  # calls before the first change


class Clock:
    """Time that passes only where a test says so: `costs` of a row on each device, and `fixed` ones of a call."""

    def __init__(self, monkeypatch, costs, fixed=(0.0, 0.0, 0.0)):
        self.costs, self.fixed, self.time = costs, fixed, 0.0
        monkeypatch.setattr(_balance, "_now", lambda device: (device, self.time))
        monkeypatch.setattr(_balance, "_between", lambda begin, end: end[1] - begin[1])
        run = _balance._Call.run

        def timed(call, i, device, function):
            def slow():
                self.time += self.fixed[i] + call.rows[i] * self.costs[i]
                return function()

            return run(call, i, device, slow)

        monkeypatch.setattr(_balance._Call, "run", timed)


def sizes_in(parallel, calls, rows=ROWS):
    """Sizes of the parts of each of these calls."""
    with torch.no_grad():
        return [[len(part) for part in parallel(torch.zeros(rows, 3))] for _ in range(calls)]


def shards(split="auto", devices=TWO, **options):
    return DataParallel(Calls(lambda self, x: x + self.weight), devices, split=split, outputs="sharded", **options)


class TestSpeed:
    def test_rows_move_to_the_faster_device_and_stay(self, monkeypatch):
        Clock(monkeypatch, [1.0, 3.0])
        parallel = shards()
        assert parallel.split_now == [1, 1]
        assert sizes_in(parallel, FIRST + 1) == [[12, 12]] * (FIRST + 1)  # the last of them brings the news
        assert sizes_in(parallel, 50) == [[18, 6]] * 50
        assert parallel.split_now == pytest.approx([0.75, 0.25])
        assert parallel.split == "auto"

    def test_a_replica_that_sleeps_is_seen_by_the_clock(self):
        def function(self, x):
            time.sleep(len(x) * (0.0005 if x.data_ptr() == self.first else 0.0025))
            return x

        module, x = Calls(function), torch.zeros(16, 3)
        module.first = x.data_ptr()  # the first part shares the memory of the whole
        parallel = DataParallel(module, TWO, split="auto", outputs="sharded")
        for _ in range(FIRST + 1):
            parallel(x)
        sizes = [[len(part) for part in parallel(x)] for _ in range(5)]
        assert sizes[0][0] > 10  # 13 on a quiet machine
        assert sizes == [sizes[0]] * 5

    def test_what_is_not_worth_a_change_changes_nothing(self, monkeypatch):
        clock = Clock(monkeypatch, [1.0, 1.0])
        parallel = shards()
        for n in range(40):
            clock.costs = [1.0, 50.0] if n % 7 == 0 else [1.0, 1.04] if n % 2 else [1.06, 1.0]  # and hiccups
            assert sizes_in(parallel, 1, rows=2400) == [[1200, 1200]]
        clock.costs = [1.0, 2.0]
        assert sizes_in(parallel, 40, rows=2) == [[1, 1]] * 40  # there is no better way

    def test_changes_become_rarer(self, monkeypatch):
        clock, sizes = Clock(monkeypatch, [1.0, 2.0]), []
        parallel = shards()
        for n in range(1200):
            clock.costs = [1.0, 2.0] if n // 40 % 2 else [2.0, 1.0]
            sizes += sizes_in(parallel, 1)
        changes = [n for n, (a, b) in enumerate(zip(sizes, sizes[1:], strict=False)) if a != b]
        assert 3 <= len(changes) <= 9
        assert changes[-1] < 600

    def test_a_change_that_was_of_no_use_is_taken_back(self, monkeypatch):
        Clock(monkeypatch, [0.0, 0.0], fixed=[3.0, 2.0])
        parallel = shards()
        sizes = sizes_in(parallel, 1000)
        tried = [one for one in sizes if one != [12, 12]]
        assert 0 < len(tried) < 20
        assert len({*map(tuple, tried)}) == 1
        assert sizes[-1] == [12, 12]

    def test_with_fixed_costs_the_best_sizes_are_found_in_steps(self, monkeypatch):
        Clock(monkeypatch, [1.0, 4.0], fixed=[20.0, 20.0])
        parallel = shards()
        assert sizes_in(parallel, 300, rows=240)[-1] in ([191, 49], [192, 48], [193, 47])

    def test_calls_of_several_lengths_are_measured_together(self, monkeypatch):
        Clock(monkeypatch, [1.0, 1.0, 4.0])
        parallel = shards(devices=["cpu:0", "cpu:1", "cpu:2"])
        for n in range(FIRST + 6):
            sizes_in(parallel, 1, rows=(3, 36, 1)[n % 3])  # a single row says nothing
        assert sizes_in(parallel, 1, rows=36) == [[16, 16, 4]]
        assert sizes_in(parallel, 1, rows=3) == [[1, 1, 1]]
        assert sizes_in(parallel, 1, rows=2) == [[1, 1]]

    def test_calls_that_fail_and_shards_that_came_in_parts_say_nothing(self, monkeypatch):
        clock = Clock(monkeypatch, [1.0, 3.0])
        parallel = shards()
        with torch.no_grad():
            uneven = DataParallel(Calls(lambda self, x: x), TWO, split=[3, 1], outputs="sharded")(torch.zeros(ROWS, 3))
            for _ in range(2 * FIRST):
                parallel(uneven)
            for _ in range(2 * FIRST):
                with pytest.raises(RuntimeError, match="2 of 2 replicas failed"):
                    parallel(torch.zeros(ROWS, 4))
        assert parallel.split_now == [1, 1]
        assert clock.time > 0

    def test_times_that_are_not_known_yet_are_not_waited_for(self, monkeypatch):
        Clock(monkeypatch, [1.0, 3.0])
        known, between = [], _balance._between
        monkeypatch.setattr(_balance, "_between", lambda *pair: between(*pair) if known else None)
        parallel = shards()
        assert sizes_in(parallel, 100) == [[12, 12]] * 100
        assert len(parallel._balance._pending) <= _balance._PENDING
        known.append(True)
        sizes_in(parallel, 1)
        assert sizes_in(parallel, 1) == [[18, 6]]

    def test_gpus_are_timed_by_events_of_their_streams(self, monkeypatch):
        class Event:
            """As torch.cuda.Event; the stream that it was recorded on says when that was."""

            passed = False

            def __init__(self, enable_timing):
                assert enable_timing

            def record(self, stream):
                self.stream, self.time = stream, stream.time

            def query(self):
                return self.passed

            def elapsed_time(self, end):
                assert self.stream is end.stream
                assert end.passed
                return end.time - self.time

        class Stream:
            time = 0

        gpus = [torch.device("cuda", i) for i in (1, 0)]
        streams, capturing = {gpu: Stream() for gpu in gpus}, []
        monkeypatch.setattr(torch.cuda, "Event", Event)
        monkeypatch.setattr(torch.cuda, "current_stream", streams.get)
        monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: bool(capturing))
        balance = _balance.Balance(gpus)

        def work(gpu, time):
            streams[gpu].time += time

        def call():
            replays = [lambda gpu=gpu, time=time: work(gpu, time) for gpu, time in zip(gpus, (1, 3), strict=True)]
            timed = balance.timed(replays, [12, 12])
            for replay in reversed(timed):
                replay()
            return timed is not replays

        assert [call() for _ in range(FIRST + 1)] == [True] * (FIRST + 1)
        assert balance.weights == [1, 1]
        monkeypatch.setattr(Event, "passed", True)
        capturing.append(True)
        assert not call()
        assert balance.weights == [1, 1]
        capturing.clear()
        call()
        assert balance.weights == pytest.approx([0.75, 0.25])

    def test_copies_learn_anew(self, monkeypatch):
        Clock(monkeypatch, [1.0, 3.0])
        parallel = DataParallel(net(), TWO, split="auto")
        for _ in range(FIRST + 1):
            parallel(torch.zeros(ROWS, 32))
        assert parallel.split_now != [1, 1]
        for other in (copy.deepcopy(parallel), pickle.loads(pickle.dumps(parallel))):
            assert other.split_now == [1, 1]
            for _ in range(FIRST + 1):
                other(torch.zeros(ROWS, 32))
            assert other.split_now == pytest.approx([0.75, 0.25])

    def test_one_device_gets_all(self):
        assert sizes_in(shards(devices=["cpu:0"]), 2) == [[ROWS]] * 2


def network(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4))


class TestGradients:
    """They are those of one device with the whole batch, however rows are shared."""

    @pytest.mark.parametrize("graphs", [False, "auto"])
    @pytest.mark.parametrize("step", [False, True])
    def test_while_sizes_move(self, monkeypatch, graphs, step):
        pretend(monkeypatch)
        Clock(monkeypatch, [1.0, 3.0])
        module, alone = network(), network()
        parallel = DataParallel(module, TWO, split="auto", graphs=graphs)
        optimizers = [torch.optim.SGD(one.parameters(), lr=0.0) for one in (module, alone)]
        train = parallel.train_step(nn.functional.mse_loss, optimizers[0])
        for n in range(2 * FIRST + 4):
            x, y = torch.randn(ROWS + n % 2, 8), torch.randn(ROWS + n % 2, 4)
            for one in optimizers:
                one.zero_grad()
            if step:
                train(x, y)
            else:
                out = parallel(x)
                assert torch.allclose(out, alone(x), atol=1e-6)
                nn.functional.mse_loss(out, y).backward()
            nn.functional.mse_loss(alone(x), y).backward()
            for ours, theirs in zip(module.parameters(), alone.parameters(), strict=True):
                assert (ours.grad - theirs.grad).norm() <= 1e-6 * theirs.grad.norm()
        assert parallel.split_now == pytest.approx([0.75, 0.25])
        status = train.graph_status if step else parallel.graph_status
        assert status == "graphs" if graphs else "no" in status
        if graphs and not step:
            assert parallel._engine.graphs._captures == 4  # two lengths, before and after

    @pytest.mark.parametrize("split", [[2, 1], [1, 0], [0, 1], [1, 9]])
    @pytest.mark.parametrize("rows", [1, 5])
    @pytest.mark.filterwarnings("ignore:DataParallel runs without CUDA graphs, because there are fewer rows")
    def test_steps_with_weights(self, monkeypatch, split, rows):
        pretend(monkeypatch)
        modules, losses = [network(), network()], []
        x, y = torch.randn(rows, 8), torch.randn(rows, 4)
        for module, options in zip(
            modules, ({"device_ids": TWO, "split": split}, {"device_ids": ["cpu:0"]}), strict=True
        ):
            optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
            step = DataParallel(module, **options).train_step(nn.functional.mse_loss, optimizer)
            losses.append([step(x, y).item() for _ in range(5)])
        assert losses[0] == pytest.approx(losses[1])
        for ours, theirs in zip(*(module.parameters() for module in modules), strict=True):
            assert (
                ours.grad - theirs.grad
            ).norm() <= 1e-5 * theirs.grad.norm()  # after steps that differ in the last bit
