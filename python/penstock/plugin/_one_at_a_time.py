"""Methods of an iterator that threads share."""

import functools


def one_at_a_time(method):
    """A method of an iterator that one thread at a time runs, and no other of these methods meanwhile."""

    @functools.wraps(method)
    def alone(self, *args):
        with self._mutex:
            return method(self, *args)

    return alone
