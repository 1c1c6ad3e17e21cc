"""A herd in MuJoCo: robots whose dynamics matter, on a ground, between the walls of the map.

They are in shards (:mod:`.shard`), which threads step side by side. Robots of other models go with them as in the embedded engine;
their bodies are pushed by nobody, but stand in the way.
"""

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.grid import Grid
from swarm_control.core.robot import ROBOTS
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.core.walldistance import WallDistance
from swarm_control.errors import Failed, InputError
from swarm_control.robots.mujoco import Kind
from swarm_control.scenario.bodies import Bodies
from swarm_control.sim.mujoco.ground import make_ground
from swarm_control.sim.mujoco.herd_bodies import HerdBodies
from swarm_control.sim.mujoco.herd_contacts import HerdContacts
from swarm_control.sim.mujoco.herd_model import HerdWorld
from swarm_control.sim.mujoco.hulls import Hulls, near
from swarm_control.sim.mujoco.others import Others
from swarm_control.sim.mujoco.scene import HerdScene
from swarm_control.sim.mujoco.setting_up import SettingUp
from swarm_control.sim.mujoco.shard import Shard
from swarm_control.sim.mujoco.stepping import Stepping, split

ERG = 1e-7
"""J; the unit of energy where lengths are in cm and masses in g."""


