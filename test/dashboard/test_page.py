"""The page in a real browser, before a made-up swarm: it works without complaint, and keeps up with a crowd."""

import threading
import time

import pytest
from pages import MadeUp, browser, need_browser, until, watched

from swarm_control.dashboard.security import Access
from swarm_control.dashboard.server import Server

need_browser()


class Show:
    """A server with a made-up swarm that moves while in this context; what pages ask for is agreed to."""

    def __init__(self, robots):
        self.swarm, self.server, self.asked = MadeUp(robots), Server(Access(port=0)), []
        self._end = threading.Event()

    def __enter__(self):
        self.server.start()
        self.swarm.introduce(self.server)
        self._thread = threading.Thread(target=self._move)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()
        self.server.stop()

    def _move(self):
        tick = 0
        while not self._end.wait(0.05):
            tick += 1
            self.server.show(self.swarm.frame(0.05 * tick))
            while not self.server.asked.empty():
                command, answer = self.server.asked.get()
                self.asked.append(command)
                answer(True, "")


@pytest.fixture(scope="module")
def shown():
    with Show(60) as show, browser(viewport={"width": 1440, "height": 900}, has_touch=True) as window:
        yield show, window


@pytest.fixture
def page(shown):
    show, window = shown
    page = window.new_page()
    page.said = watched(page)
    page.goto(show.server.address)
    until(page, "window.swarm && swarm.model.frames > 3")
    page.asked = show.asked
    show.asked.clear()
    yield page
    page.close()


def place_of(page, robot):
    """Where a robot is on the screen."""
    box = page.locator("#view").bounding_box()
    x, y = (page.evaluate(f"swarm.model.poses[{4 * robot + k}]") for k in (0, 1))
    u, v = page.evaluate(f"[swarm.camera.screenX({x}), swarm.camera.screenY({y})]")
    return box["x"] + u, box["y"] + v


def click_on(page, robot):
    """Click where a robot is, once more if it has gone on between the look and the click."""
    deadline = time.monotonic() + 60.0
    while page.evaluate("swarm.model.picked") != robot:
        assert time.monotonic() < deadline, f"robot {robot} could not be picked"
        page.mouse.click(*place_of(page, robot))
        page.wait_for_timeout(50)


SIZES = [(1440, 900), (820, 1180), (1180, 820), (400, 800)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_whole_in_all_sizes_and_both_themes(page, tmp_path, scheme):
    from PIL import Image

    page.emulate_media(color_scheme=scheme)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for tab in ("plots", "robots", "parameters"):
            page.click(f"#tab-{tab}")
            assert page.locator(f"#{tab}").is_visible()
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight")
        stop = page.locator("#stop").bounding_box()
        assert stop["height"] >= 44 and stop["x"] + stop["width"] <= width
        picture = tmp_path / "page.png"
        page.screenshot(path=picture)
        with Image.open(picture) as image:
            assert image.size == (width, height) and len(image.convert("RGB").getcolors(1 << 20)) > 20
    assert page.said == []


STYLE = "getComputedStyle(document.documentElement)"
PAIRS = [
    ("text", "panel"), ("soft", "panel"), ("text", "back"), ("on-accent", "accent"), ("bad", "bad-back"), ("warn", "warn-back"),
    ("text", "hover"), ("bad", "panel"), ("robot", "floor"), ("goal", "floor"), ("pick", "floor"),
]  # fmt: skip


def test_text_can_be_read_in_both_themes(page):
    """Contrast of text on its background, as WCAG reckons it: 4.5 and more."""
    for _ in range(2):
        for front, back in PAIRS:
            ink, paper = (page.evaluate(f"{STYLE}.getPropertyValue('--{name}').trim()") for name in (front, back))
            assert contrast(ink, paper) >= (3.0 if back == "floor" else 4.5), (front, back)
        page.click("#theme")


def contrast(a, b):
    def light(colour):
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(a), light(b)))
    return (high + 0.05) / (low + 0.05)


def test_a_robot_is_picked_by_click_key_and_list_and_shows_its_details(page):
    click_on(page, 7)
    until(page, "swarm.model.frame.neighbours && swarm.model.frame.neighbours.rows === 3")
    until(page, "document.querySelector('#card').textContent.includes('cohesion')")
    page.keyboard.press("n")
    assert page.evaluate("swarm.model.picked") == 8
    page.keyboard.press("Escape")
    assert page.evaluate("swarm.model.picked") == -1 and not page.locator("#card").is_visible()
    page.keyboard.press("3")
    page.click("tr[data-robot='5']")
    assert page.evaluate("swarm.model.picked") == 5
    assert page.said == []


