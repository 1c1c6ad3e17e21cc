"""What robots whose dynamics matter are made of, and the ground that they go on: the scenario's ``bodies``."""

from dataclasses import dataclass, field

from swarm_control.scenario.bodies.bicycle import Bicycle
from swarm_control.scenario.bodies.hexapod import Hexapod
from swarm_control.scenario.bodies.hopper import Hopper
from swarm_control.scenario.bodies.terrain import Terrain


@dataclass(frozen=True)
class Bodies:
    """Bodies of the robots that MuJoCo moves, each kind's with its low-level control, and the ground."""

    hopper: Hopper = field(default_factory=Hopper)
    bicycle: Bicycle = field(default_factory=Bicycle)
    hexapod: Hexapod = field(default_factory=Hexapod)
    terrain: Terrain = field(default_factory=Terrain)
