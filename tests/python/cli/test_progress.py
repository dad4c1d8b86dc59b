"""Lines that say how far a long command is, on terminals alone."""

import io
import os
import pty
import re
import subprocess
import sys
import threading
import time
import types

import pytest

from penstock import cli
from penstock._progress import Progress, Waiting, counted, say
from penstock.bench import contest, operators, run

ROW = {"operator": "flip", "size": "480p", "rival": "dali", "error": "none"}


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(params=[True, False], ids=["terminal", "file"])
def listened(request, monkeypatch):
    """Puts a terminal, or a file, in the place of standard error; pytest does so itself between fixtures and tests."""

    def listen():
        stream = Terminal() if request.param else io.StringIO()
        monkeypatch.setattr(sys, "stderr", stream)
        return stream

    return listen


def shown(stream, pattern):
    """What of the lines fits; nothing may be left on a terminal, nor anything at all on a file."""
    text = stream.getvalue()
    if not stream.isatty():
        assert text == ""
        return None
    assert text.rpartition("\r")[2] == ""
    return re.findall(pattern, text)


def test_items_are_counted(listened):
    standard_error = listened()
    assert list(counted("abcd", 4, "letters ", " letters", every=0)) == list("abcd")
    found = shown(standard_error, r"letters (?:\[[#.]{30}\] )?(\d) of 4")
    assert found in (None, ["0", "1", "2", "3", "4"])


def test_an_error_leaves_no_line_behind(listened):
    standard_error = listened()
    with pytest.raises(KeyError):
        for letter in counted("ab", 2, every=0):
            raise KeyError(letter)
    shown(standard_error, "")


def test_a_call_without_steps_says_how_long_it_lasts(listened):
    standard_error = listened()
    threads = threading.active_count()
    with Waiting("packing "):
        assert standard_error.isatty() == (threading.active_count() > threads)
        time.sleep(1.5)
    found = shown(standard_error, r"packing (0:00:\d\d)")
    assert found is None or found[0] == "0:00:01"
    assert threading.active_count() == threads


def test_short_calls_say_nothing(listened):
    standard_error = listened()
    with Waiting("packing "):
        time.sleep(0.2)
    assert standard_error.getvalue() == ""


def test_slow_steps_are_given_in_seconds_each():
    now = [0.0]
    progress = Progress(Terminal(), clock=lambda: now[0])
    progress(0, 10)
    now[0] = 30.0
    assert progress.line(2, 10, 0, now[0]) == "2 of 10 (20 %), 15.0 s each, 0:02:00 left"


def test_lines_are_no_wider_than_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    with Progress(stream, text="a long text before the figures ") as progress:
        progress(5, 10)
    assert max(len(line) for line in stream.getvalue().split("\r")) < 40
    assert "#" not in stream.getvalue()


def test_a_line_that_stays_stands_in_place_of_the_one_that_moves(listened):
    stream = listened()
    for one in counted("ab", 2, every=0):
        say(f"  {one} was measured")
    if stream.isatty():
        assert "\r\033[K  a was measured\n" in stream.getvalue()
        shown(stream, "")
    else:
        assert stream.getvalue() == "  a was measured\n  b was measured\n"


def test_inspect_says_how_far_it_is(listened, pictures, capsys):
    standard_error = listened()
    assert cli.main(["inspect", str(pictures), "--limit", "5"]) == 0
    found = shown(standard_error, r"(\d) of 5 \(")
    assert found is None or (found[0], found[-1]) == ("0", "5")
    assert "samples: 5" in capsys.readouterr().out


def test_bench_says_how_far_it_is(listened, monkeypatch, tmp_path):
    standard_error = listened()
    monkeypatch.setattr(contest, "installed", lambda library: library == "dali")
    monkeypatch.setattr(operators, "_contest", lambda *_: ROW)
    assert cli.main(["bench", "--operators", "flip", "resize", "--sizes", "480p", "--quick"]) == 0
    found = shown(standard_error, r"(\d) of 2 ")
    assert found is None or found[0] == "0"


def test_bench_counts_its_contests(monkeypatch, listened):
    stream = listened()
    monkeypatch.setattr(contest, "installed", lambda library: False)
    monkeypatch.setattr(run, "_roots", lambda job, options, effort: {"LMDB": "root"})
    monkeypatch.setattr(run, "_endure", lambda *_: {})
    monkeypatch.setattr(run.startup, "import_seconds", lambda *_: {})
    options = types.SimpleNamespace(jobs=["train", "mnist"], quick=True)
    run.measure(options, run.Effort(cores=2), lambda text: None)
    found = shown(stream, r"contests (?:\[[#.]{30}\] )?(\d) of 3")
    assert found is None or (found[0], found[-1]) == ("0", "3")


@pytest.mark.parametrize("terminal", [True, False])
def test_pack_of_a_list_says_how_long_it_lasts(terminal, pictures, tmp_path):
    """As a person sees it: the command on a terminal, whose packing takes its time."""
    labels = tmp_path / "labels.txt"
    labels.write_text("cat/0.jpg 3\n")
    code = (
        "import sys, time; from penstock import cli, packing\n"
        "packing.pack_folder = lambda *_: time.sleep(1.5) or 1\n"
        f"sys.exit(cli.main(['pack', {str(pictures)!r}, {str(tmp_path / 'db')!r}, '--labels', {str(labels)!r}]))"
    )
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", code], stderr=theirs if terminal else subprocess.PIPE, stdout=subprocess.PIPE, check=True
    )
    os.close(theirs)
    said = os.read(ours, 10_000).decode() if terminal else done.stderr.decode()
    os.close(ours)
    assert ("packing 0:00:01" in said) == terminal
    assert terminal or said == ""
