"""Making way: who stands where a straggler has to pass steps aside, to the nearest place off its way, until it has passed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.fields import guidance_field, make_map
from swarm_control.core.geometry import Array, BoolArray, norm
from swarm_control.core.grid import Grid
from swarm_control.core.state import Map

LONGEST = 20.0
"""Who has stepped aside for so long (s) goes back, whether the straggler has passed or not."""

PASSED = 5.0
"""It goes back when the straggler is so many widths away, and was nearer."""

REACH = 12.0
"""Who stands within so many widths of a straggler's way ahead is asked."""

MOST = 6
"""So many robots step aside at a time."""

IN_FRONT = 0.75
"""Who stands so many widths further along a straggler's way, and goes that way itself, is not asked: it goes on before it."""

AGAIN = 2.0
"""Where somebody had no place to step aside to, those in the way are asked again after so long (s)."""


@dataclass
class Aside:
    """Where a robot waits: for whom, since when (s), the place (2,) m, and the directions (H, W, 2) on a map that lead to it."""

    mover: int
    since: float
    place: Array
    field: NDArray[np.float32]
    map: Map
    near: bool = False


class MakingWay:
    """For robots of this ``width`` (m) that want this ``room`` (m) between their middle and walls: who is ``aside``, by number."""

    def __init__(self, width: float, room: float) -> None:
        self._width, self._room, self._pair = width, room, 2.0 * room
        self.aside: dict[int, Aside] = {}
        self._in_vain: dict[int, float] = {}

    def look(
        self, time: float, position: Array, ways: dict[int, Array], standing: BoolArray, arrived: BoolArray, on: Array, grid: Grid
    ) -> None:  # fmt: skip
        """At a ``time`` (s) robots are at ``position`` (N, 2) m. ``ways``: of stragglers, the first first, the points (K, 2) m ahead.

        ``standing`` (N,): who could be asked; ``arrived`` (N,): who is where it was to go; ``on`` (N, 2) m: how far the others still have
        to go, and which way; ``grid``: the walls.
        """
        for k in list(self.aside):
            self._wait(k, time, position, arrived, ways)
        served, asking = set[int](), dict[int, tuple[bool, list[int]]]()
        for mover, way in ways.items():
            if mover in self.aside or len(way) == 0 or time - self._in_vain.get(mover, -np.inf) < AGAIN:
                continue
            ahead = way[norm(way - position[mover]) < REACH * self._width]
            going = standing & ~arrived & (on @ on[mover] > 0.0)
            found = [(k, going[k] and along > IN_FRONT * self._width) for k, along in self._on_way(position, ahead, standing) if k != mover]
            asking[mover] = any(before and k in ways for k, before in found), [k for k, before in found if not before]
        for mover in sorted(asking, key=lambda k: asking[k][0]):  # who is first comes first
            if mover in self.aside:
                continue
            asked, way = [k for k in asking[mover][1] if k not in served], ways[mover]
            far = norm(position - position[mover])
            # the farthest first, who may be in the others' way
            new = sorted((k for k in asked if k not in self.aside), key=far.__getitem__, reverse=True)
            if len(self.aside) + len(new) > MOST:
                continue
            if all(self._ask(k, mover, time, position, way, standing, grid) for k in new):
                served.add(mover)
            else:
                self._in_vain[mover] = time

    def _wait(self, k: int, time: float, position: Array, arrived: BoolArray, ways: dict[int, Array]) -> None:
        """Let a robot go back for whose straggler nobody needs to wait any more."""
        one = self.aside[k]
        away = float(norm(position[k] - position[one.mover]))
        one.near |= away < 0.5 * PASSED * self._width
        done = arrived[one.mover] or one.mover not in ways or (one.near and away > PASSED * self._width)
        if done or time - one.since > LONGEST or time < one.since:
            del self.aside[k]

    def _on_way(self, position: Array, way: Array, standing: BoolArray) -> list[tuple[int, float]]:
        """Who of those ``standing`` has its middle too near to a ``way`` (K, 2) m for another one to pass, and how far (m) along it."""
        if len(way) == 0:
            return []
        far = norm(position[:, None] - way[None])
        gone = np.append(0.0, np.cumsum(norm(np.diff(way, axis=0))))[far.argmin(axis=1)]
        return [(int(k), float(gone[k])) for k in np.flatnonzero((far.min(axis=1) < self._pair) & standing)]

    def _ask(self, k: int, mover: int, time: float, position: Array, way: Array, standing: BoolArray, grid: Grid) -> bool:
        """Have a robot step aside; False: there is no place off the way that it gets to past all others."""
        others = np.array([j for j in np.flatnonzero(standing) if j not in (k, mover) and j not in self.aside] + [mover], int)
        taken = [one.place for one in self.aside.values()]
        map = make_map(with_robots(grid, np.vstack((position[others], *taken)), 0.7 * self._width))
        _, gone = guidance_field(map, (float(position[k, 0]), float(position[k, 1])), 0.5 * self._width, self._width)
        rows, columns = np.nonzero(np.isfinite(gone) & (map.clearance > 0.5 * self._width))
        if not len(rows):
            return False
        places = np.array(map.grid.origin) + map.grid.resolution * (np.column_stack((columns, rows)) + 0.5)
        order = np.argsort(gone[rows, columns], kind="stable")
        for some in np.array_split(order, max(len(order) // 500, 1)):
            off = norm(places[some][:, None] - way[None]).min(axis=1) > self._pair + map.grid.resolution
            if off.any():
                place = places[some[np.argmax(off)]]
                field, _ = guidance_field(map, (float(place[0]), float(place[1])), 0.5 * self._width, self._width)
                self.aside[k] = Aside(mover, time, place, field, map)
                return True
        return False


def with_robots(grid: Grid, position: Array, reach: float) -> Grid:
    """The grid with discs of radius ``reach`` (m) around robots (K, 2) m as walls."""
    from scipy.spatial import cKDTree

    if not len(position):
        return grid
    rows, columns = np.indices(grid.occupied.shape)
    centres = np.array(grid.origin) + grid.resolution * (np.column_stack((columns.ravel(), rows.ravel())) + 0.5)
    away = cKDTree(position).query(centres, distance_upper_bound=reach)[0].reshape(grid.occupied.shape)
    return Grid(grid.occupied | np.isfinite(away), grid.origin, grid.resolution)
