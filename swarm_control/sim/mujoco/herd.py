"""A herd in MuJoCo: all robots whose dynamics matter in one model, on a ground, between the walls of the map.

Robots of other models go with them as in the embedded engine; their bodies are pushed by nobody, but stand in the way.
"""

from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.grid import Grid
from swarm_control.core.perception import look
from swarm_control.core.robot import ROBOTS
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.core.walldistance import WallDistance
from swarm_control.errors import InputError
from swarm_control.robots.mujoco import Attached, Kind
from swarm_control.scenario.bodies import Bodies
from swarm_control.sim.episodes import Episodes
from swarm_control.sim.mujoco.ground import make_ground
from swarm_control.sim.mujoco.herd_model import describe
from swarm_control.sim.mujoco.losses import Losses
from swarm_control.sim.planar import PlanarEngine

ERG = 1e-7
"""J; the unit of energy where lengths are in cm and masses in g."""


class HerdEngine:
    """Moves a ``fleet`` from ``start`` in steps of ``dt`` (s) on the ground of ``bodies`` among the walls of ``grid``.

    ``seed`` is that of whatever is random in ground and robots; ``where``: folder that the ground's image is relative to. A step is made
    of as many of MuJoCo's as the robots need. ``model`` and ``data`` are MuJoCo's; ``kinds``:
    the robots of each kind (indices), and what moves them.
    """

    def __init__(
        self, fleet: Fleet, start: SwarmState, grid: Grid | None, dt: float, bodies: Bodies, seed: int, where: Path = Path()
    ) -> None:  # fmt: skip
        try:
            import mujoco
        except ImportError:
            found = ", ".join(name for name in fleet.models if ROBOTS[name].body)
            raise InputError("robots.model", f"{found} found, which needs mujoco") from None
        self._mujoco, self.fleet, self.dt, self._start = mujoco, fleet, dt, start
        self.kinds = [(robots, self._kind(name, bodies, seed)) for name, robots in fleet.models.items() if ROBOTS[name].body]
        units = {kind.unit for _, kind in self.kinds}
        if len(units) > 1:
            raise InputError("robots.model", f"{', '.join(fleet.models)} found, expected robots of one order of size in one world")
        self.unit = units.pop()
        self._others = np.flatnonzero(fleet.column(lambda model: model.body is None))
        self._planar = self._plane(grid) if len(self._others) else None
        self._ground = make_ground(bodies.terrain, self.unit, seed, where)
        self._walls = None if grid is None else WallDistance(grid)
        self._substeps = max(int(np.ceil(dt / min(kind.step for _, kind in self.kinds) - 1e-9)), 1)
        self.model = self._compiled(grid)
        self._ground.fill(self.model)
        self.data: Any = mujoco.MjData(self.model)
        for _, kind in self.kinds:
            kind.bind(self.model)
        self._owner = self._owners()
        self._mocap = np.array([self.model.body(fleet.names[k]).mocapid[0] for k in self._others], np.int64)
        self.reset()

    def _kind(self, name: str, bodies: Bodies, seed: int) -> Kind:
        robots, start, body = self.fleet.models[name], self._start, ROBOTS[name].body
        assert body is not None
        part, rng = self.fleet.take(robots), np.random.default_rng([seed, 7, body.stream])
        kind: Kind = body.make(part.names, start.pose[robots], start.velocity[robots], part.radius, bodies, rng)
        return kind

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._start.time + self._steps * self.dt

    @property
    def collisions(self) -> IntArray:
        """Contact episodes of footprints so far (N,): a pair's count for its lower index, a robot's with a wall for the robot."""
        return self._episodes.count.copy()

    @property
    def fallen(self) -> BoolArray:
        """Who has fallen since the start (N,)."""
        return self._fallen.copy()

    @property
    def limited(self) -> BoolArray:
        """Whose last command was beyond its ability, and was cut to it, or was no number and refused (N,)."""
        found = self._refused.copy()
        for robots, kind in self.kinds:
            found[robots] |= np.asarray(getattr(kind, "limited", False))
        return found

    @property
    def energy(self) -> Array:
        """Work that the motors have done since the start (N,), J; what they took up in braking is not given back."""
        return self._work[:-1] * (1.0 if self.unit == 1.0 else ERG)

    def reset(self) -> None:
        """Put every robot back to where it started; time, collisions and falls too."""
        self._steps = 0
        self._refused: BoolArray = np.zeros(len(self.fleet), bool)
        self._fallen, self._work = np.zeros(len(self.fleet), bool), np.zeros(len(self.fleet) + 1)
        self._episodes = Episodes(self.fleet.radius, self._walls)
        self._mujoco.mj_resetData(self.model, self.data)
        lift = self._ground.under(self._start.position, self.fleet.radius) / self.unit
        for robots, kind in self.kinds:
            kind.reset(self.data)
            self.data.qpos[kind.roots + 2] += lift[robots]
        if self._planar is not None:
            self._planar.reset()
            self._stand()
        self._mujoco.mj_forward(self.model, self.data)
        kinds = [robots for robots, _ in self.kinds]
        self._losses = Losses(self._mujoco, self.model, self.data, self._owner, kinds, len(self.fleet))

    def place(self, robot: int, pose: Array) -> bool:
        """Robots that must keep their balance are not put elsewhere: always false."""
        return False

    def step(self, commands: Commands) -> None:
        """Let ``dt`` pass in which the robots obey ``commands``.

        A robot that MuJoCo cannot integrate has fallen, and lies where it was. ``Failed`` when that is so of all of a kind.
        """
        self._refused = np.asarray(~np.isfinite(commands.twist).all(axis=1))
        twists = [commands.twist[robots] for robots, _ in self.kinds]
        self._losses.note()
        for _ in range(self._substeps):
            for (_, kind), twist in zip(self.kinds, twists):
                kind.control(self.data, twist)
            self._losses.advance(self.time)
            power = np.maximum((self.data.qfrc_actuator + self.data.qfrc_applied) * self.data.qvel, 0.0)
            self._work += np.bincount(self._owner, power, len(self._work)) * self.model.opt.timestep
        if self._planar is not None:
            self._planar.step(Commands(commands.twist[self._others]))
            self._stand()
        self._steps += 1
        for robots, kind in self.kinds:
            self._fallen[robots] |= kind.fallen(self.data) | self._losses.lost[robots]
        truth = self.truth()
        self._episodes.update(self._contacts(truth), truth.pose)

    def truth(self) -> SwarmState:
        """Where the robots really are and how they move."""
        pose, velocity = np.empty((len(self.fleet), 3)), np.empty((len(self.fleet), 3))
        for robots, kind in self.kinds:
            pose[robots], velocity[robots] = kind.pose(self.data), kind.velocity(self.data)
        if self._planar is not None:
            state = self._planar.truth()
            pose[self._others], velocity[self._others] = state.pose, state.velocity
        return SwarmState.of(self.time, pose, velocity, fallen=self._fallen.copy())

    def _owners(self) -> IntArray:
        """Whose each degree of freedom is (nv,); N: nobody's."""
        roots = np.full(self.model.nbody, len(self.fleet))
        for robots, kind in self.kinds:
            joints = np.searchsorted(self.model.jnt_qposadr, kind.roots)
            roots[self.model.jnt_bodyid[joints]] = robots
        owner: IntArray = roots[self.model.body_rootid[self.model.dof_bodyid]]
        return owner

    def _contacts(self, truth: SwarmState) -> IntArray:
        """Keys of footprints that overlap, see :class:`Episodes`; the fallen count as what lies there."""
        n, radius = len(truth), self.fleet.radius
        seen = look(truth, 2.0 * float(radius.max()))
        met = (seen.owner < seen.index) & (seen.distance < radius[seen.owner] + radius[seen.index])
        keys = seen.owner[met] * (n + 1) + seen.index[met]
        if self._walls is not None:
            walled = np.flatnonzero(self._walls.distance(truth.position, float(radius.max())) < radius)
            keys = np.concatenate((keys, walled * (n + 1) + n))
        return keys

    def _plane(self, grid: Grid | None) -> PlanarEngine:
        start, k = self._start, self._others
        return PlanarEngine(self.fleet.take(k), SwarmState.of(start.time, start.pose[k], start.velocity[k]), grid, self.dt)

    def _stand(self) -> None:
        """Put the bodies of the other robots where they are."""
        assert self._planar is not None
        pose = self._planar.truth().pose
        self.data.mocap_pos[self._mocap, :2] = pose[:, :2] / self.unit
        self.data.mocap_quat[self._mocap] = np.column_stack((np.cos(0.5 * pose[:, 2]), np.zeros((len(pose), 2)), np.sin(0.5 * pose[:, 2])))

    def _compiled(self, grid: Grid | None) -> Any:
        """MuJoCo's model of the world, with all that is in it."""
        others = [(self.fleet.names[k], float(self.fleet.radius[k])) for k in self._others]
        text = describe([kind for _, kind in self.kinds], others, self._ground, grid, self.unit, self.dt / self._substeps)
        attached = [kind for _, kind in self.kinds if isinstance(kind, Attached)]
        if not attached:
            return self._mujoco.MjModel.from_xml_string(text)
        spec = self._mujoco.MjSpec.from_string(text)
        for kind in attached:
            kind.attach(spec)
        return spec.compile()
