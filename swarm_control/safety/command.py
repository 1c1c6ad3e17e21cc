"""The last steps of a tick: acceleration → velocity (filtered) → limits → fence → command, each robot by its own model."""

import numpy as np

from swarm_control.core import checked
from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array, BoolArray, IntArray, rotate
from swarm_control.core.motion import Motion, response
from swarm_control.core.pipeline import FormationLaw, TickParameters
from swarm_control.core.robot import RobotModel
from swarm_control.core.state import Commands, Fleet, Map, Surroundings, SwarmState
from swarm_control.safety.bounds import UNBOUND, Safety, capped
from swarm_control.safety.fence import keep_inside, polygon
from swarm_control.safety.filters import apart, stoppable
from swarm_control.safety.limits import within_limits
from swarm_control.safety.separation_filter import SeparationFilter


def move(
    state: SwarmState, acceleration: Array, around: Surroundings, control: TickParameters, formation: FormationLaw | None = None
) -> tuple[Commands, BoolArray]:  # fmt: skip
    """See :class:`~swarm_control.core.pipeline.MotionStep`."""
    limits = (around.fleet, around.map, control.motion, control.separation_filter, control.period, control.safety)
    if formation is None:
        return command(state, acceleration, *limits)
    return restrain(state, formation(state, acceleration), *limits)


def command(
    state: SwarmState, acceleration: Array, fleet: Fleet, map: Map | None, params: Motion,
    separation_filter: SeparationFilter, period: float, safety: Safety = UNBOUND,
) -> tuple[Commands, BoolArray]:  # fmt: skip
    """Return the commands for the next ``period`` (s), and on which robots the separation filter or the fence intervened (N,).

    Equation: ``v = u + a·t`` (Adeola et al. §3.1) with u the velocity of the robot's control point, a = ``acceleration`` (N, 2)
    m/s², world frame, and t the time for which its model acts on a request; an acceleration that is not
    finite counts as zero. Limits come last; robots without valid odometry are told to stop.
    """
    n = len(fleet)
    point, u = np.empty((n, 2)), np.empty((n, 2))
    for model, rows, _ in fleet.parts:
        point[rows], u[rows] = model.control_point(state.pose[rows], state.velocity[rows], params, period)
    time = response(fleet, params, period)
    desired: Array = _accelerate(n, u, acceleration, state.valid, fleet.max_acceleration, fleet.max_speed, time)
    twist, changed = np.empty((n, 3)), np.zeros(n, bool)
    for model, rows, part in fleet.parts:
        twist[rows] = _twist(model, desired[rows], state, rows, part, params, period)
    if separation_filter.enabled:
        granted = apart(state, desired, point, u, fleet, map, params, separation_filter, time)
        aside = _aside(twist, *granted, state, fleet, params, period)
        twist, changed = stoppable(state, twist, aside, fleet, map, separation_filter, time)
    return _bounded(twist, changed, state, fleet, period, safety)


def restrain(
    state: SwarmState, twist: Array, fleet: Fleet, map: Map | None, params: Motion,
    separation_filter: SeparationFilter, period: float, safety: Safety = UNBOUND,
) -> tuple[Commands, BoolArray]:  # fmt: skip
    """Pass on wished twists (N, 3), robots' frames, as :func:`command` does accelerations: filtered, if the filter is enabled.

    A twist that limits, filter, cap and fence leave alone is passed on as it is.
    """
    if not separation_filter.enabled:
        return _bounded(twist, np.zeros(len(fleet), bool), state, fleet, period, safety)
    n, twist = len(fleet), within_limits(twist, fleet)
    wished = np.column_stack((rotate(twist[:, :2], state.pose[:, 2]), twist[:, 2]))
    point, u, desired = np.empty((n, 2)), np.empty((n, 2)), np.empty((n, 2))
    for model, rows, _ in fleet.parts:
        point[rows], u[rows] = model.control_point(state.pose[rows], state.velocity[rows], params, period)
        desired[rows] = model.control_point(state.pose[rows], wished[rows], params, 0.0)[1]  # a wish is of now
    time = response(fleet, params, period)
    granted = apart(state, desired, point, u, fleet, map, params, separation_filter, time)
    aside = _aside(twist, *granted, state, fleet, params, period)
    result, changed = stoppable(state, twist, aside, fleet, map, separation_filter, time)
    return _bounded(result, changed, state, fleet, period, safety)


def _aside(
    wish: Array, granted: Array, changed: BoolArray, state: SwarmState, fleet: Fleet, params: Motion, period: float
) -> Array:  # fmt: skip
    """The twists ``wish`` (N, 3), but for those that were ``changed`` (N,) what their models make of the velocities that are granted."""
    result, changed = wish.copy(), changed & state.valid
    for model, rows, part in fleet.parts:
        if changed[rows].any():
            filtered = _twist(model, granted[rows], state, rows, part, params, period)
            result[rows] = np.where(changed[rows, None], filtered, wish[rows])
    return result


def _twist(
    model: RobotModel, desired: Array, state: SwarmState, robots: IntArray | slice, part: Fleet, params: Motion, period: float
) -> Array:  # fmt: skip
    """What the model makes of the ``desired`` velocities of its ``robots``; zero where that is not finite."""
    who = f"robot model {model.name}"
    twist = checked.rows(model.twist(desired, state.pose[robots], part, params, period), len(desired), 3, who, "its twist")
    bad = checked.unfit(twist, state.valid[robots])
    if bad is None or not bad.any():
        return twist
    checked.tell(who, "a twist")
    return np.where(bad[:, None], 0.0, twist)


def _bounded(
    twist: Array, changed: BoolArray, state: SwarmState, fleet: Fleet, period: float, safety: Safety
) -> tuple[Commands, BoolArray]:  # fmt: skip
    """The last bounds: speed cap and fence; robots without valid odometry are told to stop."""
    twist, fenced = capped(twist, fleet, safety.speed_cap), np.zeros(len(fleet), bool)
    if safety.fence:
        horizon = max(period, safety.command_timeout)
        twist, fenced = keep_inside(
            twist, state.pose, state.velocity, fleet, polygon(safety.fence), safety.fence_margin, horizon, period
        )  # fmt: skip
        fenced &= state.valid
    if not state.complete:
        twist = np.where(state.valid[:, None], twist, 0.0)
    return Commands(twist, fenced), changed | fenced


def _accelerate_loop(u, acceleration, valid, max_acceleration, max_speed, time):  # type: ignore[no-untyped-def]
    """Velocity u + a·t with a and the result shortened to their limits; zero for robots that are not valid."""
    n = len(u)
    result = np.zeros((n, 2))
    for i in prange(n):
        if valid[i]:
            ax, ay = acceleration[i, 0], acceleration[i, 1]
            if not (np.isfinite(ax) and np.isfinite(ay)):
                ax, ay = 0.0, 0.0
            a = np.sqrt(ax * ax + ay * ay)
            scale = time[i] if a <= max_acceleration[i] else time[i] * max_acceleration[i] / a
            x, y = u[i, 0] + scale * ax, u[i, 1] + scale * ay
            speed = np.sqrt(x * x + y * y)
            scale = 1.0 if speed <= max_speed[i] else max_speed[i] / speed
            result[i, 0], result[i, 1] = scale * x, scale * y
    return result


_accelerate = Kernel(_accelerate_loop)
