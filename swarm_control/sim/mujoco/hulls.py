"""Robots of a herd that touch each other: by their real shapes, whichever shards they are in, and the forces between them.

A contact of depth δ pushes with ``f = k·δ − c·v_n``, never pulls, and rubs with ``min(μ·f, c·|v_t|)``, v being how fast the two part and
slide there: a spring and a damper between their masses, ``k = m·ω²``, ``c = 2·m·ω``, ``1/m = 1/m_a + 1/m_b``, critically damped.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.perception import look
from swarm_control.core.state import SwarmState
from swarm_control.sim.mujoco.shard import Shard

STIFF = 0.2
"""ω times the time step."""
RUBS = 0.3
"""Coefficient of friction between robots, μ."""


class Hulls:
    """The shapes by which the robots of ``shards`` meet. ``scene``: MuJoCo's model of all ``robots`` of the fleet, each with its name.

    ``touched``: pairs of robots, the lower first, that ``press`` has found touching since ``touched`` was last cleared.
    """

    def __init__(self, shards: Sequence[Shard], scene: Any, robots: int) -> None:
        import mujoco

        self._mujoco, self._model, self._data = mujoco, scene, mujoco.MjData(scene)
        self.shard: list[Shard | None] = [None] * robots
        self._own: list[IntArray] = [np.empty(0, np.int64)] * robots
        self._there, self._root = list(self._own), np.zeros(robots, np.int64)
        hull = scene.geom_contype & 1 > 0
        for shard in shards:
            for row, robot in enumerate(shard.robots):
                body = int(shard.bodies[row])
                self.shard[robot], self._root[robot] = shard, body
                self._own[robot] = shard.hull[shard.holder[shard.hull] == row]
                whose = scene.body_rootid[scene.geom_bodyid] == scene.body(shard.model.body(body).name).id
                self._there[robot] = np.flatnonzero(whose & hull)
        self.touched: set[tuple[int, int]] = set()
        self._pushed: list[tuple[Shard, int]] = []

    def press(self, pairs: IntArray) -> None:
        """Let the ``pairs`` of robots (P, 2) push each other in the next time step, where they touch."""
        self.release()
        for a, b in pairs.tolist():
            self._meet(a, b)

    def release(self) -> None:
        """Nobody is pushed any more."""
        for shard, body in self._pushed:
            shard.data.xfrc_applied[body] = 0.0
        self._pushed = []

    def _meet(self, a: int, b: int) -> None:
        """Two robots: each of the one's shapes with each of the other's whose bounding spheres overlap."""
        one, other = self.shard[a], self.shard[b]
        assert one is not None and other is not None
        at, to = one.data.geom_xpos[self._own[a]], other.data.geom_xpos[self._own[b]]
        room = one.model.geom_rbound[self._own[a]][:, None] + other.model.geom_rbound[self._own[b]]
        close = ((at[:, None] - to) ** 2).sum(axis=2) < room**2
        for i, j in zip(*np.nonzero(close)):
            depth, ends = self._depth((one, self._own[a][i], self._there[a][i]), (other, self._own[b][j], self._there[b][j]))
            if depth > 0.0:
                self.touched.add((a, b))
                self._push((one, int(one.model.geom_bodyid[self._own[a][i]]), int(self._root[a])),
                           (other, int(other.model.geom_bodyid[self._own[b][j]]), int(self._root[b])), depth, ends)  # fmt: skip

    def _depth(self, *geoms: tuple[Shard, int, int]) -> tuple[float, Array]:
        """How deep two geoms are in each other, and the segment (6,) from the one to the other; each: shard, number there, in the scene."""
        for shard, own, there in geoms:
            self._data.geom_xpos[there], self._data.geom_xmat[there] = shard.data.geom_xpos[own], shard.data.geom_xmat[own]
        ends = np.zeros(6)
        distance = self._mujoco.mj_geomDistance(self._model, self._data, geoms[0][2], geoms[1][2], 0.0, ends)
        return -float(distance), ends

    def _push(self, one: tuple[Shard, int, int], other: tuple[Shard, int, int], depth: float, ends: Array) -> None:
        """Forces of a contact on two bodies; each: shard, body, the robot's root."""
        point, normal = 0.5 * (ends[:3] + ends[3:]), (ends[:3] - ends[3:]) / depth
        masses = [float(shard.model.body_subtreemass[root]) for shard, _, root in (one, other)]
        stiff = STIFF / float(one[0].model.opt.timestep)
        mass = masses[0] * masses[1] / sum(masses)
        sliding = self._speed(*other[:2], point) - self._speed(*one[:2], point)
        parting = float(sliding @ normal)
        sliding = sliding - parting * normal
        force = max(mass * stiff * (stiff * depth - 2.0 * parting), 0.0)
        fast = float(np.linalg.norm(sliding))
        total = force * normal - (min(RUBS * force, 2.0 * mass * stiff * fast) / fast * sliding if fast > 1e-9 else 0.0)
        for (shard, body, _), sign in ((one, -1.0), (other, 1.0)):
            shard.data.xfrc_applied[body, :3] += sign * total
            shard.data.xfrc_applied[body, 3:] += sign * np.cross(point - shard.data.xipos[body], total)
            self._pushed.append((shard, body))

    def _speed(self, shard: Shard, body: int, point: Array) -> Array:
        """Velocity (3,) of a ``point`` of a body."""
        both = np.zeros(6)
        self._mujoco.mj_objectVelocity(shard.model, shard.data, self._mujoco.mjtObj.mjOBJ_BODY, body, both, 0)
        return np.asarray(both[3:] + np.cross(both[:3], point - shard.data.xipos[body]))


def near(shards: Sequence[Shard], state: SwarmState, ahead: float, unit: float) -> IntArray:
    """Pairs of robots (P, 2), the lower first, whose shapes may touch within ``ahead`` (s). ``unit`` (m) of the models' lengths."""
    reach = np.full(len(state), -np.inf)
    for shard in shards:
        reach[shard.robots] = unit * reaches(shard)
    reach += ahead * np.hypot(*state.velocity[:, :2].T)
    seen = look(state, 2.0 * float(reach.max()))
    close = (seen.owner < seen.index) & (seen.distance < reach[seen.owner] + reach[seen.index])
    return np.column_stack((seen.owner[close], seen.index[close]))


def reaches(shard: Shard) -> Array:
    """How far (n,) the shapes of a shard's robots that meet others reach from their roots, seen from above; in the model's unit."""
    holder, place = shard.holder[shard.hull], shard.data.geom_xpos[shard.hull, :2]
    far = np.linalg.norm(place - shard.data.xpos[shard.bodies[holder], :2], axis=1) + shard.model.geom_rbound[shard.hull]
    found = np.zeros(len(shard.robots))
    np.maximum.at(found, holder, far)
    return found
