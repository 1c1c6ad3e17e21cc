"""The stop button in a real browser: on top, legible and reachable whatever is open, and honest about what has been heard."""

import threading

import pytest
from pages import MadeUp, browser, need_browser, until
from test_page import contrast

from swarm_control.dashboard.security import Access
from swarm_control.dashboard.server import Server

need_browser()

SIZES = [(1440, 900), (768, 1024), (1024, 768), (360, 740)]


class Answering:
    """A server with a made-up swarm; ``refuse`` and ``stopped`` are the test's, as is what is told of stops."""

    def __init__(self):
        self.swarm, self.server, self.asked = MadeUp(5), Server(Access(port=0)), []
        self.refuse, self.stopped, self._end = "", False, threading.Event()

    def tell(self, stopped):
        self.stopped = stopped
        seen = f'[["a", 1, {int(not stopped)}]]'
        self.server.tell("status", {"nodes": {}, "simulator": True, "stopped": stopped, "seen": seen, "warnings": []})

    def __enter__(self):
        self.server.start()
        self.swarm.introduce(self.server)
        self.tell(False)
        self._thread = threading.Thread(target=self._answer)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()
        self.server.stop()

    def _answer(self):
        tick = 0
        while not self._end.wait(0.05):
            tick += 1
            self.server.show(self.swarm.frame(0.05 * tick))
            while not self.server.asked.empty():
                command, answer = self.server.asked.get()
                self.asked.append(command)
                answer(not self.refuse, self.refuse)
                if command.type == "stop" and not self.refuse:
                    self.tell(command.fields["on"])


@pytest.fixture(scope="module")
def window():
    with browser(viewport={"width": 1440, "height": 900}, has_touch=True) as found:
        yield found


@pytest.fixture
def page(window):
    with Answering() as show:
        page = window.new_page()
        page.goto(show.server.address)
        until(page, "window.swarm && swarm.model.frames > 3")
        page.show = show
        yield page
        page.close()


def stops(page):
    return [command.fields for command in page.show.asked if command.type == "stop"]


def on_top(page):
    """Whether a press in the middle of the button would reach it."""
    box = page.locator("#stop").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    return page.evaluate(f"document.elementFromPoint({x}, {y})?.id") == "stop"


@pytest.mark.parametrize("dialog", ["", "shortcuts", "differences"])
def test_it_is_on_top_large_and_works_whatever_is_open(page, dialog):
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        if dialog == "shortcuts":
            page.click("#help")
        elif dialog:
            page.evaluate("document.getElementById('differences').showModal()")
        until(page, "document.getElementById('stop').isConnected")
        box = page.locator("#stop").bounding_box()
        assert box["height"] >= 48 and box["width"] >= 48
        assert box["x"] >= 0 and box["y"] >= 0 and box["x"] + box["width"] <= width and box["y"] + box["height"] <= height
        assert on_top(page)
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        until(page, "swarm.model.stopped")
        assert stops(page) == [{"on": True}]
        if dialog:
            page.evaluate(f"document.getElementById('{dialog}').close()")
            until(page, "document.getElementById('stop').parentElement.className === 'stop-place'")
            assert on_top(page)
        page.show.asked.clear()
        page.show.tell(False)
        until(page, "!swarm.model.stopped")


@pytest.mark.parametrize("field", ["#search", "#speed", "#view"])
def test_a_key_stops_from_any_field(page, field):
    page.click("#tab-parameters")
    page.focus(field)
    page.keyboard.press("F8")
    until(page, "swarm.model.stopped")
    assert stops(page) == [{"on": True}]


def test_what_is_let_go_is_what_the_page_was_told_of(page):
    page.click("#stop")
    until(page, "swarm.model.stopped")
    page.click("#stop")
    until(page, "!swarm.model.stopped")
    assert stops(page) == [{"on": True}, {"on": False, "seen": '[["a", 1, 0]]'}]


def test_a_stop_that_is_not_confirmed_says_so_and_is_asked_for_again(page):
    page.show.refuse = "NOT DONE: nobody answers"
    page.click("#stop")
    until(page, "document.getElementById('stop').textContent.startsWith('NOT DONE')")
    page.show.refuse = ""
    until(page, "swarm.model.stopped && document.getElementById('stop').textContent === 'Let go'")
    assert len(stops(page)) >= 2


def test_a_stop_without_a_connection_is_sent_when_it_is_back(page):
    address, port = page.show.server.address, page.show.server.port
    page.show.server.stop()
    until(page, "document.getElementById('link').title === 'not connected'")
    page.click("#stop")
    until(page, "document.getElementById('stop').textContent.startsWith('NOT DONE')")
    with_new = Server(Access(port=port))
    page.show.swarm.introduce(with_new)  # before the page is back: it asks at once, and what is told after that is told of its stop
    page.show.server = with_new
    page.show.tell(False)
    with_new.start()
    assert with_new.address == address
    until(page, "swarm.model.stopped")
    assert stops(page)[-1] == {"on": True}


LOOK = """() => { const style = getComputedStyle(document.getElementById('stop'));
  const hex = (text) => '#' + text.match(/\\d+/g).slice(0, 3).map((n) => Number(n).toString(16).padStart(2, '0')).join('');
  return [hex(style.color), hex(style.backgroundColor), style.opacity, style.filter]; }"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_its_words_are_legible_in_every_state(page, scheme):
    """Contrast of at least 7, as WCAG's best grade wants it: at rest, under the mouse, pressed, focused; before, meanwhile, after."""
    page.emulate_media(color_scheme=scheme)

    def legible():
        for state in ("rest", "hover", "pressed", "focus"):
            page.mouse.move(5, 300)
            if state in ("hover", "pressed"):
                page.hover("#stop")
            if state == "focus":
                page.focus("#stop")
            if state == "pressed":
                page.mouse.down()
            ink, paper, opacity, filtered = page.evaluate(LOOK)
            if state == "pressed":
                page.mouse.move(5, 300)
                page.mouse.up()
            assert contrast(ink, paper) >= 7.0 and opacity == "1" and filtered == "none", (state, ink, paper)

    legible()
    page.show.refuse = "NOT DONE: nobody answers"
    page.keyboard.press("F8")
    until(page, "document.getElementById('stop').textContent.startsWith('NOT DONE')")
    legible()
    page.show.refuse = ""
    until(page, "swarm.model.stopped && document.getElementById('stop').textContent === 'Let go'")
    legible()
