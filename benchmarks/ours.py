"""The whole tick of the scenario ``scale`` in one object: controllers and engine, nothing else."""

import numpy as np

from swarm_control.core.perception import perceive
from swarm_control.core.pipeline import Part, Tick, tick
from swarm_control.core.state import Neighbourhoods, SwarmState
from swarm_control.runtime.director import Director
from swarm_control.runtime.surroundings import MapReader
from swarm_control.safety.command import move
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare
from swarm_control.sim.planar import PlanarEngine


class Swarm:
    """``robots`` robots of the scenario ``scale`` with ``changes``, PATH=VALUE, applied."""

    def __init__(self, robots: int, *changes: str) -> None:
        loaded = load("scale", [*changes, f"robots={robots}"])
        self.scenario, self.setup = loaded.scenario, prepare(loaded.scenario, loaded.source)
        self.control = self.scenario.control
        self.engine = PlanarEngine(self.setup.fleet, self.setup.start, self.setup.grid, self.scenario.simulator.dt)
        orders = Director(self.scenario).update(self.setup.start, self.control)
        self.around = MapReader(self.setup.fleet, self.setup.grid).surroundings(orders, self.control)
        self.parts = (Part(np.arange(robots), self.control, self.around),)
        self.rng = np.random.default_rng(0)
        self.engine_steps = round(self.control.period / self.scenario.simulator.dt)

    def restart(self) -> None:
        """Back to the start, and far enough from it that the robots move as a flock: at the density of the scenario."""
        self.engine.reset()
        for _ in range(10):
            self.step()

    def step(self) -> Tick:
        """Perception, behaviours, accumulation, motion, and the engine until the next tick."""
        made = tick(self.engine.truth(), self.parts, self._perceive, move)
        for _ in range(self.engine_steps):
            self.engine.step(made.commands)
        return made

    def _perceive(self, state: SwarmState) -> Neighbourhoods:
        grid = None if self.around.map is None else self.around.map.grid
        return perceive(state, self.control.perception, self.rng, self.setup.fleet.radius, None, grid)
