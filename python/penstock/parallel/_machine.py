"""Several GPUs that one thread replays on: graphs, launches into each other's memory, and the order between streams."""

import contextlib
import threading

import torch
from torch.utils._python_dispatch import _disable_current_modes

from .. import _core
from . import _launch_sequence
from ._devices import memory_of
from ._launch_sequence import Given, LaunchSequence, Recording, Replays
from ._recorder import Recorder

_REAL_TYPES = {torch.float32: 0, torch.float64: 1, torch.float16: 2, torch.bfloat16: 3}
_MOST = 16  # devices: kMostReplicas
_LARGE = 1 << 20  # bytes that copy engines carry while kernels do other things
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
    """The GPUs of one wrapper. A call replays on the streams that are current, one a device, as the caller has them.

    A thread that replays holds `lock`: forward passes, and backward passes of other threads. No code of a module runs
    meanwhile.
    """

    def __init__(self, devices):
        self.devices, self.lock = devices, threading.Lock()
        self._recorders = [Recorder(device) for device in devices]
        self._branches = [torch.cuda.Stream(device) for device in devices]
        self._events = [torch.cuda.Event() for _ in devices]
        self._arena = None  # for tables of launches under capture
        self._arena_sizes, self._rehearsed = [0] * len(devices), 0  # what the last rehearsal of each device took
        for a in devices:
            for b in devices:
                torch.zeros(1, device=a).to(b)  # lets PyTorch enable peer access
        self.streams, self.handles = None, None  # of the last call
        self._home = memory_of(devices[0])
        self._indices = [device.index for device in devices]
        self.first_waits = _launch_sequence.first_waits(self._first_waits)
        self.others_wait = _launch_sequence.others_wait(self._others_wait)
        self.arrive = _launch_sequence.arrive()

    def replay(self):
        """From now on calls are queued on the streams that are current; they continue what was replayed last."""
        handles = self._current()
        if handles == self.handles:
            return
        current = [torch.cuda.current_stream(device) for device in self.devices]
        if self.streams is not None:
            for stream, last in zip(current, self.streams, strict=True):
                stream.wait_stream(last)
        self.streams, self.handles = current, handles

    def _current(self):
        return [torch._C._cuda_getCurrentRawStream(index) for index in self._indices]

    def playing_on(self, streams):
        """A context: as `replay`, with these streams, which are current within."""
        if streams is self.streams and self._current() == self.handles:
            return contextlib.nullcontext()
        return self._playing_elsewhere(streams)

    @contextlib.contextmanager
    def _playing_elsewhere(self, streams):
        with contextlib.ExitStack() as stack:
            for stream in streams:
                if stream != torch.cuda.current_stream(stream.device):
                    stack.enter_context(torch.cuda.stream(stream))
            self.replay()
            yield

    def on(self, i):
        """A context in which device `i` is the current one."""
        return torch.cuda.device(self.devices[i])

    def launch_sequence(self, launches):
        """A callable that queues these launches in order, with the tensors on the first device that it is given.

        Besides `renewal` and `total` there are `first_waits`: what is queued on the first device from now on comes
        after what is queued on the others, and `others_wait`, the other way round.
        """
        return LaunchSequence(self, launches)

    def _first_waits(self, _):
        for event, stream in zip(self._events[1:], self.streams[1:], strict=True):
            event.record(stream)
            self.streams[0].wait_event(event)

    def _others_wait(self, _):
        self._events[0].record(self.streams[0])
        for stream in self.streams[1:]:
            stream.wait_event(self._events[0])

    @contextlib.contextmanager
    def rehearsing(self, i):
        """Within, device `i` works on a stream of its own, as it must for a capture."""
        side, self._arena_sizes[i], self._rehearsed = self._recorders[i].stream, 0, i
        side.wait_stream(torch.cuda.current_stream(self.devices[i]))
        try:
            with torch.cuda.stream(side), torch.autograd.set_multithreading_enabled(False):
                yield
        finally:  # what it has queued must not write what the caller puts right after an error, or memory given back
            torch.cuda.synchronize(self.devices[i])

    def record(self, i, function, after=None):
        """(callable that replays it, what `function` returned): the work that `function` queues on device `i`.

        It was called in `rehearsing` before, if it makes launches.

        Args
        ----
        after : what replays an earlier `record`
            Its memory is shared: it is always replayed before.
        """
        pool = torch.cuda.graph_pool_handle() if after is None else after.graph.pool()
        self._arena = arena = Arena(self._arena_sizes[i], self.devices[i])
        try:
            graph, result = self._recorders[i].record(function, pool)
        finally:
            self._arena = None
        arena.send()
        return Recording(i, self.devices[i], graph, arena), result

    def replays(self, recordings):
        """A callable that replays these, one a device."""
        return Replays(self, recordings)

    @contextlib.contextmanager
    def aside(self, i):
        """Within a capture: a branch beside what comes after it. `join` ends it."""
        main, side = torch.cuda.current_stream(self.devices[i]), self._branches[i]
        side.wait_stream(main)
        with torch.cuda.stream(side):
            yield

    def join(self, i):
        torch.cuda.current_stream(self.devices[i]).wait_stream(self._branches[i])

    def send(self, i, tensor, copies):
        """Queues on device `i`, now: the tensor is written into its copies, all dense and alike, by a copy engine."""
        stream = torch.cuda.current_stream(self.devices[i]).cuda_stream
        for one in copies:
            _core.copy(self._indices[i], stream, one.data_ptr(), tensor.data_ptr(), tensor.nbytes)

    def checksums_of(self, tensor):
        """Room for what `renewal` notes of a tensor: that nothing was sent yet."""
        return torch.zeros(-(-tensor.nbytes // _core.RENEWED_AT_ONCE), dtype=torch.int64, device=tensor.device)

    def renewal(self, i, rows, beside=False):
        """A launch on device `i`.

        Args
        ----
        rows : list of (tensor, its checksums or None, list of its copies)
            Copies are written where a part of the tensor has another checksum than the one that was noted when it was
            sent, or everywhere; all are dense and alike. Tensors or copies that are `Given` are for launch
            sequences only.
        beside : bool
            Whether it goes on beside other work: then it takes few processors at a time.
        """
        table, jobs = _core.renew_table([_renewed(*row) for row in rows])
        return _launch_sequence.renewal(i, self.devices[i].index, self._table(i, table), jobs, _FEW if beside else jobs)

    def sending(self, i, rows):
        """Launches for sequences: copy engines of device `i` write each tensor into its copies, all dense and alike.

        They do it beside what the device is given from then on; what all devices are given behind `arrive` comes after.

        Args
        ----
        rows : list of (tensor or Given, list of its copies)
        """
        by_number = {}
        for tensor, copies in rows:
            number, begin = _place(tensor)
            by_number.setdefault(number, []).extend((begin, one.data_ptr(), one.nbytes) for one in copies)
        return [_launch_sequence.sending(i, number, table) for number, table in by_number.items()]

    def handing_out(self, rows, before=(), after=()):
        """Launches for sequences: as a `renewal` on the first device, and all devices go on when everything has come.

        What is large, and sent in any case, copy engines carry while the rest is compared.

        Args
        ----
        before : list of Launch
            What other devices do before the renewal.
        after : list of Launch
            What is queued on the first device behind it.
        """

        def is_far(tensor, checksums, copies):
            return checksums is None and tensor.nbytes >= _LARGE and copies[0].device != self._home

        near = [row for row in rows if not is_far(*row)]
        sent = self.sending(0, [(one, copies) for one, checksums, copies in rows if is_far(one, checksums, copies)])
        return [*sent, *before, self.first_waits, self.renewal(0, near), *after, self.others_wait, self.arrive]

    def total(self, i, rows, to):
        """A launch on device `i` that writes sums into a flat tensor.

        Args
        ----
        rows : list of (addends, offset)
            Tensors that are dense and alike, and where in the flat tensor, in elements, their sum goes.
        to : torch.Tensor or int
            That tensor, or the number with which it is given.
        """
        number, begin = (to, 0) if isinstance(to, int) else (0, to.data_ptr())
        table, jobs = _core.total_table(
            [
                (
                    [one.data_ptr() for one in addends],
                    begin + offset * addends[0].itemsize,
                    addends[0].numel(),
                    _REAL_TYPES[addends[0].dtype],
                    addends[0].itemsize,
                )
                for addends, offset in rows
            ]
        )
        return _launch_sequence.total(i, self.devices[i].index, self._table(i, table), jobs, number)

    def _table(self, i, table):
        with _disable_current_modes():  # this is no work of the module that is being watched
            contents = torch.frombuffer(bytearray(table or b"0"), dtype=torch.uint8)
            if self._arena is not None:
                return self._arena.take(contents)
            self._arena_sizes[self._rehearsed] += -(-len(contents) // 256) * 256
            return contents.to(self.devices[i])

    def random_states(self):
        return [torch.cuda.get_rng_state(device) for device in self.devices]

    def restore(self, states):
        for device, state in zip(self.devices, states, strict=True):
            torch.cuda.set_rng_state(state, device)


def _renewed(tensor, checksums, copies):
    """A row of `_core.renew_table`."""
    (from_base, source), *targets = (_place(one) for one in (tensor, *copies))
    to_base = targets[0][0] if targets else 0
    return (
        source,
        from_base,
        0 if checksums is None else checksums.data_ptr(),
        [at for _, at in targets],
        to_base,
        tensor.nbytes,
    )


def _place(one):
    """(base, bytes from there)"""
    return (one.number, one.begin * one.itemsize) if isinstance(one, Given) else (0, one.data_ptr())


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
