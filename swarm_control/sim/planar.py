"""The embedded engine: round robots in the plane that obey commands within their bounds and neither pass through each other nor walls."""

import numpy as np

from swarm_control.core.actuation import actuate
from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.grid import Grid
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.sim.footprints import Footprints, reach
from swarm_control.sim.objects import Objects


class PlanarEngine:
    """Moves a ``fleet`` from ``start`` in steps of ``dt`` (s) on the map ``grid``; None: open space. The robots push ``objects``.

    A step makes of each command what the robot's bounds permit (:mod:`~swarm_control.core.actuation`). Robots that would touch
    something stay where they are, at rest, see :class:`~swarm_control.sim.footprints.Footprints`.
    """

    def __init__(self, fleet: Fleet, start: SwarmState, grid: Grid | None, dt: float, objects: Objects | None = None) -> None:
        self.fleet = fleet
        self.dt = dt
        self.objects = objects
        self._start = start
        self._footprints = Footprints(fleet, grid)
        fastest = max(fleet.max_speed.max(initial=0.0), np.hypot(*start.velocity[:, :2].T).max(initial=0.0))
        self._reach = reach(fleet.radius, float(fastest) * dt)
        self._everybody = np.ones(len(fleet), bool)
        self.reset()

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._start.time + self._steps * self.dt

    @property
    def collisions(self) -> IntArray:
        """Contact episodes so far (N,): a pair's count for its lower index, a robot's with a wall for the robot."""
        return self._footprints.collisions

    def reset(self) -> None:
        """Put every robot back to where it started; time and collisions too."""
        self._steps = 0
        self._state = self._start
        if self.objects is not None:
            self.objects.reset()
        self._footprints.reset()

    def truth(self) -> SwarmState:
        """Where the robots really are and how they move, as of the end of the last step."""
        return self._state

    def place(self, robot: int, pose: Array) -> bool:
        """Put a robot, at rest, at ``pose`` (3,): x, y (m), yaw (rad). Where it would overlap something it stays; then false."""
        state = self._state
        if not self._footprints.free(robot, pose, state.pose):
            return False
        if self.objects is not None and not self.objects.free(pose[0], pose[1], self.fleet.radius[robot]):
            return False
        poses, velocities = state.pose.copy(), state.velocity.copy()
        poses[robot], velocities[robot] = pose, 0.0
        self._state = SwarmState(self.time, poses, velocities, self._everybody)
        return True

    def step(self, commands: Commands) -> None:
        """Let ``dt`` pass in which the robots obey ``commands``; a command with a value that is not finite counts as a stop."""
        old = self._state
        move, pose, velocity = actuate(old, commands.twist, self.fleet, self.dt)
        stopped = self._footprints.step(old.pose, move, pose, self._reach, self.objects)
        if stopped is not None:
            velocity[stopped[0], :2] = 0.0
            velocity[stopped[1], 2] = 0.0
        self._steps += 1
        self._state = SwarmState(self.time, pose, velocity, self._everybody)
