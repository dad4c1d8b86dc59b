"""A line that says how far a long command is: rate and time left. Silent where the output is no terminal."""

import shutil
import sys
import threading
import time

_EVERY = 0.1  # seconds
_WIDTH = 30  # of the bar
_PATIENCE = 1  # seconds that a call without steps may take before a line says that it goes on


class Progress:
    """To be called with (done, total), or with the bytes of what was done, too; `end()` leaves the terminal as it was.

    Rates are those since the first call, so that what an earlier run has done does not count.

    Args
    ----
    text : str
        Stands before the figures, with a space behind it where there is any.
    unit : str
        What the rate counts, such as " batches".
    every : float
        Seconds between two lines, at least.
    """

    def __init__(self, stream=None, clock=time.monotonic, text="", unit="", every=_EVERY):
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._text, self._unit, self._every = text, unit, every
        self._shown = self._stream.isatty()
        self._begin = clock()
        self._last = None
        self._first_done = 0
        self._width = 0

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.end()

    def __call__(self, done, total, size=0):
        now = self._clock()
        if size == 0 and self._last is None:  # found done
            self._first_done, self._begin = done, now
        if not self._shown or (self._last is not None and now - self._last < self._every and done < total):
            return
        self._last = now
        filled = _WIDTH * done // max(total, 1)
        bar = f"[{'#' * filled}{'.' * (_WIDTH - filled)}] "
        line = self.line(done, total, size, now - self._begin)
        columns = shutil.get_terminal_size().columns - 1  # a longer line would begin another one
        fits = len(self._text) + len(bar) + len(line) <= columns
        self._write((self._text + bar * fits + line)[:columns])

    def line(self, done, total, size, seconds):
        """The text for that state after so many seconds."""
        share = f"{done:,} of {total:,} ({100 * done // max(total, 1)} %)"
        fresh = done - self._first_done
        if fresh <= 0 or seconds <= 0:
            return share
        left = round((total - done) * seconds / fresh)
        pace = fresh / seconds
        rate = f"{pace:,.0f}{self._unit}/s" if pace >= 1 else f"{1 / pace:,.1f} s each"
        bytes_ = f", {size / seconds / 1e6:,.1f} MB/s" if size else ""
        return f"{share}, {rate}{bytes_}, {clock_of(left)} left"

    def passed(self):
        """Says how long it has lasted, of something whose end is not known."""
        seconds = self._clock() - self._begin
        if self._shown and seconds >= _PATIENCE:
            self._write(f"{self._text}{clock_of(round(seconds))}")

    def _write(self, text):
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)

    def end(self):
        """Wipes the line away."""
        if self._width:
            self._write("")
            self._stream.write("\r")
            self._stream.flush()


def say(text):
    """Writes a line on standard error that stays; on a terminal in place of the one that moves, which comes again."""
    print(f"\r\033[K{text}" if sys.stderr.isatty() else text, file=sys.stderr, flush=True)


def clock_of(seconds):
    """Whole seconds as hours, minutes and seconds."""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def counted(items, total, text="", unit="", every=_EVERY):
    """Yields the items; a line says how many of `total` have passed."""
    with Progress(text=text, unit=unit, every=every) as progress:
        progress(0, total)
        for done, item in enumerate(items, 1):
            yield item
            progress(done, total)


class Waiting:
    """``with Waiting("packing "):`` a line says how long a call without steps has lasted; of a terminal, a thread."""

    def __init__(self, text, stream=None):
        self._progress = Progress(stream, text=text)
        self._over = threading.Event()
        self._thread = None

    def __enter__(self):
        if self._progress._shown:
            self._thread = threading.Thread(target=self._tick, daemon=True)
            self._thread.start()

    def __exit__(self, *_exception):
        if self._thread is not None:
            self._over.set()
            self._thread.join()
            self._progress.end()

    def _tick(self):
        while not self._over.wait(_EVERY):
            self._progress.passed()
