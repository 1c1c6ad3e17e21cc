"""Where a flock has arrived that gathers beside a wall with a door: on the goal's side of it, if there is room for all."""

import numpy as np
import pytest

from swarm_control.behaviours.separation import Separation
from swarm_control.core.grid import Grid
from swarm_control.core.ground import FreeGround
from swarm_control.core.state import SwarmState
from swarm_control.runtime.gathering import Gathering
from swarm_control.scenario.schema import Control, Goal

BODY = 0.15
GOAL = Goal(position=(1.2, 0.0))
PLACES = np.array([(1.0, 0.5), (0.3, 0.0), (-0.3, 0.0), (-0.3, 1.0), (-0.6, -0.5)])
"""Two robots on the goal's side of a wall along x = 0, three on the other side and nearer to the goal than most of its room."""


def ground(door, wide=2.5):
    """A room on each side of the wall, which has a ``door`` (m); the goal's is so ``wide`` (m)."""
    x, y = np.meshgrid(0.05 * (np.arange(120) + 0.5) - 3.0, 0.05 * (np.arange(120) + 0.5) - 3.0)
    occupied = (np.abs(y) > 2.9) | (x < -2.9) | (x > wide) | ((np.abs(x) < 0.1) & (np.abs(y) > 0.5 * door))
    return FreeGround(Grid(occupied, (-3.0, -3.0), 0.05))


def arrived(ground, robots, distance=0.9):
    """Who of so many robots is there; all but five stand at the goal."""
    places = np.vstack((PLACES, np.tile(GOAL.position, (robots - 5, 1))))
    state = SwarmState.of(0.0, np.column_stack((places, np.zeros(robots))), np.zeros((robots, 3)))
    gathering, control = Gathering(ground, BODY), Control(separation=Separation(weight=1.0, distance=distance, area_share=0.0))
    return gathering.arrived(GOAL, state, control)[:5].tolist(), gathering.radius(GOAL, control, robots)


@pytest.mark.parametrize("door", [0.4, 0.5])
def test_who_is_before_a_narrow_door_has_not_arrived(door):
    there, radius = arrived(ground(door), 20)
    assert there == [True, True, False, False, False] and radius > 2.0


def test_a_wide_opening_is_no_door():
    assert arrived(ground(1.2), 20)[0] == [True] * 5
    assert arrived(FreeGround(None), 20)[0] == [True] * 5


def test_where_the_flock_has_no_room_on_the_goals_side_the_other_side_counts():
    assert arrived(ground(0.5, wide=1.4), 120)[0] == [True] * 5
    assert arrived(ground(0.5, wide=1.4), 20)[0] == [True, True, False, False, False]


def test_the_circle_grows_with_what_the_other_side_does_not_count_for():
    near, far = (arrived(ground(door), 12, 0.5)[1] for door in (1.2, 0.5))
    assert near < far < arrived(ground(0.5), 30, 0.5)[1]


def test_who_is_pushed_out_of_the_room_is_urged_back_and_nobody_else_is():
    gathering, unled = Gathering(ground(0.5), BODY), np.full((4, 2), np.nan)
    first, then = np.array([True, True, False, False]), np.array([True, False, False, False])
    for there, back in ((first, []), (then, [1]), (first, []), (then, [1])):
        urged = unled.copy()
        gathering.urge_back(GOAL, there, urged)
        assert np.flatnonzero(np.isfinite(urged).all(axis=1)).tolist() == back and (urged[back] == GOAL.position).all()
    leading = np.tile([5.0, 5.0], (4, 1))
    gathering.urge_back(GOAL, then, leading)
    assert (leading == 5.0).all(), "who leads has a place to go to"
    urged = unled.copy()
    gathering.urge_back(Goal(position=(-1.0, 0.0)), then, urged)
    assert np.isnan(urged).all(), "at another goal nobody has been"
