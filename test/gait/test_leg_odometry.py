"""Leg odometry: where feet are, how they move, and what that says of the body."""

import numpy as np
import pytest

from swarm_control.gait.leg import Chains, Leg, foot, jacobian
from swarm_control.gait.odometry import Felt, feel, foot_motion

SIDES = (1.0, -1.0, 1.0, -1.0, 1.0, -1.0)
LEGS = [
    Leg(side, np.array([0.8 - 0.4 * (k // 2), 0.3 * side, -0.15]), np.array([0.4, 0.6, 0.6, 0.35]), 0.6 - 0.5 * (k // 2),
        np.deg2rad([-30.0, 60.0, -95.0, 25.0])) for k, side in enumerate(SIDES)
]  # fmt: skip
CHAINS = Chains.of(LEGS)


def test_a_foot_is_and_moves_as_the_chain_of_its_leg():
    rng = np.random.default_rng(0)
    for k, leg in enumerate(LEGS):
        angle, rate, place, moved = rng.uniform(-0.5, 0.5, 5), rng.normal(size=5), np.empty(3), np.empty(3)
        foot_motion(CHAINS.side[k], CHAINS.heading[k], CHAINS.hip[k], CHAINS.links[k], CHAINS.bend[k], angle, rate, place, moved)
        assert place == pytest.approx(foot(leg, angle[None])[0], abs=1e-12)
        assert moved == pytest.approx(jacobian(leg, angle[None])[0] @ rate, abs=1e-6)


def standing(velocity, spin, seed=1):
    """Joint angles and rates (1, 6, 5) of legs whose feet stay where they are while the body moves by ``velocity`` and ``spin`` (3,)."""
    angle = np.random.default_rng(seed).uniform(-0.3, 0.3, (6, 5))
    places = np.array([foot(leg, a[None])[0] for leg, a in zip(LEGS, angle)])
    moved = -velocity - np.cross(spin, places)
    rate = np.array([np.linalg.pinv(jacobian(leg, a[None])[0]) @ m for leg, a, m in zip(LEGS, angle, moved)])
    return angle[None], rate[None]


def test_legs_that_do_not_slip_tell_the_bodys_speed_exactly():
    velocity, spin = np.array([3.0, -1.0, 0.4]), np.array([0.3, -0.5, 0.8])
    angle, rate = standing(velocity, spin)
    felt, step, load = Felt.nothing(1, 6), np.full((1, 6), -1.0), np.full((1, 6), 300.0)
    rate[0, 3], rate[0, 4], rate[0, 5] = 5.0, -7.0, 9.0
    step[0, 3], load[0, 4] = 0.5, 5.0  # one steps, one bears nothing, one is lost: what they do is of no account
    alive = np.arange(6) != 5
    feel(CHAINS, alive, felt, angle, rate, spin[None], load, step, 20.0, 1.0)
    assert felt.moving[0] == pytest.approx([3.0, -1.0, 0.8], abs=1e-6)
    assert (felt.place[0, 5] == 0.0).all() and felt.load[0, 5] == 0.0


def test_the_estimate_goes_to_it_by_its_share_and_stays_where_no_foot_bears_anything():
    angle, rate = standing(np.array([2.0, 0.0, 0.0]), np.zeros(3))
    felt, step, load, alive = Felt.nothing(1, 6), np.full((1, 6), -1.0), np.full((1, 6), 300.0), np.ones(6, bool)
    for k in range(1, 5):
        feel(CHAINS, alive, felt, angle, rate, np.zeros((1, 3)), load, step, 20.0, 0.2)
        assert felt.moving[0, 0] == pytest.approx(2.0 * (1.0 - 0.8**k), abs=1e-6)
    before = felt.moving.copy()
    feel(CHAINS, alive, felt, angle, 2.0 * rate, np.zeros((1, 3)), 0.0 * load, step, 20.0, 0.2)
    assert np.array_equal(felt.moving, before)


def test_feet_that_bear_more_count_for_more():
    angle, rate = standing(np.array([2.0, 0.0, 0.0]), np.zeros(3))
    rate[0, 0] = 0.0
    felt, step, load = Felt.nothing(1, 6), np.full((1, 6), -1.0), np.full((1, 6), 100.0)
    load[0, 0] = 300.0
    feel(CHAINS, np.ones(6, bool), felt, angle, rate, np.zeros((1, 3)), load, step, 20.0, 1.0)
    assert felt.moving[0, 0] == pytest.approx(2.0 * 500.0 / 800.0, abs=1e-6)
