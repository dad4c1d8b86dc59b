"""A server that hands requests on to another one, and spoils some of its answers."""

import contextlib
import http.client
import http.server
import socketserver
import threading
import time


class Proxy(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """`fault(number)` is asked for each request, numbered from 0: None, or what goes wrong with its answer: "slow",
    "503", "cut" (the connection ends in the middle), "long" and "short" (a Content-Length that is not that)."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port, fault):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.port, self.fault = port, fault
        self.count = 0
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        del request, client_address


@contextlib.contextmanager
def between(port, fault):
    """A proxy before the server at `port` of this machine."""
    proxy = Proxy(port, fault)
    thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        thread.join()
        proxy.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        del arguments

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
