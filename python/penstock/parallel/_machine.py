"""Several GPUs that one thread plays on: graphs, launches into each other's memory, and the order between streams."""

import contextlib

import torch
from torch.utils._python_dispatch import _disable_current_modes

from .. import _core

_REAL_TYPES = {torch.float32: 0, torch.float64: 1, torch.float16: 2, torch.bfloat16: 3}
_MOST = 16  # devices: kMostReplicas
_FEW = 32  # blocks of a launch, each for 64 KB, that leave room for a backward pass and still fill the link


def is_dense(tensor):
    """Whether the elements fill one block of memory, in whatever order of dimensions: then bytes can be copied."""
    return tensor.layout == torch.strided and torch.empty_like(tensor, device="meta").stride() == tensor.stride()


def can_be_summed(tensor):
    return tensor.dtype in _REAL_TYPES


def why_not(devices):
    """Why graphs cannot be used on these devices; None when they can."""
    if devices[0].type != "cuda":
        return "virtual devices have no graphs"
    if len(devices) > _MOST:
        return f"there are more than {_MOST} devices"
    if any(_core.gpu_count() <= device.index for device in devices):
        return f"Penstock cannot use these GPUs: {_core.why_no_gpu()}"
    pairs = [(a, b) for a in devices for b in devices if a != b]
    if not all(torch.cuda.can_device_access_peer(a, b) for a, b in pairs):
        return "the GPUs cannot reach each other's memory"
    return None


