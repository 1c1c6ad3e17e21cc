"""Objects on the lab floor slide with Coulomb friction, are pushed by robots' hulls and stopped by walls."""

import numpy as np
import pytest
from test_r3 import drive, fleet

from swarm_control.core.grid import Grid
from swarm_control.core.state import SwarmState
from swarm_control.scenario.objects import PassiveObject
from swarm_control.sim.floor.r3 import R3
from swarm_control.sim.floor.world import DT, FloorPlan, FloorWorld


def floor(*objects, grid=None):
    start = SwarmState.of(0.0, np.zeros((1, 3)), np.zeros((1, 3)))
    return FloorWorld(FloorPlan(fleet(1), start, (R3(),), grid, objects=objects))


@pytest.mark.parametrize("shape", [{"size": (0.4, 0.3)}, {"radius": 0.2}])
def test_what_is_let_go_slides_as_far_as_friction_lets_it(shape):
    made = floor(PassiveObject(name="box", pose=(1.0, 0.5, 30.0), mass=3.0, friction=0.4, **shape))
    for _ in range(100):
        made.step()  # it comes to lie
    before = made.objects.pose[0].copy()
    assert before == pytest.approx([1.0, 0.5, np.deg2rad(30.0)], abs=1e-3)
    made.data.qvel[made.model.joint("box").dofadr[0]] = 1.0
    for _ in range(round(1.0 / DT)):
        made.step()
    gone = made.objects.pose[0] - before
    assert gone[0] == pytest.approx(1.0 / (2.0 * 0.4 * 9.81), rel=0.05) and abs(gone[1]) < 5e-3


def test_a_robot_pushes_it_ahead_and_to_touch_is_no_collision():
    made = floor(PassiveObject(pose=(0.5, 0.0, 0.0), mass=2.0))
    x = drive(made, 0.2, 0.2, 3.0)[-1, 0, 0]
    assert x > 0.4 and made.objects.pose[0, 0] == pytest.approx(x + 0.2 + 0.2, abs=0.01), "hull and box touch"
    assert made.collisions.tolist() == [0]


def test_a_wall_holds_it_and_the_robot_behind():
    occupied = np.zeros((30, 30), bool)
    occupied[:, 25] = True  # from x = 1.0 m on
    made = floor(PassiveObject(pose=(0.5, 0.0, 0.0), mass=2.0), grid=Grid(occupied, (-1.5, -1.5), 0.1))
    x = drive(made, 0.2, 0.2, 6.0)[:, 0, 0]
    assert made.objects.pose[0, 0] == pytest.approx(0.8, abs=0.01) and x[-1] == pytest.approx(0.4, abs=0.015)
    assert np.ptp(x[-100:]) < 2e-3 and made.collisions.tolist() == [0]
