"""A swarm as text: who is where on the map, and what is not as usual."""

import numpy as np
import pytest

from swarm_control.analysis.report.text_view import ARROWS, SILENT, View, screen
from swarm_control.core.grid import Grid
from swarm_control.core.state import SwarmState
from swarm_control.runtime.mission_state import MissionState, Progress


def state(*rows, velocity=0.0, valid=None, fallen=None):
    pose = np.array(rows, float).reshape(-1, 3)
    speed = np.column_stack((np.full(len(pose), velocity), np.zeros((len(pose), 2))))
    return SwarmState.of(2.0, pose, speed, valid, fallen)


def room():
    occupied = np.zeros((20, 40), bool)
    occupied[[0, -1]] = occupied[:, [0, -1]] = True
    return Grid(occupied, (-2.0, -1.0), 0.1)


def drawn(view, columns=61, lines=40):
    return screen(view, columns, lines).split("\n")


@pytest.mark.parametrize(("degrees", "arrow"), list(zip(range(-180, 180, 45), ARROWS[4:] + ARROWS[:4])))
def test_robots_point_where_they_do(degrees, arrow):
    text = screen(View(state((0.0, 0.0, np.deg2rad(degrees + 10.0)))), 40, 20)
    assert arrow in text and not set(ARROWS) & set(text) - {arrow}


def test_robots_walls_and_goals_are_where_they_are_north_up():
    mission = MissionState(1, 2.0, Progress(0, ((1.5, -0.5),), arrived_fraction=0.25))
    lines = drawn(View(state((-1.0, 0.5, 0.0), (0.0, 0.0, 0.0), (0.02, 0.01, 1.0), velocity=0.5), room(), mission))
    assert lines[:2] == ["t = 2.0 s   3 robots, 3 of them moving", "goal 1 of 1 at (1.5, -0.5) m: 25 % have arrived"]
    map = lines[2:]
    assert set(map[0]) == set(map[-1]) == {"█"} and all(line[0] == line[-1] == "█" for line in map)
    (robot,), (two,), (goal,) = ([(k, line.index(c)) for k, line in enumerate(map) if c in line] for c in "→2×")
    height, width = len(map) - 1, len(map[0]) - 1
    for (row, column), (x, y) in ((robot, (-1.0, 0.5)), (two, (0.0, 0.0)), (goal, (1.5, -0.5))):
        assert column / width == pytest.approx((x + 2.0) / 4.0, abs=0.04) and 1.0 - row / height == pytest.approx((y + 1.0) / 2.0, abs=0.11)
    assert len(map[0]) == pytest.approx(2 * 2 * len(map), abs=5), "a character is twice as high as wide"


def test_it_fits_wherever_it_is_shown():
    rng = np.random.default_rng(0)
    for columns, lines in ((20, 8), (200, 50), (80, 24)):
        text = drawn(View(state(*rng.uniform(-9.0, 9.0, (50, 3))), nodes={"/swarm/a": (0.1, "running", {"rate": "20"})}), columns, lines)
        assert len(text) <= lines and max(map(len, text)) <= columns


def test_what_is_wrong_is_told_first():
    valid, fallen = np.array([True, False, True]), np.array([False, False, True])
    view = View(state((0, 0, 0), (1, 0, 0), (2, 0, 0), valid=valid, fallen=fallen), stopped=True)
    view.nodes = {"/swarm/b": (SILENT + 1.0, "running", {}), "/swarm/a": (0.1, "running", {"ticks_per_second": "20", "late": "0"})}
    lines = drawn(view, 120)
    assert lines[0].endswith("0 of them moving   STOPPED: swarm stop --release lets it go")
    assert lines[1:3] == ["NO ODOMETRY OF robots 1", "FALLEN: robots 2"] and "✝" in "".join(lines)
    assert lines[-2] == "/swarm/b  SILENT for 4 s" or lines[-2].startswith("/swarm/b  SILENT")
    assert lines[-1] == "/swarm/a  ticks_per_second 20"
    assert drawn(View(nodes=view.nodes))[0] == "nothing heard of the robots yet"
