"""The dashboard before a real graph, in a real browser: what is done on the page is done to the robots."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

if importlib.util.find_spec("rclpy") is None:
    pytest.skip("ROS 2 is not installed: the dashboard is not tested with a graph", allow_module_level=True)
sys.path += [str(Path(__file__).parents[1] / name) for name in ("ros", "dashboard")]

from graph import Graph
from pages import browser, frames, need_browser, watched

need_browser()
pytestmark = pytest.mark.ros

TEXT = """\
# Twelve robots that keep together.
duration: 600
robots:
  - count: 12
    start: {spacing: 0.5, heading_spread: 360, speed: 0.2}
control:
  perception: {radius: 5.0}
  separation: {weight: 2.0, distance: 0.6}   # the room they want
  cohesion: {weight: 0.15}
  alignment: {weight: 0.5}
  cruise: {weight: 0.5, speed: 0.2}
  accumulation: {method: weighted}
  separation_filter: {enabled: true}
"""


class Window:
    """A page before a graph, and both kept alive while waiting."""

    def __init__(self, graph, page):
        self.graph, self.page = graph, page

    def until(self, expression, timeout=90.0):
        """Wait until JavaScript, or a function, holds."""

        def holds():
            self.page.wait_for_timeout(10)
            return self.page.evaluate(expression) if isinstance(expression, str) else expression()

        return self.graph.until(holds, timeout)

    def speed(self):
        return float(np.hypot(*self.graph.state.velocity[:, :2].T).max())

    def spacing(self):
        """Mean distance (m) to the nearest robot."""
        position = self.graph.state.position
        distance = np.hypot(*(position[:, None] - position[None]).transpose(2, 0, 1))
        return float((distance + np.diag(np.full(len(position), np.inf))).min(axis=1).mean())

    def row(self, name):
        """A parameter's controls."""
        self.page.evaluate(f"document.getElementById('group-{name.split('.')[0]}').open = true")
        return self.page.locator(f"[data-name='{name}']")


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    graph = Graph(tmp_path_factory.mktemp("dashboard"), TEXT, dashboard={"port": 0})
    try:
        said = "the dashboard is at "
        line = graph.until(lambda: next((line for line in graph.lines if said in line), None), timeout=90.0)
        graph.until(lambda: graph.states and graph.state.time > 0.5, timeout=90.0)
        with browser(viewport={"width": 1440, "height": 900}) as chromium:
            page = chromium.pages[0]
            page.said = watched(page)
            page.goto(re.search(r"http://\S+", line)[0])
            found = Window(graph, page)
            found.until("window.swarm && swarm.model.frames > 5 && swarm.model.simulated && swarm.model.file !== null")
            yield found
    finally:
        graph.close()


@pytest.fixture(autouse=True)
def running(window):
    """Every test finds the swarm moving, and the page without complaints."""
    window.until("!swarm.model.stopped && !swarm.model.paused")
    yield
    assert window.page.said == []


def test_the_page_shows_what_the_graph_says(window):
    page, before = window.page, frames(window.page)
    window.until(f"swarm.model.frames > {before + 40}")
    window.until(f"swarm.model.frame.time >= {window.graph.state.time}")  # what it shows is of now
    assert page.evaluate("swarm.model.count") == 12
    shown = np.reshape(page.evaluate("Array.from(swarm.model.poses)"), (12, 4))[:, :2]
    moved = np.hypot(*(shown - window.graph.state.position).T)
    assert moved.max() < 0.3
    window.until("Math.abs(parseFloat(document.getElementById('factor').textContent) - 1) < 0.3")


