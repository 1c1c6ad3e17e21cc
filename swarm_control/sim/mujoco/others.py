"""Robots of a herd that MuJoCo does not move: they go as in the embedded engine, and stand in the others' way."""

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.grid import Grid
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.sim.planar import PlanarEngine


class Others:
    """Those of a ``fleet`` that start at ``start`` and have no body for MuJoCo; ``robots``: which (K,).

    ``pucks``: names and radii (m) of the discs that stand for them in models whose unit of length is ``unit`` (m) long.
    """

    def __init__(self, fleet: Fleet, start: SwarmState, grid: Grid | None, dt: float) -> None:
        self.robots: IntArray = np.flatnonzero(fleet.column(lambda model: model.body is None))
        self.pucks = tuple((fleet.names[k], float(fleet.radius[k])) for k in self.robots)
        k, self._engine = self.robots, None
        if len(k):
            self._engine = PlanarEngine(fleet.take(k), SwarmState.of(start.time, start.pose[k], start.velocity[k]), grid, dt)

    def reset(self) -> None:
        """Put them back to where they started."""
        if self._engine is not None:
            self._engine.reset()

    def step(self, twist: Array) -> None:
        """Let a step pass in which they obey ``twist`` (N, 3), of the fleet."""
        if self._engine is not None:
            self._engine.step(Commands(twist[self.robots]))

    def place(self, robot: int, pose: Array) -> bool:
        """Put one of them, a robot of the fleet, at ``pose`` (3,), at rest; false where it would overlap another or a wall."""
        assert self._engine is not None
        return self._engine.place(int(np.searchsorted(self.robots, robot)), pose)

    def tell(self, pose: Array, velocity: Array, collisions: IntArray) -> None:
        """Fill in their rows of the fleet's ``pose`` (N, 3) and ``velocity`` (N, 3); add to ``collisions`` (N,) theirs among themselves."""
        if self._engine is not None:
            state = self._engine.truth()
            pose[self.robots], velocity[self.robots] = state.pose, state.velocity
            collisions[self.robots] += self._engine.collisions

    def stand(self, unit: float) -> tuple[Array, Array]:
        """Where their discs are: places (K, 2) in ``unit`` (m), and quaternions (K, 4)."""
        if self._engine is None:
            return np.empty((0, 2)), np.empty((0, 4))
        pose = self._engine.truth().pose
        half = 0.5 * pose[:, 2]
        return pose[:, :2] / unit, np.column_stack((np.cos(half), 0.0 * half, 0.0 * half, np.sin(half)))
