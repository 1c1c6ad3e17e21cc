"""The embedded engine: round robots in the plane that obey commands within their bounds and neither pass through each other nor walls."""

import numpy as np

from swarm_control.core.actuation import actuate
from swarm_control.core.cells import sort_into_cells
from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.grid import Grid
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.core.walldistance import WallDistance, wall_distance
from swarm_control.sim.contacts import BLOCKED, FREE, meet_robots, meet_walls, settle
from swarm_control.sim.episodes import Episodes


class PlanarEngine:
    """Moves a ``fleet`` from ``start`` in steps of ``dt`` (s) on the map ``grid``; None: open space.

    A step makes of each command what the robot's bounds permit (:mod:`~swarm_control.core.actuation`). Robots whose straight way
    would lead into another footprint or a wall stay where they are, at rest, and those that can may turn
    (:mod:`~swarm_control.sim.contacts`): what does not overlap at the start never does. There is free floor outside the map.
    """

    def __init__(self, fleet: Fleet, start: SwarmState, grid: Grid | None, dt: float) -> None:
        self.fleet = fleet
        self.dt = dt
        self._start = start
        walls = None if grid is None else WallDistance(grid)
        self._walls = walls if walls is not None and walls.walls else None
        fastest = max(fleet.max_speed.max(initial=0.0), np.hypot(*start.velocity[:, :2].T).max(initial=0.0))
        self._reach = 2.0 * float(fleet.radius.max(initial=0.0)) + 2.0 * float(fastest) * dt * (1.0 + 1e-9) + 1e-6
        self._turns = fleet.column(lambda model: model.turns_in_place)
        self._everybody = np.ones(len(fleet), bool)
        self.reset()

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._start.time + self._steps * self.dt

    @property
    def collisions(self) -> IntArray:
        """Contact episodes so far (N,): a pair's count for its lower index, a robot's with a wall for the robot."""
        return self._episodes.count.copy()

    def reset(self) -> None:
        """Put every robot back to where it started; time and collisions too."""
        self._steps = 0
        self._width = self._reach  # of the last step's cells, where the search for the right width begins
        self._state = self._start
        self._episodes = Episodes(self.fleet.radius, self._walls)

    def truth(self) -> SwarmState:
        """Where the robots really are and how they move, as of the end of the last step."""
        return self._state

    def place(self, robot: int, pose: Array) -> bool:
        """Put a robot, at rest, at ``pose`` (3,): x, y (m), yaw (rad). Where it would overlap something it stays; then false."""
        state, radius = self._state, self.fleet.radius
        gap = np.hypot(*(state.position - pose[:2]).T) - radius - radius[robot]
        gap[robot] = np.inf
        walled = self._walls is not None and wall_distance(self._walls.table, pose[0], pose[1], radius[robot]) < radius[robot]
        if walled or gap.min() < 0.0:
            return False
        poses, velocities = state.pose.copy(), state.velocity.copy()
        poses[robot], velocities[robot] = pose, 0.0
        self._state = SwarmState(self.time, poses, velocities, self._everybody)
        return True

    def step(self, commands: Commands) -> None:
        """Let ``dt`` pass in which the robots obey ``commands``; a command with a value that is not finite counts as a stop."""
        old = self._state
        move, pose, velocity = actuate(old, commands.twist, self.fleet, self.dt)
        blocked, contacts = self._contacts(old, move)
        if blocked is not None:
            pose[blocked, :2] = old.pose[blocked, :2]
            velocity[blocked, :2] = 0.0
            fixed = blocked & ~self._turns
            pose[fixed, 2], velocity[fixed, 2] = old.pose[fixed, 2], 0.0
        self._episodes.update(contacts, pose)
        self._steps += 1
        self._state = SwarmState(self.time, pose, velocity, self._everybody)

    def _contacts(self, old: SwarmState, move: Array) -> tuple[BoolArray | None, IntArray]:
        """Who is blocked on the way ``move`` (N, 2) m, None for nobody, and the keys of contacts, see :class:`Episodes`."""
        n, radius = len(old), self.fleet.radius
        blocked, keys = None, [np.empty(0, np.int64)]
        if self._walls is not None:
            met = meet_walls(n, self._walls.table, old.pose, move, radius)
            if met.any():
                blocked = met == BLOCKED
                keys.append(np.flatnonzero(met != FREE) * (n + 1) + n)
        if n > 1:
            cells = sort_into_cells(old.position, self._everybody, max(self._reach, 0.5 * self._width))
            self._width = cells.size
            table = (cells.order, cells.start, cells.origin, cells.size, cells.rows, cells.columns)
            met = meet_robots(n, table, old.pose, move, radius)
            if met.any():
                stuck, pairs = settle(table, old.pose, move, radius, met)
                blocked = stuck if blocked is None else blocked | stuck
                keys.append(pairs)
        return blocked, np.concatenate(keys)
