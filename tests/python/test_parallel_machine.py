"""How `DataParallel` enters and leaves captures, on what PyTorch's side of them does from version to version.

`Cuda` stands for torch.cuda: what its source says of streams, generators and workspaces, and no GPU. The real one is in
tests/python/gpu/test_parallel_machine_gpu.py.
"""

import contextlib
import gc
import sys
import types

import pytest

torch = pytest.importorskip("torch")
from penstock.parallel._machine import Machine  # noqa: E402


class Workspace:
    """Memory of cuBLAS. `pool` is that of a graph; None: memory that anybody may get once it is given back."""

    def __init__(self, pool):
        self.pool, self.kept = pool, True


class Cuda:
    """One GPU.

    PyTorch 2.11: the generator believes in a capture until one ends. 2.14: workspaces go with a graph of their stream.
    2.15: no workspaces are kept, and what a capture that failed has begun is ended by its end, or by its graph.
    """

    def __init__(self, version):
        self.version = version
        self.current = self.default = types.SimpleNamespace(graph=None)
        self.workspaces, self.pools, self.routed = {}, {}, set()
        self.generator = types.SimpleNamespace(get_offset=lambda: self.offset)
        self.offset, self.stuck, self.aborted = 0, False, False
        self.refused = 0  # which of the next captures does not begin
        # Where all graphs find which random numbers to draw: streams on which a beginning capture writes there, and
        # whether a graph may be reading.
        self.writing, self.reading = set(), False

    def install(self, monkeypatch):
        own = {
            "Stream": lambda _: Stream(self),
            "Event": types.SimpleNamespace,
            "CUDAGraph": lambda: Graph(self),
            "graph": lambda *given, **options: GraphContext(self, *given),
            "graph_pool_handle": lambda: object(),
            "stream": self.stream,
            "current_stream": lambda _: self.current,
            "synchronize": lambda _: self.synchronize(),
            "device": contextlib.nullcontext,
            "default_generators": [self.generator],
        }
        for name, value in own.items():
            monkeypatch.setattr(torch.cuda, name, value)
        for name in ("endAllocateToPool", "releasePool", "clearCublasWorkspaces"):
            monkeypatch.setattr(torch._C, f"_cuda_{name}", getattr(self, name), raising=False)

    def stream(self, stream):
        return Within(self, stream)

    def synchronize(self):
        self.writing.clear()
        self.reading = False

    def multiply(self):
        """Work for cuBLAS on the current stream."""
        graph = self.current.graph
        if self.version >= 2.15:
            return
        workspace = self.workspaces.setdefault(id(self.current), Workspace(graph and graph.memory))
        if graph:
            graph.workspaces.append(workspace)

    def give_up(self, key):
        workspace = self.workspaces.pop(key, None)
        if workspace is not None:
            workspace.kept = False

    def clearCublasWorkspaces(self):
        for key in [*self.workspaces]:
            self.give_up(key)

    def draw(self):
        """A random number: its place in the sequence."""
        if self.current.graph is not None:
            self.current.graph.draws += 1
            return
        if self.stuck:
            raise RuntimeError("Offset increment outside graph capture encountered unexpectedly.")
        self.offset += 1

    def endAllocateToPool(self, _, pool):
        if pool not in self.routed:
            raise RuntimeError("not currently recording to mempool_id")
        self.routed.remove(pool)

    def releasePool(self, _, pool):
        self.pools[pool] -= 1


class Stream:
    def __init__(self, cuda):
        self._cuda, self.graph = cuda, None

    def wait_stream(self, other):
        pass

    def synchronize(self):
        self._cuda.writing.discard(self)


class Within:
    def __init__(self, cuda, stream):
        self._cuda, self._stream = cuda, stream

    def __enter__(self):
        self._before, self._cuda.current = self._cuda.current, self._stream

    def __exit__(self, *error):
        self._cuda.current = self._before


class Graph:
    def __init__(self, cuda):
        self.cuda, self.memory, self.routes, self.ended = cuda, None, False, False
        self.workspaces, self.draws, self.broken = [], 0, False

    def pool(self):
        return self.memory

    def capture_begin(self, pool=None, capture_error_mode="global"):
        cuda = self.cuda
        self.stream, self.memory, self.routes = cuda.current, pool or object(), True
        cuda.routed.add(self.memory)
        cuda.pools[self.memory] = cuda.pools.get(self.memory, 0) + 1
        cuda.stuck = cuda.version < 2.12
        cuda.refused -= 1
        if self.stream.graph is not None or cuda.refused == 0:
            raise RuntimeError("operation not permitted when stream is capturing")
        assert not cuda.reading
        cuda.writing.add(self.stream)
        self.stream.graph = self

    def capture_end(self):
        cuda = self.cuda
        if cuda.current is not self.stream:
            raise RuntimeError("Capture must end on the same stream it began on.")
        self.stream.graph = None
        if not self.broken or cuda.version >= 2.15:
            cuda.routed.remove(self.memory)
            self.routes = False
        if self.broken:
            raise RuntimeError("operation failed due to a previous error during capture")
        cuda.stuck, self.ended = False, True

    def reset(self):
        cuda = self.cuda
        if self.memory and (self.ended or cuda.version >= 2.15):
            if self.routes:
                cuda.aborted |= self.memory not in cuda.routed  # a destructor of C++ would throw
                cuda.routed.discard(self.memory)
            if cuda.version >= 2.12:
                cuda.give_up(id(self.stream))
            cuda.pools[self.memory] -= 1
            self.memory = None

    __del__ = reset

    def replay(self):
        for one in self.workspaces:
            if not one.kept and not self.cuda.pools.get(one.pool):
                raise RuntimeError("an illegal memory access was encountered")
        if self.draws:
            assert not self.cuda.stuck and not self.cuda.writing
            self.cuda.reading = True
        self.cuda.offset += self.draws


