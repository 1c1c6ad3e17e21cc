"""The motion models of a fleet together: their parameters, how they answer requests, and what the sum of requests sets."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, unit
from swarm_control.core.open_group import open_group
from swarm_control.core.parameters import param
from swarm_control.core.robot import ROBOTS
from swarm_control.core.state import Fleet, Society, SwarmState, Way


@open_group(ROBOTS, lambda model: model.parameters, after="look_ahead")
@dataclass(frozen=True)
class Motion:
    """Parameters of the motion models; those of a single model are a group of its name."""

    heading_gain: float = param(
        4.0, "how fast an omnidirectional robot turns to its course; 0: keeps its heading", unit="1/s", low=0.0, high=50.0
    )  # fmt: skip
    mode: str = param(
        "acceleration", "what the sum of requests sets: the acceleration; the velocity, mobility times it; or the course, at step_speed",
        choices=("acceleration", "velocity", "step"),
    )  # fmt: skip
    mobility: float = param(0.2, "velocity per request, with mode velocity", unit="s", low=0.0, high=100.0)
    step_speed: float = param(0.2, "speed along any request, with mode step", unit="m/s", low=0.0, high=100.0)
    look_ahead: float = param(0.08, "control point of a differential drive, ahead of its axle", unit="m", low=0.005, high=5.0)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def gains(fleet: Fleet, params: Motion, period: float) -> Array:
    """For each robot (N, 3): acceleration per error of position (1/s²) and of velocity (1/s), and the horizon of prediction (s).

    A robot at x that is wanted at x_d, among others that move at ẋ_a, in a group that is to move at ẋ_g, is to accelerate by
    ``position·(x_d − x + (ẋ_a − ẋ)·horizon) + velocity·(ẋ_g − ẋ)`` (Brogan & Hodgins 1997, equations 9-14). Robots whose model has no
    gains of its own have NaN for both, and the control ``period`` (s) for their horizon.
    """
    table = np.empty((len(fleet), 3))
    for model, rows, _ in fleet.parts:
        table[rows] = model.gains(params, period) or (np.nan, np.nan, period)
    return table


def leads(fleet: Fleet, params: Motion) -> Array | None:
    """How far (m) the point that a request accelerates is ahead of each robot, and that plus the width of its least turn, (N, 2).

    None: all zero.
    """
    lead = np.zeros((len(fleet), 2))
    for model, rows, part in fleet.parts:
        turn = 2.0 * part.max_speed / part.max_turn_rate if model.turns_on_the_move else 0.0
        lead[rows, 0] = model.lead(params)
        lead[rows, 1] = lead[rows, 0] + turn
    return lead if lead.any() else None


def response(fleet: Fleet, params: Motion, period: float) -> Array:
    """For how long (N,) s a requested acceleration is acted on: it changes the velocity by that time's worth.

    The control ``period`` (s), but for robots that can change their velocity only now and then.
    """
    time = np.empty(len(fleet))
    for model, rows, _ in fleet.parts:
        time[rows] = model.response(params, period)
    return time


AHEAD = 5
"""Periods in which a leading robot means to be on its way."""


def drive(
    state: SwarmState, resultant: Array, fleet: Fleet, params: Motion, period: float, society: Society | None = None,
    held: BoolArray | None = None,
) -> Array:  # fmt: skip
    """Acceleration (N, 2) m/s², world frame, for the ``resultant`` (N, 2) m/s² of a robot's behaviours (Reif & Wang §2.5).

    By ``params.mode`` it is the resultant itself, or what gives the robot in one ``period`` (s), or in the time that its model takes to
    answer, a velocity along it: ``mobility`` times the resultant, or ``step_speed`` whatever its size. Leading robots of the
    ``society`` go their ways instead, and those that are ``held`` (N,) lose all their velocity.
    """
    ways = society.ways if society is not None else ()
    if params.mode == "acceleration" and not ways and held is None:
        return resultant
    point, present = np.empty((len(fleet), 2)), np.empty((len(fleet), 2))
    for model, rows, _ in fleet.parts:
        point[rows], present[rows] = model.control_point(state.pose[rows], state.velocity[rows], params, period)
    time = response(fleet, params, period)[:, None]
    wished = {
        "acceleration": present + time * resultant,
        "velocity": params.mobility * resultant,
        "step": params.step_speed * unit(resultant),
    }[params.mode]
    for way in ways:
        ahead = AHEAD * period
        place = way_point(way, state.time + ahead) + way.offset
        wished[way.robots] = (place - point[way.robots]) / ahead
    if held is not None:
        wished[held] = 0.0
    return np.asarray((wished - present) / time)


def way_point(way: Way, time: float) -> Array:
    """Where the middle of the way's robots is at ``time`` (s), (2,) m, world frame; before and after the way it rests."""
    return np.array([np.interp(time, way.time, way.point[:, axis]) for axis in range(2)])
