"""The dashboard before robots that are no simulator's: the test plays them, by their odometry alone."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

if importlib.util.find_spec("rclpy") is None:
    pytest.skip("ROS 2 is not installed: the dashboard is not tested with a graph", allow_module_level=True)
sys.path += [str(Path(__file__).parents[1] / name) for name in ("ros", "dashboard")]

from graph import SCENARIO, Graph
from pages import browser, need_browser, watched
from robots import ROBOTS, Robots

need_browser()
pytestmark = pytest.mark.ros


def test_robots_are_shown_by_their_odometry_and_can_be_stopped(tmp_path):
    data = {**SCENARIO, "robots": [{"count": 3}], "control": {**SCENARIO["control"], "seek": {"weight": 4.0}}}
    graph = Graph(tmp_path, data, simulator="none", dashboard={"port": 0, "source": "auto"})
    try:
        robots = Robots(graph)
        robots.only_moves(*ROBOTS, within=60.0)
        said = "the dashboard is at "
        line = graph.until(lambda: next((line for line in graph.lines if said in line), None))
        with browser(viewport={"width": 1024, "height": 768}) as window:
            page = window.pages[0]
            complaints = watched(page)
            page.goto(re.search(r"http://\S+", line)[0])

            def until(expression):
                def holds():
                    page.wait_for_timeout(10)
                    return page.evaluate(expression)

                graph.until(holds)

            until("window.swarm && swarm.model.frames > 10 && swarm.model.node('motion_model') && swarm.model.known(2)")
            assert page.evaluate("swarm.model.count") == 3 and page.evaluate("swarm.model.frame.time") < 600.0
            assert page.locator("#pause").is_disabled() and page.locator("#reset").is_disabled()
            robots.silent.add("robot_1")
            until("swarm.model.poses[7] === 1 && swarm.model.poses[3] === 0")
            robots.silent.clear()
            until("swarm.model.poses[7] === 0")
            page.click("#stop")
            until("swarm.model.stopped")
            robots.only_moves(within=2.0)
            assert complaints == []
    finally:
        graph.close()
