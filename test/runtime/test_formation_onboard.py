"""Robots that each keep the structure by themselves, with odometry that is lost and late: nobody asks anybody whether he has arrived."""

import numpy as np
import pytest

from swarm_control.analysis.simulation import simulate
from swarm_control.core.state import SwarmState
from swarm_control.formation.departure import AWAY, Departure, depart
from swarm_control.formation.participants import known_commands
from swarm_control.formation.shapes import shape
from swarm_control.formation.structure import Structure
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare

LATE = ("simulator.onboard=true", "simulator.agree=false", "simulator.delay=0.2", "simulator.loss=0.3", "formation.repeat=2", "duration=45")
TOLERANCE = 0.004
NAMES = ("a", "b", "c")
POINTS = shape("circle", 3, 0.6)


def fly(name, *changes, watch=None):
    loaded = load(name, changes)
    return simulate(loaded, prepare(loaded.scenario, loaded.source), until_arrival=True, watch=watch)


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.study) for seed in (0, 3))])
def test_untimed_goals_are_reached_by_all_with_lost_and_late_odometry(seed):
    visits = []
    watch = lambda f, m: visits.append([k.visits for k in f.formation.controllers])  # noqa: E731
    summary = fly("formation_translate", *LATE, f"seed={seed}", watch=watch).summary
    assert visits[-1] == [4, 4, 4] and summary["arrived_fraction"] == 1.0 and summary["collisions"] == 0
    assert summary["formation_error_mean"] < 0.004
    # hosted it takes 23 s
    assert summary["arrival_time"] < 26.0


@pytest.mark.parametrize("seed", [2, 5])
def test_turns_are_made_by_all(seed):
    summary = fly("formation_rotate", *LATE, f"seed={seed}").summary
    assert summary["arrived_fraction"] == 1.0 and summary["formation_error_mean"] < 0.005


@pytest.mark.parametrize("late", [0, 1, 2, 4, 6, 12, 30])
def test_what_is_presumed_of_others_settles_however_late_their_odometry(late):
    """Robot 1 stands, whatever robot 0 would have told it: what is presumed becomes the next command, as in a structure that waits."""
    period, commands, own = 0.05, np.zeros((late + 2, 2, 3)), 0
    commands[:, 1] = [0.4, 0.0, 1.0]
    state = SwarmState.of(10.0, np.zeros((2, 3)), np.zeros((2, 3)))
    sizes = []
    for _ in range(40 * (late + 1)):
        told = known_commands(state, np.full(2, 10.0 - late * period), commands, own, period)
        commands = np.concatenate((told[:1], commands[:-1]))
        sizes.append(np.abs(told[0, 1]).max())
    assert max(sizes) <= 1.0 and sizes[-1] < 0.01


@pytest.mark.parametrize("motion", ["translate", pytest.param("rotate", marks=pytest.mark.study)])
def test_who_never_finds_that_he_has_arrived_goes_on_with_the_others(motion):
    visits = []

    def watch(frame, metrics):
        first = frame.formation.controllers[0].parts
        if first:
            first[0].goals._rested = -1.0  # robot_0 never rests for long enough
        visits.append([controller.visits for controller in frame.formation.controllers])

    fly(f"formation_{motion}", *LATE, "duration=80", watch=watch)
    # nobody leaves the last goal, so nobody shows him that it has been reached
    assert visits[-1] == [4, 4, 4] and [3, 4, 4] in visits


def at(x, y=0.0, yaw=0.0):
    return Structure(POINTS, NAMES, np.array([x, y, yaw]))


def looks(poses, goal, following):
    """Departure after robots have been, all in place, at each of ``poses`` in turn."""
    seen = Departure.none(3)
    for pose in poses:
        held = at(*pose)
        seen = depart(seen, held, held.world, np.array(goal, float), np.array(following, float), TOLERANCE)
    return seen


def test_who_comes_to_a_goal_does_not_leave_it():
    # to and fro: the way to the goal is the way to the next one backwards
    assert not looks([(x,) for x in np.linspace(1.0, 0.0, 400)], (0, 0, 0), (1, 0, 0)).left.any()
    # on and on: arriving is moving towards the next one
    assert not looks([(x,) for x in np.linspace(-1.0, 0.0, 200)], (0, 0, 0), (1, 0, 0)).left.any()


def test_who_is_carried_about_far_from_the_goal_does_not_leave_it():
    assert not looks([(0.5,), (0.3,), (0.6,)], (0, 0, 0), (1, 0, 0)).left.any()


@pytest.mark.parametrize(("following", "away"), [((1, 0, 0), (1, 0, 0)), ((0, 0, np.pi / 2), (0, 0, 1 / 0.35))])
def test_one_robot_that_leaves_is_seen(following, away):
    seen, goal = looks([(0.0,)], (0, 0, 0), following), np.zeros(3)
    less, more = (at(*(share * AWAY * TOLERANCE * np.array(away))).world for share in (0.9, 1.2))
    for moved, leaves in ((less, False), (more, True)):
        position = at(0.0).world
        position[1] = moved[1]
        assert depart(seen, at(0.0), position, goal, np.array(following, float), TOLERANCE).left.tolist() == [False, leaves, False]


def test_the_last_goal_is_left_by_nobody():
    goal = np.array([1.0, 0.0, 0.0])
    seen = looks([(1.0,)], goal, goal)
    assert not depart(seen, at(1.0), at(1.1).world, goal, goal, TOLERANCE).left.any()
