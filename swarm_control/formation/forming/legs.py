"""Straight legs that all robots go at the same time: how near they come to each other, exactly, and how long they take.

Knots (K, N, 2) m are where N robots are between legs. In a leg all robots are at the same share of their ways at any time, and at rest
at both ends, so what two of them see of each other is a straight line at any common time law.
"""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array, norm
from swarm_control.core.state import Fleet
from swarm_control.formation.drive import Drive

EXACT = 1e-9
"""By so much (m) rounding may take robots nearer than they are to be."""

SAMPLE = 0.05
"""Speeds change from sample to sample of a schedule; so often (s) while they change."""


@dataclass(frozen=True)
class Nearest:
    """Where robots are nearest to each other, of what they are to keep: ``gap`` (m) more than that, robots ``first`` and ``second``."""

    gap: float
    first: int
    second: int
    leg: int


def nearest(knots: Array, keep: Array) -> Nearest:
    """The worst pair over all legs of ``knots`` (K, N, 2) m, if centres of i and j are to be ``keep[i] + keep[j]`` (m) apart.

    On a leg the offset of two robots is ``x(s) = a + s·(b − a)``, nearest at ``s = a·(a − b)/‖a − b‖²``. Pairs that begin nearer than
    they are to be may not get nearer until they are apart, and are to be apart in the end.
    """
    gap, first, second, leg = _nearest(np.ascontiguousarray(knots), keep)
    return Nearest(float(gap), int(first), int(second), int(leg))


def free(knots: Array, keep: Array) -> bool:
    """Whether all keep their distance on all legs."""
    return len(keep) < 2 or nearest(knots, keep).gap >= -EXACT


@njit(cache=True)
def approach(ax, ay, bx, by):  # type: ignore[no-untyped-def]
    """Least length of ``a + s·(b − a)`` for s from 0 to 1, and that s."""
    dx, dy = bx - ax, by - ay
    square = dx * dx + dy * dy
    s = min(max(-(ax * dx + ay * dy) / square, 0.0), 1.0) if square > 0.0 else 0.0
    x, y = ax + s * dx, ay + s * dy
    return np.sqrt(x * x + y * y), s


@njit(cache=True)
def _nearest(knots, keep):  # type: ignore[no-untyped-def]
    legs, n = len(knots) - 1, len(keep)
    worst, first, second, where = np.inf, 0, 0, 0
    for i in range(n):
        for j in range(i + 1, n):
            want = keep[i] + keep[j]
            for k in range(legs):
                ax, ay = knots[k, i, 0] - knots[k, j, 0], knots[k, i, 1] - knots[k, j, 1]
                bx, by = knots[k + 1, i, 0] - knots[k + 1, j, 0], knots[k + 1, i, 1] - knots[k + 1, j, 1]
                far, _ = approach(ax, ay, bx, by)
                gap = far - min(want, np.sqrt(ax * ax + ay * ay))
                if k == legs - 1:
                    gap = min(gap, np.sqrt(bx * bx + by * by) - want)
                if gap < worst:
                    worst, first, second, where = gap, i, j, k
            if worst < -0.5 * want:
                return worst, first, second, where
    return worst, first, second, where


@dataclass(frozen=True)
class Limits:
    """What N robots may do on their legs: ``speed`` (N,) m/s, ``acceleration`` (N,) m/s²."""

    speed: Array
    acceleration: Array

    @classmethod
    def of(cls, fleet: Fleet, drive: Drive) -> "Limits":
        """The shares that ``drive`` grants of what the robots can."""
        speed = np.minimum(drive.speed_share * fleet.max_speed, drive.max_speed)
        return cls(speed, drive.acceleration_share * fleet.max_acceleration)


@dataclass(frozen=True)
class Ramp:
    """The quickest common time law of a leg: the share of the way that is gone, from rest to rest.

    ``rise`` (s) to get to ``top`` (1/s), ``cruise`` (s) at it, ``rise`` to stop. With lengths L_i the share's speed is at most
    ``min V_i/L_i`` and its acceleration at most ``min A_i/L_i``, so every robot keeps to its V_i (m/s) and A_i (m/s²).
    """

    rise: float
    cruise: float
    top: float

    @classmethod
    def of(cls, length: Array, limits: Limits) -> "Ramp":
        """The law for ways of ``length`` (N,) m."""
        with np.errstate(divide="ignore"):
            top, gain = float((limits.speed / length).min()), float((limits.acceleration / length).min())
        if not np.isfinite(top):
            return cls(0.0, 0.0, 0.0)
        top = min(top, float(np.sqrt(gain)))
        return cls(top / gain, 1.0 / top - top / gain, top)

    @property
    def duration(self) -> float:
        """How long it takes, s."""
        return 2.0 * self.rise + self.cruise

    def samples(self) -> tuple[Array, Array]:
        """Times (T,) s and shares (T,): often while the speed changes; the way is straight and even between."""
        if self.duration == 0.0:
            return np.zeros(1), np.ones(1)
        count = max(int(np.ceil(self.rise / SAMPLE)), 1)
        t = np.linspace(0.0, self.rise, count + 1)
        up = 0.5 * self.top * t * t / self.rise
        time, share = np.concatenate((t, self.duration - t[::-1])), np.concatenate((up, 1.0 - up[::-1]))
        fresh = np.append(np.diff(time) > 1e-9, True)
        return time[fresh], share[fresh]


def ramps(knots: Array, limits: Limits) -> list[Ramp]:
    """The time law of each leg."""
    return [Ramp.of(norm(leg), limits) for leg in np.diff(knots, axis=0)]
