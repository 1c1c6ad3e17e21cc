"""Springs, rest angles, legs' geometry, reflexes and their calibration, the gait controller on its own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.gait.leg import Leg, angles_for, foot, jacobian, table
from swarm_control.gait.programs import EXPONENTIAL, LINEAR, approach, energy, frequency_for, held, spring
from swarm_control.gait.reflexes import calibrate, extension

LEG = Leg(1.0, np.array([0.4, 0.3, -0.15]), np.array([0.4, 0.6, 0.6, 0.35]), -0.15, np.deg2rad([-30.0, 60.0, -95.0, 25.0]))
FOOTHOLD = np.array([0.25, 1.35, -0.5])


@given(x=st.floats(-0.5, 0.5), strength=st.floats(1.0, 1000.0), rise=st.floats(0.5, 12.0))
def test_the_spring_is_the_papers(x, strength, rise):
    expected = np.sign(x) * strength * (np.exp(rise * abs(x)) - 1.0)
    assert spring(x, strength, rise, 1e9, EXPONENTIAL) == pytest.approx(expected, rel=1e-9, abs=1e-9 * strength)
    assert spring(x, strength, rise, 1e9, LINEAR) == pytest.approx(strength * rise * x)
    assert abs(spring(x, strength, rise, 5.0, EXPONENTIAL)) <= 5.0
    assert abs(spring(x, strength, rise, 1e9, EXPONENTIAL)) >= abs(strength * rise * x) * (1.0 - 1e-9) - 1e-9


@given(torque=st.floats(-1e4, 1e4), law=st.sampled_from([EXPONENTIAL, LINEAR]))
def test_a_spring_holds_a_load_where_its_torque_is_the_load(torque, law):
    stretch = held(torque, 120.0, 9.0, law)
    assert spring(stretch, 120.0, 9.0, 1e9, law) == pytest.approx(torque, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("law", [EXPONENTIAL, LINEAR])
def test_a_springs_energy_is_the_integral_of_its_torque(law):
    x = np.linspace(0.0, 0.4, 4001)
    torque = np.array([spring(value, 100.0, 8.0, 1e9, law) for value in x])
    assert energy(0.4, 100.0, 8.0, law) == pytest.approx(np.trapezoid(torque, x), rel=1e-6)
    assert energy(-0.4, 100.0, 8.0, law) == energy(0.4, 100.0, 8.0, law)


def test_a_rest_angle_moves_at_constant_velocity_and_arrives_on_time():
    rest, goal, way = np.zeros(5), np.zeros((5, 10)), []
    goal[:, 0] = [0.5, -0.3, 0.2, 0.0, 1.0]
    for k in range(50):
        approach(rest, goal, 0.0, 0.0, 0.0, 0.05 - k * 0.001, 0.001)
        way.append(rest.copy())
    assert np.allclose(rest, goal[:, 0])
    assert np.allclose(np.diff(way, axis=0), goal[:, 0] / 50.0)


@given(speed=st.floats(1e-6, 20.0))
def test_the_frequency_makes_the_speed(speed):
    f = frequency_for(speed, 0.3, 0.05, 10.0)
    assert 0.0 < f <= 10.0
    if f < 10.0:
        assert 0.3 / (1.0 / f - 0.05) == pytest.approx(speed, rel=1e-6)
    assert frequency_for(0.9 * speed, 0.3, 0.05, 10.0) <= f


def test_links_keep_their_lengths_and_left_and_right_are_mirrored():
    angles = np.random.default_rng(0).uniform(-0.6, 0.6, (50, 5))
    mirrored = Leg(-1.0, LEG.hip * [1, -1, 1], LEG.links, LEG.azimuth, LEG.bend)
    assert np.allclose(foot(mirrored, angles), foot(LEG, angles) * [1, -1, 1])
    straight = Leg(1.0, LEG.hip, LEG.links, 0.0, np.zeros(4))
    assert np.allclose(foot(straight, np.zeros((1, 5))), LEG.hip + np.array((0.0, LEG.links.sum(), 0.0)))
    assert (np.linalg.norm(foot(LEG, angles) - LEG.hip, axis=1) <= LEG.links.sum() + 1e-12).all()
    forward = foot(LEG, np.array([[0.1, 0, 0, 0, 0]])) - foot(LEG, np.zeros((1, 5)))
    assert forward[0, 0] > 0.0
    assert np.abs(np.linalg.norm(jacobian(LEG, angles)[:, :, 4], axis=1) - LEG.links[3]).max() < 1e-6


def test_angles_put_the_foot_where_it_is_wanted():
    offset = np.random.default_rng(2).uniform(-0.25, 0.25, (30, 3))
    angles = angles_for(LEG, FOOTHOLD + offset, np.zeros(5))
    assert np.allclose(foot(LEG, angles), FOOTHOLD + offset, atol=1e-6)


def test_the_table_is_near_the_exact_angles():
    made, error = table(LEG, FOOTHOLD, np.zeros(5), 0.25, -0.1, 0.3)
    assert made.shape == (5, 10) and error < 0.05
    at = made[:, 0][None]
    assert np.linalg.norm(foot(LEG, at)[0] - FOOTHOLD) < 0.02


def test_extension_is_an_angle_behind_the_foothold_along_the_way():
    assert extension(-0.3, 0.0, 0.3, 5.0, 0.0) == pytest.approx(np.pi / 4)
    assert extension(0.3, 0.0, 0.3, 5.0, 0.0) == pytest.approx(-np.pi / 4)
    assert extension(-0.3, 0.0, 0.3, -1.0, 0.0) == pytest.approx(-np.pi / 4), "walking backward, it is ahead"
    assert extension(0.0, 0.3, 0.3, 0.0, -2.0) == pytest.approx(np.pi / 4)
    assert extension(-0.3, 0.2, 0.3, 0.0, 0.0) == 0.0


def test_thresholds_lie_a_margin_beyond_the_walk():
    rng = np.random.default_rng(3)
    stretched = rng.uniform(0.0, 0.5, (4000, 6))
    stepping = (np.arange(4000)[:, None] // 20 + np.arange(6)) % 2 == 0
    load = np.where(stepping, 5000.0, (1 + np.arange(4000)[:, None] // 40) * [1.0, 2.0, 3.0, 3.0, 5.0, 4.0])
    found = calibrate(stretched, load, stepping, 0.2)
    standing = np.where(stepping, -1.0, stretched).max(axis=0)
    assert np.allclose(found.extension, 1.2 * np.repeat(standing.reshape(3, 2).max(axis=1), 2))
    assert found.load == pytest.approx(1.2 * 95.0 * np.array([2.0, 2.0, 3.0, 3.0, 5.0, 5.0]), rel=0.01), "95 of 100 steps"
    with pytest.raises(ValueError, match="did not step"):
        calibrate(stretched, load, np.zeros((4000, 6), bool))
