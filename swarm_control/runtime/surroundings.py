"""What the robots know besides their neighbours, kept in step with goal, map and parameters."""

from typing import Any

import numpy as np

from swarm_control.core.fields import guidance_field, make_map
from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid
from swarm_control.core.ground import FreeGround
from swarm_control.core.motion import gains
from swarm_control.core.obstacles import round_obstacles
from swarm_control.core.routes import Routes
from swarm_control.core.state import Fleet, Map, Society, Surroundings
from swarm_control.runtime.director import Orders
from swarm_control.scenario.schema import Control


class MapReader:
    """Keeps the fields on the map in step with parameters and goal, computing each only when it changes."""

    def __init__(self, fleet: Fleet, grid: Grid | None, society: Society | None = None) -> None:
        self.fleet = fleet
        self.society = society
        self.grid = grid
        self._map: Map | None = None
        self._map_key: Any = None
        self._guidance: Any = None
        self._guidance_key: Any = None
        self._gains_key: Any = None
        self._gains_table = np.empty((0, 3))
        self._round: tuple[Grid | None, Array] | None = None

    def surroundings(self, orders: Orders, control: Control) -> Surroundings:
        """What the robots know besides their neighbours."""
        map, own = self.map(control), self._gains(control)
        if map is None:
            return Surroundings(self.fleet, orders.goal, orders.target, society=self.society, gains=own)
        guided = control.guidance.weight > 0.0 and bool(np.isfinite(orders.target).all())
        key = (tuple(orders.target), control.guidance.margin, control.guidance.comfort) if guided else None
        if key != self._guidance_key:
            self._guidance_key = key
            self._guidance = guidance_field(map, *key)[0] if key else None
        return Surroundings(
            self.fleet, orders.goal, orders.target, map, self._guidance, self.society, obstacles=self._obstacles(control), gains=own,
            route=self._routes.direction, free_area=self._free_area,
        )  # fmt: skip

    def _gains(self, control: Control) -> Array | None:
        """How the robots' kinds answer in a group; None where nobody is grouped."""
        if control.grouping.weight <= 0.0:
            return None
        if self._gains_key != (control.motion, control.period):
            self._gains_key = control.motion, control.period
            self._gains_table = gains(self.fleet, control.motion, control.period)
        return self._gains_table

    def _obstacles(self, control: Control) -> Array | None:
        """What stands on the map, as round bodies; None where nobody passes any."""
        if control.grouping.weight <= 0.0:
            return None
        if self._round is None or self._round[0] is not self.grid:
            self._round = self.grid, round_obstacles(self.grid)
        return self._round[1]

    def map(self, control: Control) -> Map | None:
        """The map and the fields on it; None in open space."""
        if self.grid is not None and self._map_key != control.potential_field.radius:
            self._map_key = control.potential_field.radius
            self._map = make_map(self.grid, control.potential_field.radius)
            self._free_area = FreeGround(self.grid).area
            self._routes = Routes(self._map, float(self.fleet.radius.max(initial=0.0)))
        return self._map
