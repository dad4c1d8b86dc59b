"""Work that is done ahead by another thread."""

import threading
import time

import pytest

from penstock.plugin.jax._ahead import Ahead


def test_pieces_are_done_in_order_and_what_they_raise_comes_in_its_place():
    def fail():
        raise OSError("broken")

    ahead, done = Ahead(), []
    ahead.ask(done.append, 1)
    ahead.ask(fail)
    ahead.ask(lambda: threading.current_thread().name)
    assert ahead.pending == 3
    assert ahead.get()[0] is None
    with pytest.raises(OSError, match="broken"):
        ahead.get()
    assert ahead.get()[0] == "penstock-ahead"
    assert (done, ahead.pending) == ([1], 0)


def test_settled_nothing_is_being_done_and_results_stay():
    ahead, done = Ahead(), []
    ahead.settle()  # nothing was asked for
    for n in range(3):
        ahead.ask(lambda n=n: time.sleep(0.02) or done.append(n) or n)
    ahead.settle()
    assert done == [0, 1, 2]
    assert [ahead.get() for _ in range(3)] == [(n, True) for n in range(3)]


def test_whether_one_had_to_wait_is_known():
    ahead, go = Ahead(), threading.Event()
    ahead.ask(go.wait)
    threading.Timer(0.05, go.set).start()
    assert ahead.get() == (True, False)
