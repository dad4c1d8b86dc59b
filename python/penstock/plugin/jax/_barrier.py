"""Processes that run a pipeline's functions together stay in step, or hear from each other why they cannot."""

import collections
import contextlib
import itertools
import json
import os
import socket
import sys
import threading
import time
import weakref

from ._coordinator import Connection, Coordinator
from ._rounds import LIMIT, seconds_to_come, short
from ._service import client, fetched, own_hosts

# Seconds: how often the watch looks; how long results may come yet when another process has left the function, and
# answers when they are due; how long an address may take to let a process in.
_LOOK_EVERY, _GRACE, _CONNECTING = 1, 5, 10
# Of barriers, by the processes that take part: those ask for the first time in the same order.
_numbers = collections.defaultdict(itertools.count)


class Barrier:
    """Whether every process can go on: asked by all at the same places of a batch, around functions that need all.

    A process that failed says so instead of staying away, so none is left alone in a collective. A collective would
    wait for ever where one process stays away, and be taken for the function's where one leaves a function between two
    of them. They ask the first of them, on connections of their own: a fifth of what a barrier of JAX's coordination
    service takes, Ctrl-C ends the wait, and the kernel tells of a process that died. A process that lives may
    be late by `PENSTOCK_STEP_SECONDS` (600 when not set).
    """

    def __init__(self):
        self._processes = ()
        self._place = None  # in JAX's coordination service
        self._coordinator = None
        self._connection = None
        self._asked = 0
        self._news = []  # of the round that is asked about, and of the next one
        self.call = None  # (function, when it was called) while it is
        self._watcher = None

    def include(self, sharding):
        """The processes that have devices of `sharding` take part."""
        self._processes = tuple(sorted({*self._processes, *(device.process_index for device in sharding.device_set)}))

    def ask(self, error=None, where="the end of a batch", brings=None):
        """Says that this process can go on, or the error for which it cannot; waits until all have said so.

        `RuntimeError` where others cannot, do not come, or say that they bring something else; it names one and its
        error. With an `error` of its own nothing is raised; what others did is added to its notes.
        """
        if len(self._processes) < 2:
            return
        if self._connection is None:
            self._connect(where)
        number = self._asked
        self._asked += 1
        try:
            self._say(number, error, where, brings)
            if error is not None and not isinstance(error, Exception):
                return  # Ctrl-C: a user that asks for the end should not wait
            problem = self._answer(number)
        except BaseException as stopped:  # by Ctrl-C: the others must not wait for this process in what comes next
            self._say(number, stopped, where)
            raise
        if problem is not None and error is None:
            raise RuntimeError(problem)
        if problem is not None:
            error.add_note(problem)

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
        now, left = time.monotonic(), self._who_left()
        seen = seen or (now if left else None)
        if self.call is not call or now - (seen or now) < _GRACE and now - begun < seconds_to_come():
            return seen
        message = (
            f"process {_own()} waits in the function {label} for a collective that others do not come to, and "
            f"{left or f'it is not done after {now - begun:.0f} s'}. It ends, since no collective can be left. Let the "
            f"function raise, and launch collectives, in all processes or in none ({LIMIT} changes the time limit)"
        )
        print(f"penstock: {message}", file=sys.stderr, flush=True)
        self.ask(RuntimeError(message))  # those that failed wait for it
        sys.stdout.flush()
        time.sleep(_GRACE)  # JAX ends the others when the process that serves them is gone: let them say what they know
        os._exit(1)

    def _connect(self, where):
        """All processes connect to the first of them, which says in JAX's service where it is to be found."""
        own, first, seconds = _own(), self._processes[0], seconds_to_come()
        if self._place is None:
            self._place = f"penstock/barrier/{self._processes}/{next(_numbers[self._processes])}"
        if own == first and self._coordinator is None:
            self._coordinator = Coordinator(self._processes)
            client().key_value_set(
                self._place, json.dumps([own_hosts(), self._coordinator.port, self._coordinator.secret])
            )
        try:
            hosts, port, secret = json.loads(fetched(self._place, seconds))
        except TimeoutError as late:
            raise RuntimeError(f"process {first} did not come to {where} within {seconds:g} s ({LIMIT})") from late
        connection = Connection(_connected(["localhost"] if own == first else hosts, port, first))
        connection.say({"process": own, "secret": secret})
        weakref.finalize(self, _say_bye, connection)
        self._connection = connection

    def _say(self, number, error, where, brings=None):
        reason = error and short(error)
        with contextlib.suppress(OSError):  # the answer tells
            word = {"round": number, "error": reason, "where": where, "limit": seconds_to_come(), "brings": brings}
            self._connection.say(word)

    def _answer(self, number):
        """What stands against going on, None where nothing does."""
        end = time.monotonic() + seconds_to_come() + _GRACE
        while (left := end - time.monotonic()) > 0:
            try:
                messages = self._connection.heard(left)
            except OSError:  # it may have ended for what it told the others about
                return self._told_of(number) or self._first_is_gone()
            self._news += messages
            for one in messages:
                if one["round"] == number and one["final"]:
                    self._news = [later for later in self._news if later["round"] > number]
                    return one["problem"]
        return f"process {self._processes[0]}, which brings them together, does not answer"

    def _who_left(self):
        """The process that left the function, and why; None where none did."""
        try:
            return self._told_of(self._asked, self._connection.peeked())
        except OSError:
            return self._told_of(self._asked) or self._first_is_gone()

    def _told_of(self, number, more=()):
        """What has come to be known of a round: that a process died, or the first that is known.

        A death makes collectives fail in its neighbours, which may tell of that before the death is known.
        """
        known = [one for one in (*self._news, *more) if one["round"] == number]
        return max(known, key=lambda one: one["gone"], default={"problem": None})["problem"]

    def _first_is_gone(self):
        return f"process {self._processes[0]} has ended or died"


def _watch(reference):
    """Looks once in a while where the main thread is: that costs the calls nothing."""
    call = seen = None
    while (barrier := reference()) is not None:
        if barrier.call is not call:
            call, seen = barrier.call, None
        elif call is not None:
            seen = barrier.end_if_left(call, seen)
        del barrier
        time.sleep(_LOOK_EVERY)


def _connected(hosts, port, process):
    errors = []
    for host in hosts:
        try:
            connected = socket.create_connection((host, port), _CONNECTING)
        except OSError as error:
            errors.append(f"{host}: {error}")
        else:
            connected.settimeout(None)
            return connected
    raise RuntimeError(
        f"process {process} cannot be reached at port {port} ({'; '.join(errors)}), where processes ask whether all "
        "can go on: let the computers of one program connect to each other at any port, as collectives need it, too"
    )


def _say_bye(connection):
    with contextlib.suppress(OSError):
        connection.say({"bye": True})
    connection.close()


def _own():
    import jax

    return jax.process_index()
