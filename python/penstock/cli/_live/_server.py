"""The page and its figures by HTTP: on the loopback interface, given for the token alone.

A page of another site could otherwise have the browser ask in its name: by the address, or by a name of its own that
it lets point here (DNS rebinding). So each request must name this host, and carry the token that only the terminal,
and the page itself, have seen.
"""

import hmac
import http.server
import json
import pathlib
import re
import secrets
import threading
import urllib.parse

_HERE = pathlib.Path(__file__).parent
_LONGEST = 10_000  # bytes of a request's body
_WAIT_S = 10  # until an event says that nothing is new
_AT_MOST_EVERY_S = 0.1  # that events come


class Server:
    """``with Server(player, port) as server:`` serves `server.url`. `OSError` where the port is taken."""

    def __init__(self, player, port=0):
        self.token = secrets.token_urlsafe(18)
        handler = type("Handler", (_Handler,), {"player": player, "token": self.token, "over": threading.Event()})
        try:
            self._server = _Quiet(("127.0.0.1", port), handler)
        except OSError as error:
            raise OSError(
                f"port {port} cannot be used ({error.strerror}); name another with --port, or none for any"
            ) from None
        self._over = handler.over
        self.port = self._server.server_address[1]
        handler.hosts = {f"127.0.0.1:{self.port}", f"localhost:{self.port}"}
        self.url = f"http://127.0.0.1:{self.port}/?token={self.token}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_exception):
        self._over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Quiet(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request, client_address):
        """A browser that went away is no error."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    player = token = over = None
    hosts = frozenset()

    def log_message(self, *arguments):
        """Says nothing: the terminal has the errors of the script."""

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = {key: values[-1] for key, values in urllib.parse.parse_qs(url.query).items()}
        if not self._allowed(query.get("token", "")):
            return
        if url.path == "/":
            self._page()
        elif url.path == "/about":
            self._json(self.player.about())
        elif url.path == "/state":
            self._json(self.player.state())
        elif url.path == "/events":
            self._events()
        elif match := re.fullmatch(r"/batch/(\d{1,9})(?:/(\d{1,6})(?:/(whole))?(\.png)?)?", url.path):
            self._batch(*match.groups())
        else:
            self._refuse(404, "no such page")

    def do_POST(self):
        if not self._allowed(self.headers.get("X-Token", "")):
            return
        size = self.headers.get("Content-Length", "")
        if not size.isdecimal() or int(size) > _LONGEST:
            self._refuse(413, "a request of a known and small size is expected")
            return
        try:
            asked = json.loads(self.rfile.read(int(size)))
            self.player.do(asked["do"], asked.get("value"))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            self._refuse(400, str(error))
            return
        self._json({})

    def _allowed(self, token):
        """Answers with an error where the request is not from the page."""
        origin = self.headers.get("Origin")
        if self.headers.get("Host") not in self.hosts or (origin and origin.removeprefix("http://") not in self.hosts):
            self._refuse(403, "this page is for this machine alone; use the address that the terminal shows")
        elif not hmac.compare_digest(token.encode(), self.token.encode()):
            self._refuse(403, "the token is missing or wrong; use the address that the terminal shows")
        else:
            return True
        return False

    def _page(self):
        nonce = secrets.token_urlsafe(12)
        text = (_HERE / "page.html").read_text(encoding="utf-8")
        for name in ("page.css", "timeline.js", "page.js"):
            text = text.replace(f"/*{name}*/", (_HERE / name).read_text(encoding="utf-8"))
        text = text.replace("NONCE", nonce).replace("TOKEN", self.token)
        rules = (
            f"default-src 'none'; img-src 'self' data:; connect-src 'self'; style-src 'nonce-{nonce}'; "
            f"script-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        self._send(200, "text/html; charset=utf-8", text.encode(), {"Content-Security-Policy": rules})

    def _batch(self, number, sample, whole, png):
        kept = (self.player.look_at if sample is None else self.player.kept)(int(number))
        try:
            if kept is None:
                self._refuse(404, "that batch was let go")
            elif sample is None:
                self._json(kept.as_json())
            elif png:
                data = kept.whole_png(int(sample)) if whole else kept.png(int(sample))
                self._send(200, "image/png", data)
            else:
                self._json(kept.facts(int(sample)))
        except IndexError:
            self._refuse(404, "no such sample, or it is no picture")

    def _events(self):
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        seen = -1
        while not self.over.is_set():
            state = self.player.state(seen, _WAIT_S)
            if state["version"] == seen:
                self.wfile.write(b": nothing new\n\n")
            else:
                self.wfile.write(f"data: {json.dumps(state)}\n\n".encode())
                seen = state["version"]
            self.wfile.flush()
            if state["closed"]:
                return
            self.over.wait(_AT_MOST_EVERY_S)

    def _json(self, what):
        self._send(200, "application/json", json.dumps(what).encode())

    def _refuse(self, status, why):
        self.close_connection = True
        self._send(status, "text/plain; charset=utf-8", f"{why}\n".encode())

    def _send(self, status, kind, data, more=None):
        self.send_response(status)
        headers = {
            "Content-Type": kind, "Content-Length": len(data), "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin", **(more or {}),
        }  # fmt: skip
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)
