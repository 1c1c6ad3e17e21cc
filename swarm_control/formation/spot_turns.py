"""Turns on the spot between legs: of wheels about their middle, of cars in several moves that end where they began."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray, norm, wrap
from swarm_control.core.state import Fleet
from swarm_control.formation.drive import Drive
from swarm_control.formation.legs import SAMPLE, Limits

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


def moves(turn: float, radius: float, place: float) -> Array | None:
    """Arcs (signed lengths, m) by which a car turns by ``turn`` (rad) and is back where it was; None if ``place`` (m) is too small.

    It never gets farther than ``place`` from where it stands. A cycle of arcs +α, −2β, +α at full lock, the lock changing with the
    direction, turns by ``2(α + β)`` and ends where it began if ``sin(α + β) = 2·sin β``. Arcs of following cycles join.
    """
    for cycles in range(1, MOST_MOVES // 2 + 1):
        half = 0.5 * abs(turn) / cycles
        beta = np.arcsin(0.5 * np.sin(half))
        alpha = half - beta
        if _reach(alpha, beta, radius) <= place:
            arcs = np.tile([2.0 * alpha, -2.0 * beta], cycles)
            arcs[0] = alpha
            return np.append(arcs, alpha) * radius
    return None


def _reach(alpha: float, beta: float, radius: float) -> float:
    """How far (m) a cycle gets from its middle: at the ends of its arcs, or where an arc is farthest."""
    share = np.linspace(0.0, 1.0, 9)
    path = _arcs(np.array([alpha, -2.0 * beta, alpha]) * radius, 1.0, radius, share)[0]
    return float(norm(path).max()) * 1.01


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
