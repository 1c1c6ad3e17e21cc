"""From the resultant of what a robot wants to its acceleration: how it gives way to the force, or the way that it is told to go."""

import numpy as np

from swarm_control.core.geometry import Array, unit
from swarm_control.core.motion import MODELS
from swarm_control.core.motion.gains import response
from swarm_control.core.motion.limits import Motion
from swarm_control.core.state import Fleet, Society, SwarmState, Way

AHEAD = 5
"""Periods in which a leading robot means to be on its way."""


def drive(state: SwarmState, resultant: Array, fleet: Fleet, params: Motion, period: float, society: Society | None) -> Array:
    """Acceleration (N, 2) m/s², world frame, for the ``resultant`` (N, 2) m/s² of a robot's behaviours (Reif & Wang §2.5).

    By ``params.mode`` it is the resultant itself, or what gives the robot in one ``period`` (s), or in the time that its model takes to
    answer, a velocity along it: ``mobility`` times the resultant, or ``step_speed`` whatever its size. Leading robots of the
    ``society`` go their ways instead.
    """
    ways = society.ways if society is not None else ()
    if params.mode == "acceleration" and not ways:
        return resultant
    point, present = np.empty((len(fleet), 2)), np.empty((len(fleet), 2))
    for name, rows, _ in fleet.parts:
        point[rows], present[rows] = MODELS[name].control_point(state.pose[rows], state.velocity[rows], params, period)
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
    return np.asarray((wished - present) / time)


def way_point(way: Way, time: float) -> Array:
    """Where the middle of the way's robots is at ``time`` (s), (2,) m, world frame; before and after the way it rests."""
    return np.array([np.interp(time, way.time, way.point[:, axis]) for axis in range(2)])
