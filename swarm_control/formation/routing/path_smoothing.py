"""Smooth ways: an elastic band that is stiff against bending and is pushed off walls."""

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array, norm
from swarm_control.core.grid import read_scalar
from swarm_control.core.state import Map
from swarm_control.core.walldistance import WallDistance, way_distance

STILL = 5e-6
"""A band whose points move by less in a round, m, is at rest."""

PUSH = 3.0
"""How strongly walls push, 1/m⁴: about as strongly as bends of half a metre resist."""


def resampled(path: Array, step: float) -> Array:
    """Points (M, 2) on the broken line ``path`` (P, 2) m, evenly spaced by at most ``step`` (m)."""
    gone = np.concatenate(([0.0], np.cumsum(norm(np.diff(path, axis=0)))))
    count = max(int(np.ceil(gone[-1] / step - 1e-9)), 1)
    even = np.linspace(0.0, gone[-1], count + 1)
    return np.column_stack([np.interp(even, gone, path[:, axis]) for axis in range(2)])


def pulled(path: Array, walls: WallDistance, need: float, comfort: float) -> Array:
    """The broken line ``path`` (P, 2) m with parts replaced by straight ones with as much room, or ``comfort`` (m), and ``need`` (m)."""
    if not walls.walls:
        return path[[0, -1]]
    for _ in range(2):
        path = path[_pulled(walls.table, path, need, comfort)][::-1]
        path = path if len(path) < 3 else _densified(path)
    return path


def _densified(path: Array) -> Array:
    """The broken line with points about 0.1 m apart, its corners kept."""
    counts = np.maximum(np.ceil(norm(np.diff(path, axis=0)) / 0.1).astype(int), 1)
    parts = [path[k] + np.arange(n)[:, None] / n * (path[k + 1] - path[k]) for k, n in enumerate(counts)]
    return np.vstack((*parts, path[-1:]))


@njit(cache=True)
def _pulled(table, path, need, comfort):  # type: ignore[no-untyped-def]
    """Which points are left: from each the farthest that is seen, by doubling and halving."""
    n = len(path)
    room = np.empty(n - 1)
    for k in range(n - 1):
        room[k] = way_distance(table, path[k, 0], path[k, 1], path[k + 1, 0] - path[k, 0], path[k + 1, 1] - path[k, 1], comfort)
    kept = np.empty(n, np.int64)
    kept[0], count, k = 0, 1, 0
    while k < n - 1:
        good, bad, tried = k + 1, n, k + 2
        while bad - good > 1:
            tried = min(tried, n - 1)
            wanted = comfort
            for j in range(k, tried):
                wanted = min(wanted, max(room[j], need))
            dx, dy = path[tried, 0] - path[k, 0], path[tried, 1] - path[k, 1]
            if way_distance(table, path[k, 0], path[k, 1], dx, dy, wanted) >= wanted - 1e-9:
                good = tried
            else:
                bad = tried
            tried = (good + bad) // 2 if bad < n else k + 2 * (good - k)
        k = good
        kept[count] = k
        count += 1
    return kept[:count].copy()


def smoothed(path: Array, exact: Map, room: tuple[float, float], step: float, stiff: float, fixed: int) -> Array:
    """The broken line ``path`` (P, 2) m made short and round, evenly spaced.

    It relaxes ``Σ ½α‖Δx‖² + ½β‖Δ²x‖² + ½γ·max(comfort − c, 0)²`` (elastic band, Quinlan & Khatib 1993), c the clearance; ``β/α =
    (stiff/h)²`` at spacing h, so that bends shorter than ``stiff`` (m) are rounded off. First coarse, then with points ``step`` (m) apart.
    ``room`` (m): the clearance that it keeps where there is that much, and the comfortable one. The last ``fixed`` points stay.
    """
    need, comfort = room
    grid = exact.grid
    coarse = max(min(need, 0.2), step)
    for h, rounds in ((coarse, 1200), (np.sqrt(coarse * step), 600), (step, 400)):
        path = resampled(path, h)
        tail = max(int(np.ceil(fixed * step / h)), 1)
        if len(path) <= 1 + tail:
            continue
        bend = 1.0 / 18.0
        pull = min(bend * (h / max(stiff, 1e-6)) ** 2, 0.25)
        push = PUSH * h**4 if comfort > need else 0.0
        _relax(path, exact.clearance, *grid.origin, grid.resolution, (need, comfort), (pull, bend, push), rounds, tail)
    return resampled(path, step)


@njit(cache=True)
def _relax(path, clearance, x0, y0, resolution, room, weights, rounds, tail):  # type: ignore[no-untyped-def]
    """Gauss–Seidel descent. A move that would bring a point nearer to a wall than it is to be, and than it was, is not made."""
    need, comfort = room
    pull, bend, push = weights
    n = len(path)
    for _ in range(rounds):
        farthest = 0.0
        for k in range(1, n - tail):
            x, y = path[k, 0], path[k, 1]
            dx, dy = path[k - 1, 0] + path[k + 1, 0] - 2.0 * x, path[k - 1, 1] + path[k + 1, 1] - 2.0 * y
            if 2 <= k < n - 2:
                ex = path[k - 2, 0] + path[k + 2, 0] - 2.0 * x - 4.0 * dx
                ey = path[k - 2, 1] + path[k + 2, 1] - 2.0 * y - 4.0 * dy
            else:
                ex, ey = -dx, -dy
            now = read_scalar(clearance, x0, y0, resolution, x, y)
            u, v = x + pull * dx - bend * ex, y + pull * dy - bend * ey
            u, v = _pushed(clearance, x0, y0, resolution, u, v, need, comfort, push)
            if read_scalar(clearance, x0, y0, resolution, u, v) < min(need, now) - 1e-3 * resolution:
                u, v = _pushed(clearance, x0, y0, resolution, x, y, need, comfort, push)
            farthest = max(farthest, abs(u - x), abs(v - y))
            path[k, 0], path[k, 1] = u, v
        if farthest < STILL:
            return


@njit(cache=True)
def _pushed(clearance, x0, y0, resolution, x, y, need, comfort, push):  # type: ignore[no-untyped-def]
    """Where walls push a point: off to ``need`` (m), by at most half a cell at a time, and softly to ``comfort`` (m)."""
    c = read_scalar(clearance, x0, y0, resolution, x, y)
    if c >= comfort:
        return x, y
    e = 0.5 * resolution
    gx = read_scalar(clearance, x0, y0, resolution, x + e, y) - read_scalar(clearance, x0, y0, resolution, x - e, y)
    gy = read_scalar(clearance, x0, y0, resolution, x, y + e) - read_scalar(clearance, x0, y0, resolution, x, y - e)
    # in the middle of a passage the slope is small, and so is the push
    far = max(push * (comfort - c), min(need - c, e)) / (2.0 * e) * min(1.0, 2.0 * e / max(np.hypot(gx, gy), 1e-12))
    return x + far * gx, y + far * gy


def headings(path: Array) -> Array:
    """Direction (M,) rad of the path at its points, without jumps of a whole turn."""
    ahead = np.gradient(path, axis=0) if len(path) > 2 else np.repeat(np.diff(path, axis=0), len(path), axis=0)
    return np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))