class HerdEngine:
    """Moves a ``fleet`` from ``start`` in steps of ``dt`` (s) on the ground of ``bodies`` among the walls of ``grid``.

    ``seed`` is that of whatever is random in ground and robots; ``where``: folder that the ground's image is relative to. A step is made
    of as many of MuJoCo's as the robots need. ``pieces``: into how many shards the robots of a model are split, None: as their number has
    it; ``threads``: that step them, None: one per processor. Threads change no result.
    """

    def __init__(
        self, fleet: Fleet, start: SwarmState, grid: Grid | None, dt: float, bodies: Bodies, seed: int, where: Path = Path(),
        pieces: int | None = None, threads: int | None = None,
    ) -> None:  # fmt: skip
        try:
            import mujoco  # noqa: F401
        except ImportError:
            found = ", ".join(name for name in fleet.models if ROBOTS[name].body)
            raise InputError("robots.model", f"{found} found, which needs mujoco") from None
        self.fleet, self.dt, self._start, self._after = fleet, dt, start, bodies.set_up_after
        kinds = [part for name in fleet.models if ROBOTS[name].body for part in self._kinds(name, bodies, seed, pieces)]
        units = {kind.unit for _, kind in kinds}
        if len(units) > 1:
            raise InputError("robots.model", f"{', '.join(fleet.models)} found, expected robots of one order of size in one world")
        self.unit = units.pop()
        self._others = Others(fleet, start, grid, dt)
        self._ground = make_ground(bodies.terrain, self.unit, seed, where)
        self._walls = None if grid is None else WallDistance(grid)
        self._substeps = max(int(np.ceil(dt / min(kind.step for _, kind in kinds) - 1e-9)), 1)
        self._world = HerdWorld(self._ground, grid, self._others.pucks, self.unit, dt / self._substeps)
        self.shards = [Shard(robots, kind, self._world) for robots, kind in kinds]
        self._setting_up = SettingUp(fleet, start, self.shards, self._walls, self._ground, self.unit)
        self._stepping = Stepping(self.shards, lambda: Hulls(self.shards, self._scene.model, len(fleet)), threads)
        self.reset()

    def _kinds(self, name: str, bodies: Bodies, seed: int, pieces: int | None) -> list[tuple[IntArray, Kind]]:
        """The robots of a model by shards, and what moves each shard's."""
        body, start, made = ROBOTS[name].body, self._start, []
        assert body is not None
        for k, robots in enumerate(split(self.fleet.models[name], body.shard, pieces)):
            part, rng = self.fleet.take(robots), np.random.default_rng([seed, 7, body.stream, k])
            made.append((robots, body.make(part.names, start.pose[robots], start.velocity[robots], part.radius, bodies, rng)))
        return made

    @cached_property
    def _scene(self) -> HerdScene:
        return HerdScene(self._world, self.shards)

    @property
    def model(self) -> Any:
        """MuJoCo's model of all of the herd, to look at; see :attr:`data`."""
        return self._scene.model

    @property
    def data(self) -> Any:
        """All of the herd in MuJoCo's words, as it is now, to look at: the robots are moved in :attr:`shards`."""
        self._scene.show(*self._others.stand(self.unit))
        return self._scene.data

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._start.time + self._steps * self.dt

    @property
    def collisions(self) -> IntArray:
        """Episodes of overlapping footprints so far (N,): a pair's count for its lower index, a robot's with a wall for the robot."""
        found = self.contacts.footprints.count.copy()
        self._others.tell(np.empty((len(found), 3)), np.empty((len(found), 3)), found)
        return found

    @property
    def fallen(self) -> BoolArray:
        """Who has fallen since the start, and was not set up again (N,)."""
        found = np.zeros(len(self.fleet), bool)
        for shard in self.shards:
            found[shard.robots] = shard.fallen
        return found

    @property
    def limited(self) -> BoolArray:
        """Whose last command was beyond its ability, and was cut to it, or was no number and refused (N,)."""
        found = self._refused.copy()
        for shard in self.shards:
            found[shard.robots] |= np.asarray(getattr(shard.kind, "limited", False))
        return found

    @property
    def energy(self) -> Array:
        """Work that the motors have done since the start (N,), J; what they took up in braking is not given back."""
        found = np.zeros(len(self.fleet))
        for shard in self.shards:
            found[shard.robots] = shard.work * (1.0 if self.unit == 1.0 else ERG)
        return found

    def reset(self) -> None:
        """Put every robot back to where it started; time, collisions and falls too."""
        self._steps = 0
        self._refused: BoolArray = np.zeros(len(self.fleet), bool)
        self._since = np.full(len(self.fleet), np.inf)
        self.contacts = HerdContacts(self.fleet.radius, self._walls, self._others.robots)
        self.bodies = HerdBodies(self.shards, self.contacts, len(self.fleet))
        lift = self._ground.under(self._start.position, self.fleet.radius) / self.unit
        self._others.reset()
        for shard in self.shards:
            shard.reset(lift[shard.robots], *self._others.stand(self.unit))
        self._now = self._look()

    def place(self, robot: int, pose: Array) -> bool:
        """Put a robot at ``pose`` (3,): x, y (m), yaw (rad), as it was at the start; who had fallen stands again.

        Where its footprint would overlap another's or a wall it stays where it is; then false.
        """
        placed = self._others.place(robot, pose) if robot in self._others.robots else self._setting_up.place(robot, pose, self._now)
        self._now = self._look()
        return placed

    def _help_up(self) -> None:
        """Set up who has been down for long enough."""
        down = self.fallen
        self._since = np.where(down, np.minimum(self._since, self.time), np.inf)
        for robot in np.flatnonzero(self.time - self._since >= self._after) if self._after else ():
            self.place(int(robot), self._now.pose[robot].copy())

    def step(self, commands: Commands) -> None:
        """Let ``dt`` pass in which the robots obey ``commands``.

        A robot that MuJoCo cannot integrate has fallen, and lies where it was. ``Failed`` when that is so of all of a kind.
        """
        self._refused = np.asarray(~np.isfinite(commands.twist).all(axis=1))
        for shard in self.shards:
            shard.begin(*self._others.stand(self.unit))
        meeting = near(self.shards, self._now, self.dt, self.unit)
        touched = self._stepping.advance(commands.twist, meeting, self._substeps)
        self._others.step(commands.twist)
        self._steps += 1
        for shard in self.shards:
            shard.end()
        self._check()
        self._now = self._look()
        self.contacts.update(self._now, touched, self.shards)
        self._help_up()

    def push(self, velocity: Array) -> None:
        """Change the velocities of the robots that MuJoCo moves by ``velocity`` (N, 3) m/s, world frame, at once: blows."""
        for shard in self.shards:
            shard.data.qvel[shard.model.body_dofadr[shard.bodies][:, None] + np.arange(3)] += velocity[shard.robots] / self.unit

    def truth(self) -> SwarmState:
        """Where the robots really are and how they move, as of the end of the last step."""
        return self._now

    def _look(self) -> SwarmState:
        n = len(self.fleet)
        pose, velocity = np.empty((n, 3)), np.empty((n, 3))
        for shard in self.shards:
            pose[shard.robots], velocity[shard.robots] = shard.kind.pose(shard.data), shard.kind.velocity(shard.data)
        self._others.tell(pose, velocity, np.zeros(n, np.int64))
        return SwarmState.of(self.time, pose, velocity, fallen=self.fallen)

    def _check(self) -> None:
        for robots in self.fleet.models.values():
            own = [shard for shard in self.shards if shard.robots[0] in robots]
            if own and all(shard.lost.all() for shard in own):
                raise Failed(f"the simulation is unstable at {self.time:.2f} s, expected bodies that MuJoCo can integrate: see bodies.*")
