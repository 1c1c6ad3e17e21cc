"""Who touches whom in a herd: by their footprints, as everywhere, and by the real shapes of those that MuJoCo moves."""

from collections.abc import Iterable, Sequence

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.perception import look
from swarm_control.core.state import SwarmState
from swarm_control.core.walldistance import WallDistance
from swarm_control.sim.episodes import Episodes
from swarm_control.sim.mujoco.shard import Shard


class HerdContacts:
    """Contact episodes (:class:`~swarm_control.sim.episodes.Episodes`) of robots with footprints of ``radius`` (N,) m among ``walls``.

    ``footprints``: of those that overlap each other or a wall; ``bodies``: of shapes that touch; ``touching`` (N,): who does now.
    ``others`` (K,): the robots that MuJoCo does not move. The fallen count as what lies there.
    """

    def __init__(self, radius: Array, walls: WallDistance | None, others: IntArray) -> None:
        self._radius, self._walls, self._others = radius, walls, others
        self.footprints, self.bodies = Episodes(radius, walls), Episodes(radius, walls)
        self.touching: BoolArray = np.zeros(len(radius), bool)

    def update(self, state: SwarmState, touched: Iterable[tuple[int, int]], shards: Sequence[Shard]) -> None:
        """Take note of a step that ended in ``state``: which pairs of robots have ``touched``, and what those of ``shards`` ran into."""
        n = len(self._radius)
        self.footprints.update(self._overlapping(state), state.pose)
        pairs = list(touched)
        for shard in shards:
            for row, puck in shard.struck:
                robot = int(shard.robots[row])
                a, b = (robot, n) if puck < 0 else sorted((robot, int(self._others[puck])))
                pairs.append((a, b))
        self.touching = np.isin(np.arange(n), [robot for pair in pairs for robot in pair])
        self.bodies.update(np.unique(np.array([a * (n + 1) + b for a, b in pairs], np.int64)), state.pose)

    def _overlapping(self, state: SwarmState) -> IntArray:
        """Keys of footprints that overlap."""
        n, radius = len(state), self._radius
        seen = look(state, 2.0 * float(radius.max()))
        met = (seen.owner < seen.index) & (seen.distance < radius[seen.owner] + radius[seen.index])
        keys = seen.owner[met] * (n + 1) + seen.index[met]
        if self._walls is not None:
            walled = np.flatnonzero(self._walls.distance(state.position, float(radius.max())) < radius)
            keys = np.concatenate((keys, walled * (n + 1) + n))
        return keys
