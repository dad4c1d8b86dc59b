"""A headless Chromium, steered over its debugging pipe: nothing else has to be installed."""

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import time

_START = """import os, sys
os.dup2(int(sys.argv[1]), 30), os.dup2(int(sys.argv[2]), 31)
os.dup2(30, 3), os.dup2(31, 4)
os.execv(sys.argv[3], sys.argv[3:])"""  # Chromium's pipes are 3 and 4
NAMES = ("chromium", "chromium-browser", "google-chrome")


def found():
    """The browser's path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """``with Browser(folder) as page: page.open(url)``. Errors of a page's scripts are in `errors`."""

    def __init__(self, folder, width=1280, height=1400, dark=False):
        self.errors = []
        self._numbers = itertools.count(1)
        self._said = b""
        to_read, self._out = os.pipe()
        self._in, to_write = os.pipe()
        flags = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
            f"--user-data-dir={folder}", f"--window-size={width},{height}", "--hide-scrollbars", "about:blank",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, str(to_read), str(to_write), found(), *flags],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_read)
        os.close(to_write)
        targets = self._ask("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in targets if one["type"] == "page")
        self._session = self._ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._ask(f"{domain}.enable")
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self._ask("Emulation.setEmulatedMedia", features=features)

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self._process.terminate()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)

    _session = None

    def _ask(self, method, **parameters):
        number = next(self._numbers)
        request = {"id": number, "method": method, "params": parameters}
        if self._session:
            request["sessionId"] = self._session
        os.write(self._out, json.dumps(request).encode() + b"\0")
        while (answer := self._answer()).get("id") != number:
            self._note(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _answer(self, within=60):
        until = time.monotonic() + within
        while b"\0" not in self._said:
            if not select.select([self._in], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self._in, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self._said += part
        text, _, self._said = self._said.partition(b"\0")
        return json.loads(text)

    def _note(self, event):
        if event.get("method") == "Runtime.exceptionThrown":
            self.errors.append(event["params"]["exceptionDetails"].get("exception", {}).get("description", "?"))
        if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
            self.errors.append(event["params"]["entry"]["text"])

    def open(self, url):
        self._ask("Page.navigate", url=url)

    def run(self, code):
        """The value of an expression of JavaScript, awaited."""
        done = self._ask("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"])
        return done["result"].get("value")

    def wait(self, code, within=30):
        """The value of an expression as soon as it is true."""
        until = time.monotonic() + within
        while not (value := self.run(code)):
            if time.monotonic() > until:
                raise TimeoutError(f"never came true: {code}")
            time.sleep(0.05)
        return value

    def press(self, key):
        """A key, such as " " or "ArrowRight"."""
        text = {"text": key} if len(key) == 1 else {}
        self._ask("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self._ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def click(self, selector):
        box = self.run(f"(() => {{ const b = document.querySelector({selector!r}).getBoundingClientRect();"
                       "return [b.x + b.width / 2, b.y + b.height / 2]; })()")  # fmt: skip
        for kind in ("mousePressed", "mouseReleased"):
            self._ask("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def wheel(self, selector, by):
        box = self.run(f"(() => {{ const b = document.querySelector({selector!r}).getBoundingClientRect();"
                       "return [b.x + b.width / 2, b.y + b.height / 2]; })()")  # fmt: skip
        self._ask("Input.dispatchMouseEvent", type="mouseWheel", x=box[0], y=box[1], deltaX=0, deltaY=by)

    def picture(self, path):
        """Writes what is seen as PNG."""
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._ask("Page.captureScreenshot", format="png")["data"]))
