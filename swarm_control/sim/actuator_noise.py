"""Actuators that are not exact: wheels slip, motors differ."""

import numpy as np

from swarm_control.core.state import Commands
from swarm_control.scenario.schema import Simulator


class ActuatorNoise:
    """Makes of what a robot was told what it does, in each tick anew: every speed is off by a share of itself.

    Forward and leftward speed are multiplied by ``1 + simulator.noise_speed·n`` with a normal n each, the turn rate by
    ``1 + simulator.noise_turn·n``; who is told to stand, stands. Robots' limits hold afterwards as well, as engines see to them.
    """

    def __init__(self, simulator: Simulator, rng: np.random.Generator) -> None:
        self._share = np.array([simulator.noise_speed, simulator.noise_speed, simulator.noise_turn])
        self._rng = rng

    def executed(self, commands: Commands) -> Commands:
        """What is done in this tick; to be called once per tick."""
        if not self._share.any():
            return commands
        return Commands(commands.twist * (1.0 + self._share * self._rng.standard_normal(commands.twist.shape)), commands.fenced)
