"""Robots that those who have arrived keep from the goal get free places there, and are led round the others to them."""

import numpy as np
import pytest
from PIL import Image

import swarm_control as sc
from swarm_control.core.geometry import norm
from swarm_control.core.grid import Grid
from swarm_control.core.ground import FreeGround
from swarm_control.runtime.free_places import KEPT, LONGEST, FreePlaces

GOAL, RADIUS, WIDTH, ROOM = np.array([0.3, 0.2]), 0.5, 0.2, 0.12
COLUMN = np.column_stack((np.arange(-0.9, 0.7, 0.22), np.full(8, 0.2)))
"""Robots that stand one behind the other: the foremost is past the goal, the last ones are outside the circle."""


def everywhere(points):
    return np.ones(len(points), bool)


def room():
    return Grid(np.pad(np.zeros((58, 58), bool), 1, constant_values=True), (-1.5, -1.5), 0.05)


def gone(places, start, standing, seconds=20.0, speed=0.5):
    """The way of one robot that goes where it is led."""
    way, goal = [np.array(start, float)], np.zeros((1, 2))
    for k in range(round(seconds * 10)):
        if places.lead(0.1 * k, way[-1][None], [0], standing, GOAL, RADIUS, everywhere, 8.0 * WIDTH, goal):
            step = goal[0] - way[-1]
            way.append(way[-1] + step * min(0.1 * speed / max(np.hypot(*step), 1e-9), 1.0))
    return np.array(way)


@pytest.mark.parametrize("ground", [FreeGround(None), FreeGround(room())], ids=["open space", "a room"])
def test_round_a_column_to_a_free_place_within_the_circle(ground):
    way = gone(FreePlaces(ground, WIDTH, ROOM), (-1.15, 0.2), COLUMN)
    assert norm(way[-1] - GOAL) < RADIUS
    assert norm(way[:, None] - COLUMN).min() > 0.9 * WIDTH, "nobody is in the way of where it is led"
    assert norm(way[-1] - COLUMN).min() >= 2.0 * ROOM, "there is room for it"


def test_without_a_free_place_nobody_is_led_and_with_one_again_he_is():
    places, goal = FreePlaces(FreeGround(None), WIDTH, ROOM), np.full((1, 2), np.nan)
    x, y = np.meshgrid(np.arange(-0.6, 0.7, 0.2), np.arange(-0.6, 0.7, 0.2))
    full = GOAL + np.column_stack((x.ravel(), y.ravel()))
    seek = lambda time, standing: places.lead(time, np.array([[-1.0, 0.0]]), [0], standing, GOAL, RADIUS, everywhere, 1.6, goal)  # noqa: E731
    assert seek(0.0, full) == [] and np.isnan(goal).all()
    assert seek(0.1, full[norm(full - GOAL) > 0.25]) == [0] and norm(goal[0] - GOAL) < RADIUS + 1.0


def test_a_place_is_kept_until_it_is_taken_or_takes_too_long():
    places, goal = FreePlaces(FreeGround(None), WIDTH, ROOM), np.zeros((1, 2))

    def seat(time, standing):
        assert places.lead(time, np.array([[-1.0, 0.2]]), [0], standing, GOAL, RADIUS, everywhere, 9.0, goal) == [0]
        return goal[0].copy()

    nobody = np.empty((0, 2))
    first = seat(0.0, nobody)
    assert (seat(1.0, first[None] + 0.25) == first).all(), "another one beside it does not matter"
    second = seat(2.0, first[None] + 0.05)
    assert norm(second - first - 0.05) >= 2.0 * ROOM
    assert (seat(3.0, nobody) == second).all() and (seat(2.1 + LONGEST, nobody) == first).all()


def test_a_place_is_kept_a_moment_for_who_does_not_want_it():
    places, goal, nobody = FreePlaces(FreeGround(None), WIDTH, ROOM), np.zeros((2, 2)), np.empty((0, 2))

    def place(time, x, seekers=(0,)):
        position = np.array([[x, 0.2], [3.0, 0.2]])
        assert places.lead(time, position, seekers, nobody, GOAL, RADIUS, everywhere, 9.0, goal) == list(seekers)
        return goal[0].copy()

    left = place(0.0, -1.0)
    place(0.1, -1.0, ())
    assert (place(0.9 * KEPT, 1.6) == left).all(), "though another place is nearer by now"
    place(1.95 * KEPT, -1.0, (1,))
    assert (place(2.0 * KEPT, 1.6) != left).any()


def test_places_are_where_robots_have_arrived_and_for_one_robot_each():
    places, goal = FreePlaces(FreeGround(room()), WIDTH, ROOM), np.zeros((5, 2))
    right = lambda points: points[:, 0] > 0.45  # noqa: E731
    position = np.array([(-1.0, y) for y in (-0.4, -0.1, 0.2, 0.5, 0.8)])
    assert places.lead(0.0, position, range(5), np.empty((0, 2)), GOAL, RADIUS, right, 9.0, goal) == [0, 1, 2, 3, 4]
    assert goal[:, 0].min() > 0.45 and norm(goal - GOAL).max() < RADIUS
    apart = norm(goal[:, None] - goal)[np.triu_indices(5, 1)]
    assert apart.min() >= 2.0 * ROOM


