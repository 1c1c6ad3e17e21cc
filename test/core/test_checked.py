"""What behaviours and robot models hand back amiss is told by their names, and nobody else suffers from it."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
import pytest

from swarm_control.analysis.simulation import Simulation
from swarm_control.behaviours import BEHAVIOURS
from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.checked import unfit
from swarm_control.core.parameters import param
from swarm_control.errors import InputError
from swarm_control.robots import ROBOTS

WRONG = {
    "nothing": (lambda n, k: None, "None found"),
    "one row for all": (lambda n, k: np.zeros(k), "an array"),
    "a column too few": (lambda n, k: np.zeros((n, k - 1)), "an array"),
    "one row too many": (lambda n, k: np.zeros((n + 1, k)), "an array"),
    "a list": (lambda n, k: [[0.0] * k] * n, "[["),
    "objects": (lambda n, k: np.full((n, k), None), "of object"),
    "complex numbers": (lambda n, k: np.zeros((n, k), complex), "of complex"),
}


@dataclass(frozen=True)
class Params:
    """Parameters of the behaviour."""

    weight: float = param(0.0, "weight")


@pytest.fixture
def stray():
    """Let a behaviour hand back what a function of the number of robots and columns says; then a robot model."""
    added = []

    def behaviour(make):
        def stray(state, seen, around, params):
            """It errs."""
            return make(len(state), 2)

        register_behaviour(Params, priority=1)(stray)
        added.append((BEHAVIOURS, "stray"))
        return Simulation("flock_frame", robots=5, set={"stray.weight": 1.0})

    def robot(make):
        ROBOTS.add(replace(ROBOTS["omni"], name="strayer", twist=lambda desired, *rest: make(len(desired), 3)))
        added.append((ROBOTS, "strayer"))
        return Simulation("flock_frame", robots=5, set={"robots.0.model": "strayer"})

    yield behaviour, robot
    for registry, name in added:
        registry.remove(name)


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_result_is_told_by_name(what, stray):
    make, found = WRONG[what]
    for wrong, who in zip(stray, ("behaviour stray: .* as its request, expected", "robot model strayer: .* as its twist")):
        with pytest.raises(InputError, match=who) as told:
            wrong(make).step()
        assert found in str(told.value) and "\n" not in str(told.value)


def test_a_request_that_is_not_finite_counts_as_zero_and_is_told_once(stray):
    def gap(n, k):
        made = np.zeros((n, k))
        made[2, 0] = np.nan
        return made

    free = Simulation("flock_frame", robots=5).run(1.0)
    with pytest.warns(RuntimeWarning, match="behaviour stray: a request that is not finite found; it counts as zero"):
        strayed = stray[0](gap).run(1.0)
    assert np.array_equal(strayed.state.pose, free.state.pose), "the other behaviours go on"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        strayed.run(2.0)
    assert len(told) == 1


def test_a_twist_that_is_not_finite_counts_as_zero_and_is_told(stray):
    with pytest.warns(RuntimeWarning, match="robot model strayer: a twist that is not finite found; it counts as zero"):
        sim = stray[1](lambda n, k: np.full((n, k), np.nan)).run(0.5)
    assert not sim.last.tick.commands.twist.any()


def test_nothing_is_told_of_robots_without_odometry():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Simulation("flock_frame", robots=10, set={"simulator.loss": 0.9, "simulator.delay": 0.2}).run(3.0)


def test_rows_that_are_not_finite_are_found_among_those_that_are_asked_for():
    values = np.array([[np.nan, 0.0], [1.0, np.inf], [np.nan, 1.0], [2.0, 3.0]])
    assert unfit(values, np.array([True, True, False, True])).tolist() == [True, True, False, False]
    assert unfit(values[3:], np.array([True])) is None
