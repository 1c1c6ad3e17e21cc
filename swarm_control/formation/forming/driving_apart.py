"""Legs on which cars in a crowd, with no room to turn, drive apart along their headings: the outer ones first, then the inner ones."""

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array, BoolArray, norm
from swarm_control.formation.forming.legs import EXACT, approach

STRETCHES = (1.6, 2.2, 3.0)
"""All are to get so many times as far from their middle on each leg."""

STEP = 0.25
"""Places along a way are tried so many footprints from one another."""

FARTHEST = 4.0
"""Nobody is to get farther from the middle than so many times as far as all reach in a disc with room to turn."""

MOST_LEGS = 25
"""Who has not got apart by so many legs does not."""


def driven_apart(start: Array, keep: Array, wider: Array, cars: BoolArray) -> list[Array]:
    """Knots (K, N, 2) m by which robots at ``start`` (N, 3) get ``wider`` (N,) m apart, and ``keep`` (N,) m on the way.

    Both as in :func:`~swarm_control.formation.forming.legs.nearest`. On each leg the ``cars`` (N,) that have no room to turn go along their
    headings, ahead or in reverse; who has room turns, and goes straight away from the middle, which leaves room to those further in.
    """
    found = (_legs(start, keep, wider, cars, stretch) for stretch in STRETCHES)
    return [knots for knots in found if knots is not None]


def _legs(start: Array, keep: Array, wider: Array, cars: BoolArray, stretch: float) -> Array | None:
    """Knots until all are apart; None if some do not get there."""
    place = np.ascontiguousarray(start[:, :2])
    facing = np.column_stack((np.cos(start[:, 2]), np.sin(start[:, 2])))
    knots, middle = [place], place.mean(axis=0)
    farthest = FARTHEST * float(np.sqrt((wider**2).sum()))
    for _ in range(MOST_LEGS):
        close = _close(place, wider)
        if not close.any():
            return np.array(knots)
        out = place - middle
        far = norm(out)
        turning = (far > EXACT) & ~(close & cars)
        facing = np.where(turning[:, None], out / np.maximum(far, EXACT)[:, None], facing)
        gain = np.maximum(np.minimum(stretch, farthest / np.maximum(far, EXACT)) - 1.0, 0.0)
        along, reach = gain * (out * facing).sum(axis=1), (gain * far).max() + 4.0 * wider.max()
        place = _leg(place, np.argsort(-far, kind="stable"), facing, along, keep, wider, reach, STEP * keep.max())
        if (place == knots[-1]).all():
            return None
        knots.append(place)
    return None


@njit(cache=True)
def _close(place, wider):  # type: ignore[no-untyped-def]
    """Who (N,) is nearer to another than both are to be."""
    n = len(place)
    found = np.zeros(n, np.bool_)
    for i in range(n):
        for j in range(i + 1, n):
            x, y, want = place[i, 0] - place[j, 0], place[i, 1] - place[j, 1], wider[i] + wider[j] - EXACT
            if x * x + y * y < want * want:
                found[i] = found[j] = True
    return found


@njit(cache=True)
def _leg(place, order, facing, along, keep, wider, reach, step):  # type: ignore[no-untyped-def]
    """Places (N, 2) m after the next leg. In this ``order`` each gets as near as it can to what lies ``along`` (N,) m on its ``facing``
    (N, 2), at most ``reach`` m away, where it is far enough from all others, and meets none on the way.
    """
    new, most = place.copy(), int(2.0 * reach / step)
    for i in order:
        for k in range(2 * most + 1):
            far = along[i] + (k + 1) // 2 * (step if k % 2 == 1 else -step)
            if abs(far) > reach:
                continue
            x, y = place[i, 0] + far * facing[i, 0], place[i, 1] + far * facing[i, 1]
            if _can_go(i, x, y, place, new, keep, wider):
                new[i, 0], new[i, 1] = x, y
                break
    return new


@njit(cache=True)
def _can_go(i, x, y, place, new, keep, wider):  # type: ignore[no-untyped-def]
    """Whether robot ``i`` can go from its ``place`` to (x, y) while all others go from theirs to their ``new`` ones."""
    for j in range(len(place)):
        if j == i:
            continue
        bx, by, want = x - new[j, 0], y - new[j, 1], wider[i] + wider[j]
        if bx * bx + by * by < want * want:
            return False
        ax, ay = place[i, 0] - place[j, 0], place[i, 1] - place[j, 1]
        far, _ = approach(ax, ay, bx, by)
        if far < min(keep[i] + keep[j], np.sqrt(ax * ax + ay * ay)) - EXACT:
            return False
    return True