def test_the_map_moves_by_mouse_wheel_and_keys(page):
    camera = "[swarm.camera.x, swarm.camera.y, swarm.camera.scale]"
    before = page.evaluate(camera)
    page.mouse.move(600, 800)
    page.mouse.down()
    page.mouse.move(500, 700, steps=5)
    page.mouse.up()
    dragged = page.evaluate(camera)
    assert dragged[0] - before[0] == pytest.approx(100 / before[2]) and dragged[1] - before[1] == pytest.approx(-100 / before[2])
    page.mouse.wheel(0, -300)
    until(page, f"swarm.camera.scale > {before[2]}")
    page.focus("#view")
    page.keyboard.press("-")
    page.keyboard.press("f")
    until(page, f"Math.abs(swarm.camera.scale - {before[2]}) < 1e-9")


def test_two_fingers_zoom(page):
    before = page.evaluate("swarm.camera.scale")
    client = page.context.new_cdp_session(page)

    def touch(kind, *points):
        fingers = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    touch("touchStart", (500, 600), (560, 600))
    for k in range(1, 7):
        touch("touchMove", (500 - 10 * k, 600), (560 + 10 * k, 600))
    touch("touchEnd")
    assert page.evaluate("swarm.camera.scale") == pytest.approx(3.0 * before, rel=0.02)


def test_goals_and_robots_are_dragged_and_buttons_ask(page):
    goal = page.evaluate("[swarm.camera.screenX(2), swarm.camera.screenY(2)]")
    box, scale = page.locator("#view").bounding_box(), page.evaluate("swarm.camera.scale")
    x, y = box["x"] + goal[0], box["y"] + goal[1]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 50, y + 20, steps=4)
    page.mouse.up()
    asked(page, "goal")
    moved = page.asked[-1].fields
    assert moved["x"] == pytest.approx(2 + 50 / scale, abs=1e-3) and moved["y"] == pytest.approx(2 - 20 / scale, abs=1e-3)
    click_on(page, 9)
    page.mouse.move(*place_of(page, 9))
    page.mouse.down()
    page.mouse.move(700, 700, steps=4)
    page.mouse.up()
    asked(page, "place")
    assert page.asked[-1].fields["robot"] == 9
    for key, kind in ((" ", "pause"), ("r", "reset"), ("s", "stop")):
        page.focus("#view")
        page.keyboard.press(key)
        asked(page, kind)
    assert page.asked[-1].fields == {"on": True}
    page.select_option("#speed", "5")
    asked(page, "speed")
    assert page.asked[-1].fields == {"value": 5} and page.said == []


def asked(page, kind):
    deadline = time.monotonic() + 5.0
    while not any(command.type == kind for command in page.asked):
        assert time.monotonic() < deadline, (kind, page.asked)
        page.wait_for_timeout(20)


def test_there_is_a_control_for_every_parameter(page):
    wanted = page.evaluate("swarm.model.hello.parameters.map((p) => p.name)")
    made = page.evaluate("[...document.querySelectorAll('.parameter')].map((e) => e.dataset.name)")
    assert made == wanted and len(wanted) > 50
    page.keyboard.press("/")
    page.keyboard.type("field of view")
    visible = page.evaluate("[...document.querySelectorAll('.parameter')].filter((e) => e.offsetParent).map((e) => e.dataset.name)")
    assert "perception.field_of_view" in visible and len(visible) < 5
    slider = page.locator("[data-name='perception.field_of_view'] input[type=range]")
    assert (slider.get_attribute("min"), slider.get_attribute("max")) == ("1", "360")


def test_robots_that_fall_silent_are_noticed(shown):
    swarm, server, page = MadeUp(5), Server(Access(port=0)), shown[1].new_page()
    server.start()
    try:
        swarm.introduce(server)
        page.goto(server.address)
        assert "Waiting for the robots" in page.locator("#waiting").inner_text()
        until(page, "window.swarm && swarm.model.hello")
        server.show(swarm.frame(1.0))
        until(page, "document.getElementById('waiting').hidden")
        until(page, "!document.getElementById('waiting').hidden")
        assert page.locator("#waiting").inner_text().startswith("Nothing heard of the robots for")
    finally:
        page.close()
        server.stop()


def test_shortcuts_are_listed_and_the_dialog_closes(page):
    page.keyboard.press("?")
    assert page.locator("#shortcuts").is_visible() and "stop all robots" in page.locator("#shortcuts").inner_text()
    page.keyboard.press("Escape")
    assert not page.locator("#shortcuts").is_visible()


def test_the_page_comes_back_after_the_server_did(shown):
    swarm, server, page = MadeUp(5), Server(Access(port=0)), shown[1].new_page()
    server.start()
    swarm.introduce(server)
    page.goto(server.address)
    until(page, "window.swarm && swarm.model.hello")
    server.stop()
    until(page, "!document.getElementById('link').classList.contains('on')")
    again = Server(Access(port=server.port))
    again.start()
    try:
        swarm.introduce(again)
        until(page, "document.getElementById('link').classList.contains('on')")
        again.show(swarm.frame(1.0))
        until(page, "swarm.model.frames === 1")
    finally:
        page.close()
        again.stop()
