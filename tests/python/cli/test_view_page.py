"""The page of `penstock view --live` in a browser, with keyboard and mouse."""

import time

import browser
import pytest
from live_page import SCRIPT, shown

pytest.importorskip("PIL.Image")
if browser.found() is None:
    pytest.skip("no Chromium is installed: apt-get install chromium", allow_module_level=True)

SETTLED = "state.paused && state.batches.length && shown === state.batches.at(-1) && !fetching"
TEXT = "document.getElementById({!r}).textContent".format


def settle(page):
    """Waits until nothing changes any more: a batch that was begun before the pause comes behind it."""
    page.wait("state.paused")
    time.sleep(0.3)
    page.wait(SETTLED)


@pytest.fixture
def program(tmp_path, pictures):
    path = tmp_path / "program.py"
    path.write_text(SCRIPT.format(root=str(pictures)))
    return path


@pytest.fixture
def page(program, tmp_path):
    with shown(f"{program}:scenes") as served, browser.Browser(tmp_path / "profile") as page:
        page.open(served.server.url)
        page.wait("typeof state !== 'undefined' && document.querySelectorAll('.cell img').length === 4")
        yield page
        assert page.errors == []


def test_everything_is_drawn(page):
    page.wait("document.querySelectorAll('#operators .bar').length >= 3")
    page.wait("!!document.querySelector('#rows canvas')")
    assert page.run("[...document.querySelectorAll('.cell img')].every(one => one.naturalWidth > 0)")
    assert page.run("document.querySelectorAll('#graph .box').length") >= 6
    assert "decoders.image" in page.run(TEXT("explain"))
    assert page.run("document.title").endswith("program.py:scenes - Penstock")
    unnamed = (
        "[...document.querySelectorAll('button, input, progress, canvas, svg')].filter(one => "
        "!one.textContent.trim() && !one.getAttribute('aria-label') && !one.labels?.length).map(one => one.outerHTML)"
    )
    assert page.run(unnamed) == []


def test_keys_pause_and_step(page):
    page.press(" ")
    settle(page)
    assert page.run(TEXT("toggle")) == "Go on"
    number = page.run("shown")
    page.press("ArrowRight")
    page.wait(f"shown === {number + 1}")
    page.press("ArrowLeft")
    page.wait(f"shown === {number}")
    assert f"{number:,}, 4 samples" in page.run(TEXT("number"))
    page.press("ArrowRight")
    page.wait(f"shown === {number + 1} && state.batches.at(-1) === {number + 1}")  # went forward, made none
    page.press(" ")
    page.wait(f"!state.paused && shown > {number + 5}")


def test_samples_are_looked_into_with_mouse_and_keys(page):
    page.click("#toggle")
    settle(page)
    page.click(".cell:nth-child(2)")
    page.wait(
        "document.getElementById('sample').open && document.getElementById('facts-of-sample').children.length === 3"
    )
    facts = page.run(TEXT("facts-of-sample"))
    assert "(40, 50, 3)uint8HWC" in facts
    assert ".jpg" in facts
    page.wheel("#frame", -100)
    page.wait("size > 1.1")
    page.press("0")
    page.wait("size === 1")
    page.press("l")
    page.wait("document.getElementById('picture').src.includes('/whole.png') && "
              "document.getElementById('picture').naturalWidth === 50")  # fmt: skip
    page.press("ArrowRight")
    page.wait("opened === 2")
    page.run("document.getElementById('sample').close()")
    page.wait("opened === -1")
    assert page.run("document.activeElement.className") == "cell"


def test_help_lists_the_keys(page):
    page.press("?")
    page.wait("document.getElementById('keys').open")
    listed = page.run(TEXT("keys"))
    for part in ("pause, go on", "next batch", "earlier batch", "read the script again", "zoom in, out, fit"):
        assert part in listed


def test_a_training_step_slows_the_loop(page):
    page.run("(() => { const step = document.getElementById('step'); step.value = 200; step.onchange(); })()")
    page.wait("state.rates && state.rates.batches_per_s < 6 && state.rates.waits.step > 0.8")
    assert "waits for no batch" in page.wait("state.rates.says.includes('no batch') && " + TEXT("says"))


def test_errors_are_shown_and_mended(program, tmp_path):
    good = program.read_text()
    program.write_text(good.replace("size=[40, 50]", "size=[40, missing]"))
    with shown(f"{program}:scenes", "--paused") as served, browser.Browser(tmp_path / "dark", dark=True) as page:
        page.open(served.server.url)
        page.wait("typeof state !== 'undefined' && !document.getElementById('error').hidden")
        assert "NameError: name 'missing' is not defined" in page.run(TEXT("trace"))
        program.write_text(good)
        page.press("r")
        page.wait("document.getElementById('error').hidden && document.querySelectorAll('.cell img').length === 4")
        assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(15, 19, 23)"
