"""Trips of a formation along a path: in curvilinear coordinates, deformed as little as the path's narrow places ask for."""

import heapq
import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from swarm_control.core.geometry import Array, norm, rotate, wrap
from swarm_control.core.walldistance import way_distance
from swarm_control.formation.routing.arrangement import chain, opened
from swarm_control.formation.routing.bending import Curve, Fits
from swarm_control.formation.routing.islands import Islands
from swarm_control.formation.routing.level_sequence import sequence
from swarm_control.formation.routing.path_search import exact_map, search, way
from swarm_control.formation.routing.path_smoothing import pulled, resampled, smoothed
from swarm_control.formation.routing.task import STEP, RouteTask

FINE = 4
"""So many samples of the ways are made of a place along a path at which arrangements are tried."""

GRID = FINE * STEP
"""Distance between these places, m."""

KNOT = 0.05
"""Distance between a path's points, m."""

ALIKE = 1e-3
"""Of paths that are nowhere farther apart (m) one is tried."""

SIDEWAYS = 0.6, 1.2
"""How fast robots may shift in the formation while it advances at 1: those that roll, and those that glide."""

OPENING = 0.35
"""The same where the formation opens for what passes between them: gently, so that it need not slow down."""

BESIDE, STRETCH = 1.06, 1.06
"""Robots keep so much more than they need to each other where they are narrowed, and again in the column: for bends."""

HEADWAYS = 1.0, 0.5, 0.0
"""Shares of the wished headway that are tried in the column, in this order."""

SPARE = 0.008
"""Arrangements that are tried are to have so much more room than asked for, m: for what lies between them."""

DETOUR, GENTLE = 0.3, 0.25
"""What 1 m more of way costs, and what smoothing over one sample more is worth, in metres of full deformation."""

SLANT = 5.0
"""A way that is shifted by 1 m to its end is shifted over so many metres of progress."""

SMOOTH = (4, 2, 0)
"""Over so many samples before and behind the sequence of arrangements is smoothed, in this order."""


class Bent(NamedTuple):
    """Ways (K, N, 2) m of all robots, the whole's heading ``turn`` (K,) rad at each, and the greatest deformation."""

    ways: Array
    turn: Array
    bent: float


def trips(task: RouteTask, trunk: Array, through: Islands | None = None) -> Iterator[Bent]:
    """Trips to be proved, the less deformed first, along paths with room for the whole and into the goal's heading, without, and short
    ones. Paths may lead ``through`` islands, for which the formation opens.
    """
    for share in HEADWAYS if task.headway > 0.0 else (0.0,):
        tried = _cheapest(list(_tries(task, trunk, share * task.headway, through)))
        some = next(tried, None)
        if some is not None:
            yield from (_trip(task, *one) for one in itertools.chain((some,), tried))
            break


class _Try(NamedTuple):
    """Arrangements that may fit along a path. A sequence of them begins at sample ``latest`` at the latest, is to be smoothed over
    ``reach`` samples before and behind, may change where the robots ``stand``, and costs ``least`` at least.
    """

    curve: Curve
    s: Array
    fits: Fits
    latest: int
    reach: int
    stand: bool
    least: float


def _tries(task: RouteTask, trunk: Array, headway: float, through: Islands | None) -> Iterator[_Try]:
    done: list[Array] = []
    for path in _paths(task if through is None else replace(task, map=through.without), trunk):
        if any(len(one) == len(path) and norm(one - path).max() < ALIKE for one in done):
            continue
        done.append(path)
        curve = Curve.of(path)
        turn = float(wrap(task.goal[2] - curve.heading[-1]))
        turn = 0.0 if abs(turn) < 1e-3 else turn
        side = SIDEWAYS[int(task.glides)]
        apart = np.maximum(norm(task.points[:, None] - task.points), task.pair)
        pair = BESIDE * task.pair
        levels = chain(rotate(task.points, np.array(turn)), pair, STRETCH * pair + headway, side * GRID)
        # so far along the tail of the column is on the path
        late = 0.5 * float(np.ptp(levels.points[..., 0], axis=1).max())
        if through is not None:
            levels, late = opened(levels, through.widest + 2.0 * task.keep, OPENING * GRID), task.extent
        s = np.linspace(0.0, curve.length, max(int(np.ceil(curve.length / GRID)), 1) + 1)
        fits = Fits.of(curve, s, levels, task.need + SPARE, np.minimum(task.pair + SPARE, apart - 1e-3), task.walls)
        fits.known[-1, 0] = 1  # the goal has been checked, and without more than what is asked for
        latest = int(np.ceil((late + GRID) / GRID))
        for reach in SMOOTH:
            yield _Try(curve, s, fits, latest, reach, task.glides, DETOUR * curve.length - GENTLE * reach)


