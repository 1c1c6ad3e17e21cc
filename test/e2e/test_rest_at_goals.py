"""Robots that have crossed in traffic come to rest at their goals: by turns that nobody brakes wheels would go round them for ever."""

import numpy as np
import pytest

import swarm_control as sc


@pytest.mark.parametrize("model", ["differential", "omni"])
@pytest.mark.parametrize("scenario", ["traffic_corridor", "traffic_crossing", "traffic_doorway"])
def test_robots_rest_at_their_goals(scenario, model):
    simulation = sc.Simulation(scenario, robots=8, seed=5, duration=40.0, set={"robots.0.model": model}).run()
    assert simulation.metrics()["arrived_fraction"] == 1.0
    velocity = np.abs(simulation.trajectory.velocity[-100:]).mean(axis=0)
    assert np.hypot(velocity[:, 0], velocity[:, 1]).max() < 0.02 and velocity[:, 2].max() < 0.3
