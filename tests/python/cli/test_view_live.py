"""`penstock view --live` by its HTTP interface, without a browser."""

import http.client
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import xml.etree.ElementTree

import numpy as np
import pytest
from live_page import SCRIPT, shown

from penstock import cli
from penstock.cli import _script
from penstock.cli._live import _plan, _rates, _timeline
from penstock.pipeline.contract import graph_of

Image = pytest.importorskip("PIL.Image")


@pytest.fixture
def program(tmp_path, pictures):
    path = tmp_path / "program.py"
    path.write_text(SCRIPT.format(root=str(pictures)))
    return path


def test_batches_come_with_pictures_captions_and_sources(program, pictures):
    with shown(f"{program}:scenes", "--paused") as page:
        state = page.until(lambda state: state["batches"])
        assert state["paused"]
        assert state["batches"] == [1]
        batch = page.json("/batch/1")
        assert [one["caption"] for one in batch["samples"]] == ["0"] * 4
        assert [one["source"] for one in batch["samples"]] == [f"cat/{i}.jpg" for i in range(4)]
        assert [one["index"] for one in batch["samples"]] == [0, 1, 2, 3]
        status, headers, png = page.ask("/batch/1/2.png")
        assert (status, headers["Content-Type"]) == (200, "image/png")
        drawn = np.asarray(Image.open(io.BytesIO(png)))
        whole = np.asarray(Image.open(io.BytesIO(page.ask("/batch/1/2/whole.png")[2])))
        assert whole.shape == (40, 50, 3)
        assert drawn.shape == (80, 100, 3)  # small ones are enlarged
        assert (drawn[0, :40] == drawn[0, 0]).all(), "the box's upper edge"
        assert not (whole[0] == whole[0, 0]).all()


def test_samples_are_inspected(program):
    with shown(f"{program}:scenes", "--paused") as page:
        page.until(lambda state: state["batches"])
        images, labels, boxes = page.json("/batch/1/1")
        assert images.items() >= {"shape": [40, 50, 3], "dtype": "uint8", "layout": "HWC", "device": "cpu",
                                  "source": "cat/1.jpg", "not_finite": 0}.items()  # fmt: skip
        assert 0 <= images["min"] < images["mean"] < images["max"] <= 255
        assert (labels["shape"], labels["dtype"], labels["values"]) == ([1], "int32", "[0]")
        assert boxes["values"] == "[[0.0, 0.0, 20.0, 10.0]]"
        for path in ("/batch/1/4", "/batch/1/4.png", "/batch/1/4/whole.png", "/batch/9", "/batch/1/x.png", "/none"):
            assert page.ask(path)[0] == 404


def test_a_batch_without_pictures_is_shown_by_its_facts(program):
    with shown(f"{program}:numbers", "--paused") as page:
        page.until(lambda state: state["batches"])
        batch = page.json("/batch/1")
        assert "no output of the pipeline is pictures" in batch["note"]
        assert [one["picture"] for one in batch["samples"]] == [False, False]
        [facts] = page.json("/batch/1/0")
        assert (facts["min"], facts["max"], facts["not_finite"]) == (1, 3, 1)
        assert page.ask("/batch/1/0.png")[0] == 404


def test_it_pauses_steps_and_goes_on(program):
    with shown(f"{program}:scenes", "--paused") as page:
        page.until(lambda state: state["batches"] == [1])
        page.do("next")
        page.until(lambda state: state["batches"] == [1, 2])
        for _ in range(9):
            page.do("next")
        state = page.until(lambda state: state["batches"][-1] == 11)
        assert state["batches"] == list(range(4, 12)), "eight can be gone back to"
        time.sleep(0.3)
        assert page.json("/state")["batches"][-1] == 11, "nothing is made while paused"
        page.do("toggle")
        page.until(lambda state: not state["paused"] and state["batches"][-1] > 30)
        page.do("pause")
        assert page.until(lambda state: state["paused"])


