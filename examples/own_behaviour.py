"""A behaviour of one's own: wind, which blows every robot in one direction.

A behaviour is a function that says what acceleration each robot wishes for, and a dataclass with its parameters. Once registered, it is a
key of scenarios like any other; to keep it, put it into a package as in examples/plugin.
"""

from dataclasses import dataclass

import numpy as np

import swarm_control as sc


@dataclass(frozen=True)
class Wind:
    """Parameters; each has a default, a line of help, a unit and bounds. One is called weight."""

    weight: float = sc.param(0.0, "weight; 0 switches the wind off", unit="m/s²", low=0.0, high=10.0)
    heading: float = sc.param(90.0, "where it blows to, from the x axis", unit="deg", low=-360.0, high=360.0)


@sc.register_behaviour(Wind, priority=5)  # less urgent than separation: robots keep apart first
def wind(state, seen, around, params):
    """Be blown in one direction, (N, 2)."""
    angle = np.deg2rad(params.heading)
    return np.tile((np.cos(angle), np.sin(angle)), (len(state), 1))


def drift(weight):
    """How far north ten robots get in six seconds on their way east."""
    sim = sc.Simulation("migrate_boxes", seed=1, set={"wind.weight": weight, "world": None, "goals": [{"position": [20.0, -3.5]}]})
    start = sim.state.position.mean(axis=0)
    return (sim.run(until=6.0).state.position.mean(axis=0) - start)[1]


print(f"robots drift north by {drift(0.0):.2f} m without wind, by {drift(1.0):.2f} m with it")
