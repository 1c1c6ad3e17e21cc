"""What may be recorded of the bodies of a herd besides where they are: their joints, and whom they touch."""

from collections.abc import Sequence

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.sim.mujoco.herd_contacts import HerdContacts
from swarm_control.sim.mujoco.shard import Shard


class HerdBodies:
    """The bodies of a fleet of ``robots``, in ``shards``; a :class:`~swarm_control.sim.engine.BodyReadings`."""

    def __init__(self, shards: Sequence[Shard], contacts: HerdContacts, robots: int) -> None:
        self._shards, self._contacts, self._robots = shards, contacts, robots
        names = [(shard, shard.joint_names()) for shard in shards]
        self._most = max(len(own) for _, own in names)
        rows = [("",) * self._most] * robots
        for shard, own in names:
            for robot in shard.robots:
                rows[robot] = (*own, *("",) * (self._most - len(own)))
        self.joint_names = tuple(rows)

    @property
    def touches(self) -> int:
        """Contact episodes of bodies so far."""
        return int(self._contacts.bodies.count.sum())

    @property
    def touching(self) -> BoolArray:
        """Whose body touches another's or a wall (N,)."""
        return self._contacts.touching

    @property
    def joints(self) -> Array:
        """Angles (rad) and lengths (in the unit of their model) of all joints (N, J), no number where a robot has fewer."""
        found = np.full((self._robots, self._most), np.nan)
        for shard in self._shards:
            own = shard.joints()
            found[shard.robots, : own.shape[1]] = own
        return found
