"""Fields on the map: clearance (brushfire), repulsion (potential field) and guidance (fast sweeping)."""

import numpy as np

from swarm_control.core.compiled import jit
from swarm_control.core.distance_transform import room_around
from swarm_control.core.geometry import AnyArray, Array
from swarm_control.core.geometry import Float32Array as Field
from swarm_control.core.grid import Grid
from swarm_control.core.state import Map

LEFT = 5.0
"""Close to a wall on the left a way counts for so much more than as long as it is, where ways keep right."""


def make_map(grid: Grid) -> Map:
    """Prepare ``grid`` for the behaviours."""
    return Map(grid, grid.once(clearance_field))


def clearance_of(map: Map | None) -> tuple[Field, float, float, float]:
    """What compiled code reads of a ``map``: its clearance (H, W) m, origin x and y (m) and cells' size (m); None: free all round."""
    if map is None:
        return np.full((2, 2), 1e6, np.float32), -1e9, -1e9, 1e9
    x, y = map.grid.origin
    return map.clearance, float(x), float(y), float(map.grid.resolution)


def clearance_field(grid: Grid) -> Field:
    """Distance in m from each cell's centre to the nearest wall's edge, (H, W); zero inside walls.

    The brushfire of Lengyel et al. (1990) in Euclidean metric. Half a cell's diagonal is taken off the distance between centres, so
    the value is never too large, and at most 0.21 cells too small along the axes.
    """
    if not grid.occupied.any():
        return np.full(grid.occupied.shape, np.float32(1e6))
    return room_around(grid.occupied, grid.resolution)


def repulsion_field(clearance: Field, resolution: float, radius: float) -> Field:
    """Force away from walls, (H, W, 2) in [0, 1]: direction of growing clearance, 1 at the wall falling to 0 at ``radius``."""
    gradient = _gradient(clearance) / np.float32(resolution)
    length = np.linalg.norm(gradient, axis=-1, keepdims=True)
    direction = np.divide(gradient, length, out=np.zeros_like(gradient), where=length > 1e-6)
    magnitude = np.clip(1.0 - clearance / np.float32(radius), 0.0, 1.0)
    return np.asarray(direction * magnitude[..., None], np.float32)


def guidance_field(map: Map, goal: tuple[float, float], margin: float, comfort: float) -> tuple[Field, Field]:
    """Shortest free way to ``goal`` (x, y) m from everywhere: direction (H, W, 2) and travel time (H, W), s at 1 m/s.

    Solves the eikonal equation ‖∇T‖ = 1/F by fast sweeping (Zhao 2005), F = speed: 1 where the clearance is at least ``comfort``,
    falling to 0.1 at ``margin``; closer to walls than ``margin`` is closed, so ways keep off the walls where there is room. Closed
    cells have infinite time and lead to the nearest open one.
    """
    slowness = _slowness(map.clearance, margin, comfort)
    time = _travel_time(slowness, map.grid, goal)
    return _descent(time), time.astype(np.float32)


def lane_field(map: Map, goal: tuple[float, float], margin: float, comfort: float, lane: float) -> Field:
    """The same direction (H, W, 2) with ways that keep right in narrow places, so that those who meet there pass in lanes.

    Where the nearest wall is to the left of the shortest way and nearer than ``lane`` (m), speed F falls to 1/(1 + :data:`LEFT`) of
    itself at ``margin``; the eikonal equation is solved again with that.
    """
    slowness = _slowness(map.clearance, margin, comfort)
    way = _descent(_travel_time(slowness, map.grid, goal))
    away = _gradient(map.clearance) / np.float32(map.grid.resolution)
    left = np.clip(way[..., 1] * away[..., 0] - way[..., 0] * away[..., 1], 0.0, 1.0)
    narrow = np.clip((lane - map.clearance) / max(lane - margin, 1e-9), 0.0, 1.0)
    return _descent(_travel_time(slowness * (1.0 + LEFT * left * narrow), map.grid, goal))


def _slowness(clearance: Field, margin: float, comfort: float) -> Array:
    """One over the speed, (H, W) s/m, with which ways are measured; infinite where it is closed."""
    ramp = np.clip((clearance - margin) / max(comfort - margin, 1e-9), 0.0, 1.0)
    return np.where(clearance > margin, 1.0 / (0.1 + 0.9 * ramp), np.inf)