def test_a_slider_changes_the_nodes_parameter_and_the_flocks_spacing(window):
    page = window.page
    page.click("#tab-parameters")
    before, row = window.spacing(), window.row("separation.distance")
    row.locator("input[type=range]").fill("1.6")
    window.until("swarm.model.values['separation.distance'] === 1.6")
    assert window.graph.get("behaviours", "separation.distance") == [1.6]
    window.until(lambda: window.spacing() > 1.4 * before)
    assert "changed" in row.get_attribute("class")
    page.click("#undo")
    window.until("swarm.model.values['separation.distance'] === 0.6")
    assert window.graph.get("behaviours", "separation.distance") == [0.6]
    assert row.locator("input[type=text]").input_value() == "0.6" and "changed" not in row.get_attribute("class")


@pytest.mark.parametrize("typed, words", [("abc", "'abc' found, expected a number from 0 to 100"), ("-3", "-3 found, expected a number")])
def test_a_wrong_value_is_refused_clearly_and_nothing_is_lost(window, typed, words):
    window.page.click("#tab-parameters")
    row = window.row("separation.weight")
    field = row.locator("input[type=text]")
    field.fill(typed)
    field.press("Enter")
    window.until(lambda: words in row.locator(".problem").inner_text())
    assert field.input_value() == typed and window.graph.get("behaviours", "separation.weight") == [2.0]
    field.fill("2")
    field.press("Enter")
    window.until(lambda: not row.locator(".problem").is_visible())


def test_force_laws_are_written_in_the_browser(window):
    window.page.click("#tab-parameters")
    row, weight, before = window.row("social.laws"), window.row("social.weight"), window.spacing()
    field = row.locator("input[type=text]")
    field.fill("{equilibrium: 2.0, repulsion: -3}")
    field.press("Enter")
    window.until(lambda: "-3 found, expected" in row.locator(".problem").inner_text())
    assert window.graph.get("behaviours", "social.laws") == [[]]
    field.fill("{equilibrium: 2.0, repulsion: 3, strength: 2.0}")
    field.press("Enter")
    window.until(lambda: window.graph.get("behaviours", "social.laws") == [["{equilibrium: 2.0, strength: 2.0}"]])  # 3 is the default
    weight.locator("input[type=text]").fill("1")
    weight.locator("input[type=text]").press("Enter")
    window.until(lambda: window.spacing() > 1.4 * before)
    for _ in range(2):
        window.page.click("#undo")
    window.until("swarm.model.values['social.weight'] === 0 && swarm.model.values['social.laws'].length === 0")


def test_what_others_set_is_shown(window):
    assert window.graph.set("behaviours", cohesion__weight=0.2).successful
    window.until("swarm.model.values['cohesion.weight'] === 0.2")
    window.graph.kill("behaviours")  # it comes back with the file's values
    window.until("swarm.model.values['cohesion.weight'] === 0.15 && swarm.model.status.nodes['/swarm/behaviours'].silent < 1.5")


def test_differences_are_saved_with_the_comments_kept(window):
    page, file = window.page, window.graph.file
    page.click("#tab-parameters")
    window.row("separation.distance").locator("input[type=range]").fill("0.8")
    window.until("swarm.model.values['separation.distance'] === 0.8")
    page.click("#compare")
    assert "separation.distance" in page.locator("#differences").inner_text()
    page.click("#save")
    window.until(lambda: "distance: 0.8" in file.read_text())
    assert file.read_text() == TEXT.replace("distance: 0.6", "distance: 0.8")
    window.until("swarm.model.file.values['separation.distance'] === 0.8")
    window.graph.write(file.read_text().replace("weight: 0.15", "weight: 0.16"))
    window.until("swarm.model.values['cohesion.weight'] === 0.16")  # so the node has read what was saved
    window.graph.write(TEXT)  # and back, by an editor
    window.until("swarm.model.values['separation.distance'] === 0.6 && swarm.model.file.values['separation.distance'] === 0.6")


def test_the_stop_button_stops_and_lets_go(window):
    window.until(lambda: window.speed() > 0.1)
    window.page.click("#stop")
    window.until(lambda: window.speed() == 0.0, timeout=3.0)
    window.until("swarm.model.stopped && document.getElementById('situation').textContent === 'STOPPED'")
    window.graph.watch(1.0)
    assert window.speed() == 0.0
    window.page.click("#stop")
    window.until(lambda: window.speed() > 0.1)