class GraphContext:
    """`torch.cuda.graph`."""

    def __init__(self, cuda, graph, pool, stream):
        self._cuda, self._graph, self._pool = cuda, graph, pool
        self._within = cuda.stream(stream)

    def __enter__(self):
        self._cuda.synchronize()
        self._within.__enter__()
        self._graph.capture_begin(self._pool)

    def __exit__(self, *error):
        try:
            self._graph.capture_end()
        except RuntimeError:
            if self._cuda.version >= 2.15:
                self._within.__exit__(*error)
            raise
        self._within.__exit__(*error)


@pytest.fixture(params=[2.11, 2.14, 2.15])
def cuda(request, monkeypatch):
    made = Cuda(request.param)
    made.install(monkeypatch)
    yield made
    gc.collect()
    assert not made.aborted


@pytest.fixture
def machine(cuda):
    return Machine([torch.device("cpu", 0)])


def recorded(machine, work):
    with machine.rehearsing(0):
        work()
    return machine.record(0, work)[0]


class TestWorkspaces:
    def test_stay_when_another_graph_goes(self, cuda, machine):
        kept, other = recorded(machine, cuda.multiply), recorded(machine, cuda.multiply)
        kept()
        del other
        gc.collect()
        kept()

    def test_stay_when_a_backward_pass_is_recorded_behind_and_another_graph_goes(self, cuda, machine):
        forward = recorded(machine, cuda.multiply)
        backward = machine.record(0, cuda.multiply, forward)[0]
        recorded(machine, cuda.multiply)
        gc.collect()
        forward(), backward()

    def test_stay_when_graphs_of_torch_compile_give_all_up(self, cuda, machine, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch._inductor.cudagraph_trees", types.ModuleType("trees"))
        kept = recorded(machine, cuda.multiply)
        cuda.clearCublasWorkspaces()
        kept()

    def test_of_others_stay_where_nobody_gives_them_up(self, cuda, machine, monkeypatch):
        monkeypatch.delitem(sys.modules, "torch._inductor.cudagraph_trees", raising=False)
        cuda.multiply()
        before = [*cuda.workspaces.values()]
        recorded(machine, cuda.multiply)
        assert all(one.kept for one in before)


class Interrupt(KeyboardInterrupt):
    pass


def raises(cuda):
    raise ValueError("of the module")


def is_interrupted(cuda):
    raise Interrupt


def breaks(cuda):
    cuda.current.graph.broken = True


def breaks_and_is_interrupted(cuda):
    cuda.current.graph.broken = True
    raise Interrupt


def leaves_another_stream(cuda):
    cuda.current = types.SimpleNamespace(graph=None)


class TestACaptureThatFails:
    @pytest.mark.parametrize(
        ("what", "error"),
        [
            (raises, ValueError),
            (is_interrupted, Interrupt),
            (breaks, RuntimeError),
            (breaks_and_is_interrupted, Interrupt),
            (leaves_another_stream, None),
        ],
    )
    def test_leaves_streams_memory_and_random_numbers_as_they_were(self, cuda, machine, what, error):
        older, generator = recorded(machine, cuda.draw), cuda.generator
        older()
        before, pools = cuda.offset, sum(cuda.pools.values())
        with pytest.raises(error) if error else contextlib.nullcontext():
            machine.record(0, lambda: (cuda.draw(), what(cuda)))
        gc.collect()
        assert cuda.current is cuda.default
        assert machine._recorders[0].stream.graph is None
        assert (cuda.routed, sum(cuda.pools.values())) == (set(), pools)
        assert torch.cuda.default_generators[0] is generator
        assert cuda.offset == before
        cuda.draw(), older()
        assert cuda.offset == before + 2
        recorded(machine, cuda.draw)()
        assert cuda.offset == before + 4

    @pytest.mark.parametrize("which", [1, 2])
    def test_is_followed_by_others_where_it_could_not_begin(self, cuda, machine, which):
        cuda.refused = which
        with pytest.raises(RuntimeError, match="not permitted"):
            machine.record(0, cuda.draw)
        gc.collect()
        assert cuda.current is cuda.default
        assert (cuda.routed, sum(cuda.pools.values())) == (set(), 0)
        cuda.draw()
        recorded(machine, cuda.draw)()


def test_a_machine_of_inference_mode_records_outside(cuda):
    with torch.inference_mode():
        machine = Machine([torch.device("cpu", 0)])
    recorded(machine, cuda.draw)()
