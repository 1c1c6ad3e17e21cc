"""What a one-legged robot believes of its motion, against closed forms and against what is so; and that its control goes by it alone."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from test_hopper import BODIES, EXACT, Herd, bodies

from swarm_control.robots.attitude import turning, vertical
from swarm_control.robots.hopper.control_gains import gains
from swarm_control.robots.hopper.estimate import BELIEFS, SPEED, in_body, leg_motion, levelled, moving, pushed
from swarm_control.robots.motors import bounded
from swarm_control.robots.sensors import Sensors

GAINS = gains(BODIES.hopper, 9.81, 0.8)


def posed(seed):
    """A robot in a drawn posture; its vertical, joints, rates and turn rate."""
    herd, rng = Herd(), np.random.default_rng(seed)
    d, root = herd.data, herd.kind.roots[0]
    x, y, z, w = Rotation.from_euler("ZYX", rng.normal(0.0, (1.0, 0.2, 0.2))).as_quat()
    d.qpos[root + 3 : root + 7] = w, x, y, z
    d.qpos[root + 7 : root + 11] = rng.normal(0.0, (0.3, 0.3, 0.3, 0.05))
    d.qvel[:] = rng.normal(0.0, 1.0, herd.model.nv)
    mujoco.mj_forward(herd.model, d)
    up = d.body("robot_0").xmat.reshape(3, 3)[2].copy()
    return herd, up, d.qpos[root + 7 : root + 11].copy(), d.qvel[6:10].copy(), d.qvel[3:6].copy()


@pytest.mark.parametrize("seed", range(5))
def test_while_the_foot_rolls_on_the_spot_the_leg_tells_the_bodys_velocity_exactly(seed):
    herd, up, a, r, spin = posed(seed)
    m, d = herd.model, herd.data
    spot = d.geom("robot_0/foot").xpos - [0.0, 0.0, 0.03]
    jacobian = np.zeros((3, m.nv))
    mujoco.mj_jac(m, d, jacobian, None, spot, m.body("robot_0/lower").id)
    d.qvel[:3] -= jacobian @ d.qvel  # now the foot's lowest point is at rest
    mujoco.mj_forward(m, d)
    body, centre = leg_motion.function(up, a, r, spin, GAINS)
    turn = d.body("robot_0").xmat.reshape(3, 3)
    assert turn @ body == pytest.approx(d.qvel[:3], abs=1e-9)
    mujoco.mj_subtreeVel(m, d)
    assert turn @ centre == pytest.approx(d.subtree_linvel[m.body("robot_0").id] - d.qvel[:3], abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_level_frame_is_the_world_turned_to_where_the_body_points(seed):
    herd, up, _, _, _ = posed(seed)
    turn, v = herd.data.body("robot_0").xmat.reshape(3, 3), np.array([0.3, -1.2, 0.7])
    yaw = np.arctan2(turn[1, 0], turn[0, 0])
    level = Rotation.from_euler("z", -yaw).apply(turn @ v)
    assert levelled.function(up, v) == pytest.approx(level)
    assert in_body.function(up, level) == pytest.approx(v)


def test_the_vertical_and_the_heading_are_followed_by_the_gyroscope():
    """A body that turns about all axes: from the first reading on, without a new one, a second later."""
    spin, belief, dt = np.array([0.4, -0.3, 0.8]), np.zeros(BELIEFS), 1e-4
    start = Rotation.from_euler("ZYX", (0.5, 0.1, -0.2))
    up, heading = start.inv().apply([0.0, 0.0, 1.0]), 0.5
    for _ in range(10_000):
        u = vertical.function(belief, up, spin, 1e9, dt)
        heading += turning.function(u, spin) * dt
    end = start * Rotation.from_rotvec(spin)
    assert u == pytest.approx(end.inv().apply([0.0, 0.0, 1.0]), abs=2e-4)
    assert heading == pytest.approx(end.as_euler("ZYX")[0], abs=2e-4)


def test_in_flight_the_centre_of_mass_is_thrown():
    """v − g·t, and sideways the same velocity as seen by a body that turns."""
    belief, still, dt = np.zeros(BELIEFS), np.zeros(4), 1e-4
    belief[SPEED : SPEED + 3] = 2.0, 0.5, 1.4
    for _ in range(3000):
        v = moving.function(belief, (0.0, 0.0, 1.0), still, still, np.array([0.0, 0.0, 0.7]), still, 0.0, False, dt, GAINS)
    seen = Rotation.from_euler("z", -0.7 * 0.3).apply([2.0, 0.5, 1.4 - 9.81 * 0.3])
    assert belief[SPEED : SPEED + 3] == pytest.approx(seen, abs=1e-3)
    drop = GAINS.drop  # the body turns about its own axis, on which the leg is: its velocity is the centre's
    assert drop > 0.0 and v == pytest.approx(seen, abs=1e-3)


def test_the_ground_pushes_a_foot_along_the_leg_and_against_the_hips_torque():
    a, torque = np.array([0.2, -0.3, 0.4, 0.01]), np.array([3.0, -5.0, 1.0])
    x, y, z = np.eye(3)
    pitch, leg = Rotation.from_rotvec(0.2 * x).apply(y), (Rotation.from_rotvec(0.2 * x) * Rotation.from_rotvec(-0.3 * y)).apply(z)
    whole = np.linalg.solve([x, pitch, leg], torque)
    force = 100.0 * leg + np.cross(whole, leg) / (GAINS.length + 0.01)
    assert pushed.function(a, torque, 100.0, GAINS) == pytest.approx(force)


def errors(sensors, seeds=range(3)):
    """Errors of the velocity that robots on their way believe to have in flight (..., 3), m/s."""
    found = []
    for seed in seeds:
        herd = Herd(4, bodies(sensors=sensors), speed=1.5, seed=seed, dt=0.002, spacing=20.0)
        herd.go(1.5, (1.5, 0.0, 0.0))
        for _ in range(500):
            herd.go(0.002, (1.5, 0.0, 0.0))
            mujoco.mj_subtreeVel(herd.model, herd.data)
            v = herd.data.subtree_linvel[[herd.model.body(name).id for name in herd.kind.names]]
            yaw = herd.engine.truth().pose[:, 2]
            seen = np.array([Rotation.from_euler("z", -angle).apply(one) for angle, one in zip(yaw, v)])
            found.append((herd.kind._belief[:, SPEED : SPEED + 3] - seen)[~herd.kind.stance()])
    return np.concatenate(found)


def test_on_its_way_it_knows_its_velocity_and_the_better_the_less_noise():
    fine, usual = errors(EXACT), errors(Sensors())
    coarse = errors(replace(Sensors(), gyro_noise=0.1, rate_noise=0.5, tilt_noise=0.05))
    assert np.abs(fine[:, :2]).max() < 0.14, "feet creep"
    assert usual[:, :2].mean(axis=0) == pytest.approx(fine[:, :2].mean(axis=0), abs=0.03)
    assert fine[:, 1].std() < 0.5 * usual[:, 1].std() < 0.25 * coarse[:, 1].std()


def test_control_goes_by_what_is_read_alone():
    """Elsewhere, facing another way, and with speeds of the body that no sensor reads: the same is told to the motors."""
    told = []
    for place, yaw, fast in (((0.0, 0.0, 1.0), 0.0, 0.0), ((30.0, -5.0, 9.0), 2.0, 4.0)):
        herd, *_ = posed(3)
        d, root = herd.data, herd.kind.roots[0]
        x, y, z, w = Rotation.from_euler("ZYX", (yaw, 0.1, -0.05)).as_quat()
        d.qpos[root : root + 7], d.qvel[:3] = (*place, w, x, y, z), fast
        for _ in range(5):
            herd.kind.control(d, np.array([[1.0, 0.3, 0.2]]))
        told.append(d.ctrl.copy())
    assert np.abs(told[0]).max() > 1.0 and told[0] == pytest.approx(told[1], abs=1e-9)


def test_a_wrong_reading_of_a_switch_makes_no_landing_and_no_fall():
    herd = Herd(40, bodies(sensors=replace(Sensors(), contact_error=0.02)), speed=1.0, spacing=5.0)
    herd.go(8.0, (1.0, 0.0, 0.0))
    assert herd.fallen == 0


def test_motors_drive_up_to_their_line_and_brake_with_all_they_have():
    give = bounded.function
    assert give(50.0, 0.0, 20.0, 10.0) == 20.0 and give(-50.0, 0.0, 20.0, 10.0) == -20.0
    assert give(50.0, 5.0, 20.0, 10.0) == 10.0 and give(-50.0, 5.0, 20.0, 10.0) == -20.0
    assert give(50.0, 12.0, 20.0, 10.0) == 0.0 and give(-50.0, -12.0, 20.0, 10.0) == 0.0
    assert give(3.0, 5.0, 20.0, 10.0) == 3.0 and give(1e9, 5.0, np.inf, np.inf) == 1e9


def test_at_every_step_motors_stay_on_their_lines_and_are_bounded_unless_told_otherwise():
    hopper = BODIES.hopper
    assert min(hopper.hip_torque, hopper.hip_speed, hopper.thrust_force, hopper.thrust_speed) > 0.0
    herd = Herd(3, bodies(hip_torque=30.0, hip_speed=20.0, thrust_force=900.0, thrust_speed=10.0), speed=1.5, dt=0.002)
    most, free, reached = np.array([30.0, 30.0, 30.0, 900.0]), np.array([20.0, 20.0, 20.0, 10.0]), 0
    for _ in range(1000):
        speed = herd.data.qvel.reshape(3, 10)[:, 6:].copy()
        herd.go(0.002, (1.5, 0.0, 0.0))
        given = herd.data.actuator_force.reshape(3, 4)
        line = most * np.clip(1.0 - np.sign(given) * speed / free, 0.0, 1.0)
        assert (np.abs(given) <= line * (1.0 + 1e-12)).all()
        reached += int((np.abs(given) > 0.999 * line).sum())
    assert reached > 10
