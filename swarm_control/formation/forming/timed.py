"""From knots to a schedule: robots that roll turn on the spot, all wait for the slowest, then all go the leg at once."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.formation.forming.legs import SAMPLE, Ramp, ramps
from swarm_control.formation.forming.spot_turns import SETTLE, Turners, car_times, headings, manoeuvre, moves, rooms, spot_time
from swarm_control.formation.timetable import Timetable


@dataclass(frozen=True)
class TimedLegs:
    """``knots`` (K, N, 2) m and what robots do there: yaw ``facing`` (K, N) rad when they leave, ``lasting`` (K − 1,) s their turns, the
    way (m) that each of the ``cars`` has for them, and the time laws ``ramps``.
    """

    knots: Array
    facing: Array
    lasting: Array
    cars: tuple[tuple[IntArray, Array], ...]
    ramps: list[Ramp]

    @property
    def duration(self) -> float:
        """How long all takes, s."""
        rests = 2.0 * SETTLE * np.count_nonzero(self.lasting[1:])
        return float(self.lasting.sum() + rests + sum(ramp.duration for ramp in self.ramps))


def legs(knots: Array, yaw: Array, turners: Turners, keep: Array, spare: Array, most: float = np.inf) -> TimedLegs | None:
    """TimedLegs between ``knots`` (K, N, 2) m for robots that begin at ``yaw`` (N,) rad. None where a car has too little room to turn, and
    as soon as they are known to take ``most`` (s).

    ``keep`` (N,) m as in :func:`~swarm_control.formation.forming.legs.nearest`, ``spare`` (K, N) m what walls leave beyond what is to be
    kept.
    """
    facing = np.vstack((yaw, headings(knots, yaw, turners.rolls)))
    gone = ramps(knots, turners.limits)
    lasting, cars, taken = [], [], sum(ramp.duration for ramp in gone)
    for k, change in enumerate(np.diff(facing, axis=0)):
        who = np.flatnonzero(turners.car & (np.abs(change) > 1e-6))
        place = rooms(knots[k], keep, spare[k], who)
        lasting.append(max([spot_time(change, turners), *car_times(change, turners, place, who)]))
        cars.append((who, place))
        taken += lasting[-1]
        if taken >= most:
            return None
    return TimedLegs(knots, facing, np.array(lasting), tuple(cars), gone)


def timed(legs: TimedLegs, turners: Turners) -> Timetable:
    """The legs in time; they have room for all turns."""
    clock, times, places, knots = 0.0, [np.zeros(1)], [legs.knots[:1]], legs.knots
    for k, (ramp, lasting) in enumerate(zip(legs.ramps, legs.lasting, strict=True)):
        if lasting > 0.0:
            if clock > 0.0:
                clock += 2.0 * SETTLE
                times.append(np.array([clock]))
                places.append(knots[k : k + 1])
            time, place = _in_place(legs, k, turners)
            times.append(clock + time)
            places.append(place)
            clock += lasting
        t, share = ramp.samples()
        times.append(clock + t[1:])
        places.append(knots[k] + share[1:, None, None] * (knots[k + 1] - knots[k]))
        clock += ramp.duration
    return Timetable(np.concatenate(times), np.concatenate(places))


def _in_place(legs: TimedLegs, k: int, turners: Turners) -> tuple[Array, Array]:
    """Times (T,) s after the begin, and places (T, N, 2) m while robots turn at knot ``k``: only cars leave theirs, and come back."""
    knot, lasting, (who, room) = legs.knots[k], float(legs.lasting[k]), legs.cars[k]
    if len(who) == 0:
        return np.array([lasting]), knot[None]
    time = np.linspace(0.0, lasting, int(np.ceil(lasting / SAMPLE)) + 1)[1:]
    place = np.repeat(knot[None], len(time), axis=0)
    for i, own in zip(who, room, strict=True):
        change, radius = float(legs.facing[k + 1, i] - legs.facing[k, i]), float(turners.radius[i])
        lengths = moves(change, radius, float(own))
        assert lengths is not None, "car without room to turn"
        limits = float(turners.limits.speed[i]), float(turners.limits.acceleration[i])
        made = manoeuvre(lengths, float(np.sign(change)), float(legs.facing[k, i]), radius, limits)
        for axis in (0, 1):
            place[:, i, axis] += np.interp(time, made.time, made.place[:, axis])
    return time, place
