"""What a herd's world is made of, in MuJoCo's words: ground, walls, robots, light."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from swarm_control.core.grid import Grid
from swarm_control.robots.mujoco import Attached, Kind, Parts
from swarm_control.sim.floor.world import walls
from swarm_control.sim.mujoco.ground import Ground

TALL = 1.0
"""Height of walls and of robots that move as in the embedded engine, m."""
LOOK = """
    <headlight ambient=".4 .4 .4" diffuse=".5 .5 .5" specular="0 0 0"/><global offwidth="1280" offheight="720"/>
    <quality offsamples="4" shadowsize="4096"/><map znear="0.01"/>"""
SKY = '<texture type="skybox" builtin="gradient" rgb1=".75 .85 .95" rgb2=".95 .97 1" width="64" height="384"/>'


@dataclass(frozen=True)
class HerdWorld:
    """The world that robots are put into: ``ground``, the walls of ``grid``, and ``others`` (name, radius in m) that nobody pushes.

    ``unit`` (m) of the models' lengths; ``timestep`` in s.
    """

    ground: Ground
    grid: Grid | None
    others: tuple[tuple[str, float], ...]
    unit: float
    timestep: float

    def with_robots(self, kinds: Sequence[Kind], looks: bool = False) -> Any:
        """MuJoCo's model of it, with the robots of these ``kinds``; without ``looks`` what is only to be seen is left out."""
        import mujoco

        text = describe(self, kinds, looks)
        attached = [kind for kind in kinds if isinstance(kind, Attached)]
        if attached:
            spec = mujoco.MjSpec.from_string(text)
            for kind in attached:
                kind.attach(spec)
            model = spec.compile()
        else:
            model = mujoco.MjModel.from_xml_string(text)
        self.ground.fill(model)
        return model


def describe(world: HerdWorld, kinds: Sequence[Kind], looks: bool) -> str:
    """MJCF of a ``world`` and of those robots of these ``kinds`` that are described in words."""
    ground, grid, unit, timestep = world.ground, world.grid, world.unit, world.timestep
    made, option = [kind.parts() for kind in kinds], {"timestep": f"{timestep:.12g}"}
    parts = sum(made, Parts(""))
    defaults, assets = ("".join(dict.fromkeys(getattr(part, name) for part in made)) for name in ("defaults", "assets"))  # each kind's once
    for kind in kinds:
        option |= kind.option
    options = " ".join(f'{name}="{value}"' for name, value in option.items())
    gravity = " ".join(f"{g:.9g}" for g in ground.gravity)
    pucks = "".join(_puck(name, radius / unit, unit) for name, radius in world.others)
    return f"""
<mujoco model="herd">
  <compiler angle="radian" autolimits="true" discardvisual="{"false" if looks else "true"}"/>
  <option gravity="{gravity}" {options}/>
  <statistic extent="{5.0 if unit == 1.0 else 10.0}"/>
  <visual>{LOOK}</visual>
  <default>
    <default class="ground"><geom contype="0" conaffinity="4"/></default>
    <default class="wall"><geom type="box" contype="2" conaffinity="1" rgba=".45 .4 .35 1"/></default>
    {defaults}
  </default>
  <asset>{SKY}{ground.assets()}{assets}</asset>
  <worldbody>
    <light pos="0 0 100" dir="0.3 0.2 -1" directional="true" castshadow="true" diffuse=".5 .5 .5" specular="0 0 0"/>
    {ground.bodies()}{"".join(walls(grid, TALL, unit))}{pucks}{parts.bodies}
  </worldbody>
  <contact>{parts.contacts}</contact>
  <equality>{parts.equalities}</equality>
  <tendon>{parts.tendons}</tendon>
  <actuator>{parts.actuators}</actuator>
  <sensor>{parts.sensors}</sensor>
</mujoco>"""


def _puck(name: str, radius: float, unit: float) -> str:
    """MJCF of a robot that moves as in the embedded engine, ``radius`` in the model's unit."""
    half = min(0.5 * TALL / unit, 2.0 * radius)
    return (
        f'<body name="{name}" mocap="true"><geom type="cylinder" size="{radius:.9g} {half:.9g}" pos="0 0 {half:.9g}" '
        f'contype="1" conaffinity="3" rgba=".2 .45 .75 1"/><geom type="box" size="{0.5 * radius:.9g} {0.1 * radius:.9g} {0.05 * half:.9g}" '
        f'pos="{0.5 * radius:.9g} 0 {2.0 * half:.9g}" contype="0" conaffinity="0" rgba="1 1 1 1"/></body>'
    )
