"""Files of tables on servers: found by patterns, and read by pyarrow through the engine's own requests and cache."""

import bisect
import fnmatch
import io
import re

from . import _core

_NEAR = 64 << 10  # bytes between two ranges that cost less than a request


def is_url(path):
    """Whether it names a file of a server."""
    return path.startswith(("http://", "https://", "s3://", "gs://"))


def found(url, suffix):
    """The URLs behind one: of a file, a folder of a bucket, or a pattern there.

    Patterns have `*`, `?` and `[..]`, and `**` for any folders. `FileNotFoundError` where there is none.
    """
    if url.startswith("http"):
        return [url]
    bucket, slash, rest = url.partition("://")[2].partition("/")
    start = f"{url.partition('://')[0]}://{bucket}"
    if _is_pattern(rest):
        files = sorted(set(_matching(start, rest.split("/"))))
    elif rest.endswith(suffix):
        return [url]
    else:
        files = sorted(_below(url.rstrip("/"), suffix))
        if not files and slash and not url.endswith("/"):
            return [url]
    if not files:
        raise FileNotFoundError(f"there is no *{suffix} behind {url}")
    return files


def _is_pattern(text):
    return re.search(r"[*?[]", text) is not None


def _names_in(folder):
    try:
        return _core.names_in(folder)
    except (RuntimeError, ValueError) as error:
        raise OSError(f"{folder}: {error}") from None


def _below(folder, suffix):
    folders, files = _names_in(folder)
    yield from (f"{folder}/{name}" for name in files if name.endswith(suffix))
    for name in folders:
        yield from _below(f"{folder}/{name}", suffix)


def _matching(folder, parts):
    first, *rest = parts
    if not _is_pattern(first) and rest:
        yield from _matching(f"{folder}/{first}", rest)
        return
    folders, files = _names_in(folder)
    if first == "**":
        yield from _matching(folder, rest or ["*"])
        for name in folders:
            yield from _matching(f"{folder}/{name}", parts)
    elif rest:
        for name in fnmatch.filter(folders, first):
            yield from _matching(f"{folder}/{name}", rest)
    else:
        yield from (f"{folder}/{name}" for name in files if fnmatch.fnmatchcase(name, first))


def opened(url):
    """A `_core.NamedFile`. `OSError` for one that cannot be opened."""
    try:
        return _core.NamedFile(url)
    except (RuntimeError, ValueError) as error:
        raise OSError(str(error)) from None


class RemoteFile(io.RawIOBase):
    """A `_core.NamedFile` as pyarrow reads files. For one thread at a time; several may share the named file."""

    def __init__(self, named):
        super().__init__()
        self._named = named
        self._at = 0
        self._begins, self._parts = [], []

    def hold(self, ranges):
        """Asks for these ranges (begin, size) at once; reads within them are served from memory until the next call."""
        merged = []
        for begin, size in sorted(ranges):
            if merged and begin <= merged[-1][1] + _NEAR:
                merged[-1][1] = max(merged[-1][1], begin + size)
            else:
                merged.append([begin, begin + size])
        self._begins, self._parts = [], []
        self._parts = self._read([(begin, end - begin) for begin, end in merged])
        self._begins = [begin for begin, _ in merged]

    def _read(self, ranges):
        try:
            return self._named.read(ranges)
        except (RuntimeError, ValueError) as error:
            raise OSError(str(error)) from None

    def read(self, size=-1):
        """The next bytes, fewer at the end."""
        left = max(0, self._named.size - self._at)
        size = left if size is None or size < 0 else min(size, left)
        which = bisect.bisect_right(self._begins, self._at) - 1
        skipped = self._at - self._begins[which] if which >= 0 else 0
        if which >= 0 and skipped + size <= len(self._parts[which]):
            data = self._parts[which][skipped : skipped + size]
        else:
            data = self._read([(self._at, size)])[0] if size else b""
        self._at += size
        return data

    def readable(self):
        return True

    def seekable(self):
        return True

    def tell(self):
        return self._at

    def seek(self, to, whence=io.SEEK_SET):
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._named.size}[whence]
        self._at = max(0, start + to)
        return self._at