HEAP = (2.45, 0.09, 2.26, -0.39, 1.93, 0.04, 3.29, -0.36, 2.77, -0.43, 3.49, 0.12, 2.97, 0.05)
"""Seven robots of 0.5 m that have come from the left to the goal at (3.5, 0): two are kept from it by the others."""


@pytest.mark.parametrize("model", ["omni", "differential", "car"])
def test_a_heap_that_lies_before_the_goal_becomes_round(model):
    poses = tuple((x, y, 0.0) for x, y in np.reshape(HEAP, (-1, 2)))
    robots = sc.RobotGroup(count=7, model=model, radius=0.25, max_speed=0.6, start=sc.Start(pattern="poses", poses=poses))
    goal = sc.Goal(position=(3.5, 0.0), fraction=1.0)
    changes = {"guidance.weight": 0.4, "cohesion.weight": 0.25, "separation.weight": 0.2, "separation.distance": 0.2,
               "separation_filter.enabled": True, "leaders.count": 3}  # fmt: skip
    summary = sc.Simulation(sc.Scenario(robots=(robots,), goals=(goal,), duration=120.0), seed=1, set=changes).run("arrival").metrics()
    assert summary["arrived_fraction"] == 1.0 and summary["collisions"] == 0


PLUG = (4.422, -0.803, 3.697, 0.833, 3.65, 0.014, 5.202, 0.383, 2.241, 0.079, 0.848, 0.254, 5.155, -0.435, 3.602, -0.804, 1.492, -0.254,
        4.517, 0.834, 2.964, 0.465, 2.856, -0.463, 0.204, -0.254, 4.47, 0.015)  # fmt: skip
"""Fourteen robots of 0.8 m, of which one that has come to the goal at (4.5, 0) stands before the way out of which the last three come."""


def test_who_has_come_to_the_goal_steps_aside_for_those_that_it_keeps_from_it(tmp_path):
    walls = np.ones((200, 280), bool)  # 5 cm
    walls[2:-2, 2:110] = walls[2:-2, 170:-2] = walls[86:114, 110:170] = False
    Image.fromarray(np.where(walls, 0, 255).astype(np.uint8)).save(tmp_path / "map.png")
    (tmp_path / "made.world").write_text('define floorplan model ()\nfloorplan ( bitmap "map.png" size [14 10 1] pose [0 0 0 0] )\n')
    poses = tuple((x, y, 0.0) for x, y in np.reshape(PLUG, (-1, 2)))
    robots = sc.RobotGroup(count=14, radius=0.4, max_speed=0.6, max_acceleration=1.5, start=sc.Start(pattern="poses", poses=poses))
    changes = {"guidance.weight": 0.4, "cohesion.weight": 0.25, "separation.weight": 0.2, "separation.distance": 0.2,
               "separation.area_share": 0.5, "steer_to_avoid.weight": 0.85, "steer_to_avoid.look_ahead": 0.8, "arrival.weight": 0.1,
               "perception.radius": 3.0, "perception.count": 6, "separation_filter.enabled": True}  # fmt: skip
    goal = sc.Goal(position=(4.5, 0.0), fraction=0.9)
    scenario = sc.Scenario(world=str(tmp_path / "made.world"), robots=(robots,), goals=(goal,), duration=120.0)
    summary = sc.Simulation(scenario, seed=1, set=changes).run("arrival").metrics()
    assert summary["arrived_fraction"] > 0.9 and summary["collisions"] == 0


def test_who_waits_behind_a_wall_near_the_goal_goes_alone(tmp_path):
    """However far it sees: twenty-two robots at two doors arrive."""
    walls = np.zeros((70, 100), bool)
    walls[[0, -1]] = walls[:, [0, -1]] = walls[:, 50:52] = True
    walls[32:38, 50:52] = walls[12:18, 50:52] = False
    Image.fromarray(np.where(walls, 0, 255).astype(np.uint8)).save(tmp_path / "map.png")
    (tmp_path / "made.world").write_text('define floorplan model ()\nfloorplan ( bitmap "map.png" size [10 7 1] pose [0 0 0 0] )\n')
    robots = sc.RobotGroup(count=22, model="differential", radius=0.15, max_speed=0.6, max_acceleration=3.0, wheel_base=0.22,
                           start=sc.Start(pattern="scatter", center=(-3.5, 0.0), spacing=0.35, heading_spread=360.0))  # fmt: skip
    changes = {"guidance.weight": 0.4, "cohesion.weight": 0.25, "separation.weight": 0.2, "separation.distance": 0.4,
               "steer_to_avoid.weight": 0.85, "perception.radius": 3.0, "separation_filter.enabled": True}  # fmt: skip
    goal = sc.Goal(position=(3.5, 0.0), fraction=1.0)
    scenario = sc.Scenario(world=str(tmp_path / "made.world"), robots=(robots,), goals=(goal,), duration=120.0)
    summary = sc.Simulation(scenario, seed=1, set=changes).run("arrival").metrics()
    assert summary["arrived_fraction"] == 1.0 and summary["collisions"] == 0


