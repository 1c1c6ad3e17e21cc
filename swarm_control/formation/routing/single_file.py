"""In single file: robots leave their places one after the other, follow one another, and fill their places at the goal from afar.

It works wherever one robot gets through and there is room at both ends, but what moves is no formation. Let T be the length of the
shortest way from a place to a gate on the way. Between two places it differs by no more than their distance. So robots on shortest ways
to the gate whose T differ by a spacing keep that distance; if those that start nearest to the gate go first, they do so from the start;
and if those that end farthest from it go first, nobody ends in the way of another.
"""

from collections.abc import Iterator

import numpy as np

from swarm_control.core.geometry import Array, IntArray, norm
from swarm_control.formation.routing.path_search import Search, exact_map, nearest, search, way
from swarm_control.formation.routing.path_smoothing import pulled, resampled, smoothed
from swarm_control.formation.routing.task import STEP, RouteTask
from swarm_control.formation.routing.timing import cubic
from swarm_control.formation.structure import place

GATES = (0.5, 0.75)
"""Where on the way from start to goal the gate is tried to be."""

SPACINGS = (1.15, 1.4)
"""Distances in the file that are tried, in terms of what robots are to keep."""


def files(task: RouteTask, trunk: Array, need: float) -> Iterator[Array]:
    """Ways (K, N, 2) m in single file along the ``trunk`` (P, 2) m, the way from start to goal, to be proved; the better ones first."""
    for share in GATES:
        gate = trunk[int(share * (len(trunk) - 1))]
        found = search(task.map, gate, need, need)
        out = [way(found, end, 2.0 * task.map.grid.resolution) for end in task.ends]
        if any(one is None for one in out):
            return
        away = [pulled(one[::-1], task.walls, task.widest, task.keep) for one in out if one is not None]
        order = np.argsort([-_length(one) for one in away], kind="stable")
        for places in _starts(task, found, order, trunk, need):
            into = [way(found, begin, 2.0 * task.map.grid.resolution) for begin in places]
            if any(one is None for one in into):
                continue
            first = [pulled(one, task.walls, task.widest, task.keep) for one in into if one is not None]
            before = np.array([_length(one) for one in first])
            if not _in_order(before[order], spacing=1.5 * float(task.pair.max())):
                continue
            for band in task.bands(0.15):
                whole = [_whole(task, one, other, band) for one, other in zip(first, away)]
                for spacing in SPACINGS:
                    yield _filed(whole, before, order, spacing * float(task.pair.max()))


def _in_order(before: Array, spacing: float) -> bool:
    """Whether robots with ways ``before`` (N,) m to the gate can go in this order: nobody starts much farther off than one that follows."""
    later = np.minimum.accumulate(before[::-1])[::-1]
    return bool((before - later <= spacing).all())


def _whole(task: RouteTask, first: Array, then: Array, band: tuple[float, float]) -> Array:
    """One robot's way from its place to the gate and on, round."""
    path = pulled(np.vstack((resampled(first, 0.1), resampled(then, 0.1)[1:])), task.walls, task.widest, task.keep)
    return smoothed(path, exact_map(task.map), (band[0], band[0]), 2.0 * STEP, band[1], 1)


def _length(path: Array) -> float:
    return float(norm(np.diff(path, axis=0)).sum())


def _filed(ways: list[Array], before: Array, order: IntArray, spacing: float) -> Array:
    """Places (K, N, 2) m: the robot that is k-th in ``order`` is k spacings behind the first where it passes the gate, ``before`` (N,) m
    into its way. Each sets off and stops softly.
    """
    soft = 1.5 * spacing
    lag = np.empty(len(ways))
    lag[order] = spacing * np.arange(len(ways))
    begin = float((before - lag).max()) + 0.5 * soft
    lengths = np.array([_length(one) for one in ways])
    end = float((lengths - before + lag).max()) + begin + 0.5 * soft
    progress = np.linspace(0.0, end, max(int(np.ceil(end / STEP)), 1) + 1)
    places = np.empty((len(progress), len(ways), 2))
    for i, one in enumerate(ways):
        x = before[i] - lag[i] - begin + progress
        gone = np.clip(_ramp(x, soft) - _ramp(x - lengths[i], soft), 0.0, lengths[i])
        places[:, i] = cubic(one, gone / lengths[i] * (len(one) - 1)) if lengths[i] > 0.0 else one[0]
    return places


def _ramp(x: Array, soft: float) -> Array:
    """``max(x, 0)``, rounded over ``soft``."""
    inside = np.clip(x + 0.5 * soft, 0.0, soft)
    return inside * inside / (2.0 * soft) + np.maximum(x - 0.5 * soft, 0.0)


def _starts(task: RouteTask, found: Search, order: IntArray, trunk: Array, need: float) -> Iterator[Array]:
    """Places (N, 2) m to start from, the more like the formation the earlier: as it is, turned, with robots exchanged, and any places."""
    end, begin = trunk[-1] - trunk[-2], trunk[min(len(trunk) - 1, 10)] - trunk[0]
    turn = np.arctan2(begin[1], begin[0]) - np.arctan2(end[1], end[0])
    turned = np.array([trunk[0, 0], trunk[0, 1], task.goal[2] + turn])
    rigid = [place(task.points, pose) for pose in (task.pose, turned)]
    rigid = [places for places in rigid if task.free(places)]
    yield from rigid
    for places in (*rigid[:1], *_packed(task, found, trunk[0], need)):
        far = np.array([_time(found, one) for one in places])
        result = np.empty_like(places)
        result[order] = places[np.argsort(far, kind="stable")]
        yield result


def _time(found: Search, at: Array) -> float:
    cell = nearest(found, at, 2.0 * found.map.grid.resolution)
    return float(found.time[cell]) if cell is not None else np.inf


def _packed(task: RouteTask, found: Search, begin: Array, need: float) -> list[Array]:
    """As many free places as there are robots, near ``begin`` (2,) m by ways of one robot."""
    spacing, grid = 1.2 * float(task.pair.max()), task.map.grid
    home = search(task.map, begin, need, need)
    rows, columns = np.nonzero(np.isfinite(home.time) & np.isfinite(found.time))
    near = np.argsort(home.time[rows, columns], kind="stable")
    cells = np.array(grid.origin) + grid.resolution * (np.column_stack((columns, rows))[near] + 0.5)
    taken = np.empty((0, 2))
    free = np.ones(len(cells), bool)
    while len(taken) < len(task.points):
        left = np.flatnonzero(free)
        if not len(left):
            return []
        taken = np.vstack((taken, cells[left[0]]))
        free &= norm(cells - taken[-1]) >= spacing
    return [taken]
