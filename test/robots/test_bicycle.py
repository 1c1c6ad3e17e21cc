"""The bicyclist in MuJoCo: physics against closed forms and other programs, control against what Brogan & Hodgins say of theirs."""

import mujoco
import numpy as np
import pytest
import whipple
from pinned import Pinned
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from swarm_control.errors import InputError
from swarm_control.robots.bicycle.body import layout, trail
from swarm_control.robots.bicycle.body_parameters import Bicycle
from swarm_control.robots.bicycle.control import attitude, legs, rider_of, wished
from swarm_control.robots.bicycle.look import wheels
from swarm_control.robots.bicycle.mjcf import DEFAULTS, Looks, Writer
from swarm_control.robots.bicycle.mujoco import Bicycles
from swarm_control.robots.bicycle.posture import TURNS, Model, posture
from swarm_control.robots.sensors import Sensors
from swarm_control.scenario.bodies import Bodies

SPEED = 7.5
EXACT = Sensors(tilt_noise=0.0, gyro_noise=0.0, gyro_bias=0.0, encoder_noise=0.0, rate_noise=0.0, contact_error=0.0, delay=0.0)
FREE = {"rider": "rigid", "steering": "fork", "fork_gain": 0.0, "fork_damping": 0.0}
"""Hands off: a stiff rider on a bicycle whose fork turns freely."""


class Yard:
    """``n`` bicyclists side by side on level ground; ``phase``: of their cranks."""

    def __init__(self, n=1, speed=SPEED, dt=0.002, phase=None, option="", **params):
        rng = np.random.default_rng(1)
        names, pose = [f"robot_{k}" for k in range(n)], np.column_stack((np.zeros(n), 5.0 * np.arange(n), np.zeros(n)))
        self.kind = Bicycles(
            names, pose, np.tile((speed, 0.0, 0.0), (n, 1)), np.full(n, 0.8), Bodies(bicycle=Bicycle(**params)),
            rng if phase is None else Phases(phase),
        )  # fmt: skip
        parts, options = self.kind.parts(), " ".join(f'{key}="{value}"' for key, value in self.kind.option.items())
        self.model = mujoco.MjModel.from_xml_string(
            f"<mujoco><compiler angle='radian' autolimits='true'/><option timestep='{dt}' {option or options}/>"
            f"<default>{parts.defaults}</default><asset>{parts.assets}</asset><worldbody>"
            f"<geom name='ground' type='plane' size='0 0 1' contype='0' conaffinity='4' friction='1 0 0'/>{parts.bodies}</worldbody>"
            f"<equality>{parts.equalities}</equality><actuator>{parts.actuators}</actuator></mujoco>"
        )
        self.data, self.n = mujoco.MjData(self.model), n
        self.kind.bind(self.model)
        self.reset()

    def reset(self):
        mujoco.mj_resetData(self.model, self.data)
        self.kind.reset(self.data)
        mujoco.mj_forward(self.model, self.data)

    def ride(self, duration, twist=(SPEED, 0.0, 0.0), every=0.02):
        """Ride by a command, or a function of time that gives it; readings (T, n, 7): roll, its rate, yaw, its rate, speed, fork, time."""
        steps, each, seen = round(duration / self.model.opt.timestep), round(every / self.model.opt.timestep), []
        for k in range(steps):
            wish = twist(self.data.time) if callable(twist) else twist
            self.kind.control(self.data, np.ascontiguousarray(np.broadcast_to(np.asarray(wish, float), (self.n, 3))))
            mujoco.mj_step(self.model, self.data)
            if k % each == each - 1:
                time = np.full(self.n, self.data.time)
                seen.append(np.column_stack((self.kind.attitude(self.data), self.kind.angle(self.data, "fork"), time)))
        return np.array(seen)

    def push(self, rate):
        """Give all a rate of roll, rad/s."""
        self.data.qvel[self.model.jnt_dofadr[[self.model.joint(name).id for name in self.kind.names]] + 3] += rate


