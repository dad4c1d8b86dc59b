"""How rounds of processes are decided, and who may take part."""

import json
import socket
import time
from types import SimpleNamespace

import pytest

from penstock.plugin.jax._barrier import Barrier
from penstock.plugin.jax._coordinator import Connection, Coordinator
from penstock.plugin.jax._rounds import Rounds


def word(number, error=None, limit=5, where="here", brings=None):
    return {"round": number, "error": error, "limit": limit, "where": where, "brings": brings}


def problems(answers):
    """What final answers say, by process."""
    return {process: answer["problem"] for process, answer in answers if answer["final"]}


def news(answers):
    return {process: answer["problem"] for process, answer in answers if not answer["final"]}


def test_all_go_on_or_none():
    rounds = Rounds((0, 1, 3))
    for number in range(3):
        assert rounds.said(3, word(number), 0) == []
        assert rounds.said(0, word(number), 0) == []
        assert problems(rounds.said(1, word(number), 0)) == {0: None, 1: None, 3: None}
    assert rounds.time_left(0) is None
    assert news(rounds.said(1, word(3, "E: x"), 0)) == {0: "process 1 left it: E: x", 3: "process 1 left it: E: x"}
    rounds.said(0, word(3), 0)
    told = problems(rounds.said(3, word(3), 0))
    assert told[1] is None  # it has an error of its own
    assert told[0] == told[3]
    assert "process 1 could not make its part" in told[0]


def test_none_goes_on_where_they_bring_different_things():
    rounds = Rounds((0, 1, 2))
    rounds.said(2, word(0, brings="float32[1]"), 0)
    rounds.said(1, word(0, brings="float32[2]"), 0)
    told = problems(rounds.said(0, word(0, brings="float32[2]"), 0))
    different = "the processes come to here with different batches, float32[2] in process 0, float32[1] in process 2"
    assert told == dict.fromkeys((0, 1, 2), different)


def test_who_is_late_is_named_once_and_hears_it_when_he_comes():
    rounds = Rounds((0, 1, 2))
    rounds.said(1, word(0, limit=5), 10)
    rounds.said(0, word(0, limit=9), 14)
    assert rounds.time_left(14) == 1
    assert rounds.time_left(20) == 0
    told = problems(rounds.give_up_waiting(20))
    assert set(told) == {0, 1}
    assert told[0].startswith("processes [2] did not come to here within 5 s")
    assert rounds.time_left(20) is None
    assert "process 2 came too late to here" in problems(rounds.said(2, word(0), 21))[2]
    for process in (0, 1):
        assert rounds.said(process, word(1), 22) == []
    assert problems(rounds.said(2, word(1), 23)) == {0: None, 1: None, 2: None}


def test_who_takes_back_his_word_is_heard_in_the_same_round_and_behind_it():
    rounds = Rounds((0, 1))
    rounds.said(0, word(0), 0)
    rounds.said(0, word(0, "KeyboardInterrupt: "), 1)
    assert rounds.said(0, word(1), 1) == []  # without having waited for the end of the first
    assert "KeyboardInterrupt" in problems(rounds.said(1, word(0), 2))[1]
    assert problems(rounds.said(1, word(1), 3)) == {0: None, 1: None}
    assert "process 0 left it" in news(rounds.said(0, word(1, "KeyboardInterrupt: "), 4))[1]


def test_nothing_goes_on_without_those_who_are_gone():
    rounds = Rounds((0, 1, 2))
    rounds.said(0, word(0), 0)
    answers = rounds.gone(2, "died", 0)
    assert problems(answers) == {0: "process 2 died"}
    assert news(answers) == {1: "process 2 died"}
    assert problems(rounds.said(1, word(0), 1)) == {1: "process 2 died"}
    assert problems(rounds.said(0, word(1), 1)) == {0: "process 2 died"}
    assert problems(rounds.gone(1, "has ended", 0)) == {}
    assert problems(rounds.said(0, word(2), 1)) == {0: "process 2 died"}  # the first of them


def line_to(coordinator):
    return Connection(socket.create_connection(("localhost", coordinator.port), 5))


def answers_of(connection):
    end, found = time.monotonic() + 5, []
    while not found and time.monotonic() < end:
        found = connection.heard(1)
    return found


def test_strangers_are_sent_away_and_disturb_nobody():
    coordinator = Coordinator((0, 1))
    connections = []
    for process in (0, 1):
        connections.append(line_to(coordinator))
        connections[-1].say({"process": process, "secret": coordinator.secret})
        for hostile in (
            b"\n",
            b"{",
            b"[]\n",
            b'{"secret": 1}\n',
            b'{"process": 0, "secret": "guessed"}\n',
            b"x" * 1000000,
        ):
            stranger = socket.create_connection(("localhost", coordinator.port), 5)
            if hostile == b"{":  # which may be the beginning of something
                stranger.sendall(hostile)
            else:
                with pytest.raises(OSError, match="gone|reset|Broken"):
                    stranger.sendall(hostile)
                    answers_of(Connection(stranger))
            stranger.close()
    for connection in connections:
        connection.say(word(0))
    expected = {"round": 0, "final": True, "problem": None, "gone": False}
    assert [answers_of(connection) for connection in connections] == [[expected]] * 2
    connections[0].say({"bye": True})
    [told] = answers_of(connections[1])
    assert told["problem"] == "process 0 has ended, or let go of its iterator"


def test_all_others_are_told_before_the_process_in_which_they_meet():
    coordinator, told = Coordinator((3, 4, 5)), []
    coordinator._connections = {n: SimpleNamespace(say=lambda answer, n=n: told.append((n, answer))) for n in (3, 4, 5)}
    coordinator._send([(4, "first"), (3, "first"), (5, "first"), (4, "then")])
    assert told == [(4, "first"), (5, "first"), (4, "then"), (3, "first")]


def test_messages_in_pieces_are_put_together_and_can_be_looked_at_before():
    with socket.create_server(("localhost", 0)) as server:
        connection = Connection(socket.create_connection(server.getsockname()))
        other = server.accept()[0]
    other.sendall(json.dumps({"a": 1}).encode() + b'\n{"b"')
    time.sleep(0.1)
    assert connection.peeked() == connection.peeked() == [{"a": 1}]
    assert connection.heard() == [{"a": 1}]
    other.sendall(b": 2}\n")
    assert answers_of(connection) == [{"b": 2}]
    assert connection.heard(0) == connection.peeked() == []
    other.close()
    with pytest.raises(OSError, match="gone"):
        connection.heard(1)


def test_who_hears_no_more_gives_the_reason_that_came_before():
    with socket.create_server(("localhost", 0)) as server:
        connections = [Connection(socket.create_connection(server.getsockname())) for _ in range(2)]
        others = [server.accept()[0] for _ in range(2)]
    rounds = Rounds(range(4))  # the collective of process 1 fails for the death of process 3
    for told in (*rounds.said(1, word(0, "E: connection reset"), 0), *rounds.gone(3, "died", 0)):
        if told[0] == 2:
            others[0].sendall(json.dumps(told[1]).encode() + b"\n")
    answers = []
    for connection, other in zip(connections, others, strict=True):
        other.close()
        barrier = Barrier()
        barrier.include(SimpleNamespace(device_set=[SimpleNamespace(process_index=i) for i in range(4)]))
        barrier._connection = connection
        with pytest.raises(RuntimeError) as problem:
            barrier.ask()
        answers.append(str(problem.value))
    assert answers == ["process 3 died", "process 0 has ended or died"]
