"""Turns on the spot between legs: of wheels about their middle, of cars in several moves that end where they began."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray, norm, wrap
from swarm_control.core.state import Fleet
from swarm_control.formation.drive import Drive
from swarm_control.formation.forming.legs import SAMPLE, Limits

SHORT = 1e-3
"""Who has no farther to go than this (m) on a leg does not turn for it."""

SETTLE = 0.15
"""Robots are to come to rest in this time (s) before they turn on the spot and after; cars take twice as long after each of their moves.
Commands look ahead by about as much.
"""

WIDER = 1.15
"""Cars plan turns of this many times their least turning radius; the rest is for putting right where they are."""

MOST_MOVES = 41
"""Cars that would need more moves to turn in the place they have do not turn there."""


@dataclass(frozen=True)
class Turners:
    """How N robots face the way they go. ``rolls`` (N,): who does; ``car`` (N,): who of them cannot turn on the spot.

    ``gain`` (N,) rad/s² and ``rate`` (N,) rad/s of turns on the spot; ``radius`` (N,) m of a car's turns.
    """

    rolls: BoolArray
    car: BoolArray
    gain: Array
    rate: Array
    radius: Array
    limits: Limits

    @classmethod
    def of(cls, fleet: Fleet, drive: Drive) -> "Turners":
        """The shares that ``drive`` grants; turns brake with half of what the wheels can (``core.targets.turn_to``)."""
        limits = Limits.of(fleet, drive)
        rolls = fleet.column(lambda model: model.rolls).astype(bool)
        car = rolls & ~fleet.column(lambda model: model.turns_in_place).astype(bool)
        wheels = fleet.column(lambda model: model.wheels).astype(bool)
        lever = np.where(wheels, 0.5 * fleet.wheel_base, fleet.radius)
        gain = min(drive.acceleration_share, 0.5) * fleet.max_acceleration / lever
        rate = drive.speed_share * np.minimum(fleet.max_turn_rate, fleet.max_speed / lever)
        return cls(rolls, car, gain, rate, WIDER * fleet.max_speed / fleet.max_turn_rate, limits)


def headings(knots: Array, yaw: Array, rolls: BoolArray) -> Array:
    """Yaw (K, N) rad at each knot from ``yaw`` (N,) on: along the leg that begins there, ahead or in reverse, whichever is nearer."""
    result = [yaw]
    for leg in np.diff(knots, axis=0):
        turn = wrap(np.arctan2(leg[:, 1], leg[:, 0]) - result[-1])
        turn = np.where(np.abs(turn) > 0.5 * np.pi, turn - np.pi * np.sign(turn), turn)
        result.append(result[-1] + np.where(rolls & (norm(leg) > SHORT), turn, 0.0))
    return np.array(result)[1:]


def spot_time(turn: Array, turners: Turners) -> float:
    """Time (s) until the slowest of the robots that turn on the spot has turned by ``turn`` (N,) rad: ramp, cruise, ramp."""
    who = turners.rolls & ~turners.car & (np.abs(turn) > 1e-6)
    if not who.any():
        return 0.0
    angle, gain, rate = np.abs(turn[who]), turners.gain[who], turners.rate[who]
    top = np.minimum(rate, np.sqrt(angle * gain))
    return float((top / gain + angle / top).max()) + SETTLE


def cycles(turn: Array, radius: Array, place: Array) -> IntArray:
    """In how many cycles (n,) of moves cars turn by ``turn`` (n,) rad within ``place`` (n,) m of where they stand; zero: they cannot.

    A cycle of arcs +α, −2β, +α at full lock, the lock changing with the direction, turns by ``2(α + β)`` and ends where it began if
    ``sin(α + β) = 2·sin β``. The less it turns, the less far it gets.
    """
    half, reach = _table()
    found = np.searchsorted(reach, place / radius, side="right") - 1
    count = np.ceil(0.5 * np.abs(turn) / half[np.maximum(found, 0)] - 1e-9).astype(int)
    result: IntArray = np.where((found < 0) | (count > MOST_MOVES // 2), 0, np.maximum(count, 1))
    return result


def arcs(turn: Array, radius: Array, count: IntArray) -> tuple[Array, Array]:
    """Lengths (n,) m of the arcs α and 2β of cars that turn in ``count`` (n,) cycles."""
    half = 0.5 * np.abs(turn) / np.maximum(count, 1)
    beta = np.arcsin(0.5 * np.sin(half))
    return (half - beta) * radius, 2.0 * beta * radius


def car_times(turn: Array, turners: Turners, place: Array, cars: IntArray) -> Array:
    """Time (n,) s in which ``cars`` (n,) turn by ``turn`` (N,) rad within ``place`` (n,) m; infinite for those that cannot."""
    count = cycles(turn[cars], turners.radius[cars], place)
    ahead, back = arcs(turn[cars], turners.radius[cars], count)
    speed, gain = turners.limits.speed[cars], turners.limits.acceleration[cars]
    lasting = 2.0 * _time(ahead, speed, gain) + count * _time(back, speed, gain) + (count - 1) * _time(2.0 * ahead, speed, gain)
    result: Array = np.where(count > 0, lasting + 2.0 * SETTLE * (2 * count + 1), np.inf)
    return result


def _time(length: Array, speed: Array, gain: Array) -> Array:
    top = np.minimum(speed, np.sqrt(length * gain))
    result: Array = length / np.maximum(top, 1e-9) + top / gain
    return result


def moves(turn: float, radius: float, place: float) -> Array | None:
    """Arcs (signed lengths, m) by which a car turns by ``turn`` (rad) in its ``place`` (m); None if that is too small.

    Arcs of following cycles join.
    """
    count = cycles(np.array([turn]), np.array([radius]), np.array([place]))
    if count[0] == 0:
        return None
    ahead, back = (float(arc[0]) for arc in arcs(np.array([turn]), np.array([radius]), count))
    lengths = np.tile([2.0 * ahead, -back], int(count[0]))
    lengths[0] = ahead
    return np.append(lengths, ahead)


@cache
def _table() -> tuple[Array, Array]:
    """Half the turn (rad) of a cycle, and how far it gets from its middle, in turning radii: growing."""
    half = np.linspace(0.005, 0.25 * np.pi, 158)
    beta = np.arcsin(0.5 * np.sin(half))
    share = np.linspace(0.0, 1.0, 17)
    reach = [float(norm(_arcs(np.array([h - b, -2.0 * b, h - b]), 1.0, 1.0, share)[0]).max()) for h, b in zip(half, beta, strict=True)]
    return half, np.maximum.accumulate(1.005 * np.array(reach))


def _arcs(lengths: Array, side: float, radius: float, share: Array) -> tuple[Array, Array]:
    """Places (M·S, 2) m and yaw (M·S,) at the shares (S,) of each arc (M,), from the origin along x; ``side`` 1: turning left."""
    place, yaw, places, yaws = np.zeros(2), 0.0, [], []
    for length in lengths:
        turn = side * abs(length) / radius * share
        way = length * share * np.sinc(0.5 * turn / np.pi)
        along = place + way[:, None] * np.column_stack((np.cos(yaw + 0.5 * turn), np.sin(yaw + 0.5 * turn)))
        places.append(along)
        yaws.append(yaw + turn)
        place, yaw = along[-1], float(yaw + turn[-1])
    return np.concatenate(places), np.concatenate(yaws)


@dataclass(frozen=True)
class Manoeuvre:
    """A car's turn in place: ``place`` (T, 2) m from where it stands, ``yaw`` (T,) rad, at ``time`` (T,) s."""

    time: Array
    place: Array
    yaw: Array


