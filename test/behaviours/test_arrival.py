"""Arrival: robots of each kind come to rest at their goals."""

import numpy as np
import pytest

import swarm_control as sc
from swarm_control.core.geometry import norm


@pytest.mark.parametrize("model", ["omni", "differential", "point_mass"])
@pytest.mark.parametrize("weight", [0.5, 1.0, 3.0])
def test_robots_with_places_of_their_own_come_to_rest_there(model, weight):
    """By the point that they steer by: a wheeled robot that took its centre there circled for ever, 12 cm off at 0.09 m/s."""
    places = np.array([[2.0, 1.0], [-1.5, 2.0], [1.0, -2.5], [-2.0, -0.5], [0.5, 0.3]])
    changes = {
        "groups.red.goals": [{"each": places.ravel().tolist(), "arrival_radius": 0.15}], "arrival.weight": weight, "alignment.weight": 0.0,
        "cohesion.weight": 0.0, "robots.0.model": model, "robots.0.count": 5, "robots.1.count": 1,
    }  # fmt: skip
    sim = sc.Simulation("flocks_cross", duration=40, set=changes).run()
    off = norm(sim.state.position[:5] - places)
    np.testing.assert_allclose(off, sim.scenario.control.motion.look_ahead if model == "differential" else 0.0, atol=0.005)
    assert norm(sim.state.velocity[:5, :2]).max() < 0.01 and sim.metrics()["collisions"] == 0
