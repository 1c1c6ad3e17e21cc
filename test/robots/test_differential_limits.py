"""What two wheels can do of a twist."""

import pytest

from swarm_control.robots.differential import limit

TWISTS = [((0.8, 4.0), 1.8), ((-0.8, -4.0), 1.8), ((0.8, -4.0), 1.8), ((0.2, 1.0), 1.0), ((0.0, 9.0), 3.0)]
"""Forward speed (m/s) and turn rate (rad/s), and by how much that is too much."""


@pytest.mark.parametrize(("twist", "over"), TWISTS)
def test_both_wheels_are_slowed_by_one_factor(twist, over):
    forward, left, rate = limit(twist[0], 0.0, twist[1], 1.0, 3.0 if twist[0] == 0.0 else 10.0, 0.5)
    assert (forward, left, rate) == pytest.approx((twist[0] / over, 0.0, twist[1] / over))