class Phases:
    """A random generator, but for cranks that start where they should."""

    def __init__(self, phase):
        self.phase, self._rng = np.array(phase), np.random.default_rng(1)

    def uniform(self, *_):
        return self.phase

    def __getattr__(self, name):
        return getattr(self._rng, name)


def test_a_body_that_leans_and_pitches_is_read_as_its_rotation_says():
    turn = Rotation.from_euler("ZYX", (0.7, -0.4, 0.3))  # yaw, pitch, roll
    spin, velocity = np.array([0.5, -0.8, 0.3]), np.array([2.0, -1.0, 0.6])
    x, y, z, w = turn.as_quat()
    roll, rolling, yaw, turning, speed = attitude(np.array([0, 0, 0, w, x, y, z], float), np.concatenate((velocity, spin)), 0, 0)
    ahead, world = np.array([np.cos(0.7), np.sin(0.7), 0.0]), turn.apply(spin)
    assert (roll, yaw) == pytest.approx((0.3, 0.7)) and turning == pytest.approx(world[2])
    assert (rolling, speed) == pytest.approx((world @ ahead, velocity @ ahead))


def test_the_rider_has_the_segments_masses_and_angles_of_the_paper():
    model = Yard().model
    rider = [k for k in range(model.nbody) if k >= model.body("robot_0/pelvis").id]
    assert len(rider) == 15 and model.body_mass[rider].sum() == pytest.approx(5.89 + 29.27 + 16.61 + 2 * 18.401)
    assert [round(float(m), 3) for m in model.body("robot_0/lower_leg_left").inertia] == [0.055, 0.056, 0.007]
    hinges = [k for k in range(model.njnt) if model.jnt_bodyid[k] in rider]
    assert len(hinges) == 22 + 1, "the hinge of the saddle is not counted"
    bicycle = [k for k in range(model.njnt) if k not in hinges and model.jnt_type[k] == mujoco.mjtJoint.mjJNT_HINGE]
    assert len(bicycle) == 4


def test_segments_are_as_long_as_in_table_4_and_wheels_touch_the_ground():
    yard = Yard()
    at = {
        name: yard.data.body(f"robot_0/{name}").xpos for name in ("upper_leg_left", "lower_leg_left", "foot_left", "rear", "front", "fork")
    }
    assert np.linalg.norm(at["lower_leg_left"] - at["upper_leg_left"]) == pytest.approx(np.hypot(np.hypot(0.074, 0.33), 0.025))
    assert np.linalg.norm(at["foot_left"] - at["lower_leg_left"]) == pytest.approx(np.hypot(np.hypot(0.007, 0.415), 0.028))
    assert at["rear"][2] == at["front"][2] == pytest.approx(0.34) and at["fork"][0] - at["rear"][0] == pytest.approx(0.88)
    assert layout(Bicycle()).base == pytest.approx(1.0735, abs=1e-3) and trail(Bicycle()) == pytest.approx(0.063, abs=1e-3)


def test_the_whipple_equations_have_the_published_eigenvalues():
    """Meijaard et al. 2007, table 2, at 5 m/s: weave, capsize, castering."""
    values = np.sort_complex(np.linalg.eigvals(whipple.BENCHMARK.system(5.0)))
    published = [-14.07838969279822, -0.77534188219585 - 4.46486771378823j, -0.77534188219585 + 4.46486771378823j, -0.32286642900409]
    assert np.allclose(values, published, atol=1e-10)


