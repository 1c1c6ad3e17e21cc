"""Who sees whom: within a radius and a field of view, the nearest few, with noise and loss.

Robot i perceives j when ‖x_j − x_i‖ ≤ r and |wrap(atan2(x_j − x_i) − θ_i)| ≤ FoV/2 (Adeola et al., §2.2); of these the ``count``
nearest (Brogan & Hodgins, §3). A robot at the very same place has no bearing and is seen.
"""

from dataclasses import dataclass

import numpy as np
from numba import prange

from swarm_control.core.cells import Cells, sort_into_cells
from swarm_control.core.compiled import Kernel
from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.parameters import param
from swarm_control.core.state import Neighbourhoods, SwarmState


@dataclass(frozen=True)
class Perception:
    """Parameters of perception."""

    radius: float = param(1.5, "how far a robot sees others", unit="m", low=0.01, high=1000.0)
    field_of_view: float = param(360.0, "width of the view, centred on the heading", unit="deg", low=1.0, high=360.0)
    count: int = param(0, "how many of the nearest are attended to; 0 for all", low=0, high=1000)
    noise_position: float = param(0.0, "standard deviation of a seen neighbour's position", unit="m", low=0.0, high=10.0)
    noise_velocity: float = param(0.0, "standard deviation of a seen neighbour's velocity", unit="m/s", low=0.0, high=10.0)
    loss: float = param(0.0, "share of neighbours missed in each tick", low=0.0, high=1.0)


def perceive(state: SwarmState, params: Perception, rng: np.random.Generator) -> Neighbourhoods:
    """Return whom each robot sees in ``state``; robots without valid odometry neither see nor are seen."""
    n = len(state)
    cells = sort_into_cells(state.position, state.valid, params.radius)
    half_view = np.cos(np.deg2rad(params.field_of_view) / 2.0) if params.field_of_view < 360.0 else -2.0
    arguments = (_table(cells), state.pose, state.valid, params.radius, half_view)
    start = np.zeros(n + 1, np.int64)
    np.cumsum(_count(n, *arguments), out=start[1:])
    index, offset, velocity, distance = _collect(n, *arguments, state.velocity, start)
    seen = Neighbourhoods(start, index, offset, velocity, distance)
    if params.loss > 0.0:
        seen = _keep(seen, rng.random(len(index)) >= params.loss)
    if params.count > 0:
        seen = _keep(seen, _rank(seen) < params.count)
    return _disturb(seen, params, rng)


def _table(cells: Cells) -> tuple[IntArray, IntArray, Array, float, int, int]:
    return cells.order, cells.start, cells.origin, cells.size, cells.rows, cells.columns


def _keep(seen: Neighbourhoods, kept: BoolArray) -> Neighbourhoods:
    start = np.concatenate(([0], np.cumsum(kept)))[seen.start]
    return Neighbourhoods(start, seen.index[kept], seen.offset[kept], seen.velocity[kept], seen.distance[kept])


def _rank(seen: Neighbourhoods) -> IntArray:
    """Place of each pair among its robot's neighbours by distance, from 0; ties go by index."""
    order = np.lexsort((seen.index, seen.distance, seen.owner))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - seen.start[seen.owner[order]]
    return rank


def _disturb(seen: Neighbourhoods, params: Perception, rng: np.random.Generator) -> Neighbourhoods:
    if params.noise_position == 0.0 and params.noise_velocity == 0.0:
        return seen
    offset = seen.offset + rng.normal(0.0, params.noise_position, seen.offset.shape)
    velocity = seen.velocity + rng.normal(0.0, params.noise_velocity, seen.velocity.shape)
    return Neighbourhoods(seen.start, seen.index, offset, velocity, np.hypot(offset[:, 0], offset[:, 1]))


def _count_loop(table, pose, valid, radius, half_view):  # type: ignore[no-untyped-def]
    order, start, origin, size, rows, columns = table
    n = len(pose)
    result = np.zeros(n, np.int64)
    for a in prange(n):
        if not valid[a]:
            continue
        x, y = pose[a, 0], pose[a, 1]
        hx, hy = np.cos(pose[a, 2]), np.sin(pose[a, 2])
        j0, i0 = int((x - origin[0]) / size), int((y - origin[1]) / size)
        found = 0
        for i in range(max(i0 - 1, 0), min(i0 + 2, rows)):
            for k in range(start[i * columns + max(j0 - 1, 0)], start[i * columns + min(j0 + 1, columns - 1) + 1]):
                b = order[k]
                dx, dy = pose[b, 0] - x, pose[b, 1] - y
                d = np.sqrt(dx * dx + dy * dy)
                if b != a and d <= radius and (d == 0.0 or dx * hx + dy * hy >= d * half_view):
                    found += 1
        result[a] = found
    return result


def _collect_loop(table, pose, valid, radius, half_view, velocity, first):  # type: ignore[no-untyped-def]
    order, start, origin, size, rows, columns = table
    n, pairs = len(pose), first[-1]
    index = np.empty(pairs, np.int64)
    offset = np.empty((pairs, 2))
    relative = np.empty((pairs, 2))
    distance = np.empty(pairs)
    for a in prange(n):
        if not valid[a]:
            continue
        x, y = pose[a, 0], pose[a, 1]
        hx, hy = np.cos(pose[a, 2]), np.sin(pose[a, 2])
        j0, i0 = int((x - origin[0]) / size), int((y - origin[1]) / size)
        m = first[a]
        for i in range(max(i0 - 1, 0), min(i0 + 2, rows)):
            for k in range(start[i * columns + max(j0 - 1, 0)], start[i * columns + min(j0 + 1, columns - 1) + 1]):
                b = order[k]
                dx, dy = pose[b, 0] - x, pose[b, 1] - y
                d = np.sqrt(dx * dx + dy * dy)
                if b != a and d <= radius and (d == 0.0 or dx * hx + dy * hy >= d * half_view):
                    index[m] = b
                    offset[m, 0], offset[m, 1], distance[m] = dx, dy, d
                    relative[m, 0] = velocity[b, 0] - velocity[a, 0]
                    relative[m, 1] = velocity[b, 1] - velocity[a, 1]
                    m += 1
    return index, offset, relative, distance


_count = Kernel(_count_loop)
_collect = Kernel(_collect_loop)