def _travel_time(slowness: Array, grid: Grid, goal: tuple[float, float]) -> Array:
    """Time (H, W), s, from everywhere to the open cell that is nearest to the ``goal``."""
    i, j = _nearest_free(slowness, grid, goal)
    time = np.full(slowness.shape, np.inf)
    time[i, j] = 0.0
    _sweep(time, slowness * grid.resolution)
    return time


def _nearest_free(slowness: Array, grid: Grid, goal: tuple[float, float]) -> tuple[int, int]:
    rows, columns = np.nonzero(np.isfinite(slowness))
    if rows.size == 0:
        return 0, 0
    x = grid.origin[0] + (columns + 0.5) * grid.resolution
    y = grid.origin[1] + (rows + 0.5) * grid.resolution
    k = int(np.argmin((x - goal[0]) ** 2 + (y - goal[1]) ** 2))
    return int(rows[k]), int(columns[k])


def _fill_walls(time: Array) -> Array:
    """Give closed cells a time beyond their nearest open cell's, so that directions lead out of them."""
    from scipy import ndimage

    closed = ~np.isfinite(time)
    away, (i, j) = ndimage.distance_transform_edt(closed, return_indices=True)
    return np.where(closed, time[i, j] + 10.0 * away, time)


def _descent(time: Array) -> Field:
    """Unit direction (H, W, 2) in which ``time`` (H, W) falls most; beside closed cells in which it falls to open ones.

    Central differences would have closed cells push: where a way is but a cell or two wide, from all sides to a point that nothing leaves.
    """
    closed = ~np.isfinite(time)
    down = -_gradient(_fill_walls(time))
    for axis, component in ((1, 0), (0, 1)):
        if time.shape[axis] > 1:
            fall, beside = _fall(time, closed, axis)
            down[..., component][beside] = fall[beside]
    length = np.linalg.norm(down, axis=-1, keepdims=True)
    return np.asarray(np.divide(down, length, out=np.zeros_like(down), where=length > 1e-9), np.float32)


def _fall(time: Array, closed: AnyArray, axis: int) -> tuple[Array, AnyArray]:
    """How much ``time`` falls along an axis to an open neighbour (H, W), and which open cells have a closed one (H, W)."""
    wide = [(0, 0), (0, 0)]
    wide[axis] = (1, 1)
    padded = np.pad(time, wide, constant_values=np.inf)
    before, after = (np.take(padded, range(k, k + time.shape[axis]), axis) for k in (0, 2))
    fall = np.maximum(np.where(closed, 0.0, time) - np.minimum(before, after), 0.0)
    beside = ~closed & (np.isinf(before) | np.isinf(after))
    return np.where(before < after, -fall, fall), beside


def _gradient(values: AnyArray) -> AnyArray:
    """Slope per cell along x and y, (H, W, 2), of ``values`` (H, W); zero along an axis of a single cell."""
    along = [np.gradient(values, axis=axis) if values.shape[axis] > 1 else np.zeros_like(values) for axis in (1, 0)]
    return np.stack(along, axis=-1)


@jit
def _sweep(time: Array, cost: Array) -> None:
    """Gauss–Seidel sweeps in the four diagonal orders until nothing changes; ``cost`` = slowness × cell size."""
    rows, columns = time.shape
    changed = True
    while changed:
        changed = False
        for order in range(4):
            for a in range(rows):
                i = a if order < 2 else rows - 1 - a
                for b in range(columns):
                    j = b if order % 2 == 0 else columns - 1 - b
                    c = cost[i, j]
                    if not np.isfinite(c):
                        continue
                    x = min(time[i, j - 1] if j > 0 else np.inf, time[i, j + 1] if j < columns - 1 else np.inf)
                    y = min(time[i - 1, j] if i > 0 else np.inf, time[i + 1, j] if i < rows - 1 else np.inf)
                    low, gap = min(x, y), abs(x - y)
                    if not np.isfinite(low):
                        continue
                    t = low + c if not gap < c else 0.5 * (x + y + np.sqrt(2.0 * c * c - gap * gap))
                    if t < time[i, j] - 1e-9:
                        time[i, j] = t
                        changed = True
