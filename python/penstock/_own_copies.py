"""Sources that threads ask: each thread asks a copy of its own, as processes would; without one they take turns."""

import contextlib
import dis
import functools
import io
import pickle
import queue
import threading
import types
import weakref

import numpy as np

from ._pickling import reduced_cell

_AS_THEY_ARE = types.ModuleType, type, types.CodeType, np.memmap  # immutable, or too large to copy
_turns = weakref.WeakValueDictionary()  # by the id of what they are for


class Lent:
    """`with` blocks around calls: each has a copy of `source` to itself, of which there are `count`."""

    def __init__(self, source, count):
        self._free = queue.SimpleQueue()
        copies = _copies(source, count)
        for one in copies or [source]:
            self._free.put(one)
        self._turn = None if copies else _turn_for(source)

    @contextlib.contextmanager
    def __call__(self):
        one = self._free.get()
        try:
            with self._turn.lock if self._turn is not None else contextlib.nullcontext():
                yield one
        finally:
            self._free.put(one)


@contextlib.contextmanager
def turn_with(source):
    """`with` blocks around calls of `source` itself: they take turns where threads ask it, too."""
    made = _turns.get(id(_owner(source)))
    with contextlib.nullcontext() if made is None else made.lock:
        yield source


class _Turn:
    def __init__(self, owner):
        self.owner = owner  # must live, or another object could have its id
        self.lock = threading.RLock()


def _turn_for(source):
    owner = _owner(source)
    made = _turns.get(id(owner)) or _Turn(owner)
    _turns[id(owner)] = made
    return made


def _owner(source):
    """The object that the calls of `source` change."""
    while isinstance(source, (types.MethodType, functools.partial)):
        source = source.__self__ if isinstance(source, types.MethodType) else source.func
    return source


def _copies(source, count):
    """So many copies; None where no copy can be made, or would share what calls change."""
    owner = _owner(source)
    called = owner if isinstance(owner, types.FunctionType) else getattr(type(owner), "__call__", None)  # noqa: B004
    if _sets_globals(getattr(called, "__code__", None)) or (called is owner and vars(owner).keys() - {"__wrapped__"}):
        return None  # as copies of functions share variables of the module, where their own attributes are found, too
    data, kept, buffers = io.BytesIO(), {}, []
    try:
        _Writer(data, kept, buffers).dump(source)
        return [_Reader(data.getvalue(), kept, buffers).load() for _ in range(count)]
    except Exception:  # noqa: BLE001 - locks, files, generators and whatever else refuses
        return None


def _sets_globals(code):
    if code is None:
        return False
    if any(one.opname in ("STORE_GLOBAL", "DELETE_GLOBAL") for one in dis.get_instructions(code)):
        return True
    return any(_sets_globals(one) for one in code.co_consts if isinstance(one, types.CodeType))


class _Writer(pickle.Pickler):
    """Arrays lie beside the data; functions are taken apart where they hold something that they could change."""

    def __init__(self, file, kept, buffers):
        super().__init__(file, protocol=5, buffer_callback=buffers.append)
        self._kept = kept

    def persistent_id(self, value):
        if id(value) not in self._kept:
            if not isinstance(value, (*_AS_THEY_ARE, types.FunctionType)) or _holds_something(value):
                return None
            self._kept[id(value)] = value
        return id(value)

    def reducer_override(self, value):
        if isinstance(value, types.CellType):
            return reduced_cell(value)
        if not isinstance(value, types.FunctionType):
            return NotImplemented
        self._kept[id(value.__globals__)] = value.__globals__
        made = value.__code__, value.__globals__, value.__name__, None, value.__closure__
        rest = value.__defaults__, value.__kwdefaults__, vars(value)
        return types.FunctionType, made, rest, None, None, _complete


def _holds_something(value):
    """Whether a function holds objects of its own: in variables around it, in attributes, or as defaults."""
    if not isinstance(value, types.FunctionType):
        return False
    return bool(value.__closure__ or vars(value) or value.__defaults__ or value.__kwdefaults__)


def _complete(function, rest):
    function.__defaults__, function.__kwdefaults__, attributes = rest
    vars(function).update(attributes)


class _Reader(pickle.Unpickler):
    """Arrays that can be changed are copied, others shared."""

    def __init__(self, data, kept, buffers):
        raw = [buffer.raw() for buffer in buffers]
        super().__init__(io.BytesIO(data), buffers=[one if one.readonly else bytearray(one) for one in raw])
        self._kept = kept

    def persistent_load(self, number):
        return self._kept[number]
