"""Every registered robot model, also a plugin's, keeps to the contract; and the checks notice what breaks it."""

from dataclasses import replace

import numpy as np
import pytest

from swarm_control.analysis.contract import check_robot
from swarm_control.analysis.contract_bodies import check_fenced_body
from swarm_control.analysis.contract_engine import check_braking
from swarm_control.analysis.contract_robot import fleet_of
from swarm_control.core.compiled import Kernel, njit
from swarm_control.robots import ROBOTS
from swarm_control.robots.omni import top_rate

SIZES = {
    "hopper": (0.3, 2.5, 2.5, 2.0, 0.3),
    "bicycle": (0.5, 9.0, 3.0, 1.0, 0.3),
    "hexapod": (0.02, 0.05, 0.5, 1.5, 0.024),
}
"""Radius, top speed, acceleration, turn rate and wheel base of robots that are not of 0.1 m and 1 m/s."""


def sized(name, n):
    robots = fleet_of(ROBOTS[name], n)
    if name not in SIZES:
        return robots
    columns = ("radius", "max_speed", "max_acceleration", "max_turn_rate", "wheel_base")
    return replace(robots, **{column: np.full(n, value) for column, value in zip(columns, SIZES[name])})


@pytest.mark.parametrize("name", ROBOTS)
def test_every_robot_model_keeps_the_contract(name):
    check_robot(ROBOTS[name], sized(name, 16))


@pytest.mark.parametrize(("name", "robots", "duration"), [pytest.param("hopper", 8, 8.0, marks=pytest.mark.study), ("hexapod", 4, 4.0)])
def test_the_fence_holds_robots_that_have_bodies(name, robots, duration):
    """Seeds other than those on which their reaction and braking were chosen (0 to 2 and 10)."""
    fleet = sized(name, robots)
    room = check_fenced_body(ROBOTS[name], fleet, 20, duration, margin=float(fleet.radius[0]) / 6.0)
    assert room.min() < fleet.radius[0], "somebody has come to the fence"


@pytest.fixture
def registered():
    """Register a model for a test."""
    added = []

    def register(model):
        added.append(ROBOTS.add(model))
        return model

    yield register
    for model in added:
        ROBOTS.remove(model.name)


@njit(cache=True)
def no_limit(forward, left, rate, max_speed, max_turn_rate, wheel_base):
    return forward, left, rate


@njit(cache=True)
def standing(dx, dy, forward, left, rate, max_speed, gain, max_turn_rate, half_base, horizon):
    return 0.0, 0.0, 0.0


def fast_twist(desired, pose, fleet, params, period):
    return 3.0 * ROBOTS["omni"].twist(desired, pose, fleet, params, period)


def lagging(pose, velocity, params, period):
    return pose[:, :2] + (0.1, 0.0), velocity[:, :2]


def crooked(pose, twist, dt):
    return ROBOTS["omni"].predict(pose, 1.1 * twist, dt)


def never_brakes(robots, twist, old_pose, old_velocity, limits, dt, move, pose, velocity):
    for k in range(len(robots)):
        i = robots[k]
        move[i] = old_velocity[i, :2] * dt
        pose[i] = old_pose[i] + old_velocity[i] * dt
        velocity[i] = old_velocity[i]


@pytest.mark.parametrize(("change", "said"), [
    ({"twist": fast_twist}, "beyond max_speed"),
    ({"control_point": lagging}, "control point"),
    ({"predict": crooked}, "a target within reach is missed|the engine moves it otherwise"),
    ({"steer": standing}, "a target within reach is missed|steering beats"),
    ({"actuate": Kernel(never_brakes, "never")}, "otherwise than predict|still moves|counts as a stop"),
    ({"rolls": True}, "."),
])  # fmt: skip
def test_what_breaks_the_contract_is_named(registered, change, said):
    model = registered(replace(ROBOTS["omni"], name="broken", **change))
    with pytest.raises(AssertionError, match=f"broken: .*({said})"):
        check_robot(model)


def test_who_does_not_brake_is_noticed_unless_it_says_that_it_cannot_stand(registered):
    never = {"actuate": Kernel(never_brakes, "never")}
    braking, rolling = (registered(replace(ROBOTS["omni"], name=f"stops_{stops}", **never, stops=stops)) for stops in (True, False))
    with pytest.raises(AssertionError, match="still moves"):
        check_braking(braking, fleet_of(braking), np.random.default_rng(0))
    check_braking(rolling, fleet_of(rolling), np.random.default_rng(0))


def test_limits_that_limit_nothing_are_noticed(registered):
    stopping = replace(ROBOTS["omni"].stopping, limit=no_limit, top_rate=top_rate)
    with pytest.raises(AssertionError, match="leaves more than max_speed"):
        check_robot(registered(replace(ROBOTS["omni"], name="endless", stopping=stopping)))


def test_models_that_are_not_registered_are_refused():
    with pytest.raises(AssertionError, match="not registered"):
        check_robot(replace(ROBOTS["omni"], name="unknown"))
