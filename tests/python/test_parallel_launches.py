"""What the engine is asked for when graphs are replayed on GPUs; that it does so is for tests/python/gpu."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
from penstock import _core  # noqa: E402
from penstock.parallel import _launch_sequence, _machine  # noqa: E402

RENEW, TOTAL, GRAPH = 2, 3, 4


class Engine:
    """Takes the place of `_core`: nodes what is replayed."""

    def __init__(self):
        self.replayed = []
        self.LaunchSequence = lambda gpus, nodes: SimpleNamespace(
            replay=lambda streams, bases: self.replayed.append((gpus, nodes, streams, bases))
        )


@pytest.fixture
def engine(monkeypatch):
    fake = Engine()
    monkeypatch.setattr(_launch_sequence, "_core", fake)
    return fake


MACHINE = SimpleNamespace(devices=[torch.device("cuda", 3), torch.device("cuda", 1)], handles=[30, 10])


class Graph:
    """A CUDA graph that draws some random numbers in each replay."""

    def __init__(self, generator, drawn=0, handle=77):
        self.generator, self.drawn, self.replays = generator, drawn, 0
        if handle:
            self.raw_cuda_graph_exec = lambda: handle

    def replay(self):
        self.replays += 1
        self.generator.offset += self.drawn


def recordings(monkeypatch, *drawn, handle=77):
    generators = [SimpleNamespace(offset=0) for _ in range(4)]
    for one in generators:
        one.get_offset = lambda one=one: one.offset
    monkeypatch.setattr(torch.cuda, "default_generators", generators)
    return [
        _launch_sequence.Recording(i, device, Graph(generators[device.index], n, handle), None)
        for i, (device, n) in enumerate(zip(MACHINE.devices, drawn, strict=True))
    ]


def played_three_times(monkeypatch, *drawn):
    both = recordings(monkeypatch, *drawn)
    replays = _launch_sequence.Replays(MACHINE, both)
    for _ in range(3):
        replays()
    return both


class TestPlays:
    def test_graphs_are_launched_by_the_engine_once_pytorch_has_replayed_them(self, engine, monkeypatch):
        both = played_three_times(monkeypatch, 0, 0)
        assert [one.graph.replays for one in both] == [1, 1]
        nodes = [(GRAPH, 1, 77, 0, 0), (GRAPH, 0, 77, 0, 0)]  # the first device's comes last
        assert engine.replayed == [([3, 1], nodes, [30, 10], [])] * 2

    def test_random_numbers_are_pytorchs(self, engine, monkeypatch):
        both = played_three_times(monkeypatch, 0, 4)
        assert [one.graph.replays for one in both] == [3, 3]
        assert not engine.replayed

    def test_a_pytorch_that_does_not_give_its_graphs_away(self, engine, monkeypatch):
        both = recordings(monkeypatch, 0, 0, handle=None)
        replays = _launch_sequence.Replays(MACHINE, both)
        for _ in range(3):
            replays()
        assert [one.graph.replays for one in both] == [3, 3]


def test_a_score_is_played_on_the_streams_of_now_with_what_is_given(engine):
    launches = [
        _launch_sequence.first_waits(None),
        _launch_sequence.renewal(0, 3, torch.zeros(30, dtype=torch.uint8), 3, 3),
        _launch_sequence.total(0, 3, torch.zeros(8, dtype=torch.uint8), 1, 2),
        _launch_sequence.total(0, 3, torch.zeros(1, dtype=torch.uint8), 0, 2),  # nothing to be done
    ]
    tables = [one.kept.data_ptr() for one in launches[1:3]]
    launch_sequence, given = _launch_sequence.LaunchSequence(MACHINE, launches), [torch.zeros(2), torch.ones(3)]
    launch_sequence(given)
    [(gpus, nodes, streams, bases)] = engine.replayed
    assert gpus == [3, 1]
    assert nodes == [(0, 0, 0, 0, 0), (RENEW, 0, tables[0], 3, 0), (TOTAL, 0, tables[1], 1, 2)]
    assert streams == [30, 10]
    assert bases == [one.data_ptr() for one in given]


def test_launches_beside_other_work_are_small():
    table = torch.zeros(70, dtype=torch.uint8)
    launch = _launch_sequence.renewal(1, 1, table, 7, 3)
    assert [(at - table.data_ptr(), jobs) for _, _, at, jobs, _ in launch.nodes] == [(0, 3), (30, 3), (60, 1)]


def test_pieces_of_what_is_given_have_a_base():
    tensor = torch.zeros(6, dtype=torch.int16)
    piece = _launch_sequence.Given(4, 10, 6, 2)
    assert _machine._renewed(tensor, None, [piece]) == (tensor.data_ptr(), 0, 0, [20], 4, 12)
    assert _machine._renewed(piece, None, [tensor]) == (20, 4, 0, [tensor.data_ptr()], 0, 12)
    assert _core.renew_table([_machine._renewed(piece, None, [tensor])])[1] == 1


def test_a_launch_by_itself_takes_nothing_that_is_given():
    with pytest.raises(ValueError, match="launch sequences only"):
        _launch_sequence.renewal(0, 3, torch.zeros(10, dtype=torch.uint8), 1, 1)([torch.zeros(1)])


def test_what_is_compared_of_modules_and_optimizers():
    module = SimpleNamespace(a=1, b=[], hooks={})
    seen = [{"a": 1, "b": [], "hooks": {}}]
    assert _core.have_attributes([module], seen)
    assert not _core.have_attributes([module, module], seen)
    module.hooks["x"] = 1
    assert not _core.have_attributes([module], seen)
    assert _core.have_items([{"lr": 0.1}], [{"lr": 0.1}])
    assert not _core.have_items([{"lr": 0.1}], [{"lr": 0.2}])
    assert not _core.have_items([{"lr": 0.1}], [{"rate": 0.1}])
    assert not _core.have_items([{"lr": 0.1}], [{"lr": 0.1, "momentum": 0}])
    one, other = object(), object()
    assert _core.have_values([{"a": one, "b": None}], [(one, None)])
    assert not _core.have_values([{"a": one, "b": None}], [(None, one)])
    assert not _core.have_values([{"a": one}], [(other,)])
    assert not _core.have_values([{"a": one, "b": one}], [(one,)])
    assert not _core.have_values([{"a": one}], [(one, one)])


@pytest.mark.parametrize("row", [(0, 16, 0, [1], 0, 4), (0, 0, 0, [1], -1, 4), (0, 0, 0, [1] * 17, 0, 4)])
def test_tables_refuse_what_no_kernel_takes(row):
    with pytest.raises(ValueError, match="at most"):
        _core.renew_table([row])
