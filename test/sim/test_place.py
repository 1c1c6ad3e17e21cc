"""Putting a robot elsewhere by hand: only where there is room, and without a trace of how it moved before."""

import numpy as np
import pytest

from swarm_control.core.grid import Grid
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.sim.planar import PlanarEngine


@pytest.fixture
def engine():
    ones = np.ones(2)
    fleet = Fleet(("a", "b"), ("omni", "omni"), 0.1 * ones, ones, 4 * ones, 6 * ones, 0.06 * ones)
    walls = np.zeros((40, 40), bool)
    walls[:, 30:] = True
    start = SwarmState.of(0.0, np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([[0.5, 0, 0], [0.5, 0, 0]]))
    return PlanarEngine(fleet, start, Grid(walls, (-2.0, -2.0), 0.1), 0.01)


def test_a_robot_is_put_to_rest_where_there_is_room(engine):
    other = engine.truth().pose[1].copy()
    assert engine.place(0, np.array([-1.0, 0.5, 2.0]))
    truth = engine.truth()
    assert truth.pose[0].tolist() == [-1.0, 0.5, 2.0] and truth.velocity[0].tolist() == [0, 0, 0]
    np.testing.assert_array_equal(truth.pose[1], other)
    assert truth.velocity[1, 0] == 0.5 and engine.collisions.sum() == 0
    for _ in range(50):
        engine.step(Commands(np.zeros((2, 3))))
    np.testing.assert_allclose(engine.truth().pose[0], [-1.0, 0.5, 2.0])


@pytest.mark.parametrize("pose", [(0.85, 0.0, 0.0), (0.95, 0.1, 0.0), (1.5, 0.0, 0.0), (0.95, 1.0, 0.0)])
def test_it_stays_where_it_is_rather_than_overlap(engine, pose):
    before = engine.truth().pose.copy()
    assert not engine.place(0, np.array(pose))
    np.testing.assert_array_equal(engine.truth().pose, before)


def test_a_reset_forgets_it(engine):
    engine.place(0, np.array([-1.0, 0.5, 2.0]))
    engine.reset()
    assert engine.truth().pose[0].tolist() == [0, 0, 0] and engine.time == 0.0