@pytest.mark.parametrize("speed", [4.0, 6.0, 9.0])
def test_hands_off_the_bicycle_moves_as_the_whipple_bicycle(speed):
    """Exactly so with tyres that are thin and hard; within a tenth with those it has."""
    errors = []
    for hard, dt in ((True, 1e-4), (False, 1e-3)):
        yard = Yard(speed=speed, dt=dt, option='integrator="implicitfast" cone="elliptic" impratio="100"', **FREE)
        if hard:
            tyres = [yard.model.geom(f"robot_0/{name}").id for name in ("rear", "front")]
            yard.model.geom_size[tyres, 1], yard.model.geom_solref[tyres] = 0.002, (4e-4, 1.0)
            yard.model.geom_solimp[tyres, :2] = 0.99, 0.999
        linear = whipple.of(yard.model, yard.data).system(speed)
        yard.push(0.02)
        seen = yard.ride(1.2, (speed, 0.0, 0.0))[:, 0]
        expected = np.array([expm(linear * t) @ [0.0, 0.0, 0.02, 0.0] for t in seen[:, 6]])
        found = np.column_stack((seen[:, 0], -seen[:, 5]))
        errors.append(float((np.abs(found - expected[:, :2]).max(axis=0) / np.abs(expected[:, :2]).max(axis=0)).max()))
    assert errors[0] < 0.004 and errors[1] < 0.08


def test_hands_off_it_weaves_and_falls_when_slow_and_stays_up_in_the_range_that_the_equations_say():
    values = {v: np.linalg.eigvals(whipple.of((yard := Yard(speed=v, **FREE)).model, yard.data).system(v)).real.max() for v in (3.5, 6.0)}
    assert values[3.5] > 0.0 > values[6.0]
    for speed, falls in ((3.5, True), (6.0, False)):
        yard = Yard(speed=speed, **FREE)
        yard.push(0.05)
        rolls = np.abs(yard.ride(6.0, (speed, 0.0, 0.0), every=0.1)[:, 0, 0])
        assert (rolls.max() > np.deg2rad(50.0)) == falls
        assert falls or rolls[-1] < 1e-3


def test_a_wheel_held_by_one_end_of_its_axle_precesses():
    """Ω = τ/(I·ω_s), to 2 %: m·g·a against spin, axle level."""
    arm, spin = 0.25, 150.0
    wheel = Writer("w", Bicycle(), Looks()).wheel("rear", (0.0, 0.0)).replace('pos="0 0 0"', f'pos="0 {arm} 0"', 1)
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><compiler angle='radian'/><option timestep='0.0005' integrator='RK4'/><default>{DEFAULTS}</default>"
        f"<asset>{wheels(0.34)}</asset>"
        "<worldbody><body childclass='bicycle' name='arm'><joint name='arm' type='ball'/><inertial pos='0 0 0' mass='1e-6' "
        f"diaginertia='1e-9 1e-9 1e-9'/>{wheel}</body></worldbody></mujoco>"
    )
    model.dof_damping[:] = 0.0
    data = mujoco.MjData(model)
    inertia, mass = float(model.body("w/rear").inertia[1]), float(model.body("w/rear").mass[0])
    expected = -mass * 9.81 * arm / (inertia * spin)  # the torque −x on the arm +y turns the spin +y by −z... about z
    data.joint("w/rear").qvel[0] = spin
    data.joint("arm").qvel[2] = -expected
    mujoco.mj_step(model, data, nstep=4000)
    hub = data.body("w/rear").xpos
    turned = np.arctan2(-hub[0], hub[1])
    assert abs(turned / (-expected * data.time) - 1.0) < 0.02
    assert abs(hub[2]) < 0.02 * arm, "it does not drop"
    data.joint("w/rear").qvel[0] = 0.0
    mujoco.mj_step(model, data, nstep=400)
    assert data.body("w/rear").xpos[2] < -0.3 * arm, "without spin it drops"


def test_in_free_flight_energy_and_angular_momentum_are_kept():
    yard = Yard(option='integrator="RK4" gravity="0 0 -9.81"', dt=2e-4)
    model, data = yard.model, yard.data
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    model.dof_damping[:] = 0.0
    yard.push(2.0)
    readings = []
    for _ in range(6):
        mujoco.mj_forward(model, data)
        mujoco.mj_subtreeVel(model, data)
        readings.append((float(data.energy.sum()), data.subtree_angmom[1].copy()))
        mujoco.mj_step(model, data, nstep=400)
    energy, momentum = np.array([r[0] for r in readings]), np.array([r[1] for r in readings])
    assert np.abs(energy - energy[0]).max() < 1e-7 * float(data.energy[1]), "of the kinetic energy"
    assert np.abs(momentum - momentum[0]).max() < 1e-6 * np.linalg.norm(momentum[0])


