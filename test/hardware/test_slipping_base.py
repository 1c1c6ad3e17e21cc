"""An emulated robot's wheels on a floor on which they slip: arcs from wherever it is, and encoders that do not see what is lost."""

import numpy as np
import pytest

from swarm_control.sim.hardware.base import SlippingBase

RADIUS, BASE = 0.03, 0.2


def base(pose, slip=0.0, seed=0):
    return SlippingBase(RADIUS, BASE, np.array(pose), slip, np.random.default_rng(seed))


@pytest.mark.parametrize("yaw", [0.0, 0.7, -2.4])
@pytest.mark.parametrize(("left", "right"), [(4.0, 4.0), (2.0, 6.0), (5.0, -1.0), (-3.0, 3.0)])
def test_it_goes_on_a_circle_about_the_point_that_stands(yaw, left, right):
    made, time = base((1.0, -2.0, yaw)), 0.5
    for _ in range(5):
        angles = made.step(0.1, left, right)
    assert angles == pytest.approx((left * time, right * time))
    ahead, turn = 0.5 * RADIUS * (left + right) * time, RADIUS * (right - left) / BASE * time
    x, y, found = made.where()
    assert found == pytest.approx(yaw + turn)
    if turn:
        centre = np.array([1.0, -2.0]) + ahead / turn * np.array([-np.sin(yaw), np.cos(yaw)])
        assert np.array([x, y]) == pytest.approx(centre + ahead / turn * np.array([np.sin(found), -np.cos(found)]))
    else:
        assert (x, y) == pytest.approx((1.0 + ahead * np.cos(yaw), -2.0 + ahead * np.sin(yaw)))


def test_slip_takes_its_share_of_the_way_and_is_not_counted():
    made = base((0.0, 0.0, 0.0), slip=0.1)
    for _ in range(4000):
        angles = made.step(0.01, 5.0, 5.0)
    x, y, _ = made.where()
    assert angles == pytest.approx((200.0, 200.0))
    assert np.hypot(x, y) == pytest.approx(0.9 * 200.0 * RADIUS, rel=0.03) and abs(made.where()[2]) > 1e-6
    each = [np.hypot(*base((0.0, 0.0, 0.0), 0.1, seed).step(1.0, 0.0, 0.0)) for seed in range(3)]
    assert each == [0.0, 0.0, 0.0]


def test_it_can_be_put_elsewhere_and_goes_on_counting():
    made = base((0.0, 0.0, 0.0))
    made.step(1.0, 2.0, 2.0)
    made.put(np.array([5.0, 6.0, 0.5 * np.pi]))
    assert made.where() == (5.0, 6.0, 0.5 * np.pi) and made.step(1.0, 1.0, 1.0) == (3.0, 3.0)
    assert made.where() == pytest.approx((5.0, 6.0 + RADIUS, 0.5 * np.pi))
