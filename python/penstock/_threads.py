"""Threads that do not keep the process from ending."""

import atexit
import queue
import threading
import time
import weakref
from concurrent.futures import Future

_GRACE_S = 1  # s that calls in progress have to return when Python exits; then they are left behind
_serving = weakref.WeakKeyDictionary()  # by thread: what it is asked by, and how many threads that has


@atexit.register
def _wait_for_calls():
    """Runs behind the end of pipelines, being registered before that: their calls may still return in order."""
    end = time.monotonic() + _GRACE_S
    serving = dict(_serving)
    for calls, count in serving.values():
        _end(calls, count)
    for thread in serving:
        thread.join(max(0, end - time.monotonic()))


class Threads:
    """Does calls on `count` threads, in the order in which they were asked for.

    Python waits for the threads of its own executor before `atexit` can say that their results are no longer needed: a
    call that never returns would keep the process for good. These are left behind then.
    """

    def __init__(self, count, name):
        self._calls = queue.SimpleQueue()  # (function, arguments, future); None ends a thread
        threads = [
            threading.Thread(target=_serve, args=(self._calls,), name=f"{name}_{i}", daemon=True) for i in range(count)
        ]
        for thread in threads:
            thread.start()
            _serving[thread] = self._calls, count
        self._count = count
        # The threads know the calls only, so that this object can go and end them.
        weakref.finalize(self, _end, self._calls, count).atexit = False

    def submit(self, function, *arguments):
        """A `concurrent.futures.Future` of what ``function(*arguments)`` gives; `close` cancels it before it began."""
        future = Future()
        self._calls.put((function, arguments, future))
        return future

    def close(self):
        """Ends the threads, each after the call in progress."""
        _end(self._calls, self._count)


def _serve(calls):
    while (asked := calls.get()) is not None:
        function, arguments, future = asked
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(function(*arguments))
            except BaseException as error:  # noqa: BLE001 - it goes to the caller
                future.set_exception(error)
        del asked, function, arguments, future  # or the last batch would live until the next one


def _end(calls, count):
    """Forgets the calls that have not begun. Doing it again changes nothing."""
    while not calls.empty():
        try:
            asked = calls.get_nowait()
        except queue.Empty:  # a thread was quicker
            break
        if asked is not None:
            asked[-1].cancel()
    for _ in range(count):
        calls.put(None)
