"""What a walker says of itself: how it stands, how fast its feet can go, how far out they are."""

from dataclasses import fields

import numpy as np
import pytest

from swarm_control.gait.leg import POWERS
from swarm_control.gait.walker import Walker


def walker(**known) -> Walker:
    return Walker(**({field.name: 1.0 for field in fields(Walker)} | known))


def test_it_stands_with_its_feet_pressed_into_the_ground():
    """The table is a polynomial in the foot's place: standing is its value straight below the foothold."""
    rng = np.random.default_rng(0)
    table, press = rng.normal(size=(6, 5, 10)), rng.uniform(0.1, 0.5, 6)
    below = np.column_stack((np.zeros((6, 2)), -press))
    expected = np.einsum("ljt,lt->lj", table, np.prod(below[:, None] ** POWERS, axis=2))
    assert walker(table=table, press=press).standing() == pytest.approx(expected)


def test_a_foot_uses_its_reach_in_the_time_that_a_step_leaves_of_the_shortest_period():
    assert walker(reach=0.9, frequency=4.0, step_time=0.1).top_speed == pytest.approx(0.9 / 0.15)


def test_the_arm_reaches_to_the_outermost_foothold():
    assert walker(foothold=np.array([(0.0, 1.0), (3.0, -4.0), (-2.0, 2.0)])).arm == 5.0
