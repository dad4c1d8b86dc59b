"""Batches once more, for programs that JAX runs again."""

import threading
import time

from ... import _core

_MOST = 32  # batches that are kept


class Again:
    """Answers to tickets, of which the last are kept where JAX looks for NaN.

    A program in whose results it finds one is run again without `jit`, and comes with the same tickets.
    """

    def __init__(self, answer):
        self._answer = answer
        self._kept = {}  # by the ticket's number, oldest first
        self._noted, self._on = False, None

    def note(self):
        """Notes what JAX was told on this thread: those of XLA do not hear `jax.debug_nans`."""
        self._noted, self._on = _looks_for_nan(), threading.get_ident()

    def forget(self):
        """No ticket that was answered is valid any more."""
        self._kept.clear()

    def __call__(self, ticket):
        """The answer to a ticket, an array that may not have its number yet."""
        if threading.get_ident() == self._on:
            self.note()
        if not self._noted and not _looks_for_nan():
            self.forget()
            return self._answer(ticket)
        while ticket == _core.TICKET_NOT_YET_SEEN:  # the program's stream comes to it
            time.sleep(1e-4)
        number = int(ticket)
        if number not in self._kept:
            self._refuse_forgotten(number)
            self._kept[number] = self._answer(ticket)
        for old in list(self._kept)[:-_MOST]:
            del self._kept[old]
        return self._kept[number]

    def _refuse_forgotten(self, number):
        if self._kept and number < min(self._kept):
            raise ValueError(
                f"batch {number} is asked for again, as JAX does with a program in whose results it finds NaN: only "
                f"the last {_MOST} batches are kept for that, so have programs pull fewer to find its place"
            )


def _looks_for_nan():
    import jax

    return jax.config.jax_debug_nans or jax.config.jax_debug_infs
