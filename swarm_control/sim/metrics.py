"""What a run is judged by, taken from the recorded states tick by tick."""

import math
from typing import Any

import numpy as np
from numba import prange

from swarm_control.core.cells import sort_into_cells
from swarm_control.core.compiled import Kernel, jit
from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.core.walldistance import WallDistance, wall_distance
from swarm_control.sim.contacts import block_of
from swarm_control.sim.dynamics.kind import KINDS

MOVING = 0.01
"""Speed (m/s) from which a robot counts as moving and its course means something."""


class Metrics:
    """Accumulates the measures of a run of ``fleet`` on ``grid``; None: open space.

    ``min_separation`` (m): smallest distance between two robots' centres so far. ``min_clearance`` (m): smallest distance between a
    footprint and a wall so far. Both infinite while there is nothing to measure.

    Where MuJoCo moves robots the summary has also ``falls``: how many have fallen; ``travel_speed`` (m/s): mean distance from start to end
    per time; ``straightness``: that distance as a share of the way, mean over robots; ``energy`` (J): work of the motors where known.
    """

    def __init__(self, fleet: Fleet, grid: Grid | None) -> None:
        self._fleet = fleet
        walls = None if grid is None else WallDistance(grid)
        self._walls = walls if walls is not None and walls.walls else None
        self._everybody = np.ones(len(fleet), bool)
        self._width = 1e-6
        self.min_separation = math.inf
        self.min_clearance = math.inf
        self._polarization: list[float] = []
        self._formation: list[float] = []
        self._balances = bool({*fleet.model} & {*KINDS})
        self._fallen = np.zeros(len(fleet), bool)
        self._first = self._last = np.empty((0, 2))
        self._way = np.zeros(len(fleet))

    def add(self, state: SwarmState, formation_error: float | None = None) -> None:
        """Take note of a tick: true ``state``, and how far (m) robots are from their places when they keep a formation."""
        self.min_separation = min(self.min_separation, self._separation(state.position))
        if self._walls is not None:
            n = len(state)
            room: float = _room(n, self._walls.table, state.pose, self._fleet.radius, self.min_clearance).min(initial=math.inf)
            self.min_clearance = min(self.min_clearance, float(room))
        aligned = polarization(state)
        if aligned is not None:
            self._polarization.append(aligned)
        if formation_error is not None:
            self._formation.append(formation_error)
        if state.fallen is not None:
            self._fallen |= state.fallen
        if not len(self._first):
            self._first = self._last = state.position
        self._way += np.hypot(*(state.position - self._last).T)
        self._last = state.position

    def summary(
        self, *, scenario: str, seed: int, duration: float, wall_time: float, collisions: int, arrived_fraction: float | None,
        arrival_time: float | None, phases: list[dict[str, Any]], energy: float | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """The contents of ``summary.json``: SI units, plain JSON values, null where a measure does not apply."""
        aligned, error = self._polarization, self._formation
        result = {
            "scenario": scenario, "seed": seed, "robots": len(self._fleet), "duration": duration, "wall_time": wall_time,
            "real_time_factor": duration / wall_time if wall_time > 0.0 else None,
            "collisions": collisions, "min_separation": self.min_separation, "min_clearance": self.min_clearance,
            "polarization": np.mean(aligned) if aligned else None,
            "arrived_fraction": arrived_fraction, "arrival_time": arrival_time,
            "formation_error_mean": np.mean(error) if error else None,
            "formation_error_std": np.std(error) if error else None,
            "formation_error_max": np.max(error) if error else None,
            "phases": phases,
        }  # fmt: skip
        if self._balances:
            result |= self._effort(duration, energy)
        return {key: plain(value) for key, value in result.items()}

    def _effort(self, duration: float, energy: float | None) -> dict[str, Any]:
        """What robots that must keep their balance are judged by besides."""
        straight = np.hypot(*(self._last - self._first).T)
        return {
            "falls": int(self._fallen.sum()), "energy": energy,
            "travel_speed": straight.mean() / duration if duration > 0.0 and len(straight) else None,
            "straightness": (straight / np.maximum(self._way, 1e-9)).mean() if self._way.any() else None,
        }  # fmt: skip

    def _separation(self, position: Array) -> float:
        """Smallest distance between two robots, or something not smaller than the smallest so far."""
        if len(position) < 2:
            return math.inf
        known = math.isfinite(self.min_separation)
        cells = sort_into_cells(position, self._everybody, max(self.min_separation if known else 0.0, 0.5 * self._width))
        self._width = cells.size
        table = (cells.order, cells.start, cells.origin, cells.size, cells.rows, cells.columns)
        least = float(_nearest(len(position), table, position).min())
        if known or least <= cells.size:
            return least
        from scipy.spatial import cKDTree

        return float(cKDTree(position).query(position, k=2)[0][:, 1].min())


def polarization(state: SwarmState) -> float | None:
    """How much the moving robots agree on a course: ``|Σ v̂|/n`` from 0 to 1; None when nobody moves."""
    x, y, count = _courses(state.velocity)
    return min(math.hypot(x, y) / count, 1.0) if count else None


@jit
def _courses(velocity: Array) -> tuple[float, float, int]:
    """Sum of the unit velocities of moving robots, and how many there are."""
    x, y, count = 0.0, 0.0, 0
    for i in range(len(velocity)):
        speed = np.hypot(velocity[i, 0], velocity[i, 1])
        if speed > MOVING:
            x += velocity[i, 0] / speed
            y += velocity[i, 1] / speed
            count += 1
    return x, y, count


def plain(value: Any) -> Any:
    """``value`` in JSON's own types; numbers that are not finite become None."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _room_loop(table, pose, radius, least):  # type: ignore[no-untyped-def]
    """Distance between each footprint and the nearest wall (N,), where it is below ``least``; else ``least``."""
    n = len(pose)
    room = np.empty(n)
    for i in prange(n):
        cap = max(least + radius[i], 0.0)
        distance = wall_distance(table, pose[i, 0], pose[i, 1], cap)
        room[i] = distance - radius[i] if distance < cap else least
    return room


def _nearest_loop(cells, position):  # type: ignore[no-untyped-def]
    """Distance (N,) from each robot to the nearest one in the nine cells around it; infinite when they hold no other."""
    order, start = cells[0], cells[1]
    n = len(position)
    result = np.empty(n)
    for a in prange(n):
        x, y = position[a, 0], position[a, 1]
        low_i, high_i, low_j, high_j, columns = block_of(x, y, cells)
        least = np.inf
        for i in range(low_i, high_i):
            for k in range(start[i * columns + low_j], start[i * columns + high_j]):
                b = order[k]
                if b != a:
                    dx, dy = position[b, 0] - x, position[b, 1] - y
                    least = min(least, dx * dx + dy * dy)
        result[a] = np.sqrt(least)
    return result


_room = Kernel(_room_loop)
_nearest = Kernel(_nearest_loop)
