"""What runs in a worker process: it calls sources and hands results over in shared memory."""

import gc
import io
import pickle
import signal
import traceback
from multiprocessing import reduction

import numpy as np

from .._pickling import UserPickler
from ..tensors import TensorCPU, TensorListCPU
from .blocks import Mapped

SMALL = 1 << 15  # bytes of a result that the connection carries itself


def work(connection, others, make_sources):
    """Answers requests until the parent closes the connection.

    Args
    ----
    connection
        To the parent: requests come as (source, request, block, whether its file follows, info).
    others
        Connections of the parent that a forked process has, too: while they are open no worker sees the parent end.
    make_sources : callable
        Gives the sources. What it raises is the answer to every request.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes of a terminal; the parent ends this one
    gc.freeze()  # what a forked process has of its parent's is not its own to end
    for other in others:
        other.close()
    mapped = {}
    try:
        sources, fault = make_sources(), None
    except BaseException as error:  # noqa: BLE001 - the parent raises it
        sources, fault = None, error
    while (request := _received(connection)) is not None:
        number, block, file_follows, asked = request
        if file_follows:
            mapped[number, block] = Mapped(reduction.recv_handle(connection))
        try:
            if fault is not None:
                raise fault
            answer = _written(_asked(sources[number], asked), mapped[number, block])
        except StopIteration:
            answer = "ended", None
        except BaseException as error:  # noqa: BLE001 - likewise
            answer = "raised", _portable(error)
        connection.send(answer)


def unpickled_sources(pickled):
    """Sources of a process that was not forked: each as its own parts and what the user's pickler made of the rest."""
    return [_rejoined(UserPickler.loads(*given), bare) for given, bare in pickled]


def _rejoined(given, bare):
    source = pickle.loads(bare)
    source.given = given
    return source


def _received(connection):
    try:
        return connection.recv()
    except (EOFError, OSError):
        return None


def _asked(source, asked):
    """What the source gives; `asked` is its epoch and, for callables, what to call it with."""
    epoch, infos = asked
    if epoch != source.epoch:
        source.reset()
        source.epoch = epoch
    return [source.ask(info) for info in infos]


def _written(results, block):
    file, buffers = io.BytesIO(), []
    _Results(file, protocol=5, buffer_callback=lambda one: buffers.append(one.raw())).dump(results)
    if sum(one.nbytes for one in buffers) <= SMALL:
        return "small", (file.getvalue(), [bytes(one) for one in buffers])
    return "shared", (file.getvalue(), *block.write(buffers))


class _Results(pickle.Pickler):
    """Arrays of all frameworks become NumPy's, whose memory goes beside the text."""

    def reducer_override(self, value):
        if isinstance(value, np.ndarray):
            if value.flags.c_contiguous or value.flags.f_contiguous or value.dtype.hasobject:
                return NotImplemented
            return np.asarray, (np.array(value, order="C"),)
        if isinstance(value, TensorCPU):
            return TensorCPU, (np.array(value), value.layout())
        if isinstance(value, TensorListCPU):
            return list, ([value[i] for i in range(len(value))],)
        if hasattr(value, "__array__") and not isinstance(value, (np.generic, type)):
            return np.asarray, (np.asarray(value),)
        return NotImplemented


def _portable(error):
    """The error and its traceback as text; the error is None where it cannot be pickled."""
    text = "".join(traceback.format_exception(error))
    try:
        pickled = pickle.dumps(error)
        pickle.loads(pickled)
    except Exception:  # noqa: BLE001 - any class may refuse
        pickled = None
    return pickled, f"{type(error).__name__}: {error}", text
