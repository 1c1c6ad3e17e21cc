"""A crowd before the page: five hundred robots, three tabs, two and a half minutes of frames."""

import gc
import math
import time

import pytest
from pace import Pace, descendants
from pages import MadeUp, browser, frames, need_browser, until, watched

from swarm_control.dashboard.frames import METRICS, Table
from swarm_control.dashboard.security import Access
from swarm_control.dashboard.server import Server

need_browser()
pytestmark = pytest.mark.study


def resident():
    """Memory of this process, which is the server's, MB."""
    gc.collect()
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * 4096 / 1e6


def heap(page):
    """Memory of the page's objects after a cleaning, MB."""
    client = page.context.new_cdp_session(page)
    client.send("HeapProfiler.collectGarbage")
    used = client.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    client.detach()
    return used


def test_five_hundred_robots_in_three_tabs_take_flat_memory():
    """3,000 frames of 500 robots, as fast as three pages take them; each with a robot picked. Half-way memory is as at the end."""
    total, swarm, server = 3_000, MadeUp(500), Server(Access(port=0))
    server.start()
    swarm.introduce(server)
    shapes = [swarm.frame(0.05 * k) for k in range(200)]
    with browser() as window:
        tabs = [window.pages[0], window.new_page(), window.new_page()]
        said = [watched(tab) for tab in tabs]
        for tab in tabs:
            tab.goto(server.address)
            until(tab, "window.swarm && swarm.model.hello")
            tab.keyboard.press("n")
        sent, marks, began, pace = 0, [], time.monotonic(), Pace(descendants)
        while sent < total:
            for _ in range(500):
                sent += 1
                shape = shapes[sent % 200]
                metrics = shape.tables[Table.METRICS].copy()
                metrics[0, METRICS.index("order")] = 0.5 + 0.5 * math.sin(sent / 100)
                server.show(type(shape)(0.05 * sent, {**shape.tables, Table.METRICS: metrics}, shape.details))
                time.sleep(0.001)
            if sent in (total // 2, total):
                for tab in tabs:
                    until(tab, f"swarm.model.frame.time === {0.05 * sent}")
                marks.append((resident(), *(heap(tab) for tab in tabs)))
        took = time.monotonic() - began
        waited = pace.waited()
        got = [frames(tab) for tab in tabs]
    server.stop()
    print(f"\n{total} frames in {took:.1f} s; tabs drew {got}; server and pages, MB: half-way {marks[0]}, at the end {marks[1]}")
    assert said == [[], [], []]
    assert min(got) > 20 * (took - waited)  # nobody fell below twenty a second
    for half, end in zip(*marks):
        assert end < half + 2.0 + 0.02 * half
