"""Contact episodes: a contact counts once, from the first step it blocks until the two have parted."""

import numpy as np

from swarm_control.core.compiled import jit, njit
from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.grid import Grid
from swarm_control.core.walldistance import WallDistance, wall_distance

PARTED = 0.01
"""How much wider (m) than when it began the gap must be for an episode to be over."""


class Episodes:
    """Counts contact episodes of robots with footprints of ``radius`` (N,) m.

    A contact's key is ``a·(N + 1) + b`` for robots a < b, and ``a·(N + 1) + N`` for robot a and the walls. ``count`` (N,): episodes so
    far, attributed to a. A blocked robot stays where its step began, so a contact may begin at a gap; it is over when the gap has
    grown by ``PARTED``.
    """

    def __init__(self, radius: Array, walls: WallDistance | None) -> None:
        self.count = np.zeros(len(radius), np.int64)
        self._radius = radius
        self._table = (walls or WallDistance(Grid(np.zeros((1, 1), bool), (0.0, 0.0), 1.0))).table
        self._active = self._before = np.empty(0, np.int64)
        self._over = np.empty(0)

    @property
    def begun(self) -> IntArray:
        """Keys of the episodes that began in the last step."""
        return np.setdiff1d(self._active, self._before, assume_unique=True)

    def update(self, contacts: IntArray, pose: Array) -> None:
        """Take note of a step's ``contacts`` (keys, in any order), after which the robots are at ``pose`` (N, 3)."""
        self._before = self._active
        if contacts.size or self._active.size:
            self._active, self._over = _advance(
                self._active, self._over, np.sort(contacts), pose, self._radius, self._table, self.count
            )


@jit
def _advance(active, over, contacts, pose, radius, table, count):  # type: ignore[no-untyped-def]
    """Merge sorted ``contacts`` into the sorted ``active`` episodes, each over at its gap; raises ``count`` for those that begin."""
    keys = np.empty(len(active) + len(contacts), np.int64)
    limits = np.empty(len(keys))
    i, k, kept = 0, 0, 0
    while i < len(active) or k < len(contacts):
        begins = i == len(active) or (k < len(contacts) and contacts[k] < active[i])
        key = contacts[k] if begins else active[i]
        touching = k < len(contacts) and contacts[k] == key
        room = _gap(key, pose, radius, table)
        limit = room + PARTED if begins else over[i]
        if begins:
            count[key // (len(radius) + 1)] += 1
        else:
            i += 1
        while k < len(contacts) and contacts[k] == key:
            k += 1
        if touching or room <= limit:
            keys[kept], limits[kept] = key, limit
            kept += 1
    return keys[:kept], limits[:kept]


@njit(cache=True)
def _gap(key, pose, radius, table):  # type: ignore[no-untyped-def]
    """Room (m) between the footprints of a contact; negative when they overlap."""
    a, b = key // (len(radius) + 1), key % (len(radius) + 1)
    if b == len(radius):
        return wall_distance(table, pose[a, 0], pose[a, 1], np.inf) - radius[a]
    return np.hypot(pose[a, 0] - pose[b, 0], pose[a, 1] - pose[b, 1]) - radius[a] - radius[b]
