"""The lab floor in MuJoCo: all R3s and the walls of the map in one model, under a camera."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from swarm_control.core.geometry import BoolArray, IntArray
from swarm_control.core.grid import Grid
from swarm_control.core.robot import wheeled
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.core.walldistance import WallDistance
from swarm_control.errors import InputError
from swarm_control.scenario.hardware import Wheels
from swarm_control.scenario.objects import PassiveObject, object_names
from swarm_control.sim.episodes import Episodes
from swarm_control.sim.floor import objects
from swarm_control.sim.floor.marks import Marks
from swarm_control.sim.floor.r3 import DEFAULTS, R3, R3s, body, contacts, motors
from swarm_control.sim.mujoco.camera import Overhead

DT = 0.002
"""Time step, s."""
WALL = 0.3
"""Height of the walls, m."""
RESERVE = 4.0 / 3.0
"""How much faster the motors can turn the wheels than the robots' top speed."""


@dataclass(frozen=True)
class FloorPlan:
    """What a floor is made of: robots (``r3s``, N of them) and where they start, walls, what the robots wear, the camera if any, and the
    ``objects`` that lie on it.
    """

    fleet: Fleet
    start: SwarmState
    r3s: tuple[R3, ...]
    grid: Grid | None = None
    marks: Marks | None = None
    overhead: Overhead | None = None
    objects: tuple[PassiveObject, ...] = ()

    def mjcf(self) -> str:
        """The model's description."""
        robots = list(zip(self.fleet.names, self.r3s))
        worn = self.marks or Marks(("",) * len(robots))
        bodies = (body(name, pose, r3, mark) for (name, r3), pose, mark in zip(robots, self.start.pose, worn.bodies))
        passive = list(zip(object_names(self.objects), self.objects))
        size = self.overhead.size if self.overhead else (640, 480)
        return f"""
<mujoco model="floor">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="{DT}" integrator="Euler" cone="elliptic"/>
  <visual>
    <global offwidth="{size[0]}" offheight="{size[1]}"/><quality shadowsize="0" offsamples="4" numslices="48"/><map znear="0.05"/>
    <headlight ambient=".55 .55 .55" diffuse="0 0 0" specular="0 0 0"/>
  </visual>
  <default>
    <geom condim="3"/>{DEFAULTS}
    <default class="wall"><geom type="box" contype="2" conaffinity="1" friction="0.3" rgba=".35 .3 .28 1"/></default>
    <default class="mark"><geom contype="0" conaffinity="0" mass="0" /></default>
  </default>
  <asset>{FLOOR}{worn.assets}</asset>
  <worldbody>
    <light pos="0 0 5" dir="0.2 0.1 -1" directional="true" castshadow="false" diffuse=".4 .4 .4" specular="0 0 0"/>
    <geom name="floor" type="plane" size="0 0 1" material="floor" contype="0" conaffinity="0"/>
    {self.overhead.mjcf() if self.overhead else ""}{"".join(walls(self.grid))}{"".join(bodies)}
    {"".join(objects.body(name, one) for name, one in passive)}
  </worldbody>
  <contact>
    {"".join(contacts(name, r3) for name, r3 in robots)}{"".join(objects.contact(name, one) for name, one in passive)}
  </contact>
  <actuator>{"".join(motors(name, r3) for name, r3 in robots)}</actuator>
</mujoco>"""


FLOOR = """
    <texture name="floor" type="2d" builtin="checker" width="256" height="256" rgb1=".62 .6 .57" rgb2=".58 .57 .55"/>
    <material name="floor" texture="floor" texrepeat="2 2" texuniform="true" specular="0" reflectance="0"/>"""