def test_rolling_straight_costs_no_energy():
    yard = Yard(rider="rigid", speed_gain=0.0, sensors=EXACT)
    yard.model.dof_damping[:] = 0.0
    speed = yard.ride(6.0)[:, 0, 4]
    assert np.abs(speed / SPEED - 1.0).max() < 2e-4, "while the tyres take up the weight"
    assert np.abs(speed[50:] / speed[50] - 1.0).max() < 1e-6


def test_accelerations_are_those_of_pinocchio():
    yard = Yard(2)
    check, rng = Pinned(yard.model), np.random.default_rng(3)
    for k in range(4):
        yard.ride(0.3, (7.0, 0.0, 0.3 * (-1) ** k))
        yard.data.qfrc_applied[:] = rng.normal(0.0, 5.0, yard.model.nv)
        mujoco.mj_forward(yard.model, yard.data)
        found = yard.data.qacc
        expected = check.acceleration(yard.data, constraints=True)
        assert np.abs(found - expected).max() < 1e-8 * max(1.0, np.abs(found).max())


def test_a_leg_turns_the_crank_with_the_force_it_is_to_give():
    """By virtual work: the torques at hip, knee and ankle, along the leg's way, do what the force does along the pedal's."""
    b = Bicycle()
    found, place = posture(b), 2.0 * np.pi / TURNS
    slope = (np.roll(found.leg, -1, axis=0) - np.roll(found.leg, 1, axis=0)) / (2.0 * place)
    work = (found.push * slope[:, [0, 2, 3]]).sum(axis=1)
    assert np.abs(work / b.crank_length - 1.0).max() < 0.01


@pytest.mark.parametrize("torque", [30.0, -30.0])
def test_the_legs_share_the_torque_by_where_the_crank_is(torque):
    crank = np.linspace(0.0, 2.0 * np.pi, 50)
    shares = np.array([legs(torque, angle) for angle in crank])
    assert np.allclose(shares.sum(axis=1), torque) and (shares * torque >= 0.0).all()
    ahead = shares[np.argmax(np.sin(crank))]
    assert np.allclose(ahead, (torque, 0.0) if torque > 0 else (0.0, torque), atol=0.05)


def test_hands_reach_the_grips_at_every_angle_of_the_fork_and_feet_the_pedals():
    made = Model(Bicycle())
    found = made.posture()
    for k, fork in enumerate(np.linspace(-found.reach, found.reach, len(found.arm))):
        made.data.qpos[made.model.joint("r/fork").qposadr[0]] = fork
        made._set(("shoulder_y", "shoulder_x", "shoulder_z", "elbow", "wrist_y", "wrist_x"), "left", found.arm[k])
        assert np.abs(made._off("palm", "grip")).max() < 0.01, "cm"


def test_riding_the_hands_stay_on_the_grips_and_the_feet_on_the_pedals():
    yard = Yard()
    far = []
    for _ in range(20):
        yard.ride(0.1, (SPEED, 0.0, 0.4))
        for a, b in (("palm", "grip"), ("sole", "pedal")):
            far += [
                np.linalg.norm(yard.data.site(f"robot_0/{a}_{s}").xpos - yard.data.site(f"robot_0/{b}_{s}").xpos) for s in ("left", "right")
            ]
        ratio = yard.kind.rate(yard.data, "rear")[0] / yard.kind.rate(yard.data, "crank")[0]
        assert ratio == pytest.approx(Bicycle().gear, rel=0.01)
    assert max(far) < 0.002