def test_pause_step_speed_and_reset(window):
    page, graph = window.page, window.graph
    page.click("#pause")
    window.until("swarm.model.paused && !document.getElementById('step').disabled")
    window.until(lambda: len({state.time for _, state in graph.watch(0.3)}) == 1)  # nothing that was said before the pause is under way
    time = graph.state.time
    page.click("#step")
    window.until(lambda: graph.state.time > time)
    assert graph.state.time == pytest.approx(time + 0.05)
    page.click("#pause")
    window.until(lambda: graph.state.time > time + 0.2)
    page.select_option("#speed", "2")
    window.until("Math.abs(parseFloat(document.getElementById('factor').textContent) - 2) < 0.4")
    page.select_option("#speed", "1")
    window.until(lambda: graph.status["/swarm/simulator"]["speed"] == "1")
    later = graph.state.time
    page.click("#reset")
    window.until(lambda: graph.state.time < later)
    window.until(lambda: window.speed() > 0.1)
    window.until("swarm.model.frame.time < 60 && swarm.model.frames > 0")


def test_a_robot_is_put_elsewhere(window):
    page, graph = window.page, window.graph
    page.click("#pause")
    window.until("swarm.model.paused")
    page.click("#fit")
    page.keyboard.press("Escape")
    page.wait_for_timeout(200)
    box = page.locator("#view").bounding_box()
    u, v = page.evaluate("[swarm.camera.screenX(swarm.model.poses[0]), swarm.camera.screenY(swarm.model.poses[1])]")
    aside = box["width"] - 40, box["height"] - 60  # where no robot is
    target = page.evaluate("([u, v]) => [swarm.camera.worldX(u), swarm.camera.worldY(v)]", aside)
    page.mouse.click(box["x"] + u, box["y"] + v)
    window.until("swarm.model.picked === 0")
    page.mouse.move(box["x"] + u, box["y"] + v)
    page.mouse.down()
    page.mouse.move(box["x"] + aside[0], box["y"] + aside[1], steps=3)
    page.mouse.up()
    window.until(lambda: np.allclose(graph.state.position[0], target, atol=0.02))
    window.until("swarm.model.frame.arrows && swarm.model.frame.arrows.rows > 2 && swarm.model.frame.neighbours.rows > 1")
    page.keyboard.press("Escape")
    page.click("#pause")
    window.until("!swarm.model.paused")


def test_junk_from_a_browser_changes_nothing(window):
    page = window.page
    for junk in ("hello", '{"type": "set", "changes": {"separation.weight": [[]]}, "id": 99999}', '{"type": "stop", "on": "yes"}', "[]"):
        page.evaluate("(junk) => swarm.socket.link.send(junk)", junk)
    page.evaluate("swarm.socket.link.send(new Uint8Array([1, 2, 3]))")
    window.until(lambda: "expected" in page.locator("#notices").inner_text())
    before = frames(page)
    window.until(lambda: frames(page) > before + 5)
    time = window.graph.state.time
    window.until(lambda: window.graph.state.time > time)
    assert window.graph.get("behaviours", "separation.weight") == [2.0] and window.speed() > 0.0


def test_a_goal_is_set_and_a_picture_taken(window, tmp_path):
    page = window.page
    page.click("#fit")
    page.keyboard.press("g")
    box = page.locator("#view").bounding_box()
    wanted = page.evaluate("[swarm.camera.worldX(300), swarm.camera.worldY(400)]")
    page.mouse.click(box["x"] + 300, box["y"] + 400)
    window.until("swarm.model.goal() !== null")
    goal = page.evaluate("swarm.model.goal()")
    np.testing.assert_allclose([goal["x"], goal["y"]], wanted, atol=1e-5)
    page.screenshot(path=tmp_path / "dashboard.png")
    assert (tmp_path / "dashboard.png").stat().st_size > 20_000