def manoeuvre(lengths: Array, side: float, yaw: float, radius: float, limits: tuple[float, float]) -> Manoeuvre:
    """The arcs in time, with ``limits`` of speed (m/s) and acceleration (m/s²): each from rest to rest, then a pause."""
    time, place, heading = [0.0], [np.zeros(2)], [yaw]
    for length in lengths:
        top = min(limits[0], float(np.sqrt(abs(length) * limits[1])))
        rise, whole = top / limits[1], abs(length) / top + top / limits[1]
        t = np.linspace(0.0, whole, int(np.ceil(whole / SAMPLE)) + 1)
        gone = np.where(t < rise, 0.5 * limits[1] * t * t, top * (t - 0.5 * rise))
        gone = np.where(t > whole - rise, abs(length) - 0.5 * limits[1] * (whole - t) ** 2, gone)
        local, turned = _arcs(np.array([length]), side, radius, gone / abs(length))
        c, s = np.cos(heading[-1]), np.sin(heading[-1])
        world = place[-1] + local @ np.array([[c, s], [-s, c]])
        time += [*(time[-1] + t[1:]), time[-1] + whole + 2.0 * SETTLE]
        place += [*world[1:], world[-1]]
        heading += [*(heading[-1] + turned[1:]), heading[-1] + turned[-1]]
    return Manoeuvre(np.array(time), np.array(place), np.array(heading))


def rooms(place: Array, keep: Array, spare: Array, cars: IntArray) -> Array:
    """How far (m) each of the ``cars`` may get from its ``place`` (N, 2) m while all others do so, too.

    Each has half of what its distance to the nearest robot is more than is to be kept; robots that do not move leave a car all.
    ``spare`` (N,) m: what walls leave.
    """
    far = norm(place[cars][:, None] - place[None]) - keep[cars][:, None] - keep[None]
    far[np.arange(len(cars)), cars] = np.inf
    still = np.ones(len(place), bool)
    still[cars] = False
    far *= np.where(still, 1.0, 0.5)
    result: Array = np.minimum(far.min(axis=1, initial=np.inf), spare[cars])
    return result
