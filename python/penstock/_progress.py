"""A line that says how far a long command is: rate and time left. Silent where nobody looks at a terminal."""

import sys
import time

_EVERY = 0.1  # seconds


class Progress:
    """To be called with (done, total, bytes); `end()` leaves the terminal as it was.

    Rates are those since the first call, so that what an earlier run has done does not count.
    """

    def __init__(self, stream=None, clock=time.monotonic):
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._shown = self._stream.isatty()
        self._begin = clock()
        self._last = None
        self._first_done = 0
        self._width = 0

    def __call__(self, done, total, size):
        now = self._clock()
        if size == 0 and self._last is None:  # found done
            self._first_done, self._begin = done, now
        if not self._shown or (self._last is not None and now - self._last < _EVERY and done < total):
            return
        self._last = now
        self._write(self.line(done, total, size, now - self._begin))

    def line(self, done, total, size, seconds):
        """The text for that state after so many seconds."""
        share = f"{done:,} of {total:,} ({100 * done // max(total, 1)} %)"
        fresh = done - self._first_done
        if fresh <= 0 or seconds <= 0:
            return share
        left = round((total - done) * seconds / fresh)
        rate = f"{fresh / seconds:,.0f}/s, {size / seconds / 1e6:,.1f} MB/s"
        return f"{share}, {rate}, {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"

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
