"""A server of files over HTTP with ranges and ListObjectsV2, whose answers can be made late, wrong or short."""

import hashlib
import hmac
import re
import time
import urllib.parse
from xml.sax.saxutils import escape

from local_server import LocalServer, QuietHandler, running


class Server(LocalServer):
    """`files` are bytes by path. `fault(path, number)` is asked for each request, numbered from 0 among those for its
    path: None, or what goes wrong ("503", "429", "500", "403", "cut", "short", "range", "stall", "whole")."""

    def __init__(self, files, latency=0.0, fault=None, buckets=False, secret=None):
        super().__init__(_Handler)
        self.files = files
        self.latency = latency
        self.fault = fault or (lambda path, number: None)
        self.buckets = buckets
        self.secret = secret  # of the access key that all requests must be signed with
        self.log = []  # (path, begin, end) of each request
        self.sent = 0  # bytes of files
        self.under_way = self.most_under_way = 0


def serving(files, **options):
    """A context with the server of `files`."""
    return running(Server(files, **options))


class _Handler(QuietHandler):
    def do_GET(self):  # noqa: N802 - the name that http.server calls
        server = self.server
        with server.lock:
            server.under_way += 1
            server.most_under_way = max(server.most_under_way, server.under_way)
        try:
            time.sleep(server.latency)
            self._answer()
        finally:
            with server.lock:
                server.under_way -= 1

    def _answer(self):
        server = self.server
        url = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(url.path)
        begin, end = self._range()
        with server.lock:
            number = sum(one[0] == path for one in server.log)
            server.log.append((path, begin, end))
        fault = server.fault(path, number)
        if server.secret is not None and not signed_right(self, server.secret):
            return self._error(403, "SignatureDoesNotMatch", "The signature is not that of the request.")
        if fault in ("503", "429", "500", "403"):
            return self._error(int(fault), "SlowDown" if fault == "503" else "AccessDenied", "Told to fail.")
        if server.buckets and "list-type=2" in url.query:
            return self._list(path.strip("/"), dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True)))
        if path not in server.files:
            return self._error(404, "NoSuchKey", "The specified key does not exist.")
        return self._send(server.files[path], begin, end, fault)

    def _range(self):
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        return (int(found[1]), int(found[2]) + 1) if found else (0, None)

    def _error(self, status, code, message):
        body = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>".encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _send(self, data, begin, end, fault):
        if end is not None and begin >= len(data):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(data)}")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        etag = f'"{hashlib.md5(data).hexdigest()}"'
        if self.headers.get("If-None-Match") == etag:
            self.send_response(304)
            return self.end_headers()
        ranged = end is not None and fault != "whole"
        part = data[begin:end] if ranged else data
        with self.server.lock:
            self.server.sent += len(part)
        told = begin + (1 if fault == "range" else 0)
        self.send_response(206 if ranged else 200)
        if ranged:
            self.send_header("Content-Range", f"bytes {told}-{told + len(part) - 1}/{len(data)}")
        self.send_header("ETag", etag)
        self.send_header("Content-Length", str(len(part) - (1 if fault == "short" and part else 0)))
        self.end_headers()
        if fault == "stall":
            self.wfile.write(part[: len(part) // 2])
            self.wfile.flush()
            time.sleep(30)
        elif fault == "cut":
            self.wfile.write(part[: len(part) // 2])
            self.close_connection = True
            self.connection.shutdown(2)
        elif fault == "short":
            self.wfile.write(part[:-1])
        else:
            self.wfile.write(part)
        return None

    def _list(self, bucket, query):
        """Two names an answer, so that all lists of three go on."""
        prefix, page = query["prefix"], 2
        names = sorted(path[len(bucket) + 2 :] for path in self.server.files if path.startswith(f"/{bucket}/"))
        below = sorted({self._entry(name, prefix) for name in names if name.startswith(prefix)})
        start = int(query.get("continuation-token", "0=").rstrip("="))
        rest = below[start : start + page]
        body = "".join(
            f"<CommonPrefixes><Prefix>{_encoded(one)}</Prefix></CommonPrefixes>" if one.endswith("/") and one != prefix
            else f"<Contents><Key>{_encoded(one)}</Key><Size>1</Size></Contents>"
            for one in rest
        )  # fmt: skip
        more = start + page < len(below)
        token = f"<NextContinuationToken>{start + page}=</NextContinuationToken>" if more else ""
        text = (
            f'<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>{bucket}</Name><Prefix>{_encoded(prefix)}</Prefix><IsTruncated>{str(more).lower()}</IsTruncated>"
            f"{token}{body}</ListBucketResult>"
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    @staticmethod
    def _entry(name, prefix):
        head, slash, _ = name[len(prefix) :].partition("/")
        return prefix + head + slash


def _encoded(name):
    return escape(urllib.parse.quote(name, safe="/"))


def signed_right(handler, secret):
    """Whether a request is signed as AWS's Signature Version 4 says, with that secret."""
    found = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/s3/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)",
        handler.headers.get("Authorization", ""),
    )
    if not found:
        return False
    _, day, region, names, signature = found.groups()
    url = urllib.parse.urlsplit(handler.path)
    query = "&".join(sorted(url.query.split("&"))) if url.query else ""
    headers = "".join(f"{name}:{handler.headers[name].strip()}\n" for name in names.split(";"))
    payload = handler.headers.get("x-amz-content-sha256", hashlib.sha256(b"").hexdigest())
    request = "\n".join(["GET", url.path, query, headers, names, payload])
    scope = f"{day}/{region}/s3/aws4_request"
    digest = hashlib.sha256(request.encode()).hexdigest()
    text = "\n".join(["AWS4-HMAC-SHA256", handler.headers["x-amz-date"], scope, digest])
    key = b"AWS4" + secret.encode()
    for part in (day, region, "s3", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    needed = {"host", "x-amz-date", "x-amz-security-token"} & {name.lower() for name in handler.headers}
    return needed <= set(names.split(";")) and hmac.new(key, text.encode(), hashlib.sha256).hexdigest() == signature
