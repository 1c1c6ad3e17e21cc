"""Robots with places of their own pass each other where only one fits: one steps aside, and comes back."""

import numpy as np
import pytest
from PIL import Image

import swarm_control as sc
from swarm_control.core.grid import Grid
from swarm_control.runtime.making_way import LONGEST, MOST, MakingWay


def corridor(folder):
    """Two rooms of 3 m × 3.8 m, and between them a way 2 m long and 0.4 m wide, too narrow for two robots of 0.2 m."""
    walls = np.zeros((80, 160), bool)
    walls[[0, 1, -1, -2]] = walls[:, [0, 1, -1, -2]] = True
    walls[:, 60:100] = True
    walls[36:44, 60:100] = False
    Image.fromarray(np.where(walls, 0, 255).astype(np.uint8)).save(folder / "map.png")
    (folder / "made.world").write_text('define floorplan model ()\nfloorplan ( bitmap "map.png" size [8 4 1] pose [0 0 0 0] )\n')
    return Grid(walls, (-4.0, -2.0), 0.05), folder / "made.world"


@pytest.mark.parametrize("model", ["omni", "differential", "car"])
@pytest.mark.parametrize(("starts", "places"), [
    ([(-2.0, 0.0, 0.0), (2.0, 0.0, 180.0)], [(2.0, 0.0), (-2.0, 0.0)]),
    pytest.param([(-2.0, 0.0, 0.0), (0.0, 0.0, 180.0)], [(2.0, 0.0), (0.0, 0.0)], marks=pytest.mark.study),
    pytest.param(
        [(-2.0, 0.0, 0.0), (-2.0, 0.5, 0.0), (2.0, 0.0, 180.0), (2.0, 0.5, 180.0)], [(2.0, 0.0), (2.0, 0.5), (-2.0, 0.0), (-2.0, 0.5)],
        marks=pytest.mark.study,
    ),
], ids=["swap", "parked", "two and two"])  # fmt: skip
def test_all_get_to_their_places_through_a_way_for_one(model, starts, places, tmp_path):
    _, world = corridor(tmp_path)
    robots = sc.RobotGroup(count=len(starts), model=model, radius=0.1, max_speed=0.6, max_acceleration=2.0,
                           start=sc.Start(pattern="poses", poses=tuple(starts)))  # fmt: skip
    goal = sc.Goal(each=tuple(np.ravel(places).tolist()), arrival_radius=0.15, fraction=1.0)
    changes = {"guidance.weight": 1.0, "separation_filter.enabled": True}
    sim = sc.Simulation(sc.Scenario(world=str(world), robots=(robots,), goals=(goal,), duration=180.0), seed=1, set=changes)
    summary = sim.run(until="arrival").metrics()
    assert summary["arrived_fraction"] == 1.0 and summary["collisions"] == 0


def asked(folder, *others, on=None):
    """A straggler, robot 0, is in the corridor and has its way along the middle; all others stand, or are to go ``on`` (N, 2) m."""
    grid, _ = corridor(folder)
    way = np.column_stack((np.linspace(-0.9, 2.0, 59), np.zeros(59)))
    making, position = MakingWay(0.2, 0.12), np.array([(-0.9, 0.0), *others])
    to = np.vstack(((2.9, 0.0), np.zeros((len(others), 2)) if on is None else on))
    making.look(0.0, position, {0: way}, np.arange(len(position)) > 0, np.zeros(len(position), bool), to, grid)
    return making, position, way, grid


def test_who_stands_in_the_way_is_asked_to_where_it_is_off_it_and_who_does_not_is_not(tmp_path):
    making, *_ = asked(tmp_path, (-0.3, 0.0), (2.0, 1.0), (1.2, 0.05), (-1.4, 0.0))
    assert set(making.aside) == {1, 3} and all(one.mover == 0 for one in making.aside.values())
    for one in making.aside.values():
        assert one.place[0] > 1.0 and (abs(one.place[1]) > 0.24 or one.place[0] > 2.24), "in the other room, off the way"
    assert np.hypot(*(making.aside[1].place - making.aside[3].place)) > 0.14, "each has a place of its own"


def test_who_goes_the_same_way_in_front_goes_on_and_who_comes_the_other_way_is_asked(tmp_path):
    making, *_ = asked(tmp_path, (-0.3, 0.0), (0.2, 0.0), (0.5, 0.0), on=[(3.0, 0.5), (-2.0, 0.5), (0.0, 0.0)])
    assert set(making.aside) == {2, 3}


def test_it_waits_until_the_straggler_has_passed_or_is_there_or_too_long(tmp_path):
    nobody = np.zeros(2, bool)
    for passing, back in (([(0.0, 0.0)], False), ([(1.0, 0.0)], False), ([(1.0, 0.0), (2.5, 0.0)], True), ([(2.5, 0.0)], False)):
        making, position, way, grid = asked(tmp_path, (-0.3, 0.0))
        position[1] = making.aside[1].place
        for k, place in enumerate(passing):
            position[0] = place
            making.look(1.0 + k, position, {0: way[way[:, 0] >= place[0]]}, np.array([False, True]), nobody, np.zeros((2, 2)), grid)
        assert (1 not in making.aside) == back, passing
    for arrived, ways, time in ((True, True, 1.0), (False, False, 1.0), (False, True, LONGEST + 0.1), (False, True, -1.0)):
        making, position, way, grid = asked(tmp_path, (-0.3, 0.0))
        making.look(time, position, {0: way} if ways else {}, nobody, np.array([arrived, False]), np.zeros((2, 2)), grid)
        assert 1 not in making.aside


def test_no_more_are_asked_than_can_be_waited_for_and_nobody_where_there_is_no_place(tmp_path):
    making, *_ = asked(tmp_path, *((-0.6 + 0.25 * k, 0.0) for k in range(MOST + 1)))
    assert not making.aside
    making, position, way, grid = asked(tmp_path, (-0.3, 0.0))
    making.aside.clear()
    dead_end = Grid(grid.occupied | (np.arange(160) >= 90), grid.origin, grid.resolution)
    making.look(1.0, position, {0: way[way[:, 0] < 0.4]}, np.array([False, True]), np.zeros(2, bool), np.zeros((2, 2)), dead_end)
    assert not making.aside
