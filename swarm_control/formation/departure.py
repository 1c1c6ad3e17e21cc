"""Onboard, nobody is asked whether he has arrived: that the others have is seen by their leaving.

Robots judge by odometry that each of them hears in its own way, so they do not find at the same time that a goal is reached, and one
of them perhaps never. Those who have found so go on to the next goal, and he who has not would hold the structure back at this one:
it would stand between two goals forever. But he sees them go. Where the structure has come near its goal and another robot then moves
off towards its place at the next one, the goal has been reached.
"""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray, norm, wrap
from swarm_control.formation.drive import remaining
from swarm_control.formation.structure import Structure, place

NEAR, AWAY = 5.0, 3.0
"""In tolerances: a structure is near its goal within the first; a robot leaves when it has moved by the second towards the next."""

BEGINNING = 0.1
"""Share of the way to the next goal whose direction counts: of a turn, the beginning is not where its end is."""


@dataclass(frozen=True)
class Departure:
    """What is remembered of M robots at a goal: ``near``, whether the structure has been near it; since then, ``least`` (M,) m, how far
    each robot was beyond its place on its way to the next goal when it was least so; ``left`` (M,), which of them are leaving.
    """

    near: bool
    least: Array
    left: BoolArray

    @classmethod
    def none(cls, count: int) -> "Departure":
        """On the way to a goal."""
        return cls(False, np.full(count, np.inf), np.zeros(count, bool))


def depart(before: Departure, structure: Structure, position: Array, goal: Array, following: Array, tolerance: float) -> Departure:
    """One more look at the M robots of a ``structure``, at ``position`` (M, 2) m, world frame.

    ``goal`` and ``following`` (3,) are the structure's pose at this goal and at the next one, ``tolerance`` (m) as in ``Drive``. Robots
    whose place is the same at both tell nothing.
    """
    if not before.near and remaining(structure.points, structure.pose, goal) >= NEAR * tolerance:
        return before
    way = following - goal
    way[2] = wrap(way[2])
    here = place(structure.points, goal)
    course = place(structure.points, goal + BEGINNING * way) - here
    length = norm(course)
    ahead = ((position - here) * course).sum(axis=1) / np.maximum(length, 1e-12)
    least = np.maximum(np.minimum(before.least, ahead), 0.0)
    return Departure(True, least, np.asarray((ahead - least > AWAY * tolerance) & (length > tolerance)))


class DepartureWatch:
    """One robot, ``own``, watches whether others of its structure leave for the next goal; hosted, without one, nobody needs to."""

    def __init__(self, own: int | None) -> None:
        self._own = own
        self._seen: Departure | None = None

    def forget(self) -> None:
        """A new order is given."""
        self._seen = None

    def left_behind(self, structure: Structure, pose: Array, robots: IntArray, goals: tuple[Array, Array], tolerance: float) -> bool:
        """Whether another robot leaves the first of the ``goals`` (3,) for the second.

        ``structure`` held by its pivot, its M ``robots`` (indices) at ``pose`` (M, 3), ``tolerance`` (m) as in ``Drive``.
        """
        if self._own is None:
            return False
        if self._seen is None or len(self._seen.least) != len(robots):
            self._seen = Departure.none(len(robots))
        self._seen = depart(self._seen, structure, pose[:, :2], *goals, tolerance)
        return bool(self._seen.left[robots != self._own].any())
