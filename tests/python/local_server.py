"""HTTP servers of this machine that run beside a test."""

import contextlib
import http.server
import socketserver
import threading


class LocalServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """Answers on a free port of 127.0.0.1, each request on a thread of its own."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        del request, client_address  # a client that has gone away is part of the tests


class QuietHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        del arguments


@contextlib.contextmanager
def running(server):
    """The server, which ends with the `with` block."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
