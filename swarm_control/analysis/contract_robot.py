"""What every robot model must keep to."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from swarm_control.analysis.contract_bodies import check_body
from swarm_control.analysis.contract_engine import check_braking, check_export, check_fence, check_prediction
from swarm_control.core.geometry import Array, norm, rotate, wrap
from swarm_control.core.motion import Motion
from swarm_control.core.robot import RobotModel
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.core.targets import command_for_target, predict, reach
from swarm_control.robots import ROBOTS
from swarm_control.safety.bounds import capped
from swarm_control.safety.command import command
from swarm_control.safety.separation_filter import SeparationFilter

NEAR: Any = partial(np.allclose, rtol=1e-7, atol=1e-9)
PERIOD, HORIZON = 0.05, 0.4


def check_robot(model: RobotModel, fleet: Fleet | None = None, seed: int = 0) -> None:
    """All checks of a registered robot model, with the limits of the ``fleet`` (default: 16 robots of 0.1 m and 1 m/s).

    ``AssertionError`` where it breaks one.
    """
    assert ROBOTS.get(model.name) is model, f"{model.name}: not registered, expected register_robot to have been called"
    fleet, rng = fleet or fleet_of(model), np.random.default_rng(seed)
    _check_commands(model, fleet, rng)
    _check_frame(model, fleet, rng)
    _check_steering(model, fleet, rng)
    _check_cap(model, fleet, rng)
    if model.stopping is not None:
        _check_stopping(model, fleet, rng)
    if model.actuate is not None:
        check_prediction(model, fleet, feasible(model, fleet, rng), rng)
        check_braking(model, fleet, rng)
    check_export(model, fleet)
    if model.body is not None:
        check_body(model, fleet, seed)
    if model.stopping is not None and model.actuate is not None:
        check_fence(model, fleet, rng)


def fleet_of(model: RobotModel, n: int = 16) -> Fleet:
    """``n`` robots of a model, of 0.1 m and 1 m/s."""
    return Fleet(tuple(f"robot_{k}" for k in range(n)), (model.name,) * n, *(np.full(n, v) for v in (0.1, 1.0, 2.0, 3.0, 0.15)))


def feasible(model: RobotModel, fleet: Fleet, rng: np.random.Generator) -> Array:
    """Twists (N, 3) that robots of the model can drive on and on."""
    twist = rng.uniform(-1.0, 1.0, (len(fleet), 3)) * np.column_stack((fleet.max_speed, fleet.max_speed, fleet.max_turn_rate))
    twist *= 0.4
    if model.stopping is not None:
        twist = _limited(model, fleet, twist)
    elif not model.stops:
        twist[:, 0] = np.abs(twist[:, 0])
    if model.rolls:
        twist[:, 1] = 0.0
    if not model.turns_in_place and model.rolls:
        top = np.abs(twist[:, 0]) / fleet.max_speed * fleet.max_turn_rate
        twist[:, 2] = np.clip(twist[:, 2], -top, top)
    return twist


def _limited(model: RobotModel, fleet: Fleet, twist: Array) -> Array:
    """What robots make of twists: cut to what they can, and turning as fast as the speed allows."""
    assert model.stopping is not None
    result = np.empty_like(twist)
    for k, limits in enumerate(zip(fleet.max_speed, fleet.max_turn_rate, fleet.wheel_base)):
        result[k] = model.stopping.limit(*twist[k], *limits)
        if model.rolls:
            top = model.stopping.top_rate(result[k, 0], *limits)
            result[k, 2] = np.clip(result[k, 2], -top, top)
    return result


def _poses(fleet: Fleet, rng: np.random.Generator) -> Array:
    n = len(fleet)
    return np.column_stack((rng.uniform(-3.0, 3.0, (n, 2)), rng.uniform(-np.pi, np.pi, n)))


def _check_commands(model: RobotModel, fleet: Fleet, rng: np.random.Generator) -> None:
    """Commands from accelerations of any size are within the limits; nonsense counts as nothing wished; who is not valid stops."""
    n, motion = len(fleet), Motion()
    pose, velocity = _poses(fleet, rng), rng.normal(0.0, 0.3, (n, 3)) * fleet.max_speed[:, None]
    valid = np.arange(n) % 4 > 0
    state = SwarmState.of(0.0, pose, velocity, valid)
    wish = rng.normal(size=(n, 2)) * rng.choice((0.1, 3.0, 100.0), (n, 1))
    told = command(state, wish, fleet, None, motion, SeparationFilter(), PERIOD)[0].twist
    assert np.isfinite(told).all(), f"{model.name}: a command that is not finite found, expected finite ones"
    assert not told[~valid].any(), f"{model.name}: a command to robots without odometry found, expected a stop"
    over = norm(told[:, :2]) > fleet.max_speed * (1.0 + 1e-9)
    turns = np.abs(told[:, 2]) > fleet.max_turn_rate * (1.0 + 1e-9)
    assert not (over | turns).any(), f"{model.name}: a command beyond max_speed or max_turn_rate found, expected one within the limits"
    if model.stopping is not None:
        assert NEAR(_limited(model, fleet, told), told), f"{model.name}: a command beyond stopping.limit found, expected one within it"
    nothing = command(state, np.zeros((n, 2)), fleet, None, motion, SeparationFilter(), PERIOD)[0].twist
    nonsense = command(state, np.full((n, 2), np.nan), fleet, None, motion, SeparationFilter(), PERIOD)[0].twist
    assert np.array_equal(nothing, nonsense), f"{model.name}: a wish that is no number acts, expected it to count as none"
    assert model.lead(motion) >= 0.0, f"{model.name}: a lead of {model.lead(motion)} m found, expected none or more"
    late = model.stopping.reaction if model.stopping is not None else 0.0
    found = model.response(motion, PERIOD)
    assert found >= max(late, PERIOD), f"{model.name}: response {found} s found, expected at least its reaction and the period"


def _check_frame(model: RobotModel, fleet: Fleet, rng: np.random.Generator) -> None:
    """Turned and moved with the world, everything is the same."""
    n, motion, shift = len(fleet), Motion(), np.array([7.0, -3.0])
    pose, velocity, wish = _poses(fleet, rng), rng.normal(0.0, 0.3, (n, 3)), rng.normal(0.0, 0.5, (n, 2))
    twist = feasible(model, fleet, rng)
    for angle in (0.0, 2.0, -0.7):
        turn = partial(rotate, angle=np.full(n, angle))
        moved = np.column_stack((turn(pose[:, :2]) + shift, wrap(pose[:, 2] + angle)))
        turned = np.column_stack((turn(velocity[:, :2]), velocity[:, 2]))
        here, there = model.control_point(pose, velocity, motion, PERIOD), model.control_point(moved, turned, motion, PERIOD)
        same = NEAR(turn(here[0]) + shift, there[0]) and NEAR(turn(here[1]), there[1])
        assert same, f"{model.name}: another control point found where the world is turned or moved, expected the same"
        same = NEAR(model.twist(wish, pose, fleet, motion, PERIOD), model.twist(turn(wish), moved, fleet, motion, PERIOD))
        assert same, f"{model.name}: another twist found where the world is turned or moved, expected the same"
        ends, others = model.predict(pose, twist, HORIZON), model.predict(moved, twist, HORIZON)
        same = NEAR(turn(ends[:, :2]) + shift, others[:, :2]) and NEAR(wrap(ends[:, 2] + angle - others[:, 2]), 0.0)
        assert same, f"{model.name}: another prediction found where the world is turned or moved, expected the same"
        target = pose[:, :2] + wish
        steered = [command_for_target(at, to, twist, fleet, PERIOD, HORIZON) for at, to in ((pose, target), (moved, turn(target) + shift))]
        assert NEAR(*steered), f"{model.name}: steered otherwise where the world is turned or moved, expected the same"


def _check_steering(model: RobotModel, fleet: Fleet, rng: np.random.Generator) -> None:
    """A target that can be reached is reached; none makes a robot go beyond its limits; both questions have one answer."""
    pose, long = _poses(fleet, rng), 20.0
    twist = feasible(model, fleet, rng)
    for wide, ends in ((True, model.predict(pose, twist, HORIZON)[:, :2]), (False, rng.uniform(-9.0, 9.0, (len(fleet), 2)))):
        period = long if wide else PERIOD
        told = command_for_target(pose, ends, twist, fleet, period, HORIZON)
        found = reach(pose, ends[None], twist, fleet, period, HORIZON)[0]
        dt = np.full(len(fleet), HORIZON)
        assert NEAR(found, predict(pose, told, dt)[:, :2]), f"{model.name}: reach and command_for_target differ, expected one answer"
        if wide:
            assert np.allclose(found, ends, atol=1e-6), f"{model.name}: a target within reach is missed, expected to end on it"
        else:
            change = norm(told[:, :2] - twist[:, :2])
            assert (change <= fleet.max_acceleration * period + 1e-9).all(), f"{model.name}: steering beats max_acceleration"
        if model.stopping is not None:
            assert NEAR(_limited(model, fleet, told), told), f"{model.name}: steering beats stopping.limit, expected a twist within it"


def _check_stopping(model: RobotModel, fleet: Fleet, rng: np.random.Generator) -> None:
    """What the limits leave is within the limits: no more speed, and the same when limited again."""
    twist = rng.normal(size=(len(fleet), 3)) * rng.choice((0.3, 3.0, 300.0), (len(fleet), 3))
    once = _limited(model, fleet, twist)
    assert NEAR(_limited(model, fleet, once), once), f"{model.name}: limited twice a twist is another, expected the same"
    speed = norm(once[:, :2]) + (0.5 * fleet.wheel_base * np.abs(once[:, 2]) if model.wheels else 0.0)
    within = (speed <= fleet.max_speed * (1.0 + 1e-9)).all() and (np.abs(once[:, 2]) <= fleet.max_turn_rate * (1.0 + 1e-9)).all()
    assert within, f"{model.name}: stopping.limit leaves more than max_speed or max_turn_rate"


def _check_cap(model: RobotModel, fleet: Fleet, rng: np.random.Generator) -> None:
    """A cap of speed keeps the path of those that roll, and the direction of the others' displacement over a period."""
    twist = feasible(model, replace(fleet, max_speed=3.0 * fleet.max_speed), rng)
    cap = 0.3 * float(fleet.max_speed.max())
    told = capped(twist, fleet, cap)
    speed = norm(told[:, :2]) + (0.5 * fleet.wheel_base * np.abs(told[:, 2]) if model.wheels else 0.0)
    assert (speed <= cap * (1.0 + 1e-9)).all(), f"{model.name}: faster than the speed cap, expected at most it"
    if model.rolls:
        same = NEAR(told[:, 2] * twist[:, 0], twist[:, 2] * told[:, 0])
        assert same, f"{model.name}: a speed cap bends the path, expected the same curvature"
    else:
        pose = _poses(fleet, rng)
        free, held = (model.predict(pose, way, PERIOD)[:, :2] - pose[:, :2] for way in (twist, told))
        same = NEAR(free[:, 0] * held[:, 1], free[:, 1] * held[:, 0])
        assert same, f"{model.name}: a speed cap changes the direction of the way, expected the same"