def test_rates_and_waits_are_those_of_the_pipeline(program):
    with shown(f"{program}:scenes") as page:
        state = page.until(lambda state: state["rates"] and state["rates"]["batches"] > 50 and state["timeline"])
        rates = state["rates"]
        assert rates["samples_per_s"] == pytest.approx(4 * rates["batches_per_s"])
        assert {one["name"] for one in rates["operators"]} >= {"decoders.image", "resize"}
        assert abs(sum(rates["waits"].values()) - 1) < 0.01
        page.do("step", 100)
        state = page.until(lambda state: state["rates"]["waits"]["step"] > 0.8 and state["rates"]["batches_per_s"] < 11)
        assert state["step_ms"] == 100
        assert "waits for no batch" in page.until(lambda state: "no batch" in state["rates"]["says"])["rates"]["says"]


def test_plan_and_explanation_are_there(program):
    with shown(f"{program}:scenes", "--paused") as page:
        page.until(lambda state: state["batches"])
        about = page.json("/about")
        assert about["what"] == f"{program}:scenes"
        assert "decoders.image" in about["explain"]
        assert about["facts"]["readers"] == "pictures: 12 samples, shard 0 of 1"
        svg = xml.etree.ElementTree.fromstring(about["plan"])
        texts = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
        assert {"readers.file", "decoders.image", "resize", "output 0", "output 1", "output 2"} <= set(texts)


def test_events_tell_what_is_new(program):
    with shown(f"{program}:scenes", "--paused") as page:
        connection = http.client.HTTPConnection("127.0.0.1", page.server.port, timeout=20)
        connection.request("GET", f"/events?token={page.token}")
        answer = connection.getresponse()
        assert answer.headers["Content-Type"] == "text/event-stream"

        def event():
            while not (line := answer.readline()).startswith(b"data: "):
                assert line
            return json.loads(line[6:])

        first = event()
        while not first["batches"]:
            first = event()
        page.do("next")
        second = event()
        while second["batches"] != [1, 2]:
            second = event()
        assert second["version"] > first["version"]
        connection.close()


def test_epochs_of_a_source_follow_each_other(program):
    with shown(f"{program}:again", "--paused") as page:
        for _ in range(6):
            page.do("next")
        page.until(lambda state: state["batches"] and state["batches"][-1] == 7)
        values = [page.json(f"/batch/{i}/0")[0]["max"] for i in range(1, 8)]
        assert values == [0, 1, 2, 0, 1, 2, 0]


def test_a_source_that_ends_is_said_and_begins_anew(program):
    with shown(f"{program}:three") as page:
        state = page.until(lambda state: state["note"])
        assert "The source has ended" in state["note"]
        assert state["batches"] == [1, 2, 3]
        assert state["error"] is None
        page.do("reload")
        page.until(lambda state: state["loads"] == 2 and state["batches"] == [1])


def test_the_batch_that_is_looked_at_stays(program):
    with shown(f"{program}:scenes") as page:
        page.until(lambda state: state["batches"])
        looked_at = page.json("/batch/0")["number"]  # the newest
        page.until(lambda state: state["batches"][0] > looked_at + 20)
        assert page.json(f"/batch/{looked_at}/0")[0]["dtype"] == "uint8"
        assert page.ask(f"/batch/{looked_at + 10}")[0] == 404


# Errors ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "when", "text"),
    [
        ("raises", "while the pipeline was made", "KeyError: 'no such setting'"),
        ("leaves", "while the pipeline was made", "SystemExit: 3"),
        ("missing", "while the pipeline was made", "has no 'missing'"),
        ("bad", "while a batch was made", "sample 0 cannot be had"),
        ("empty", "while a batch was made", "is its source empty?"),
    ],
)
def test_errors_of_the_script_are_shown(program, name, when, text, capsys):
    with shown(f"{program}:{name}") as page:
        error = page.until(lambda state: state["error"])["error"]
        assert error["when"] == when
        assert text in error["text"]
        assert "site-packages" not in error["text"]
        assert "penstock/cli" not in error["text"]
    assert text in capsys.readouterr().err


def test_a_mended_script_is_read_again(program, capsys):
    good = program.read_text()
    program.write_text(good + "\nthis is no Python\n")
    with shown(f"{program}:three", "--paused") as page:
        assert "SyntaxError" in page.until(lambda state: state["error"])["error"]["text"]
        page.do("next")  # does nothing: there is no pipeline
        program.write_text(good.replace("range(3)", "range(9, 12)"))
        os.utime(program, ns=(1, 1))
        page.do("reload")
        page.until(lambda state: state["batches"] == [1] and not state["error"])
        assert page.json("/batch/1/0")[0]["max"] == 9


