"""A progress bar for people: on a terminal only, on standard error."""

import sys

_WIDTH = 30


def progress(items, total, text):
    """Yields the items while a bar shows how many of `total` have passed."""
    show = sys.stderr.isatty()
    for done, item in enumerate(items):
        if show:
            filled = _WIDTH * done // total
            sys.stderr.write(f"\r{text} [{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total}")
            sys.stderr.flush()
        yield item
    if show:
        sys.stderr.write("\r" + " " * (len(text) + _WIDTH + 24) + "\r")