def _cheapest(tries: list[_Try]) -> Iterator[tuple[_Try, Array]]:
    """Each that has a sequence of samples and levels (Q, 2), the cheapest first. None is searched farther than is needed for that."""
    open_: list[tuple[float, int, Array | None]] = [(one.least, k, None) for k, one in enumerate(tries)]
    heapq.heapify(open_)
    while open_:
        cost, k, steps = heapq.heappop(open_)
        one = tries[k]
        if steps is not None:
            yield one, steps
            continue
        # as far as the next one, and twice as far as before: what is known of the fits stays known
        most = max(open_[0][0] - one.least, 2.0 * (cost - one.least), GRID) if open_ else np.inf
        steps, cost = sequence(one.fits, GRID, one.reach, one.latest, one.stand, most)
        if np.isfinite(cost):
            heapq.heappush(open_, (one.least + cost, k, steps))


def _trip(task: RouteTask, tried: _Try, found: Array) -> Bent:
    """The trip of a sequence ``found`` (Q, 2)."""
    curve, s, levels, reach = tried.curve, tried.s, tried.fits.levels, tried.reach
    index = np.linspace(0.0, len(found) - 1, FINE * (len(found) - 1) + 1)
    low = np.minimum(index.astype(int), max(len(found) - 2, 0))
    one, other = (levels.points[found[np.minimum(low + k, len(found) - 1), 1]] for k in range(2))
    points = one + (index - low)[:, None, None] * (other - one)
    along = np.interp(index, np.arange(len(found)), s[found[:, 0]])
    for _ in range(2):
        points, along = (_averaged(values, max(FINE * reach // 2, 1)) for values in (points, along))
    points[-1] = levels.points[0]
    along[-1] = curve.length
    turn = np.interp(along, curve.step * np.arange(len(curve.heading)), curve.heading)
    bent = min(float(levels.share[found[:, 1]].max()), 1.0)
    ways = _straightened(curve.place(along, points), task.ends)
    return Bent(ways, turn, bent)


def _straightened(ways: Array, ends: Array) -> Array:
    """The ways (K, N, 2) m, brought gently to the ``ends`` (N, 2) m of the rigid structure: where the path bends it ends a little bent."""
    off = ends - ways[-1]
    count = min(int((0.3 + SLANT * float(norm(off).max())) / STEP), len(ways))
    t = np.linspace(0.0, 1.0, count)[:, None, None]
    result = ways.copy()
    result[len(ways) - count :] += t * t * (3.0 - 2.0 * t) * off
    return result


def _averaged(values: Array, reach: int) -> Array:
    """The running mean over ``reach`` samples before and behind; both ends stay."""
    reach = min(reach, len(values) - 1)
    if reach < 1:
        return values
    padded = np.pad(values, ((reach, reach),) + ((0, 0),) * (values.ndim - 1), mode="reflect", reflect_type="odd")
    total = np.cumsum(np.concatenate((np.zeros_like(padded[:1]), padded)), axis=0)
    result: Array = (total[2 * reach + 1 :] - total[: -2 * reach - 1]) / (2 * reach + 1)
    return result


def _paths(task: RouteTask, trunk: Array) -> Iterator[Array]:
    """Paths of the middle to the goal, evenly spaced."""
    need, goal, exact = task.widest, task.goal[:2], exact_map(task.map)
    comfort = task.keep + task.extent
    bands = task.bands(max(0.3, 0.5 * task.extent))
    ahead = np.array([np.cos(task.goal[2]), np.sin(task.goal[2])])
    for approach in (task.extent + 1.5 * bands[0][1], 0.0):
        before = goal - approach * ahead
        if approach and task.walls.walls and way_distance(task.walls.table, *before, *(approach * ahead), need) < need:
            continue
        found = search(task.map, before, need, comfort)
        rough = way(found, trunk[0], 2.0 * task.map.grid.resolution)
        if rough is None:
            continue
        path = pulled(np.vstack((rough, before)), task.walls, need, comfort)
        fixed = 1
        if approach:
            path = np.vstack((resampled(path, KNOT), goal))
            fixed = max(int(0.5 * approach / KNOT), 1)
        if float(norm(np.diff(path, axis=0)).sum()) > KNOT:
            yield from (smoothed(path, exact, (keep, comfort), KNOT, stiff, fixed) for keep, stiff in bands)
    if float(norm(trunk[-1] - trunk[0])) > KNOT:
        path = np.vstack((trunk, goal))
        yield from (smoothed(resampled(path, KNOT), exact, (keep, keep), KNOT, stiff, 1) for keep, stiff in bands)
