"""The R3 in MuJoCo against closed forms; what a tyre or a motor takes off them is stated beside each bound."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from swarm_control.core.state import Fleet, SwarmState
from swarm_control.sim.floor.r3 import R3, built
from swarm_control.sim.floor.world import DT, FloorPlan, FloorWorld

IDEAL = replace(R3(), loss=0.0, damping=0.0, scrub=0.0, drag=0.0)
"""An R3 without losses in gears, tyres and caster."""


def fleet(n=1):
    ones = np.ones(n)
    names = tuple(f"robot_{k}" for k in range(n))
    return Fleet(names, ("differential",) * n, 0.2 * ones, 0.3 * ones, 0.6 * ones, 2.4 * ones, 0.25 * ones)


def world(*r3s, pose=None, grid=None):
    n = len(r3s)
    pose = np.column_stack((np.zeros(n), np.arange(n), np.zeros(n))) if pose is None else np.array(pose, float)
    return FloorWorld(FloorPlan(fleet(n), SwarmState.of(0.0, pose, np.zeros((n, 3))), r3s, grid))


def drive(w, left, right, seconds):
    """Drive with rims set to these speeds (m/s); poses (T, N, 3) of every step."""
    w.robots.drive(w.data, np.tile([left, right], (len(w.plan.fleet), 1)) / w.plan.r3s[0].wheel_radius)
    poses = []
    for _ in range(round(seconds / DT)):
        w.step()
        poses.append(w.robots.pose(w.data))
    return np.array(poses)


def energy(w):
    """Kinetic and potential, J."""
    mujoco.mj_energyPos(w.model, w.data)
    mujoco.mj_energyVel(w.model, w.data)
    return float(sum(w.data.energy))


def ahead(w):
    return float(w.robots.velocity(w.data)[0, 0])


def test_at_rest_it_stands_on_its_wheels_and_caster():
    w = world(R3())
    drive(w, 0.0, 0.0, 1.0)
    assert np.abs(w.robots.velocity(w.data)).max() < 1e-6
    assert abs(w.data.joint("robot_0").qpos[2]) < 1e-4, "sinks in by less than 0.1 mm"
    force = np.zeros(6)
    weights = []
    for k in range(w.data.ncon):
        mujoco.mj_contactForce(w.model, w.data, k, force)
        weights.append(force[0])
    assert len(weights) == 3
    assert sum(weights) == pytest.approx(R3().mass * 9.81, rel=1e-3)


def test_its_body_has_the_moments_of_a_solid_cylinder():
    r3 = replace(R3(), height=0.4)
    mass, found = r3.mass - 2.0 * r3.wheel_mass, world(r3).model.body("robot_0")
    across = mass * (3.0 * r3.radius**2 + r3.height**2) / 12.0
    assert np.sort(found.inertia) == pytest.approx(np.sort([across, across, 0.5 * mass * r3.radius**2]), rel=1e-6)


def test_straight_on_it_drives_as_its_wheels_turn():
    w = world(IDEAL)
    x, y, yaw = drive(w, 0.08, 0.08, 4.0)[-1, 0]
    # a first-order lag τ costs v·τ of the way, and so does the speed controller with the robot's inertia at its end
    controller = (0.5 * IDEAL.mass * IDEAL.wheel_radius**2 + IDEAL.rotor) / IDEAL.gain
    assert x == pytest.approx(0.08 * (4.0 - IDEAL.lag - controller), rel=0.003)
    assert abs(y) < 1e-6 and abs(yaw) < 1e-6
    assert w.robots.wheel_angle(w.data)[0] * IDEAL.wheel_radius == pytest.approx(x, rel=0.005), "slip below 0.5 %"


def test_it_turns_on_the_spot_by_the_difference_of_its_wheels_ways():
    w = world(IDEAL)
    poses = drive(w, -0.1, 0.1, 4.0)
    ways = w.robots.wheel_angle(w.data)[0] * IDEAL.wheel_radius
    turned = np.unwrap(poses[:, 0, 2])[-1]
    assert turned == pytest.approx((ways[1] - ways[0]) / IDEAL.wheel_base, rel=0.01), "slip below 1 %: the caster is dragged sideways"
    assert turned == pytest.approx(0.8 * (4.0 - IDEAL.lag), rel=0.02)
    assert np.hypot(*poses[-1, 0, :2]) < 0.002


def test_wheels_of_different_speed_drive_the_arc():
    w = world(IDEAL)
    poses = drive(w, 0.1, 0.2, 8.0)[round(1.0 / DT) :, 0]
    a, b, _ = np.linalg.lstsq(np.column_stack((2 * poses[:, :2], np.ones(len(poses)))), (poses[:, :2] ** 2).sum(axis=1), rcond=None)[0]
    radius = np.hypot(poses[:, 0] - a, poses[:, 1] - b)
    assert radius.mean() == pytest.approx(0.15 / 0.1 * 0.25, rel=0.02)
    assert np.ptp(radius) < 0.002


def test_the_motor_follows_a_step_with_its_time_constant():
    w = world(replace(IDEAL, friction=1e-5))  # on ice there is nothing but the wheel to be turned
    w.robots.drive(w.data, np.full((1, 2), 0.4))
    rate = []
    for _ in range(round(0.4 / DT)):
        w.step()
        rate.append(w.robots.wheel_rate(w.data)[0, 0])
    t = DT * np.arange(1, len(rate) + 1)
    wheel = 0.4 * IDEAL.wheel_mass * IDEAL.wheel_radius**2 + IDEAL.rotor
    second = wheel / IDEAL.gain  # the lag, and behind it the speed controller with the wheel's inertia
    cascade = 0.4 * (1.0 - (IDEAL.lag * np.exp(-t / IDEAL.lag) - second * np.exp(-t / second)) / (IDEAL.lag - second))
    assert np.abs(rate - cascade).max() < 0.02 * 0.4


def test_the_torque_limit_bounds_acceleration():
    weak = replace(IDEAL, torque=0.05, lag=0.005)
    w = world(weak)
    speeds = []
    w.robots.drive(w.data, np.full((1, 2), 6.0))
    for _ in range(round(0.6 / DT)):
        w.step()
        speeds.append(ahead(w))
        assert np.abs(w.robots.torque(w.data)).max() <= weak.torque * (1.0 + 1e-9)
    wheel = 0.4 * weak.wheel_mass * weak.wheel_radius**2  # of an ellipsoid: m·(r² + r²)/5
    mass = weak.mass + 2.0 * (weak.rotor + wheel) / weak.wheel_radius**2
    gained = (speeds[-1] - speeds[99]) / (DT * (len(speeds) - 100))
    assert gained == pytest.approx(2.0 * weak.torque / weak.wheel_radius / mass, rel=0.03)


def test_no_wheel_turns_faster_than_the_motors_top_speed():
    w = world(R3())
    drive(w, 10.0, 10.0, 2.0)
    assert 0.95 * R3().top_speed < ahead(w) <= R3().top_speed * (1.0 + 1e-6)


def test_on_ice_the_wheels_spin_and_friction_alone_moves_it():
    ice = replace(IDEAL, friction=0.01)
    w = world(ice)
    drive(w, 0.4, 0.4, 0.5)
    assert w.robots.slip(w.data).min() > 0.25
    loaded = 1.0 - ice.behind / ice.caster
    assert ahead(w) <= ice.friction * loaded * 9.81 * 0.5 * 1.05
    gripping = world(IDEAL)
    drive(gripping, 0.4, 0.4, 0.5)
    assert np.abs(gripping.robots.slip(gripping.data)).max() < 0.02


def test_encoders_count_whole_ticks_of_the_wheels_angle():
    w = world(R3())
    for _ in range(200):
        drive(w, 0.3, -0.2, DT)
        turns = w.robots.wheel_angle(w.data) / (2.0 * np.pi)
        assert (w.robots.ticks(w.data) == np.floor(turns * R3().ticks)).all()
    assert w.robots.ticks(w.data)[0, 0] > 100 and w.robots.ticks(w.data)[0, 1] < -50


def test_left_and_right_are_alike():
    one, other = world(R3()), world(R3())
    a, b = drive(one, 0.1, 0.3, 2.0)[:, 0], drive(other, 0.3, 0.1, 2.0)[:, 0]
    assert np.abs(a - b * [1.0, -1.0, -1.0]).max() < 1e-4


def test_where_and_whither_it_starts_makes_no_difference():
    one, other = world(R3()), world(R3(), pose=[[3.0, -2.0, 2.0]])
    a, b = drive(one, 0.1, 0.25, 2.0)[-1, 0], drive(other, 0.1, 0.25, 2.0)[-1, 0]
    c, s = np.cos(2.0), np.sin(2.0)
    assert b[:2] == pytest.approx([3.0 + c * a[0] - s * a[1], -2.0 + s * a[0] + c * a[1]], abs=2e-4)
    assert (b[2] - 2.0 - a[2] + np.pi) % (2.0 * np.pi) - np.pi == pytest.approx(0.0, abs=1e-3)


def test_motors_off_it_never_gains_energy_and_comes_to_rest():
    w = world(R3())
    drive(w, 0.3, 0.2, 1.0)
    w.robots.drive(w.data, np.zeros((1, 2)))
    for _ in range(round(0.5 / DT)):
        w.step()  # the lag runs out while the wheels still pull
    energies = []
    for _ in range(500):
        w.step()
        energies.append(energy(w))
    assert np.diff(energies).max() < 1e-6
    assert np.abs(w.robots.velocity(w.data)).max() < 1e-3


def test_a_push_between_robots_is_as_large_on_either():
    # two robots that drive into each other stand in the end, in the middle, and have met once
    w = world(R3(), R3(), pose=[[-0.5, 0.0, 0.0], [0.5, 0.0, np.pi]])
    poses = drive(w, 0.2, 0.2, 4.0)
    assert poses[-1, 0, 0] == pytest.approx(-poses[-1, 1, 0], abs=2e-3)
    assert poses[-1, 1, 0] - poses[-1, 0, 0] == pytest.approx(0.4, abs=0.005)
    assert w.collisions.tolist() == [1, 0]


def test_the_same_start_gives_the_same_bits():
    def once():
        rng = np.random.default_rng(4)
        return drive(world(built(R3(), rng), built(R3(), rng)), 0.3, 0.1, 1.0)

    assert np.array_equal(once(), once())


def test_robots_from_the_workshop_differ_within_their_tolerances():
    rng = np.random.default_rng(1)
    made = [built(R3(), rng) for _ in range(200)]
    sizes = np.array([r3.radii for r3 in made]).ravel()
    assert sizes.std() / R3().wheel_radius == pytest.approx(0.005, rel=0.2)
    assert len({r3.mass for r3 in made}) == 200 and min(r3.lag for r3 in made) > 0.6 * R3().lag


def test_rims_that_roll_have_no_slip_whatever_the_heading_and_the_curve():
    w = world(IDEAL, IDEAL, pose=[[0.0, 0.0, 2.0], [0.0, 2.0, -1.0]])
    drive(w, 0.06, 0.12, 2.0)
    assert np.abs(w.robots.slip(w.data)).max() < 0.01
