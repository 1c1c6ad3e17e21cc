"""Round footprints that pass neither through each other nor through walls, and the count of their contacts, whatever moves them."""

import numpy as np

from swarm_control.core.cells import sort_into_cells
from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet
from swarm_control.core.walldistance import WallDistance, wall_distance
from swarm_control.sim.contacts import BLOCKED, FREE, meet_robots, meet_walls, settle
from swarm_control.sim.episodes import Episodes
from swarm_control.sim.objects import Objects


class Footprints:
    """The footprints of a ``fleet`` on the map ``grid``; None: open space. There is free floor outside the map.

    Robots whose straight way would lead into another footprint or a wall stay where they are, and those that can may turn
    (:mod:`~swarm_control.sim.contacts`): what does not overlap at the start never does.
    """

    def __init__(self, fleet: Fleet, grid: Grid | None) -> None:
        self._radius = fleet.radius
        self._turns = fleet.column(lambda model: model.turns_in_place)
        walls = None if grid is None else WallDistance(grid)
        self._walls = walls if walls is not None and walls.walls else None
        self._everybody = np.ones(len(fleet), bool)
        self.reset()

    def reset(self) -> None:
        """Forget all contacts."""
        self._width = 0.0  # of the last step's cells, where the search for the right width begins
        self._episodes = Episodes(self._radius, self._walls)

    @property
    def collisions(self) -> IntArray:
        """Contact episodes so far (N,): a pair's count for its lower index, a robot's with a wall for the robot."""
        return self._episodes.count.copy()

    @property
    def begun(self) -> list[tuple[int, int]]:
        """The contacts that began in the last step: two robots, or a robot and N for a wall."""
        return [divmod(int(key), len(self._radius) + 1) for key in self._episodes.begun]

    def free(self, robot: int, pose: Array, others: Array) -> bool:
        """Whether a robot at ``pose`` (3,) overlaps neither walls nor robots at ``others`` (N, 3), itself left out."""
        gap = np.hypot(*(others[:, :2] - pose[:2]).T) - self._radius - self._radius[robot]
        gap[robot] = np.inf
        if self._walls is not None and wall_distance(self._walls.table, pose[0], pose[1], self._radius[robot]) < self._radius[robot]:
            return False
        return bool(gap.min() >= 0.0)

    def step(
        self, old: Array, move: Array, pose: Array, reach: float, objects: Objects | None = None
    ) -> tuple[BoolArray, BoolArray] | None:
        """Let robots go from ``old`` (N, 3) by ``move`` (N, 2) m to ``pose`` (N, 3); who would touch something is put back in ``pose``.

        ``reach`` (m): no two centres that are farther apart can meet, see :func:`reach`. Returns who did not move and, of
        those, who did not turn either; None where nobody was stopped. Moves of who is stopped become zero. ``objects`` are pushed,
        and stop robots that cannot push them; to touch them is no contact.
        """
        blocked, contacts = self._contacts(old, move, reach)
        if objects is not None:
            while (held := objects.held(old, move)).any():
                move[held] = 0.0
                further, more = self._contacts(old, move, reach)
                blocked = held | np.any([stuck for stuck in (blocked, further) if stuck is not None], axis=0)
                contacts = np.concatenate((contacts, more))
            objects.go()
        stopped = None
        if blocked is not None:
            fixed = blocked & ~self._turns
            pose[blocked, :2], pose[fixed, 2] = old[blocked, :2], old[fixed, 2]
            stopped = blocked, fixed
        self._episodes.update(contacts, pose)
        return stopped

    def _contacts(self, old: Array, move: Array, reach: float) -> tuple[BoolArray | None, IntArray]:
        """Who is blocked on the way ``move`` (N, 2) m, None for nobody, and the keys of contacts, see :class:`Episodes`."""
        n, radius = len(old), self._radius
        blocked, keys = None, [np.empty(0, np.int64)]
        if self._walls is not None:
            met = meet_walls(n, self._walls.table, old, move, radius)
            if met.any():
                blocked = met == BLOCKED
                keys.append(np.flatnonzero(met != FREE) * (n + 1) + n)
        if n > 1:
            cells = sort_into_cells(old[:, :2], self._everybody, max(reach, 0.5 * self._width))
            self._width = cells.size
            table = (cells.order, cells.start, cells.origin, cells.size, cells.rows, cells.columns)
            met = meet_robots(n, table, old, move, radius)
            if met.any():
                stuck, pairs = settle(table, old, move, radius, met)
                blocked = stuck if blocked is None else blocked | stuck
                keys.append(pairs)
        return blocked, np.concatenate(keys)


def reach(radius: Array, longest: float) -> float:
    """Distance (m) of centres beyond which robots with footprints of ``radius`` (N,) m do not meet on ways of at most ``longest`` (m)."""
    return 2.0 * float(radius.max(initial=0.0)) + 2.0 * longest * (1.0 + 1e-9) + 1e-6
