"""One thread a device, for as long as the wrapper lives."""

import queue
import threading
import weakref
from concurrent.futures import Future


class Workers:
    """Threads that each serve one device, in the order in which they were asked.

    Virtual devices share the CPU's random generator, so their parts of one call take turns in order: results do not
    depend on which thread comes first.
    """

    def __init__(self, devices):
        self._queues = [queue.SimpleQueue() for _ in devices]
        self._take_turns = devices[0].type == "cpu"
        for device, tasks in zip(devices, self._queues, strict=True):
            threading.Thread(target=_serve, args=(tasks,), name=f"penstock {device}", daemon=True).start()
        # The threads know the queues only, so that this object can go and end them.
        self._finalizer = weakref.finalize(self, _end, self._queues)

    def run(self, functions):
        """Calls ``functions[i]`` on the thread of device i; ``(result, None)`` or ``(None, error)`` of each, in order.

        It waits for all of them, also where one failed.
        """
        futures, before = [], None
        for function, tasks in zip(functions, self._queues, strict=False):
            future = Future()
            tasks.put((function, future, before if self._take_turns else None))
            futures.append(future)
            before = future
        return [(None, error) if (error := future.exception()) else (future.result(), None) for future in futures]


def _serve(tasks):
    while (task := tasks.get()) is not None:
        function, future, before = task
        if before is not None:
            before.exception()
        try:
            future.set_result(function())
        except BaseException as error:  # the caller's to handle, KeyboardInterrupt and SystemExit included
            future.set_exception(error)
        del task, function, future, before  # or the last batch would live until the next one


def _end(queues):
    for tasks in queues:
        tasks.put(None)
