"""A structure in a potential field (Khatib 1986): its goal draws every point, walls push every point, it moves as a rigid body would.

The goal draws each point to that point's own place there, so that the structure turns into the goal's heading as well. Walls push as
``reach/d − 1``, which grows without bound towards the footprint, and with the sum of the points' pushes: one robot at a wall holds up
the whole structure. Near the goal both fade (Ge & Cui 2000), so that a goal beside a wall is reached. As in any such field the structure
can come to rest where pull and push cancel, in front of a wall that lies across its way.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from swarm_control.core.geometry import Array, norm
from swarm_control.core.parameters import param
from swarm_control.core.state import Map
from swarm_control.formation.drive import Field
from swarm_control.formation.structure import place
from swarm_control.formation.walls import near_walls

NEAREST = 1e-3
"""Footprints nearer to a wall than this (m) are pushed as if they were this near."""


@dataclass(frozen=True)
class ForceField:
    """Parameters of the field."""

    enabled: bool = param(False, "whether a field of forces takes the structure to its goals, instead of the straight way")
    attraction: float = param(0.2, "speed at which a goal far away draws the structure", unit="m/s", low=0.0, high=100.0)
    fade: float = param(0.5, "nearer to the goal than this the forces fade", unit="m", low=0.001, high=1000.0)
    repulsion: float = param(0.1, "speed at which a wall at half the reach pushes the structure", unit="m/s", low=0.0, high=100.0)
    reach: float = param(0.6, "walls push robots whose footprints are nearer", unit="m", low=0.01, high=100.0)


@dataclass(frozen=True)
class Pull:
    """Go to ``goal`` (3,) in the field of ``params``; ``map`` holds the walls, None: none; ``radius`` (m) of the robots' footprints."""

    goal: Array
    params: ForceField
    map: Map | None
    radius: float
    brakes: ClassVar[bool] = False

    def aim(self, points: Array, pose: Array, clock: float, horizon: float) -> Array:
        """The pose after one horizon of the field's velocity."""
        goal = place(points, self.goal)
        return Field(lambda world: self.force(world, goal)).aim(points, pose, clock, horizon)

    def end(self, clock: float) -> Array | None:
        """The goal."""
        return self.goal

    def force(self, position: Array, goal: Array) -> Array:
        """Force (N, 2), as a velocity in m/s, on points at ``position`` (N, 2) m that belong at ``goal`` (N, 2) m.

        Equation: ``f = a·(g − x)/max(ℓ, fade) + N·r·(reach/d − 1)·min(1, ℓ/fade)·∇c``, ℓ = ‖g − x‖, c the clearance, d = c − radius.
        """
        way = goal - position
        length = norm(way)
        force = self.params.attraction * way / np.maximum(length, self.params.fade)[:, None]
        if self.map is None:
            return force
        clearance, away = near_walls(self.map, position)
        strength = np.maximum(self.params.reach / np.maximum(clearance - self.radius, NEAREST) - 1.0, 0.0)
        strength *= len(position) * self.params.repulsion * np.minimum(1.0, length / self.params.fade)
        result: Array = force + strength[:, None] * away
        return result