@pytest.mark.parametrize("rider, steering", [("articulated", "arms"), ("articulated", "fork"), ("rigid", "fork")])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_to_turn_it_first_steers_the_other_way(rider, steering, side):
    yard = Yard(rider=rider, steering=steering)
    yard.ride(1.0)
    seen = yard.ride(5.0, (SPEED, 0.0, 0.3 * side))[:, 0]
    time = seen[:, 6] - 1.0
    fork, rate, roll = side * seen[:, 5], side * seen[:, 3], side * seen[:, 0]
    first = time < 0.3
    assert fork[first].min() < -0.015 and rate[first].min() < -0.08, "away from the turn"
    assert roll[-1] < -0.15 and fork[-1] > 0.03, "then into it, leaning inwards"
    assert rate[time > 4.0].mean() == pytest.approx(0.3, rel=0.05)
    assert roll[time > 4.0].mean() == pytest.approx(-np.arctan(SPEED * 0.3 / 9.81), rel=0.1), "at the angle of balance"
    delay = time[np.argmax(rate > 0.15)]
    assert 0.3 < delay < 0.8, "it answers half a second late"


@pytest.mark.parametrize("rider", ["articulated", "rigid"])
def test_a_left_turn_is_the_mirror_image_of_a_right_turn(rider):
    """Of two riders, one pedals with the left leg where the other does with the right."""
    yard = Yard(2, rider=rider, phase=[0.7, 0.7 + np.pi], sensors=EXACT)
    seen = yard.ride(4.0, [(SPEED, 0.0, 0.25), (SPEED, 0.0, -0.25)])
    left, right = seen[:, 0, :6], seen[:, 1, :6] * [-1.0, -1.0, -1.0, -1.0, 1.0, -1.0]
    assert np.abs(left - right).max() < 1e-7


def test_without_steering_it_falls_and_with_it_it_does_not():
    for params, falls in (({"roll_gain": 0.0, "roll_damping": 0.0, "yaw_gain": 0.0, "yaw_damping": 0.0}, True), ({}, False)):
        yard = Yard(**params)
        yard.push(0.2)
        yard.ride(4.0)
        assert yard.kind.fallen(yard.data)[0] == falls
        assert np.isfinite(yard.data.qpos).all() and yard.data.qpos[2] > -0.5, "what has fallen lies on the ground"


@pytest.mark.study
def test_it_rides_for_a_minute_through_the_turns_of_the_paper():
    """22.5° to the left and 45° to the right, each ramped over 10 s, at 7.5 m/s."""

    def turns(time):
        return SPEED, 0.0, np.deg2rad(2.25 * (5.0 <= time < 15.0) - 4.5 * (25.0 <= time < 35.0))

    yard = Yard(2, sensors=EXACT)
    seen = yard.ride(60.0, turns, every=0.1)
    assert not yard.kind.fallen(yard.data).any() and np.abs(np.rad2deg(seen[..., 0])).max() < 6.0
    yaw = np.rad2deg(seen[..., 2])
    assert np.abs(yaw[220] - 22.5).max() < 1.0 and np.abs(yaw[420] + 22.5).max() < 1.0 and np.abs(yaw[-1] + 22.5).max() < 1.0
    assert np.abs(seen[50:, :, 4] - SPEED).max() < 0.2


@pytest.mark.parametrize("speed", [3.0, 5.0, 10.0, 12.0])
def test_it_rides_slowly_and_fast(speed):
    yard = Yard(speed=speed, sensors=EXACT)
    seen = yard.ride(4.0, (speed, 0.0, 0.15))[:, 0]
    assert np.abs(seen[:, 0]).max() < np.deg2rad(18.0) and seen[-50:, 3].mean() == pytest.approx(0.15, rel=0.12)


def test_with_ordinary_sensors_it_turns_as_told_but_for_what_gyroscopes_drift():
    seen = Yard(8).ride(6.0, (SPEED, 0.0, 0.15))[-150:]
    off, drift = seen[..., 3].mean(axis=0) - 0.15, Sensors().gyro_bias
    assert np.abs(off).max() < 3.0 * drift and 0.3 * drift < off.std() < 2.0 * drift
    assert np.abs(seen[..., 4] - SPEED).max() < 0.2


