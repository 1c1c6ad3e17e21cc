"""A real browser, and a made-up swarm for it to look at."""

import contextlib
import os
import shutil
import tempfile
import time

import numpy as np
import pytest

from swarm_control.core.grid import Grid
from swarm_control.dashboard.catalogue import catalogue, values
from swarm_control.dashboard.frames import LEADER, METRICS, VALID, Frame, Table
from swarm_control.scenario.groups import Controls
from swarm_control.scenario.schema import Control

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def need_browser():
    """Skip where there is no browser to test with."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed: the page is not tested in a browser")
    if CHROMIUM is None:
        pytest.skip("chromium not found: apt install chromium", allow_module_level=True)


@contextlib.contextmanager
def browser(**options):
    """A headless Chromium with a profile of its own; ``options`` are those of the window, such as ``viewport``."""
    from playwright.sync_api import sync_playwright

    profile = tempfile.mkdtemp(prefix="chromium")
    try:
        with sync_playwright() as play:
            context = play.chromium.launch_persistent_context(
                profile, executable_path=CHROMIUM, args=FLAGS, env={**os.environ, "NO_PROXY": "127.0.0.1,localhost"}, **options
            )
            try:
                yield context
            finally:
                context.close()
    finally:
        shutil.rmtree(profile, ignore_errors=True)


def watched(page):
    """Collect what the page complains of."""
    said = []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    return said


def frames(page):
    """How many frames the page has got."""
    return page.evaluate("swarm.model.frames")


class MadeUp:
    """Robots that circle, each about a place of its own, and see the next three."""

    def __init__(self, robots=500, seed=0):
        rng = np.random.default_rng(seed)
        self.n, side = robots, 0.75 * np.sqrt(robots)
        self.centre, self.phase = rng.uniform(-side / 2, side / 2, (robots, 2)), rng.uniform(0, 2 * np.pi, robots)
        cells = np.zeros((100, 100), bool)
        cells[[0, -1]] = cells[:, [0, -1]] = cells[40:44, 20:60] = True
        self.grid = Grid(cells, (-side / 2 - 1, -side / 2 - 1), (side + 2) / 100)

    def hello(self):
        n = self.n
        return {
            "scenario": "made_up", "description": "robots that circle", "file": "/nowhere/made_up.yaml", "duration": 60.0,
            "names": [f"robot_{k}" for k in range(n)], "models": ["omni"] * n, "radius": [0.0375] * n, "groups": [""] * n,
            "goals": [[2.0, 2.0]], "metrics": list(METRICS), "parameters": catalogue(Controls(Control())),
        }  # fmt: skip

    def frame(self, time):
        angle = self.phase + 0.5 * time
        position = self.centre + 0.3 * np.column_stack((np.cos(angle), np.sin(angle)))
        velocity = 0.15 * np.column_stack((-np.sin(angle), np.cos(angle)))
        yaw, flags = angle + np.pi / 2, np.full(self.n, float(VALID))
        flags[:3] += LEADER
        order, gap = abs(np.exp(1j * yaw).mean()), 0.2 + 0.1 * np.sin(time / 5)
        tables = {
            Table.ROBOTS: np.column_stack((position, yaw, velocity, np.full(self.n, 0.5), flags)),
            Table.GOALS: np.array([[2.0, 2.0, 1.0, -1.0], [2.4, 2.0, np.nan, 0.0]]),
            Table.METRICS: np.array([[order, gap, np.floor(time / 20), np.nan, 0.15, 0.002, 1.0]]),
            Table.RINGS: np.array([[0.0, 0.0, 1.5, -1.0]]),
        }
        robots, nearest = np.repeat(np.arange(self.n), 3), (np.arange(3 * self.n) // 3 + np.tile([1, 2, 3], self.n)) % self.n
        details = {
            Table.NEIGHBOURS: np.column_stack((robots, nearest, position[nearest])),
            Table.ARROWS: np.vstack([np.column_stack((np.arange(self.n), np.full(self.n, k), (k + 2) * velocity)) for k in (-1, 0, 1)]),
        }
        return Frame(time, tables, details)

    def introduce(self, server):
        from swarm_control.dashboard.frames import pack_map

        nodes = {"/swarm/simulator": {"state": "running", "values": {"speed": "1"}, "silent": 0.0}}
        server.tell("hello", self.hello())
        server.tell("values", {"values": values(Controls(Control()))})
        server.tell("file", {"values": values(Controls(Control())), "problem": ""})
        server.tell("behaviours", {"names": ["separation", "cohesion"]})
        server.tell("status", {"nodes": nodes, "simulator": True, "stopped": False, "warnings": []})
        server.tell("map", pack_map(self.grid))


def until(page, expression, timeout=60.0):
    """Wait until a JavaScript expression holds; the page's own rules do not let it wait by itself."""
    deadline = time.monotonic() + timeout
    while not (found := page.evaluate(expression)):
        assert time.monotonic() < deadline, f"waited in vain for {expression}"
        page.wait_for_timeout(50)
    return found
