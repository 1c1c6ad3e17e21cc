"""The floor under emulated robots: its walls and the robots themselves are in the way, and contacts are counted."""

from collections.abc import Sequence

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet
from swarm_control.sim.footprints import Footprints, reach
from swarm_control.sim.hardware.base import SlippingBase


class EmulatedFloor:
    """Where the ``bases`` (N) of the robots of ``fleet`` (N) drive, on the map ``grid``; None: open space.

    Bases drive as if alone; :meth:`settle` puts back who would have touched something meanwhile, by the embedded simulator's rules
    (:class:`~swarm_control.sim.footprints.Footprints`). The wheels of a robot that is stopped go on turning, and its encoders counting:
    they slip, and odometry does not see it. A robot on two wheels still turns where it stands.
    """

    def __init__(self, fleet: Fleet, bases: Sequence[SlippingBase], grid: Grid | None) -> None:
        self.fleet, self.pose = fleet, np.array([base.where() for base in bases])
        self._bases, self._footprints = bases, Footprints(fleet, grid)
        _compile(fleet, grid)

    @property
    def collisions(self) -> IntArray:
        """Contact episodes so far (N,): a pair's count for its lower index, a robot's with a wall for the robot."""
        return self._footprints.collisions

    @property
    def begun(self) -> list[str]:
        """The contacts that began in the last step, in words."""
        names = (*self.fleet.names, "a wall")
        return [f"{names[a]} and {names[b]}" for a, b in self._footprints.begun]

    def settle(self) -> Array:
        """Let everybody be where their wheels have taken them since the last call, contacts aside; the true poses (N, 3), world frame."""
        wanted = np.array([base.where() for base in self._bases])
        pose, move = wanted.copy(), wanted[:, :2] - self.pose[:, :2]
        longest = float(np.hypot(*move.T).max(initial=0.0))
        stopped = self._footprints.step(self.pose, move, pose, reach(self.fleet.radius, longest))
        for robot in () if stopped is None else np.flatnonzero(stopped[0]).tolist():
            self._bases[robot].put(pose[robot])
        self.pose = pose
        return pose


def _compile(fleet: Fleet, grid: Grid | None) -> None:
    """Let two robots touch that there are not, so that nothing has to be compiled while real time passes."""
    pose, move = np.zeros((2, 3)), np.array([[fleet.radius[0], 0.0], [0.0, 0.0]])
    pose[0, 0] = -fleet.radius[0]
    two = Footprints(fleet.take(np.zeros(2, np.int64)), grid)
    two.step(pose, move, pose.copy(), reach(fleet.radius, float(fleet.radius[0])))
    assert two.begun
