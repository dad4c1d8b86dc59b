"""Pages of `penstock view --live` for tests, and what asks them."""

import argparse
import contextlib
import functools
import http.client
import json
import threading
import time
import urllib.parse

from penstock.cli import view
from penstock.cli._live._player import Player
from penstock.cli._live._server import Server

SCRIPT = """
import numpy as np
from penstock import fn, pipeline_def, types

@pipeline_def(batch_size=4, num_threads=2, device_id=types.CPU_ONLY_DEVICE_ID)
def scenes():
    files, labels = fn.readers.file(file_root={root!r}, name="pictures")
    images = fn.resize(fn.decoders.image(files, output_type=types.RGB), size=[40, 50])
    boxes = np.float32([[0, 0, 20, 10]])
    return images, labels, boxes

def numbers():
    return fn.external_source(lambda: [np.float32([1, np.nan, 3])] * 2, batch=True)

def three():
    return fn.external_source([np.full((2, 6, 8, 3), i, np.uint8) for i in range(3)], layout="HWC")

def again():
    return fn.external_source([np.full((2, 6, 8, 3), i, np.uint8) for i in range(3)], layout="HWC", cycle="raise")

def empty():
    return fn.external_source([], layout="HWC")

def raises():
    raise KeyError("no such setting")

def bad():
    def source(info):
        raise OSError(f"sample {{info.idx_in_epoch}} cannot be had")
    return fn.external_source(source, batch=False)

def leaves():
    raise SystemExit(3)
"""


@contextlib.contextmanager
def shown(what, *more):
    """A page as the command serves it, whose pipeline runs on a thread of the test."""
    options = parsed(what, *more)
    player = Player(
        options.what, functools.partial(view._loaded, options), view.drawn, options.step / 1000, options.paused
    )
    thread = threading.Thread(target=player.play)
    with Server(player, options.port) as server:
        thread.start()
        try:
            yield Client(server)
        finally:
            player.stop()
            thread.join(30)
    assert not thread.is_alive()


def parsed(*arguments):
    parser = argparse.ArgumentParser()
    view.add_arguments(parser)
    return parser.parse_args([*map(str, arguments), "--live"])


class Client:
    def __init__(self, server):
        self.server = server
        self.token = server.token

    def ask(self, path, method="GET", body=None, token=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        token = self.token if token is None else token
        if method == "GET":
            path += f"?token={urllib.parse.quote(token)}"
        else:
            headers.setdefault("X-Token", token)
        connection.request(method, path, body, {key.replace("_", "-"): value for key, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def json(self, path):
        status, _, text = self.ask(path)
        assert status == 200, text
        return json.loads(text)

    def do(self, what, value=None):
        status, _, text = self.ask("/do", "POST", json.dumps({"do": what, "value": value}))
        assert status == 200, text

    def until(self, true, within=20):
        """The first state of which that is true."""
        end = time.monotonic() + within
        while not true(state := self.json("/state")):
            assert time.monotonic() < end, state
            time.sleep(0.02)
        return state
