"""Work that is done ahead, on a thread of its own."""

import atexit
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


class Ahead:
    """Pieces of work, done in order: `ask` for some, do something else, `get` one after the other."""

    def __init__(self):
        self._asked = queue.SimpleQueue()
        self._made = queue.SimpleQueue()
        self.pending = 0  # asked for and not yet got
        thread = threading.Thread(target=_serve, args=(self._asked, self._made), daemon=True, name="penstock-ahead")
        _running[thread] = self._asked
        thread.start()
        weakref.finalize(self, self._asked.put, None).atexit = False

    def ask(self, work, *arguments):
        """Begins ``work(*arguments)`` when all that was asked for before is done."""
        self.pending += 1
        self._asked.put((work, arguments))

    def get(self):
        """What the oldest piece gave, and whether nobody had to wait for it; what it raised is raised here."""
        ready = not self._made.empty()
        ok, value = self._made.get()
        self.pending -= 1
        if not ok:
            raise value
        return value, ready

    def settle(self):
        """Waits until nothing is being done. The results stay."""
        if self.pending:
            reached = threading.Event()
            self._asked.put((reached.set, None))
            reached.wait()


def _serve(asked, made):
    while (work := asked.get()) is not None:
        function, arguments = work
        if arguments is None:  # nobody will get what it gives
            function()
            continue
        try:
            made.put((True, function(*arguments)))
        except BaseException as error:  # noqa: BLE001 - it goes to the one who asked
            made.put((False, error))
        del work, function, arguments
    _running.pop(threading.current_thread(), None)