class FloorWorld:
    """The floor, moved on in steps of :data:`DT`; ``robots`` reads and drives its R3s."""

    def __init__(self, plan: FloorPlan) -> None:
        import mujoco

        self._mujoco, self.plan = mujoco, plan
        self.model: Any = mujoco.MjModel.from_xml_string(plan.mjcf(), plan.marks.files if plan.marks else {})
        self.data: Any = mujoco.MjData(self.model)
        self.robots = R3s(self.model, plan.fleet.names, plan.r3s)
        self._owner = np.full(self.model.ngeom, len(plan.fleet))
        self._owner[self.robots.hull] = np.arange(len(plan.fleet))
        self.objects = objects.FloorObjects(self.model, self.data, plan.objects) if plan.objects else None
        if self.objects is not None:
            self._owner[self.objects.geoms] = len(plan.fleet) + 1  # to touch an object is no collision
        self._walls = None if plan.grid is None else WallDistance(plan.grid)
        self.reset()

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return float(self.data.time)

    @property
    def collisions(self) -> IntArray:
        """Contact episodes so far (N,): a pair's count for its lower index, a robot's with a wall for the robot."""
        return self._episodes.count.copy()

    def reset(self) -> None:
        """Put every robot back to where it started, at rest."""
        self._mujoco.mj_resetData(self.model, self.data)
        self._mujoco.mj_forward(self.model, self.data)
        self._episodes = Episodes(self.plan.fleet.radius, self._walls)

    def step(self) -> None:
        """Let one time step pass."""
        self._mujoco.mj_step(self.model, self.data)
        self._episodes.update(self._contacts(), self.robots.pose(self.data))

    def truth(self) -> SwarmState:
        """Where the robots really are and how they move."""
        pose, velocity = self.robots.pose(self.data), self.robots.velocity(self.data)
        return SwarmState(self.time, pose, velocity, np.ones(len(pose), bool))

    def _contacts(self) -> IntArray:
        """Keys of the hulls' contacts, see :class:`Episodes`."""
        n, met = len(self.plan.fleet), self.data.contact
        if not len(met.dist):
            return np.empty(0, np.int64)
        first, second = np.sort(self._owner[met.geom], axis=1).T
        hulls = (first < n) & (second <= n)
        return np.unique(first[hulls] * (n + 1) + second[hulls])


def r3_of(fleet: Fleet, wheels: Wheels) -> R3:
    """The R3 that the robots of ``fleet`` are by design; ``InputError`` when they are not alike or have no two wheels."""
    if not all(model.on_wheels for model, _ in fleet.of_models):
        raise InputError("robots.model", f"{', '.join(fleet.models)} found, expected {wheeled()}: an R3 has two wheels")
    sizes = np.unique(np.column_stack((fleet.radius, fleet.wheel_base, fleet.max_speed)), axis=0)
    if len(sizes) > 1:
        raise InputError("robots", "robots of different radius, wheel_base or max_speed found, expected all alike: they are R3s")
    radius, base, speed = map(float, sizes[0])
    r3 = R3()
    if not r3.wheel_width < base < 2.0 * radius - r3.wheel_width:
        raise InputError("robots.wheel_base", f"{base:g} m found, expected less than {2 * radius:g} m: wheels are below the body")
    share = radius / r3.radius
    return replace(
        r3, radius=radius, wheel_base=base, wheel_radius=wheels.wheel_radius, ticks=wheels.ticks_per_turn, mass=r3.mass * share**2,
        top_speed=max(RESERVE * speed, r3.top_speed), behind=r3.behind * share, caster=r3.caster * share,
    )  # fmt: skip


def walls(grid: Grid | None, height: float = WALL, unit: float = 1.0) -> list[str]:
    """MJCF of the walls of ``grid``, ``height`` m tall: boxes, as few as rows of cells permit. ``unit`` (m) of the model's lengths."""
    if grid is None:
        return []
    (x0, y0), r, half = np.array(grid.origin) / unit, grid.resolution / unit, 0.5 * height / unit
    found = []
    for i0, i1, j0, j1 in rectangles(grid.occupied):
        x, y = x0 + 0.5 * r * (j0 + j1), y0 + 0.5 * r * (i0 + i1)
        size = f"{0.5 * r * (j1 - j0):.9g} {0.5 * r * (i1 - i0):.9g} {half:.9g}"
        found.append(f'<geom class="wall" pos="{x:.9g} {y:.9g} {half:.9g}" size="{size}"/>')
    return found


def rectangles(occupied: BoolArray) -> list[tuple[int, int, int, int]]:
    """Rectangles, rows ``i0`` to ``i1`` and columns ``j0`` to ``j1`` (ends excluded), that cover just the cells of ``occupied`` (H, W)."""
    done: list[tuple[int, int, int, int]] = []
    growing: dict[tuple[int, int], int] = {}
    for i in range(len(occupied) + 1):
        runs = set() if i == len(occupied) else _runs(occupied[i])
        done += [(growing[run], i, *run) for run in growing if run not in runs]
        growing = {run: growing.get(run, i) for run in sorted(runs)}
    return sorted(done)


def _runs(row: Any) -> set[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate(([0], row.astype(np.int8), [0]))))
    return {(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2])}