def test_the_traceback_begins_with_the_script_and_the_loop_goes_on_once_it_is_mended(program, capsys):
    good = program.read_text()
    program.write_text(good.replace("size=[40, 50]", "size=[40, missing]"))
    with shown(f"{program}:scenes") as page:
        text = page.until(lambda state: state["error"])["error"]["text"]
        head, first, *_ = text.splitlines()
        assert head == "Traceback (most recent call last):"
        assert first.startswith(f'  File "{program}", line ')
        program.write_text(good)
        page.do("reload")
        page.until(lambda state: not state["paused"] and state["batches"] and state["batches"][-1] > 10)
    assert "NameError" in capsys.readouterr().err


def command(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "penstock", "view", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


@pytest.mark.parametrize("step", ["0", "5000"])
def test_ctrl_c_ends_it_silently(program, step):
    with command(f"{program}:scenes", "--live", "--step", step) as running:
        said = [running.stdout.readline() for _ in range(2)]
        match = re.search(r"is shown at http://127\.0\.0\.1:(\d+)/\?token=([\w-]{20,})$", said[0])
        assert match, said
        assert said[1] == "Ctrl-C ends it.\n"
        connection = http.client.HTTPConnection("127.0.0.1", int(match[1]), timeout=30)
        connection.request("GET", f"/events?token={match[2]}")  # a page that is open
        answer = connection.getresponse()
        while b'"batches": [1' not in answer.readline():
            pass
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
        assert (running.returncode, out, err) == (0, "", "")
        connection.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.py:f"], "there is no script none.py"),
        (["nowhere"], "name a pipeline as SCRIPT.py:function"),
        (["{}:scenes", "--step", "-1"], "--step must be 0 ms or more, got -1"),
        (["{}:scenes", "--port", "70000"], "--port must be 0 to 65535, got 70000"),
    ],
)
def test_what_cannot_be_shown_is_said_at_once(program, capsys, arguments, message):
    assert cli.main(["view", *(one.format(program) for one in arguments), "--live"]) == 1
    said = capsys.readouterr()
    assert message in said.err
    assert "is shown at" not in said.out


def test_a_port_that_is_taken_is_said(program, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert cli.main(["view", f"{program}:scenes", "--live", "--port", str(port)]) == 1
    assert f"port {port} cannot be used (Address already in use); name another with --port" in capsys.readouterr().err


# Who may ask ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def page(program):
    with shown(f"{program}:scenes", "--paused") as one:
        one.until(lambda state: state["batches"])
        yield one


@pytest.mark.parametrize("path", ["/", "/state", "/about", "/events", "/batch/1", "/batch/1/0.png"])
def test_nobody_sees_anything_without_the_token(page, path):
    for token in ("", "x" * len(page.token), page.token[:-1]):
        status, _, text = page.ask(path, token=token)
        assert status == 403
        assert b"token" in text


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", ""])
def test_other_names_of_this_host_are_refused(page, host):
    """A name that another site lets point here is that of its own origin."""
    for path in ("/", "/state"):
        assert page.ask(path, Host=host.format(port=page.server.port))[0] == 403
    assert page.ask("/state", Host=f"localhost:{page.server.port}")[0] == 200


def test_requests_of_other_sites_are_refused(page):
    body = json.dumps({"do": "next"})
    assert page.ask("/do", "POST", body, Origin="http://evil.example")[0] == 403
    assert page.ask("/do", "POST", body, token="wrong")[0] == 403
    assert page.ask("/do", "POST", body, Origin=f"http://127.0.0.1:{page.server.port}")[0] == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [("", 400), ("[]", 400), ("{}", 400), ('{"do": "shutdown"}', 400), ('{"do": "step"}', 400), ("nonsense", 400),
     ('{"do": "step", "value": -1}', 400), ('{"do": "step", "value": "a"}', 400), ('{"do": ["pause"]}', 400),
     ('{"do": "step", "value": NaN}', 400), ("x" * 20_000, 413)],
)  # fmt: skip
def test_requests_that_make_no_sense_are_refused(page, body, status):
    assert page.ask("/do", "POST", body)[0] == status
    page.json("/state")