class Machine:
    """The GPUs of one wrapper. A call plays on the streams that are current, one a device, as the caller has them."""

    def __init__(self, devices):
        self.devices = devices
        self._side = [torch.cuda.Stream(device) for device in devices]
        self._branches = [torch.cuda.Stream(device) for device in devices]
        self._events = [torch.cuda.Event() for _ in devices]
        self._arena, self._arena_size = None, 0  # for tables of launches under capture, and what a rehearsal took
        for a in devices:
            for b in devices:
                torch.zeros(1, device=a).to(b)  # lets PyTorch enable peer access
        self.streams = None  # of the last call

    def play(self):
        """From now on calls are queued on the streams that are current; they continue what was played last."""
        current = [torch.cuda.current_stream(device) for device in self.devices]
        if self.streams is not None and self.streams != current:
            for stream, last in zip(current, self.streams, strict=True):
                stream.wait_stream(last)
        self.streams = current

    @contextlib.contextmanager
    def playing_on(self, streams):
        """As `play`, with these streams, which are current within."""
        with contextlib.ExitStack() as stack:
            for stream in streams:
                if stream != torch.cuda.current_stream(stream.device):
                    stack.enter_context(torch.cuda.stream(stream))
            self.play()
            yield

    def on(self, i):
        """A context in which device `i` is the current one."""
        return torch.cuda.device(self.devices[i])

    def first_waits(self):
        """What is queued on the first device from now on comes after what is queued on the others."""
        for event, stream in zip(self._events[1:], self.streams[1:], strict=True):
            event.record(stream)
            self.streams[0].wait_event(event)

    def others_wait(self):
        """What is queued on the other devices from now on comes after what is queued on the first."""
        self._events[0].record(self.streams[0])
        for stream in self.streams[1:]:
            stream.wait_event(self._events[0])

    def all_meet(self):
        self.first_waits()
        self.others_wait()

    @contextlib.contextmanager
    def rehearsing(self, i):
        """Within, device `i` works on a stream of its own, as it must for a capture."""
        side, self._arena_size = self._side[i], 0
        side.wait_stream(torch.cuda.current_stream(self.devices[i]))
        with torch.cuda.stream(side), torch.autograd.set_multithreading_enabled(False):
            yield
        torch.cuda.synchronize(self.devices[i])

    def record(self, i, function, after=None):
        """(callable that plays it, what `function` returned): the work that `function` queues on device `i`.

        It was called in `rehearsing` before, if it makes launches.

        Args
        ----
        after : callable from an earlier `record`
            Its memory is shared: it is always played before.
        """
        graph = torch.cuda.CUDAGraph()
        pool = torch.cuda.graph_pool_handle() if after is None else after.__self__.pool()
        self._arena = Arena(self._arena_size, self.devices[i])
        try:
            with (
                torch.cuda.device(self.devices[i]),
                torch.autograd.set_multithreading_enabled(False),
                torch.cuda.graph(graph, pool, self._side[i], capture_error_mode="thread_local"),
            ):
                result = function()
            self._arena.send()
            graph.arena = self._arena
        except Exception:
            self._clear_up(i, pool)
            raise
        finally:
            self._arena = None
        return graph.replay, result

    def _clear_up(self, i, pool):
        """After a capture that failed: PyTorch would go on to believe in it, allocator and random generator alike."""
        device = self.devices[i]
        with contextlib.suppress(RuntimeError):  # where PyTorch has ended it itself
            torch._C._cuda_endAllocateToPool(device.index, pool)
        fresh = torch.Generator(device)
        fresh.manual_seed(torch.cuda.initial_seed())
        torch.cuda.default_generators[device.index].graphsafe_set_state(fresh.graphsafe_get_state())

    @contextlib.contextmanager
    def aside(self, i):
        """Within a capture: a branch beside what comes after it. `join` ends it."""
        main, side = torch.cuda.current_stream(self.devices[i]), self._branches[i]
        side.wait_stream(main)
        with torch.cuda.stream(side):
            yield

    def join(self, i):
        torch.cuda.current_stream(self.devices[i]).wait_stream(self._branches[i])

    def renewal(self, i, rows, beside=False):
        """A launch on device `i`: a callable.

        Args
        ----
        beside : bool
            Whether it goes on beside other work: then it takes few processors at a time.
        rows : list of (tensor, shadow or None, list of its copies)
            Copies are written where the tensor differs from its shadow, or everywhere; all are dense and alike.
        """
        table, jobs = _core.renew_table(
            [
                (one.data_ptr(), 0 if shadow is None else shadow.data_ptr(), [c.data_ptr() for c in copies], one.nbytes)
                for one, shadow, copies in rows
            ]
        )
        at, gpu = self._table(i, table), self.devices[i].index

        size, most = len(table) // max(jobs, 1), _FEW if beside else jobs

        def launch():
            stream, begin = torch.cuda.current_stream(gpu).cuda_stream, at.data_ptr()
            for first in range(0, jobs, most or 1):
                _core.renew(gpu, stream, begin + first * size, min(most, jobs - first))

        return launch

    def total(self, i, rows):
        """A launch on device `i`: a callable that takes the flat tensor that gets the sums.

        Args
        ----
        rows : list of (addends, offset)
            Tensors that are dense and alike, and where in the flat tensor, in elements, their sum goes.
        """
        table, jobs = _core.total_table(
            [
                (
                    [one.data_ptr() for one in addends],
                    offset * addends[0].itemsize,
                    addends[0].numel(),
                    _REAL_TYPES[addends[0].dtype],
                    addends[0].itemsize,
                )
                for addends, offset in rows
            ]
        )
        at, gpu = self._table(i, table), self.devices[i].index

        def launch(flat):
            if jobs:
                _core.total(gpu, torch.cuda.current_stream(gpu).cuda_stream, at.data_ptr(), jobs, flat.data_ptr())

        return launch

    def _table(self, i, table):
        with _disable_current_modes():  # this is no work of the module that is being watched
            contents = torch.frombuffer(bytearray(table or b"0"), dtype=torch.uint8)
            if self._arena is not None:
                return self._arena.take(contents)
            self._arena_size += -(-len(contents) // 256) * 256
            return contents.to(self.devices[i])

    def random_states(self):
        return [torch.cuda.get_rng_state(device) for device in self.devices]

    def restore(self, states):
        for device, state in zip(self.devices, states, strict=True):
            torch.cuda.set_rng_state(state, device)


class Arena:
    """Memory for tables that captured launches read. A graph's own memory is no place for what must last: it serves
    for other things before and after.
    """

    def __init__(self, size, device):
        self._memory = torch.empty(size, dtype=torch.uint8, device=device)
        self._contents = []
        self._taken = 0

    def take(self, contents):
        """Room for the bytes, which are sent later: copies from the host would be captured."""
        begin, self._taken = self._taken, self._taken + -(-len(contents) // 256) * 256
        room = self._memory[begin : begin + len(contents)]
        if len(room) < len(contents):
            raise RuntimeError("more launches than in the rehearsal")
        self._contents.append((room, contents))
        return room

    def send(self):
        for room, contents in self._contents:
            room.copy_(contents)
        self._contents.clear()
