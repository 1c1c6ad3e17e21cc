"""Formations with odometry that is late, lost and noisy, and at walls; cars in formation that are held up."""

import numpy as np
import pytest

import swarm_control as sc
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet, Map, SwarmState
from swarm_control.formation.estimate import FINE, Estimate
from swarm_control.formation.memory import StructureParameters
from swarm_control.formation.parameters import FormationParameters
from swarm_control.formation.walls import along_walls
from swarm_control.runtime.formation_controller import FormationController
from swarm_control.scenario.schema import Goal

LATE = {"simulator.delay": 0.3, "simulator.loss": 0.3, "simulator.noise_position": 0.01}


@pytest.mark.parametrize(("name", "within"), [("formation_docking", 47.0), ("formation_obstacles", 60.0)])
def test_two_wheeled_robots_arrive(name, within):
    # docking takes 43 s with fresh odometry, obstacles 49 s; robots that are pressed on into a box stand there, and all wait for them
    run = sc.Simulation(name, seed=1, set={"robots.0.model": "differential", **LATE}).run(until="arrival").metrics()
    assert run["arrived_fraction"] == 1.0 and run["collisions"] == 0
    assert run["arrival_time"] < within


def test_noise_up_to_two_millimetres_changes_nothing():
    assert Estimate(noise=FINE).share == Estimate().share == 0.2 and Estimate(noise=FINE).limit == Estimate().limit == 0.03
    assert StructureParameters(estimate=Estimate(noise=FINE)).tolerance == StructureParameters().tolerance == 0.004


def test_noisier_odometry_is_believed_less():
    noisy = Estimate(noise=0.02)
    assert noisy.share == pytest.approx(0.02) and noisy.limit == pytest.approx(0.08)
    assert Estimate(gain=1.0, noise=0.02).share == 1.0, "measurements as they are"
    assert StructureParameters(estimate=noisy).tolerance == pytest.approx(3 * 0.02 * np.sqrt(0.02 / 1.98))


def test_targets_slide_along_walls():
    wall = np.zeros((40, 40), bool)
    wall[:, :10] = True
    x = 0.1 * (np.arange(40) + 0.5)
    map = Map(Grid(wall, (0.0, 0.0), 0.1), np.broadcast_to(np.maximum(x - 1.0, 0.0), (40, 40)).astype(np.float32))
    position = np.array([[1.2, 2.0], [1.5, 2.0], [1.1, 2.0], [1.2, 2.0]])
    target = position + np.array([[-0.1, 0.05], [-0.1, 0.0], [-0.1, 0.05], [0.1, 0.0]])
    found = along_walls(target, position, np.full(4, 0.2), map)
    # at the wall: along it; with room: as wished; nearer than allowed: no nearer; off the wall: as wished
    assert found == pytest.approx(np.array([[1.2, 2.05], [1.4, 2.0], [1.1, 2.05], [1.3, 2.0]]), abs=1e-6)


@pytest.mark.parametrize(("model", "turns"), [("car", False), ("differential", True)])
def test_a_car_in_formation_that_is_held_up_backs_off_and_tries_again(model, turns):
    ones = np.ones(1)
    fleet = Fleet(("one",), (model,), 0.1 * ones, ones, 2.0 * ones, 2.0 * ones, 0.2 * ones)
    controller = FormationController(fleet, [Goal(position=(5.0, 0.0))], 0.1)
    told = []
    for k in range(30):
        held = SwarmState.of(0.1 * k, np.zeros((1, 3)), np.zeros((1, 3)))
        made = controller.step(held, np.array([0.1 * k]), FormationParameters(enabled=True))
        told.append(made.command[0, 0])
        assert controller.parts[0].memory.commands[0, 0, 0] == told[-1], "the next tick expects what it was told"
    assert told[9] > 0.0 and told[-1] > 0.0
    assert (min(told) < 0.0) != turns
