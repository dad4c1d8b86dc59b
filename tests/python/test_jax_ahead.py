"""Work that is done ahead by another thread."""

import collections
import contextlib
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


def test_ctrl_c_anywhere_in_a_wait_loses_no_piece_and_stops_nobody(script):
    """With `threading.Event` the wait hung for ever within 300 pieces, each time."""
    code = """
import random, signal, sys, threading, time
from penstock.plugin.jax._ahead import Ahead

def raise_if_armed(*_):
    global armed
    if armed:
        armed = False
        raise KeyboardInterrupt

def press():
    time.sleep(random.uniform(0, 1e-4))
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

def work(number):
    threading.Thread(target=press, daemon=True).start()
    return number

armed = False
signal.signal(signal.SIGINT, raise_if_armed)
sys.setswitchinterval(1e-6)  # seconds: so that threads meet anywhere
ahead, number = Ahead(), 0
while number < 2000:
    armed = True
    try:
        if not ahead.pending:
            ahead.ask(work, number)
        if number % 2:
            ahead.settle()
        assert ahead.get()[0] == number
        number, armed = number + 1, False
    except KeyboardInterrupt:
        pass
print(ahead.pending)
"""
    assert script(code=code, timeout=120) == "0\n"


def test_ctrl_c_behind_a_call_takes_a_piece_or_leaves_it():
    class Interrupted(collections.deque):
        def popleft(self):
            super().popleft()
            raise KeyboardInterrupt

        def appendleft(self, one):
            super().appendleft(one)
            raise KeyboardInterrupt

    ahead = Ahead()
    ahead.ask(int)
    ahead.settle()
    ahead.made = Interrupted(ahead.made)
    with contextlib.suppress(KeyboardInterrupt):
        assert ahead.get() == (0, True)
    assert ahead.pending == len(ahead.made)
    with contextlib.suppress(KeyboardInterrupt):
        ahead.put_back(1)
    assert ahead.pending == len(ahead.made)
