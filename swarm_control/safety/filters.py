"""The two filters of a tick: what the separation filter grants turns aside those whom the stopping filter does not let do as they wish."""

from dataclasses import dataclass, replace

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.motion import Motion
from swarm_control.core.perception import look, look_around
from swarm_control.core.state import Fleet, Map, SwarmState
from swarm_control.safety.outlook import outlook
from swarm_control.safety.separation_filter import SIGMAS, SeparationFilter, keep_apart
from swarm_control.safety.stopping_filter import keep_stoppable

TURNED = 0.05
"""One that glides, and obeys late, is not told to turn by more than so much (rad) meanwhile: its commands turn with it."""


@dataclass(frozen=True)
class _Braking:
    """How the robots of a fleet stop, in so far as their models say.

    ``known`` (N,): who obeys as fast as its acceleration permits, so that it is known on which segment it stops; ``robots``: their
    indices; ``unknown`` (N,): the others. ``rolls`` (N,): who moves along its heading only; ``curvature`` (N,) 1/m: how tightly it turns;
    ``cars``: the indices of those that have to go to turn. ``axle`` (N,) m: half the distance between its wheels, 0 without; ``hardest``
    (N,) m/s²: what it brakes with; ``reaction`` (N,) s: how long it goes on at most.
    """

    known: BoolArray
    unknown: BoolArray
    robots: IntArray
    cars: IntArray
    rolls: BoolArray
    curvature: Array
    axle: Array
    hardest: Array
    reaction: Array


def _braking(fleet: Fleet) -> _Braking:
    known, rolls, reaction = np.zeros(len(fleet), bool), np.zeros(len(fleet), bool), np.zeros(len(fleet))
    hardest, curvature, axle = fleet.max_acceleration.copy(), fleet.max_turn_rate / fleet.max_speed, np.zeros(len(fleet))
    for model, rows, _ in fleet.parts:
        known[rows] = model.actuate is not None and model.stops and model.stopping is not None and model.stopping.reaction == 0.0
        rolls[rows] = model.rolls
        axle[rows] = 0.5 * fleet.wheel_base[rows] * (model.wheels and model.turns_in_place)
        if model.turns_in_place or not model.rolls:
            curvature[rows] = np.inf
        if model.stopping is not None:
            hardest[rows] = np.minimum(hardest[rows], model.stopping.braking)
            reaction[rows] = model.stopping.reaction
    robots, cars = np.flatnonzero(known), np.flatnonzero(known & np.isfinite(curvature))
    return _Braking(known, ~known, robots, cars, rolls, curvature, axle, hardest, reaction)


def stopping_known(fleet: Fleet) -> BoolArray:
    """Who obeys as fast as its acceleration permits, so that it is known on which segment it stops."""
    return fleet.once(_braking).known


def apart(
    state: SwarmState, desired: Array, point: Array, u: Array, fleet: Fleet, map: Map | None, params: Motion,
    separation_filter: SeparationFilter, time: Array,
) -> tuple[Array, BoolArray]:  # fmt: skip
    """Filter the velocities of the control points, for robots whose stopping is known as if they were those of the footprint's centre.

    What the latter are granted turns aside those that may not do as they wish, past what is in the way: see :func:`stoppable`.
    """
    robots = fleet.once(_braking)
    spread = separation_filter.noise if state.doubt is None else state.doubt[:, 3]
    body, reaction = fleet.radius + SIGMAS * spread, np.maximum(time + separation_filter.latency, robots.reaction)
    if len(robots.robots) == len(fleet):
        seen, point, u = look_around(state, separation_filter.radius), state.pose, state.velocity
    else:
        known = robots.known[:, None]
        point, u = np.where(known, state.position, point), np.where(known, state.velocity[:, :2], u)
        seen = look(replace(state, pose=np.column_stack((point, state.pose[:, 2]))), separation_filter.radius)
        for model, rows, _ in fleet.parts:
            body[rows] += np.where(robots.known[rows], 0.0, model.lead(params))
    return keep_apart(desired, u, point, seen, body, robots.hardest, map, separation_filter, reaction, robots.unknown)


