"""Processes that run a pipeline's functions together stay in step, or hear from each other why they cannot."""

import collections
import contextlib
import itertools
import os
import sys
import threading
import time
import weakref

from ._agreement import client

_LIMIT = "PENSTOCK_STEP_SECONDS"
# Seconds: how often the watch looks, and how long results may come yet when another process has left the function.
_LOOK_EVERY, _GRACE = 1, 5
# The service keeps half a kilobyte for each name; one who is late must not meet others under the name of another place.
_NAMES = 1000
# Of consents, by the processes that take part: those ask for the first time in the same order.
_numbers = collections.defaultdict(itertools.count)


class Consent:
    """Whether every process can go on: asked by all at the same places of a batch, around functions that need all.

    A process that failed says so instead of staying away, so none is left alone in a collective. They ask through JAX's
    coordination service, which has time limits (`PENSTOCK_STEP_SECONDS`, 600 when not set). A collective would wait for
    ever where one process stays away, and be taken for the function's where one leaves a function between two of them.
    """

    def __init__(self):
        self._processes = ()
        self._place = None  # in the service
        self._asked = 0
        self.call = None  # (function, when it was called) while it is
        self._watcher = None

    def include(self, sharding):
        """The processes that have devices of `sharding` take part."""
        self._processes = tuple(sorted({*self._processes, *(device.process_index for device in sharding.device_set)}))

    def ask(self, error=None, where="the end of a batch"):
        """Says that this process can go on, or the error for which it cannot; waits until all have said so.

        `RuntimeError` where others cannot or do not come; it names one and its error. With an `error` of its own
        nothing is raised.
        """
        if len(self._processes) < 2:
            return
        failures = self._failures()
        barrier = f"{self._place}/{self._asked % _NAMES}"
        self._asked += 1
        seconds = _seconds()
        try:
            if error is not None:
                client().key_value_set(f"{failures}{_own()}", f"{type(error).__name__}: {error}")
            client().wait_at_barrier(barrier, int(seconds * 1000), list(self._processes))
        except Exception as late:
            if error is None:
                raise RuntimeError(self._who_is_late(where, seconds, late)) from late
        if error is None and (failed := client().key_value_dir_get(failures)):
            process, reason = _first(failed)
            raise RuntimeError(
                f"process {process} could not make its part of the batch, which is given up in all processes: {reason}"
            )

    @contextlib.contextmanager
    def watch(self, label):
        """While the function `label` is called and its results are waited for.

        A collective that others do not come to cannot be left: neither JAX nor what it stands on has a way. So where
        another process has left the function, or after the time limit, this process ends, with a message on stderr.
        """
        if len(self._processes) < 2:
            yield
            return
        if self._watcher is None:
            self._watcher = threading.Thread(target=_watch, args=(weakref.ref(self),), daemon=True)
            self._watcher.start()
        self.call = label, time.monotonic()
        try:
            yield
        finally:
            self.call = None

    def end_if_left(self, call, seen):
        """Ends the process if it is in a call that others left; when they did, as far as is known, else `seen`."""
        label, begun = call
        now, failed = time.monotonic(), client().key_value_dir_get(self._failures())
        seen = seen or (now if failed else None)
        if self.call is not call or now - (seen or now) < _GRACE and now - begun < _seconds():
            return seen
        why = (
            "process {} left it: {}".format(*_first(failed)) if failed else f"it is not done after {now - begun:.0f} s"
        )
        message = (
            f"process {_own()} waits in the function {label} for a collective that others do not come to, and {why}. "
            "It ends, since no collective can be left. Let the function raise, and launch collectives, in all "
            f"processes or in none ({_LIMIT} changes the time limit)"
        )
        print(f"penstock: {message}", file=sys.stderr, flush=True)
        self.ask(RuntimeError(message))  # those that failed wait for it
        sys.stdout.flush()
        time.sleep(_GRACE)  # JAX ends the others when the process that serves them is gone: let them say what they know
        os._exit(1)

    def _failures(self):
        """Where processes say why they cannot go on beyond the next place."""
        if self._place is None:
            self._place = f"penstock/consent/{self._processes}/{next(_numbers[self._processes])}"
        return f"{self._place}/failed/{self._asked}/"

    def _who_is_late(self, where, seconds, error):
        here = f"{self._place}/here/{self._asked}/"
        client().key_value_set(f"{here}{_own()}", "")
        time.sleep(1)  # the others learn of it now, too
        came = {_process_of(key) for key, _ in client().key_value_dir_get(here)}
        missing = [process for process in self._processes if process not in came]
        who = f"processes {missing} did not come" if missing else f"process {_own()} came too late"
        return (
            f"{who} to {where} within {seconds:g} s. All processes must take the same batches: look there for an "
            f"error, a loop that ended early or long work between two batches, for which {_LIMIT} raises the limit "
            f"({str(error).splitlines()[0]})"
        )


def _watch(reference):
    """Looks once in a while where the main thread is: that costs the calls nothing."""
    call = seen = None
    while (consent := reference()) is not None:
        if consent.call is not call:
            call, seen = consent.call, None
        elif call is not None:
            seen = consent.end_if_left(call, seen)
        del consent
        time.sleep(_LOOK_EVERY)


def _own():
    import jax

    return jax.process_index()


def _seconds():
    return float(os.environ.get(_LIMIT, 600))


def _process_of(key):
    return int(key.rsplit("/", 1)[1])


def _first(failed):
    """(process, its error) of the first one by number."""
    return min((_process_of(key), reason) for key, reason in failed)