@pytest.mark.parametrize("rider", ["articulated", "rigid"])
def test_control_goes_by_what_is_read_alone(rider):
    """Elsewhere, facing another way, and with speeds of the frame that no sensor reads: the same is told to all motors."""
    told = []
    for place, yaw, fast in (((0.0, 0.0), 0.0, 0.0), ((40.0, -7.0), 2.0, 5.0)):
        yard = Yard(rider=rider, phase=[1.0])
        root, free = int(yard.kind.roots[0]), int(yard.model.joint("robot_0").dofadr[0])
        x, y, z, w = Rotation.from_euler("ZX", (yaw, 0.05)).as_quat()
        yard.data.qpos[root : root + 2], yard.data.qpos[root + 3 : root + 7] = place, (w, x, y, z)
        yard.data.qvel[free : free + 3] += fast
        yard.kind.control(yard.data, np.array([[SPEED, 0.0, 0.2]]))
        told.append(yard.data.ctrl.copy())
    assert told[0] == pytest.approx(told[1], abs=1e-12)


@pytest.mark.parametrize("rider, steering", [("articulated", "arms"), ("articulated", "fork"), ("rigid", "fork")])
def test_motors_stay_within_their_bounds(rider, steering):
    """Torque–speed lines, at every step; with weak arms, legs and fork they are reached."""
    weak = {"arm_torque": 5.0, "leg_torque": 40.0, "fork_torque": 2.0, "torque_limit": 15.0, "crank_speed": 12.0}
    yard, reached = Yard(rider=rider, steering=steering, **weak), 0
    motors = yard.kind._motors
    for k in range(500):
        speed = yard.data.qvel[motors._rate[0]].copy()
        yard.ride(0.002, (8.5, 0.0, 0.4 * (-1) ** (k // 100)), every=0.002)
        given = yard.data.actuator_force[motors.motor[0]]
        line = motors.most * np.clip(1.0 - np.sign(given) * speed / motors.free, 0.0, 1.0)
        assert (np.abs(given) <= line * (1.0 + 1e-9) + 1e-9).all()
        reached += int((np.abs(given) > 0.999 * line).sum())
    assert reached > 10


def test_motors_are_bounded_unless_told_otherwise():
    motors = Yard().kind._motors
    assert np.isfinite(motors.most).all() and np.isfinite(motors.free).all()
    free = Yard(arm_torque=0.0, arm_speed=0.0).kind._motors
    assert np.isinf(free.most[1:9]).all() and np.isinf(free.free[1:9]).all()


def test_its_place_is_below_the_centre_of_mass_and_its_velocity_is_that_places():
    yard, seen = Yard(2), []
    for _ in range(1000):
        yard.ride(0.002, [(SPEED, 0.0, 0.3), (SPEED, 0.0, -0.3)], every=0.002)
        seen.append((yard.kind.pose(yard.data), yard.kind.velocity(yard.data)))
    assert np.abs((seen[702][0] - seen[700][0]) / 0.004 - seen[701][1]).max() < 0.02
    mujoco.mj_forward(yard.model, yard.data)
    place, roll, yaw = seen[-1][0], *yard.kind.attitude(yard.data)[:, [0, 2]].T
    masses = yard.data.subtree_com[[yard.model.body(name).id for name in yard.kind.names], :2]
    right = np.column_stack((np.sin(yaw), -np.cos(yaw)))
    aside = ((masses - place[:, :2]) * right).sum(axis=1)
    assert np.abs(roll).min() > np.deg2rad(5.0) and np.abs(aside).max() < 0.02, "the rider moves a little on his seat"


def test_speed_follows_the_command_as_the_torque_permits():
    yard = Yard(speed=5.0)
    speed = yard.ride(6.0, (7.0, 0.0, 0.0))[:, 0, 4]
    assert speed[-1] == pytest.approx(7.0, abs=0.1)
    bound = Bicycle().torque_limit / Bicycle().gear / Bicycle().wheel_radius / yard.model.body_mass.sum()
    assert 0.5 * bound < (speed[49] - speed[0]) / 0.98 < 1.1 * bound


def test_what_is_beyond_a_bicycle_is_cut_and_reported():
    yard = Yard(2)
    seen = yard.ride(4.0, [(SPEED, 0.0, 3.0), (SPEED, 5.0, 0.1)])
    assert yard.kind.limited.tolist() == [True, False], "the speed to the left is ignored"
    assert np.abs(seen[..., 0]).max() < np.deg2rad(25.0 + 4.0) and not yard.kind.fallen(yard.data).any()
    lean = np.abs(seen[-50:, 0, 0]).mean()
    assert lean == pytest.approx(np.deg2rad(25.0), rel=0.1)
    rider = rider_of(Bicycle())
    assert wished(50.0, 0.0, 7.0, 7.0, rider, 0.002) == (12.0, 0.0, True)
    assert wished(0.0, 0.0, 7.0, 7.0, rider, 0.002) == (3.0, 0.0, True)
    assert wished(7.0, 0.1, 7.0, 7.0, rider, 0.002) == (7.0, 0.1, False)


@pytest.mark.parametrize("nonsense", [(np.nan, 0.0, 0.0), (SPEED, 0.0, np.nan), (np.inf, 0.0, -np.inf)])
def test_nonsense_is_refused_by_riding_straight_on_and_slowing_down(nonsense):
    yard = Yard()
    yard.ride(2.0, (SPEED, 0.0, 0.2))
    yaw = yard.kind.pose(yard.data)[0, 2]
    seen = yard.ride(6.0, nonsense)[:, 0]
    assert yard.kind.limited[0] and not yard.kind.fallen(yard.data)[0]
    assert np.abs(seen[-100:, 3]).mean() < 0.03 and abs(seen[-1, 2] - yaw) < 0.25
    assert SPEED - 3.5 < seen[-1, 4] < SPEED - 2.0


def test_a_ride_is_repeated_to_the_bit_and_company_does_not_matter():
    def path(n):
        yard = Yard(n, phase=[1.0] * n, sensors=EXACT)
        first = yard.ride(1.0, (SPEED, 0.0, 0.2))
        yard.reset()
        assert np.array_equal(first[..., :6], yard.ride(1.0, (SPEED, 0.0, 0.2))[..., :6])
        return first[:, 0]

    assert np.allclose(path(1), path(3), atol=1e-9)


def test_it_starts_riding_and_without_a_jolt():
    yard = Yard(4)
    pose, velocity = yard.kind.pose(yard.data), yard.kind.velocity(yard.data)
    assert np.allclose(pose[:, 1], 5.0 * np.arange(4)) and np.allclose(velocity, [(SPEED, 0.0, 0.0)] * 4)
    assert np.allclose(yard.kind.rate(yard.data, "front"), SPEED / 0.34) and np.allclose(yard.kind.rate(yard.data, "rear"), SPEED / 0.34)
    seen = yard.ride(0.5)
    assert np.abs(seen[..., 0]).max() < 0.01 and np.abs(seen[..., 4] - SPEED).max() < 0.15


def test_a_start_too_slow_for_balance_is_refused():
    with pytest.raises(InputError, match=r"robots.start.speed: 1 m/s found, expected at least .*3 m/s"):
        Yard(speed=1.0)


def test_the_joints_that_pedals_and_grips_lead_have_no_springs():
    model = Yard().model
    led = [k for k in range(model.njnt) if any(part in model.joint(k).name for part in ("hip_y", "knee", "ankle", "shoulder", "elbow"))]
    sprung = [k for k in range(model.njnt) if "hip_x" in model.joint(k).name or "waist" in model.joint(k).name]
    assert len(led) == 14 and not model.jnt_stiffness[led].any()
    assert len(sprung) == 3 and model.jnt_stiffness[sprung].all()
