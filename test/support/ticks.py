"""The swarm tick of one squad that holds all robots, with the perception that its parameters tell."""

import numpy as np

from swarm_control.core.perception import perceive
from swarm_control.core.pipeline import Part, Tick, tick
from swarm_control.core.state import Surroundings, SwarmState
from swarm_control.safety.command import move
from swarm_control.scenario.schema import Control


def one_tick(state: SwarmState, around: Surroundings, control: Control, rng: np.random.Generator) -> Tick:
    grid = None if around.map is None else around.map.grid
    part = Part(np.arange(len(state)), control, around)
    return tick(state, [part], lambda now: perceive(now, control.perception, rng, around.fleet.radius, None, grid), move)