def test_the_page_takes_nothing_from_elsewhere(page):
    status, headers, text = page.ask("/")
    assert status == 200
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert not re.findall(rb"(?:src|href)=\"(?!data:)http|https?://(?!www\.w3\.org/2000/svg)", text)
    assert page.server._server.server_address[0] == "127.0.0.1"
    for name in (b"NONCE", b"TOKEN", b"/*page.css*/", b"/*page.js*/"):
        assert name not in text


# Parts ----------------------------------------------------------------------------------------------------------------


def test_boxes_of_the_plan_stand_below_what_they_read(program):
    pipeline, _ = _script.of_script(f"{program}:scenes", [])
    graph = graph_of(pipeline)
    svg = xml.etree.ElementTree.fromstring(_plan.svg(graph, pipeline.explain()))
    space = "{http://www.w3.org/2000/svg}"
    places = {}
    for box in svg.iter(f"{space}g"):
        rect = box.find(f"{space}rect")
        place = places[box.find(f"{space}text").text] = [float(rect.get(name)) for name in "xy"]
        assert list(places.values()).count(place) == 1, "no box hides another"
    order = [places[name][1] for name in ("readers.file", "decoders.image", "resize", "output 0")]
    assert order == sorted(set(order))
    titles = [one.text for one in svg.iter(f"{space}title")]
    assert any("decoders.image(#" in title and "step 0" in title for title in titles)


def test_names_in_the_plan_are_text():
    graph = {"ops": [{"op": "x", "name": "<script>alert(1)</script>"}], "outputs": [[0, 0]]}
    svg = _plan.svg(graph, "  #0 <b>()\n")
    assert "<script>" not in svg
    assert "<b>" not in svg
    xml.etree.ElementTree.fromstring(svg)


def test_a_graph_of_many_branches_is_laid_out():
    ops = [{"op": "source"}] + [{"op": f"b{i}", "inputs": [[0, 0]]} for i in range(5)]
    ops += [{"op": "join", "inputs": [[i, 0] for i in range(1, 6)]}, {"op": "late", "arg_inputs": {"angle": [6, 0]}}]
    layers = _plan._layers(9, [(s, i) for i, op in enumerate(ops) for s in _plan._read_by(op)] + [(7, 8)])
    assert layers == [[0], [1, 2, 3, 4, 5], [6], [7], [8]]
    xml.etree.ElementTree.fromstring(_plan.svg({"ops": ops, "outputs": [[7, 0]]}))
    xml.etree.ElementTree.fromstring(_plan.svg({"ops": [], "outputs": []}))


def test_a_timeline_has_a_row_for_each_thread():
    def event(name, tid, ts, dur, sample=0):
        return {"name": name, "tid": tid, "ts": ts, "dur": dur, "args": {"batch": 7, "sample": sample}}

    trace = {"traceEvents": [event("a", 5, 1000, 500), event("b", 5, 1500, 250, 1), event("a", 6, 1000, 1000),
                             event("wait for batch", 4, 1200, 800, -1)]}  # fmt: skip
    found = _timeline.of(json.dumps(trace))
    assert found["span_ms"] == 1
    assert [(row["thread"], row["busy"]) for row in found["rows"]] == [
        ("consumer", 0), ("worker 5", 0.75), ("worker 6", 1.0)
    ]  # fmt: skip
    assert found["rows"][1]["events"][1] == [found["names"].index("b"), 0.5, 0.25, 7, 1]
    assert _timeline.of('{"traceEvents": []}') is None


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"waits": {"loader": 0.01}}, "waits for no batch"),
        ({}, "The loop waits 60% of its time for batches. decode takes 75% of the workers' time."),
        ({"not_in_memory": 0.9, "busy": 0.3}, "90% of the samples were not in memory: workers wait for the disk."),
        ({"gpu": 0.9, "busy": 0.3}, "Workers wait for the GPU."),
    ],
)
def test_what_waits_for_what_is_said(changes, part):
    found = {"waits": {"loader": 0.6}, "busy": 2.0, "workers": 2, "not_in_memory": None, "gpu": 0.0,
             "operators": [{"name": "decode", "cores": 1.5}, {"name": "resize", "cores": 0.5}]} | changes  # fmt: skip
    assert part in _rates.said(found)
