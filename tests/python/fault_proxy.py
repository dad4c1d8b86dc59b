"""A server that hands requests on to another one, and spoils some of its answers."""

import http.client
import time

from local_server import LocalServer, QuietHandler, running


class Proxy(LocalServer):
    """`fault(number)` is asked for each request, numbered from 0: None, or what goes wrong with its answer: "slow",
    "503", "cut" (the connection ends in the middle), "long" and "short" (a Content-Length that is not that)."""

    def __init__(self, port, fault):
        super().__init__(_Handler)
        self.port, self.fault = port, fault
        self.count = 0


def between(port, fault):
    """A context with a proxy before the server at `port` of this machine."""
    return running(Proxy(port, fault))


class _Handler(QuietHandler):
    def do_GET(self):  # noqa: N802 - the name that http.server calls
        proxy = self.server
        with proxy.lock:
            number = proxy.count
            proxy.count += 1
        fault = proxy.fault(number)
        if fault == "503":
            return self._send(503, [], b"<Error><Code>SlowDown</Code><Message>Later.</Message></Error>", 0)
        server = http.client.HTTPConnection("127.0.0.1", proxy.port)
        server.putrequest("GET", self.path, skip_host=True, skip_accept_encoding=True)  # Host is signed
        for name, value in self.headers.items():
            if name.lower() != "connection":
                server.putheader(name, value)
        server.endheaders()
        answer = server.getresponse()
        body = answer.read()
        server.close()
        kept = [
            (name, value) for name, value in answer.getheaders()
            if name.lower() not in ("content-length", "connection", "transfer-encoding", "date", "server")
        ]  # fmt: skip
        if fault == "slow":
            time.sleep(0.3)
        if fault == "cut":
            return self._send(answer.status, kept, body[: len(body) // 2], len(body) - len(body) // 2)
        return self._send(answer.status, kept, body, {"long": 7, "short": -7}.get(fault, 0) if body else 0)

    def _send(self, status, headers, body, more):
        """An answer that tells of `more` bytes than it has."""
        told = max(0, len(body) + more)
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(told))
        self.end_headers()
        self.wfile.write(body[:told])
        if told != len(body):
            self.close_connection = True
