"""From knots to a schedule: robots that roll turn on the spot, all wait for the slowest, then all go the leg at once."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.formation.legs import SAMPLE, ramps
from swarm_control.formation.schedule import Schedule
from swarm_control.formation.spot_turns import SETTLE, Manoeuvre, Turners, headings, manoeuvre, moves, rooms, spot_time


@dataclass(frozen=True)
class Turn:
    """From ``begin`` to ``end`` (s) robots turn on the spot to ``heading`` (N,) rad; NaN: they follow their places."""

    begin: float
    end: float
    heading: Array


@dataclass(frozen=True)
class Timed:
    """A ``schedule`` of N robots and their ``turns`` on the spot, of which places tell nothing."""

    schedule: Schedule
    turns: tuple[Turn, ...]


def timed(knots: Array, yaw: Array, turners: Turners, keep: Array, spare: Array) -> Timed | None:
    """Legs between ``knots`` (K, N, 2) m in time, for robots that begin at ``yaw`` (N,) rad; None where a car cannot turn.

    ``keep`` (N,) m as in :func:`~swarm_control.formation.legs.nearest`, ``spare`` (K, N) m the way to walls beyond what is to be kept.
    """
    facing = np.vstack((yaw, headings(knots, yaw, turners.rolls)))
    clock, times, places, turns = 0.0, [np.zeros(1)], [knots[:1]], []
    for k, ramp in enumerate(ramps(knots, turners.limits)):
        change = facing[k + 1] - facing[k]
        made = _manoeuvres(change, facing[k], turners, rooms(knots[k], keep, spare[k], _turning(change, turners)))
        if made is None:
            return None
        lasting = max([spot_time(change, turners), *(float(m.time[-1]) for m in made.values())])
        if lasting > 0.0:
            time, place = _in_place(knots[k], made, lasting)
            rest = 2.0 * SETTLE if clock > 0.0 else 0.0
            on_spot = turners.rolls & ~turners.car & (np.abs(change) > 1e-6)
            turns.append(Turn(clock + rest, clock + rest + lasting, np.where(on_spot, facing[k + 1], np.nan)))
            times += [np.full(int(rest > 0.0), clock + rest), clock + rest + time]
            places += [knots[k : k + int(rest > 0.0)], place]
            clock += rest + lasting
        t, share = ramp.samples()
        times.append(clock + t[1:])
        places.append(knots[k] + share[1:, None, None] * (knots[k + 1] - knots[k]))
        clock += ramp.duration
    return Timed(Schedule(np.concatenate(times), np.concatenate(places)), tuple(turns))


def _turning(change: Array, turners: Turners) -> IntArray:
    return np.flatnonzero(turners.car & (np.abs(change) > 1e-6))


def _manoeuvres(change: Array, yaw: Array, turners: Turners, room: Array) -> dict[int, Manoeuvre] | None:
    """Of each car that turns, its manoeuvre within its ``room`` (m); None if one has too little."""
    found = {}
    for i, own in zip(_turning(change, turners), room, strict=True):
        lengths = moves(float(change[i]), float(turners.radius[i]), float(own))
        if lengths is None:
            return None
        limits = float(turners.limits.speed[i]), float(turners.limits.acceleration[i])
        found[int(i)] = manoeuvre(lengths, float(np.sign(change[i])), float(yaw[i]), float(turners.radius[i]), limits)
    return found


def _in_place(knot: Array, made: dict[int, Manoeuvre], lasting: float) -> tuple[Array, Array]:
    """Times (T,) s after the begin, and places (T, N, 2) m while robots turn: only cars leave theirs, and come back."""
    if not made:
        return np.array([lasting]), knot[None]
    time = np.linspace(0.0, lasting, int(np.ceil(lasting / SAMPLE)) + 1)[1:]
    place = np.repeat(knot[None], len(time), axis=0)
    for i, m in made.items():
        place[:, i, 0] += np.interp(time, m.time, m.place[:, 0])
        place[:, i, 1] += np.interp(time, m.time, m.place[:, 1])
    return time, place