def stoppable(
    state: SwarmState, wish: Array, aside: Array, fleet: Fleet, map: Map | None, separation_filter: SeparationFilter, time: Array
) -> tuple[Array, BoolArray]:  # fmt: skip
    """The twists (N, 3), robots' frames, that robots are given, and whose are not as they wish (N,).

    Those whose stopping is known are given what the stopping filter lets them have of their ``wish`` (N, 3), the others the twists
    ``aside`` (N, 3), which are what :func:`apart` granted.
    """
    braking = fleet.once(_braking)
    robots = braking.robots if state.complete else np.flatnonzero(braking.known & state.valid)
    twist, told = aside, wish
    if separation_filter.latency > 0.0:
        glide, most = robots[~braking.rolls[robots]], TURNED / separation_filter.latency
        aside, told = _steady(aside, glide, most), _steady(wish, glide, most)
    if len(robots):
        twist = _stoppable(robots, state, told, aside, fleet, map, separation_filter, time + separation_filter.latency)
    return twist, (twist != wish).any(axis=1)


def _stoppable(
    robots: IntArray, state: SwarmState, wish: Array, aside: Array, fleet: Fleet, map: Map | None, params: SeparationFilter, time: Array
) -> Array:  # fmt: skip
    """The same for the ``robots`` (indices); those who are not near anything do as they wish. ``time`` (N,) s: how long commands last.

    A car that has gone as near to something as it may cannot turn away there: cars turn aside at once.
    """
    braking = fleet.once(_braking)
    hardest = braking.hardest
    if len(braking.cars):
        wish = wish.copy()
        wish[braking.cars] = aside[braking.cars]
    body = fleet.radius + _doubt(state, hardest, fleet, params, time)
    seen = look_around(state, params.radius)
    far = outlook(robots, wish, aside, state, seen, body, hardest, fleet.max_speed, map, params, time)
    aside = aside.copy()
    free = robots[far == 0.0]
    aside[free] = wish[free]
    robots, farthest = robots[far > 0.0], far.max()
    if not len(robots):
        return aside
    if seen.within < farthest:
        asked = np.zeros(len(fleet), bool)
        asked[robots] = True
        seen = look(state, float(farthest), asked=asked)
    return keep_stoppable(
        robots, braking.rolls, wish, aside, state, seen, body, hardest, fleet.max_speed, fleet.max_turn_rate, braking.curvature,
        braking.axle, map, params, time, _unsure(state, params),
    )  # fmt: skip


def _steady(twist: Array, robots: IntArray, most: float) -> Array:
    """Twists of which none of the ``robots`` (indices) turns faster than ``most`` (rad/s)."""
    twist = twist.copy()
    twist[robots, 2] = np.clip(twist[robots, 2], -most, most)
    return twist


def _unsure(state: SwarmState, params: SeparationFilter) -> Array:
    """By how much (N,) rad headings can be off."""
    if state.doubt is None:
        return np.full(len(state), SIGMAS * np.deg2rad(params.noise_heading))
    return np.asarray(SIGMAS * state.doubt[:, 4] + state.doubt[:, 2])


def _doubt(state: SwarmState, hardest: Array, fleet: Fleet, params: SeparationFilter, time: Array) -> Array | float:
    """How far (N,) m a robot can be from the way that it is held to be on: by what is measured wrongly, and by commands that come late."""
    if state.doubt is None and params.exact:
        return 0.0
    speed, braking = np.hypot(state.velocity[:, 0], state.velocity[:, 1]), params.braking * hardest
    measured = 0.0, 0.0, 0.0, params.noise, np.deg2rad(params.noise_heading)
    far, fast, _, spread, heading = measured if state.doubt is None else state.doubt.T
    error, turned = SIGMAS * params.noise_velocity + fast, SIGMAS * heading
    lead = time + params.latency
    amiss = error * (lead + (speed + 0.5 * error) / braking) + turned * speed * (lead + speed / (2.0 * braking))
    late = 0.5 * params.latency**2 * (hardest + speed * fleet.max_turn_rate)
    return np.asarray(SIGMAS * spread + far + amiss + late)
