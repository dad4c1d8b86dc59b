"""Work that is done ahead, on a thread of its own."""

import atexit
import collections
import os
import queue
import threading
import weakref

_running = {}  # thread: what it is asked by


@atexit.register
def _end_all():
    """Runs before pipelines are closed, being registered after theirs: none may close under a waiting thread."""
    for thread, asked in list(_running.items()):
        asked.put(None)
        thread.join()


class _Bell:
    """Wakes the one thread that waits for it. Ctrl-C in the wait for a `threading.Event` may lock that for ever."""

    def __init__(self):
        self._silence = threading.Lock()
        self._silence.acquire()

    def ring(self):
        """By one thread alone."""
        if self._silence.locked():
            self._silence.release()

    def wait(self):
        """Until it rings, or has rung since the last wait."""
        self._silence.acquire()


class Ahead:
    """Pieces of work, done in order: `ask` for some, do something else, `get` one after the other."""

    def __init__(self):
        self.asked = queue.SimpleQueue()  # (work, arguments)
        self.made = collections.deque()  # (whether it went well, what it gave or raised)
        self.pending = 0  # asked for and not yet got
        self._more = _Bell()  # was made
        self._process = os.getpid()
        shared = self.asked, self.made, self._more
        thread = threading.Thread(target=_serve, args=shared, daemon=True, name="penstock-ahead")
        _running[thread] = self.asked
        thread.start()
        weakref.finalize(self, self.asked.put, None).atexit = False

    def ask(self, work, *arguments):
        """Begins ``work(*arguments)`` when all that was asked for before is done."""
        self.pending += 1
        self.asked.put((work, arguments))

    def get(self):
        """What the oldest piece gave, and whether it was ready without a wait; what it raised is raised here."""
        self._check_process()
        ready = bool(self.made)
        while not self.made:
            self._more.wait()
        # Ctrl-C is looked for behind calls and in loops: it finds all of this done or nothing.
        ok, value = self.made[0]
        self.pending -= 1
        del self.made[0]
        if ok:
            return value, ready
        try:
            raise value
        finally:
            del value  # its traceback would keep this frame, and what it knows, until cycles are collected

    def put_back(self, value):
        """Has `get` give that again, before all others."""
        self.pending += 1
        self.made.appendleft((True, value))

    def settle(self):
        """Waits until nothing is being done. The results stay."""
        if self.pending:
            self._check_process()
            reached = _Bell()
            self.asked.put((reached.ring, None))
            reached.wait()

    def _check_process(self):
        if os.getpid() != self._process:
            raise RuntimeError(
                "this iterator was made before a fork and its thread stayed in the parent; make it in the process that "
                "uses it"
            )


def _serve(asked, made, more):
    while (work := asked.get()) is not None:
        function, arguments = work
        if arguments is None:  # its result will not be used
            function()
            continue
        try:
            made.append((True, function(*arguments)))
        except BaseException as error:  # noqa: BLE001 - it goes to the caller
            made.append((False, error))
        more.ring()
        del work, function, arguments
    _running.pop(threading.current_thread(), None)
