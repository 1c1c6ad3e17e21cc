"""The last steps of a tick: acceleration → velocity (filtered) → limits → fence → command, each robot by its own model."""

from dataclasses import replace

import numpy as np

from swarm_control.core import checked
from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array, BoolArray, IntArray, rotate
from swarm_control.core.motion import Motion, response
from swarm_control.core.perception import look
from swarm_control.core.pipeline import FormationLaw, TickParameters
from swarm_control.core.robot import RobotModel
from swarm_control.core.state import Commands, Fleet, Map, Surroundings, SwarmState
from swarm_control.safety.bounds import UNBOUND, Safety, capped
from swarm_control.safety.fence import keep_inside, polygon
from swarm_control.safety.separation_filter import SIGMAS, SeparationFilter, keep_apart
from swarm_control.safety.stopping_filter import keep_stoppable


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
    changed = np.zeros(n, bool)
    if separation_filter.enabled:
        desired, changed = _apart(state, desired, point, u, fleet, map, params, separation_filter, time)
    twist = np.empty((n, 3))
    for model, rows, part in fleet.parts:
        twist[rows] = _twist(model, desired[rows], state, rows, part, params, period)
    if separation_filter.enabled:
        twist, changed = _stoppable(state, twist, changed, fleet, map, separation_filter, time)
    return _bounded(twist, changed, state, fleet, period, safety)


def restrain(
    state: SwarmState, twist: Array, fleet: Fleet, map: Map | None, params: Motion,
    separation_filter: SeparationFilter, period: float, safety: Safety = UNBOUND,
) -> tuple[Commands, BoolArray]:  # fmt: skip
    """Pass on wished twists (N, 3), robots' frames, as :func:`command` does accelerations: filtered, if the filter is enabled.

    A twist that filter, cap and fence leave alone is passed on as it is.
    """
    if not separation_filter.enabled:
        return _bounded(twist, np.zeros(len(fleet), bool), state, fleet, period, safety)
    n = len(fleet)
    wished = np.column_stack((rotate(twist[:, :2], state.pose[:, 2]), twist[:, 2]))
    point, u, desired = np.empty((n, 2)), np.empty((n, 2)), np.empty((n, 2))
    for model, rows, _ in fleet.parts:
        point[rows], u[rows] = model.control_point(state.pose[rows], state.velocity[rows], params, period)
        desired[rows] = model.control_point(state.pose[rows], wished[rows], params, 0.0)[1]  # a wish is of now
    time = response(fleet, params, period)
    allowed, changed = _apart(state, desired, point, u, fleet, map, params, separation_filter, time)
    changed &= state.valid
    result = twist.copy()
    for model, rows, part in fleet.parts:
        filtered = _twist(model, allowed[rows], state, rows, part, params, period)
        result[rows] = np.where(changed[rows, None], filtered, twist[rows])
    result, changed = _stoppable(state, result, changed, fleet, map, separation_filter, time)
    return _bounded(result, changed, state, fleet, period, safety)


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


def _apart(
    state: SwarmState, desired: Array, point: Array, u: Array, fleet: Fleet, map: Map | None, params: Motion,
    separation_filter: SeparationFilter, time: Array,
) -> tuple[Array, BoolArray]:  # fmt: skip
    """Filter the velocities of the control points, for robots whose stopping is known as if they were those of the footprint's centre.

    What the latter are granted turns them aside, past what is in the way; :func:`_stoppable` has the last word on it.
    """
    known = stopping_known(fleet)
    point, u = (np.where(known[:, None], centre, own) for centre, own in ((state.position, point), (state.velocity[:, :2], u)))
    seen = look(replace(state, pose=np.column_stack((point, state.pose[:, 2]))), separation_filter.radius)
    body, braking = fleet.radius + SIGMAS * separation_filter.noise, fleet.max_acceleration.copy()
    reaction = time + separation_filter.latency
    for model, rows, _ in fleet.parts:
        body[rows] += np.where(known[rows], 0.0, model.lead(params))
        if model.stopping is not None:
            braking[rows] = np.minimum(braking[rows], model.stopping.braking)
            reaction[rows] = np.maximum(reaction[rows], model.stopping.reaction)
    return keep_apart(desired, u, point, seen, body, braking, map, separation_filter, reaction, ~known)


def stopping_known(fleet: Fleet) -> BoolArray:
    """Who obeys as fast as its acceleration permits, so that it is known on which segment it stops."""
    known = np.zeros(len(fleet), bool)
    for model, rows, _ in fleet.parts:
        known[rows] = model.actuate is not None and model.stops and model.stopping is not None and model.stopping.reaction == 0.0
    return known


def _stoppable(
    state: SwarmState, twist: Array, changed: BoolArray, fleet: Fleet, map: Map | None, separation_filter: SeparationFilter, time: Array
) -> tuple[Array, BoolArray]:  # fmt: skip
    """Filter the twists of robots whose stopping is known."""
    robots = np.flatnonzero(stopping_known(fleet) & state.valid)
    if not len(robots):
        return twist, changed
    rolls, hardest, curvature = np.zeros(len(fleet), bool), fleet.max_acceleration.copy(), fleet.max_turn_rate / fleet.max_speed
    for model, rows, _ in fleet.parts:
        rolls[rows] = model.rolls
        if model.turns_in_place or not model.rolls:
            curvature[rows] = np.inf
        if model.stopping is not None:
            hardest[rows] = np.minimum(hardest[rows], model.stopping.braking)
    time, braking = time + separation_filter.latency, separation_filter.braking * hardest
    body = fleet.radius + _doubt(state, hardest, braking, fleet, separation_filter, time)
    far = fleet.max_speed * (time + separation_filter.latency) + fleet.max_speed**2 / braking + body
    seen = look(state, max(separation_filter.radius, 2.0 * float(far.max()) + separation_filter.margin))
    twist, more = keep_stoppable(
        robots, rolls, twist, state, seen, body, hardest, fleet.max_speed, fleet.max_turn_rate, curvature, map, separation_filter, time
    )
    return twist, changed | more


def _doubt(state: SwarmState, hardest: Array, braking: Array, fleet: Fleet, params: SeparationFilter, time: Array) -> Array:
    """How far (N,) m a robot can be from the way that it is held to be on: by what is measured wrongly, and by commands that come late."""
    speed = np.hypot(state.velocity[:, 0], state.velocity[:, 1])
    far, fast = (0.0, 0.0) if state.doubt is None else state.doubt.T
    error, turned = SIGMAS * params.noise_velocity + fast, SIGMAS * np.deg2rad(params.noise_heading)
    lead = time + params.latency
    amiss = error * (lead + (speed + 0.5 * error) / braking) + turned * speed * (lead + speed / (2.0 * braking))
    late = 0.5 * params.latency**2 * (hardest + speed * fleet.max_turn_rate)
    return np.asarray(SIGMAS * params.noise + far + amiss + late)


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
