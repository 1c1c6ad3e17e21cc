"""What the robots know besides their neighbours, kept in step with goal, map and parameters."""

from typing import Any

import numpy as np

from swarm_control.core.fields import guidance_field, make_map
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet, Map, Society, Surroundings
from swarm_control.scenario.schema import Control
from swarm_control.sim.director import Orders


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

    def surroundings(self, orders: Orders, control: Control) -> Surroundings:
        """What the robots know besides their neighbours."""
        map = self.map(control)
        if map is None:
            return Surroundings(self.fleet, orders.goal, orders.target, society=self.society)
        guided = control.guidance.weight > 0.0 and bool(np.isfinite(orders.target).all())
        key = (tuple(orders.target), control.guidance.margin, control.guidance.comfort) if guided else None
        if key != self._guidance_key:
            self._guidance_key = key
            self._guidance = guidance_field(map, *key)[0] if key else None
        return Surroundings(self.fleet, orders.goal, orders.target, map, self._guidance, self.society)

    def map(self, control: Control) -> Map | None:
        """The map and the fields on it; None in open space."""
        if self.grid is not None and self._map_key != control.potential_field.radius:
            self._map_key = control.potential_field.radius
            self._map = make_map(self.grid, control.potential_field.radius)
        return self._map
