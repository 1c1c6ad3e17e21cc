"""Orders from outside: to steer, to go to another goal, to follow a trajectory; before there is a structure and after."""

import numpy as np
import pytest
from closed_loop import fleet

from swarm_control.core import targets
from swarm_control.core.state import SwarmState
from swarm_control.formation.itinerary import Itinerary
from swarm_control.formation.parameters import FormationParameters
from swarm_control.runtime.formation_controller import FormationController
from swarm_control.scenario.schema import Goal

PERIOD = 0.1
PAIRS = np.array([[0.0, 0.0, 0.0], [0.0, 0.8, 0.0], [3.0, 0.0, 0.0], [3.0, 0.8, 0.0]])
GOALS = [Goal(position=(1.0, 0.4)), Goal(position=(2.0, 0.4))]


class Driven:
    """Four robots that do exactly as the controller of their formation says."""

    def __init__(self, split=(), goals=GOALS, **settings):
        self.fleet, self.pose, self.time = fleet(4, "omni"), PAIRS.copy(), 0.0
        self.controller = FormationController(self.fleet, list(goals), PERIOD)
        self.params = FormationParameters(enabled=True, split=split, **settings)

    def go(self, seconds):
        for _ in range(round(seconds / PERIOD)):
            state = SwarmState.of(self.time, self.pose, np.zeros((4, 3)))
            made = self.controller.step(state, np.full(4, self.time), self.params)
            self.pose = targets.predict(self.pose, made.command, np.full(4, PERIOD))
            self.time += PERIOD
        return made

    @property
    def middles(self):
        return np.array([part.pose for part in self.controller.structures])


def test_it_is_steered_in_its_own_frame_until_it_has_goals_again():
    run = Driven(goals=[Goal(position=(1.5, 0.4), heading=90.0)])
    run.go(30.0)
    assert run.middles[0, 2] == pytest.approx(0.5 * np.pi, abs=0.02)
    run.controller.steer(np.array([0.1, -0.05, 0.0]))
    run.go(3.0)
    begin = run.middles[0]
    run.go(4.0)
    assert run.middles[0] - begin == pytest.approx([0.2, 0.4, 0.0], abs=0.01), "ahead is along y, to the right along x"
    assert not run.controller.last.rest
    run.controller.steer(None)
    assert run.go(20.0).rest and run.middles[0, :2] == pytest.approx([1.5, 0.4], abs=0.02)


def test_each_part_is_steered_in_its_frame():
    run = Driven(split=(2.0, 2.0))
    run.go(1.0)
    run.controller.steer(np.array([0.0, 0.1, 0.0]))
    run.go(3.0)
    begin = run.middles
    run.go(2.0)
    assert run.middles - begin == pytest.approx(np.tile((0.0, 0.2, 0.0), (2, 1)), abs=0.01)


def test_a_goal_that_is_sent_takes_the_place_of_the_present_one_of_the_nearest_part():
    parted = [Goal(position=(0.0, 1.4), part=1), Goal(position=(3.0, 1.4), part=2)]
    run = Driven(split=(2.0, 2.0), goals=parted)
    run.go(0.5)
    run.controller.send(Goal(position=(4.0, 0.4), heading=0.0))
    assert run.go(20.0).rest
    assert run.middles[:, :2] == pytest.approx(np.array([[0.0, 1.4], [4.0, 0.4]]), abs=0.02)


def test_before_there_is_a_structure_the_first_goal_is_replaced():
    run = Driven()
    run.controller.send(Goal(position=(1.5, 1.0)))
    assert [goal.position for goal in run.controller.agenda.goals] == [(1.5, 1.0), (2.0, 0.4)]
    run.go(2.0)
    toward = run.middles[0, :2] - [1.5, 0.4]
    assert toward[1] > 0.05 and abs(toward[0]) < 0.02


def arc(duration=None):
    angle = np.linspace(0.0, 0.5 * np.pi, 61)
    poses = np.column_stack((1.5 + np.sin(angle), 1.4 - np.cos(angle), angle))
    return Itinerary(poses, None if duration is None else np.linspace(0.0, duration, 61))


@pytest.mark.parametrize("early", [True, False])
def test_a_trajectory_is_followed_to_its_end_in_place_of_goals(early):
    run = Driven(goals=[Goal(position=(1.5, 0.4))])
    if not early:
        run.go(1.0)
    slowed = run.controller.follow(arc(2.0))
    assert slowed == 1.0 if early else slowed > 1.5, "two metres per second of the outermost robots are too many"
    seen = []
    for _ in range(60):
        run.go(1.0)
        seen.append(run.middles[0])
    away = np.abs(np.hypot(*(np.array(seen)[:, :2] - [1.5, 1.4]).T) - 1.0)
    assert away.max() < 0.02 and seen[-1] == pytest.approx([2.5, 1.4, 0.5 * np.pi], abs=0.02) and run.controller.last.rest


def test_a_goal_ends_a_trajectory_that_nobody_follows_yet():
    run = Driven(goals=[])
    assert run.controller.follow(arc()) == 1.0
    run.controller.send(Goal(position=(1.5, 0.9)))
    assert run.go(25.0).rest and run.middles[0] == pytest.approx([1.5, 0.9, 0.0], abs=0.02)


def test_halted_robots_are_told_to_stand_and_are_where_they_are_to_be():
    run = Driven()
    assert run.controller.halted() is None
    made = run.go(1.0)
    assert np.abs(made.command[:, 0]).min() > 0.01 and made.part.tolist() == [1, 1, 1, 1] and not made.failed.any()
    halted = run.controller.halted()
    assert not halted.command.any() and (halted.target == made.target).all() and run.controller.last is halted
    assert run.controller.due is None
