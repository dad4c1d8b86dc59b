"""Connections through which processes ask one of them whether all can go on."""

import contextlib
import json
import secrets
import select
import selectors
import socket
import threading
import time

from ._rounds import Rounds

ENDED, DIED = "has ended, or let go of its iterator", "died"
_MOST_BYTES = 1 << 16  # of a message; errors are cut
# A process that dies closes its connection, by the kernel. When a whole computer is gone nothing does: after 5 s of
# silence the kernels ask each other 3 times, every 3 s. That needs nothing of the processes, which may well be busy.
_ALIVE = {"TCP_KEEPIDLE": 5, "TCP_KEEPINTVL": 3, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 14000, "TCP_NODELAY": 1}


class Connection:
    """A connection on which messages go: dicts, each a line of JSON."""

    def __init__(self, connected):
        self._socket = connected
        self._begun = b""  # of a message that has not come as a whole
        self._reading = threading.Lock()
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in _ALIVE.items():
            if hasattr(socket, option):  # Linux has all of them
                connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
        self._ready = select.poll()
        self._ready.register(connected, select.POLLIN)

    def say(self, message):
        """`OSError` where the other end is gone."""
        self._socket.sendall(json.dumps(message).encode() + b"\n")

    def heard(self, seconds=None):
        """Messages that have come by the end of `seconds`, if none is there at once; `OSError` when no more can."""
        if seconds is not None and not self._ready.poll(seconds * 1000):
            return []
        with self._reading:
            *whole, self._begun = self._read(0)
        return [json.loads(one) for one in whole]

    def peeked(self):
        """The messages that `heard` would give, at once and on any thread. It gives them still."""
        try:
            with self._reading:
                *whole, _ = self._read(socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return []
        return [json.loads(one) for one in whole]

    def _read(self, flags):
        new = self._socket.recv(_MOST_BYTES, flags)
        if not new or len(self._begun) > _MOST_BYTES:
            raise ConnectionError("the other end is gone, or says what is no message")
        return (self._begun + new).split(b"\n")

    def fileno(self):
        """For selectors."""
        return self._socket.fileno()

    def close(self):
        """The other end is told by the kernel."""
        self._socket.close()


class Coordinator:
    """The place where `processes` meet: a thread of the first of them, which ends when all of them have.

    It accepts only processes that know its `secret`, as any program of the network can connect.
    """

    def __init__(self, processes):
        self.secret = secrets.token_hex(16)
        dual = socket.has_dualstack_ipv6()
        family = socket.AF_INET6 if dual else socket.AF_INET
        self._server = socket.create_server(("", 0), family=family, dualstack_ipv6=dual, backlog=len(processes))
        self.port = self._server.getsockname()[1]
        self._own, self._expected = processes[0], set(processes)
        self._rounds = Rounds(processes)
        self._connections = {}  # by process
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._server, selectors.EVENT_READ)
        threading.Thread(target=self._serve, daemon=True, name="penstock-coordinator").start()

    def _serve(self):
        while self._expected:
            ready = self._selector.select(self._rounds.time_left(time.monotonic()))
            now = time.monotonic()
            if self._rounds.time_left(now) == 0:
                self._send(self._rounds.give_up_waiting(now))
            for key, _ in ready:
                if key.fileobj is self._server:
                    with contextlib.suppress(OSError):  # gone already
                        self._selector.register(Connection(self._server.accept()[0]), selectors.EVENT_READ)
                else:
                    self._take(key.fileobj, key.data)
        self._selector.close()
        self._server.close()

    def _take(self, connection, process):
        """What has come on a connection. Its first message says whose it is."""
        try:
            messages = connection.heard()
            if process is None and messages:
                process = self._known(connection, messages.pop(0))
            for message in messages:
                if "bye" in message:
                    self._lose(connection, process, ENDED)
                    return
                self._send(self._rounds.said(process, message, time.monotonic()))
        except (OSError, ValueError, TypeError, KeyError):  # the last three are a stranger's
            self._lose(connection, process, DIED)

    def _known(self, connection, hello):
        if not secrets.compare_digest(hello["secret"], self.secret):
            raise ValueError
        self._connections[hello["process"]] = connection
        self._selector.modify(connection, selectors.EVENT_READ, hello["process"])
        return hello["process"]

    def _lose(self, connection, process, how):
        self._selector.unregister(connection)
        connection.close()
        if process is not None:
            del self._connections[process]
            self._expected.discard(process)
            self._send(self._rounds.gone(process, how, time.monotonic()))

    def _send(self, answers):
        # Its own process comes last: that may end at once, and the coordinator with it.
        for process, answer in sorted(answers, key=lambda one: one[0] == self._own):
            if connection := self._connections.get(process):
                with contextlib.suppress(OSError):  # the selector tells next that it is gone
                    connection.say(answer)
