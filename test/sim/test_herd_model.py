"""The world that MuJoCo moves herds in: robots that the embedded engine moves stand in it as pucks."""

import re

import pytest

from swarm_control.sim.mujoco.herd_model import TALL, _puck


@pytest.mark.parametrize(
    ("radius", "unit", "half"), [(0.1, 1.0, 0.2), (3.0, 1.0, 0.5 * TALL), (0.1, 0.05, 0.2), (20.0, 0.05, 0.5 * TALL / 0.05)]
)
def test_pucks_stand_on_the_floor_and_are_no_higher_than_walls(radius, unit, half):
    body = re.search(r'type="cylinder" size="(\S+) (\S+)" pos="0 0 (\S+)"', _puck("robot_0", radius, unit))
    assert [float(number) for number in body.groups()] == pytest.approx([radius, half, half])
