"""A first leg along the headings of cars that stand too close to turn: like leaving a parking space."""

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array, BoolArray
from swarm_control.formation.forming.legs import free
from swarm_control.formation.forming.parting import tangent

TRIALS = ((0.0, 0.0), (0.5, 0.0), (1.5, 0.0), (4.0, 0.0), (0.0, 1.0), (1.5, 1.0), (4.0, 1.0))
"""Cars begin by so much of what an expansion would move them, as far as that is along their headings, and every other one of those side
by side by so much of its width ahead, the rest back; then they are pushed apart.
"""

SWEEPS, PAIRS = 200, 3_000_000
"""So often all pairs push each other; in all so many pairs at most."""


def pulled_out(start: Array, keep: Array, wider: Array, cars: BoolArray) -> list[Array]:
    """Places (N, 2) m to which robots at ``start`` (N, 3) can go at once, ``cars`` (N,) along their headings, to be ``wider`` apart.

    ``keep`` and ``wider`` (N,) m as in :func:`~swarm_control.formation.forming.legs.nearest`.
    """
    begin, found = np.ascontiguousarray(start[:, :2]), []
    heading = np.column_stack((np.cos(start[:, 2]), np.sin(start[:, 2])))
    out = begin - begin.mean(axis=0)
    along = np.where(cars[:, None], (out * heading).sum(axis=1)[:, None] * heading, out)
    beside = (heading[:, 0] * out[:, 1] - heading[:, 1] * out[:, 0]) / (2.0 * keep.max())
    odd = np.where(cars & (np.floor(beside) % 2.0 == 1.0), 1.0, -1.0) * cars
    for stretch, stagger in TRIALS:
        place = begin + stretch * along + (stagger * odd * wider)[:, None] * heading
        _pull(begin, place, heading, cars, keep, wider, min(SWEEPS, PAIRS // len(begin) ** 2 + 5))
        if free(np.array([begin, place]), keep):
            found.append(place)
    return found


@njit(cache=True)
def _pull(begin, place, heading, cars, keep, wider, sweeps):  # type: ignore[no-untyped-def]
    """Sweeps in place, until no pair is pushed any more."""
    for _ in range(sweeps):
        if not _sweep(begin, place, heading, cars, keep, wider):
            break


@njit(cache=True)
def _sweep(begin, place, heading, cars, keep, wider):  # type: ignore[no-untyped-def]
    """One sweep over all pairs, in place; whether any was pushed."""
    n, pushed = len(keep), False
    for i in range(n):
        for j in range(i + 1, n):
            ax, ay = begin[i, 0] - begin[j, 0], begin[i, 1] - begin[j, 1]
            bx, by = place[i, 0] - place[j, 0], place[i, 1] - place[j, 1]
            x, y = tangent(ax, ay, bx, by, keep[i] + keep[j])
            if x == 0.0 and y == 0.0:
                far = max(np.sqrt(bx * bx + by * by), 1e-9)
                short = max(wider[i] + wider[j] - far, 0.0)
                x, y = short * bx / far, short * by / far
            push = np.sqrt(x * x + y * y)
            if push < 1e-9:
                continue
            pi, pj = _freedom(i, x / push, y / push, heading, cars), _freedom(j, x / push, y / push, heading, cars)
            if pi * pi + pj * pj < 1e-4:
                continue
            share = push / (pi * pi + pj * pj)
            _go(place, i, share * pi, x / push, y / push, heading, cars)
            _go(place, j, -share * pj, x / push, y / push, heading, cars)
            pushed = True
    return pushed


@njit(cache=True)
def _freedom(i, x, y, heading, cars):  # type: ignore[no-untyped-def]
    """What a metre of its own way brings robot i in direction (x, y)."""
    return heading[i, 0] * x + heading[i, 1] * y if cars[i] else 1.0


@njit(cache=True)
def _go(place, i, length, x, y, heading, cars):  # type: ignore[no-untyped-def]
    """Move robot i on its own way, in place: cars along their headings, others along (x, y)."""
    ux, uy = (heading[i, 0], heading[i, 1]) if cars[i] else (x, y)
    place[i, 0] += length * ux
    place[i, 1] += length * uy
