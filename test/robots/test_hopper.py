"""One-legged robots in MuJoCo: their physics against closed forms and another program, their control by what it must withstand."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from pinned import Pinned

from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.robots.hopper.mujoco import Hoppers
from swarm_control.robots.hopper.parameters import HopperMotion
from swarm_control.robots.sensors import Sensors
from swarm_control.scenario.bodies import Bodies
from swarm_control.sim.mujoco.herd import HerdEngine
from swarm_experiments.papers.herds import ground as herd_ground

BODIES = Bodies()
EXACT = Sensors(tilt_noise=0.0, gyro_noise=0.0, gyro_bias=0.0, encoder_noise=0.0, rate_noise=0.0, contact_error=0.0, delay=0.0)


def bodies(terrain=(), **hopper):
    return replace(BODIES, hopper=replace(BODIES.hopper, **hopper), terrain=replace(BODIES.terrain, **dict(terrain)))


class Herd:
    """``n`` robots ``spacing`` m apart on a square, facing ``heading``, going at ``speed`` along it."""

    def __init__(self, n=1, made_of=BODIES, speed=0.0, heading=0.0, spacing=2.0, dt=0.01, seed=0):
        k = np.arange(n)
        side = int(np.ceil(np.sqrt(n)))
        fleet = Fleet(tuple(f"robot_{i}" for i in k), ("hopper",) * n, *(np.full(n, v) for v in (0.3, 3.0, 10.0, 2.0, 0.1)))
        pose = np.column_stack((spacing * (k % side - 0.5 * (side - 1)), spacing * (k // side - 0.5 * (side - 1)), np.full(n, heading)))
        velocity = np.tile((speed * np.cos(heading), speed * np.sin(heading), 0.0), (n, 1))
        self.engine = HerdEngine(fleet, SwarmState.of(0.0, pose, velocity), None, dt, made_of, seed, pieces=1)
        self.model, self.data, self.n = self.engine.shards[0].model, self.engine.shards[0].data, n
        self.kind = self.engine.shards[0].kind
        self.base = np.array([self.model.joint(name).dofadr[0] for name in fleet.names])

    def go(self, seconds, twist):
        """Velocities (T, n, 3) along the way."""
        twist = np.broadcast_to(np.asarray(twist, float), (self.n, 3))
        said = Commands(twist.copy())
        found = []
        for _ in range(round(seconds / self.engine.dt)):
            self.engine.step(said)
            found.append(self.engine.truth().velocity)
        return np.array(found)

    @property
    def fallen(self):
        return int(self.engine.fallen.sum())

    @property
    def height(self):
        return self.kind.height(self.data)


def flying(made_of=BODIES, dt=0.002, n=1, height=5.0):
    """Robots high above the ground that turn and swing their legs anyhow."""
    herd = Herd(n, made_of, dt=dt)
    rng = np.random.default_rng(5)
    d, m = herd.data, herd.model
    mujoco.mj_integratePos(m, d.qpos, rng.normal(0.0, 0.15, m.nv), 1.0)
    d.qpos[herd.kind.roots + 2] = height
    d.qvel[:] = rng.normal(0.0, 0.5, m.nv)
    mujoco.mj_forward(m, d)
    return herd


def momentum(herd):
    """Of the first robot: linear, and angular about its centre of mass."""
    body = herd.model.body("robot_0").id
    mujoco.mj_subtreeVel(herd.model, herd.data)
    return np.concatenate((herd.model.body_subtreemass[body] * herd.data.subtree_linvel[body], herd.data.subtree_angmom[body]))


# what it is made of


def test_masses_and_inertias_are_those_of_the_paper():
    model = Herd().model
    links = [model.body("robot_0" + link) for link in ("", "/upper", "/lower")]
    assert [float(link.mass[0]) for link in links] == [23.1, 1.4, 0.64]
    table = [(0.9, 0.9, 0.602), (0.018463, 0.017297, 0.001441), (0.0197, 0.0197, 0.000176)]
    assert np.allclose([link.inertia for link in links], table, atol=1e-12)
    assert [float(link.ipos[2]) for link in links] == pytest.approx([0.0, -0.095, -0.221])
    assert float(links[2].pos[2]) == -0.19 and model.nv == 10 and model.nu == 4


# physics


def test_accelerations_are_those_of_the_articulated_body_algorithm():
    """In the air, and with the ground's forces on a foot, as another program finds them."""
    herd = flying(n=2)
    pinned, rng = Pinned(herd.model), np.random.default_rng(1)
    for height in (5.0, 0.7):
        for _ in range(10):
            d = herd.data
            d.qpos[herd.kind.roots + 2] = height + rng.uniform(-0.02, 0.02, 2)
            d.qvel[:], d.ctrl[:] = rng.normal(0.0, 1.0, herd.model.nv), rng.normal(0.0, 50.0, herd.model.nu)
            mujoco.mj_forward(herd.model, d)
            assert (d.ncon > 0) == (height < 1.0)
            assert pinned.acceleration(d, constraints=True) == pytest.approx(d.qacc, rel=1e-8, abs=1e-8)


def test_without_motors_and_dampers_energy_stays_in_flight():
    herd = flying(bodies(damping=0.0))
    m, d, leg = herd.model, herd.data, herd.kind.roots[0] + 10
    m.opt.timestep, m.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    m.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    d.qpos[leg] = -0.05  # the spring is pressed
    pinned = Pinned(m)

    def parts():
        """MuJoCo's energies, potential and kinetic, and the same by the other program, rotor and spring added."""
        mujoco.mj_forward(m, d)
        kinetic, potential = pinned.energy(d)
        spring, rotor = 0.5 * BODIES.hopper.spring * d.qpos[leg] ** 2, 0.5 * BODIES.hopper.rotor * d.qvel[8] ** 2
        return np.array(d.energy), np.array((potential + spring, kinetic + rotor))

    start, same = parts()
    swing = []
    for _ in range(3000):
        mujoco.mj_step(m, d)
        swing.append(float(d.energy[0]))
    end, again = parts()
    assert np.ptp(swing) > 10.0, "nothing was exchanged"
    assert end.sum() == pytest.approx(start.sum(), abs=1e-7)
    assert again - same == pytest.approx(end - start, abs=1e-9)


def test_in_flight_momentum_is_that_of_a_thrown_stone_whatever_the_motors_do():
    """Linear momentum gains m·g·t, angular momentum stays; the error is that of the time step, and goes with it."""
    errors = []
    for dt in (2e-4, 1e-4):
        herd = flying(dt=dt)
        before, hip = momentum(herd), herd.data.qpos[herd.kind.roots[0] + 7 : herd.kind.roots[0] + 10].copy()
        herd.go(0.3, (1.0, 0.5, 0.0))
        mujoco.mj_forward(herd.model, herd.data)
        moved = np.abs(herd.data.qpos[herd.kind.roots[0] + 7 : herd.kind.roots[0] + 10] - hip)
        assert herd.data.ncon == 0 and moved.max() > 0.1 and herd.engine.energy[0] > 0.3
        fall = np.array([0.0, 0.0, -9.81 * 25.14 * 0.3, 0.0, 0.0, 0.0])
        errors.append(np.abs(momentum(herd) - before - fall).max())
    assert errors[0] < 5e-3 and errors[1] < 0.6 * errors[0]


@pytest.fixture
def in_steps_of(monkeypatch):
    """Makes a herd that is simulated in steps of so many seconds."""

    def make(step, *args, **more):
        monkeypatch.setattr(Hoppers, "step", step)
        herd = Herd(*args, **more)
        assert herd.model.opt.timestep == step
        return herd

    return make


@pytest.mark.study
def test_twenty_seconds_depend_little_on_the_time_step(in_steps_of):
    """First order: each halving moves the end by less than the one before, and all by little."""
    ends = []
    for dt in (0.002, 0.001, 0.0005):
        herd = in_steps_of(dt, 2, speed=2.0)
        start = herd.engine.truth().pose
        herd.go(20.0, (2.0, 0.0, 0.0))
        ends.append((herd.engine.truth().pose - start)[:, 0].mean())
        assert herd.fallen == 0
    first, second = abs(ends[1] - ends[0]), abs(ends[2] - ends[1])
    assert first < 0.015 * ends[2] and second < 0.75 * first


# what it can do


@pytest.mark.study
def test_it_goes_at_two_metres_per_second_for_a_minute():
    herd = Herd(made_of=bodies(sensors=EXACT), speed=2.0)
    speed = herd.go(60.0, (2.0, 0.0, 0.0))
    assert herd.fallen == 0
    assert speed[500:, 0, 0].mean() == pytest.approx(2.0, rel=0.03)
    assert abs(herd.engine.truth().pose[0, 1]) < 0.1 and abs(herd.engine.truth().pose[0, 2]) < 0.02


def test_it_goes_anywhere_whichever_way_it_faces():
    """Sixteen directions in the robot's frame; and turned as a whole, the same way turned."""
    angle = np.arange(16) * np.pi / 8.0
    wish = np.column_stack((np.cos(angle), np.sin(angle), 0.0 * angle))
    gone = []
    for heading in (0.0, 0.7):
        herd = Herd(16, heading=heading, spacing=30.0)
        velocity = herd.go(6.0, 1.5 * wish)[300:].mean(axis=0)
        c, s = np.cos(heading), np.sin(heading)
        forward, left = c * velocity[:, 0] + s * velocity[:, 1], c * velocity[:, 1] - s * velocity[:, 0]
        gone.append(np.column_stack((forward, left)))
        assert herd.fallen == 0 and np.abs(gone[-1] - 1.5 * wish[:, :2]).max() < 0.1
    assert gone[0] == pytest.approx(gone[1], abs=0.02)


def test_its_velocity_changes_in_stance_alone_and_within_a_few_steps():
    """Fig. 6: told so in flight, the centre of mass keeps its velocity until the foot touches; nine tenths are made in two steps."""
    herd = Herd(speed=1.0, dt=0.002)
    herd.go(3.0, (1.0, 0.0, 0.0))
    while herd.kind.stance()[0]:
        herd.go(0.002, (1.0, 0.0, 0.0))
    carried = momentum(herd)[0]
    flown = 0
    while not herd.kind.stance()[0]:
        herd.go(0.002, (2.0, 0.0, 0.0))
        if herd.data.ncon == 0:
            flown += 1
            assert momentum(herd)[0] == pytest.approx(carried, abs=0.02 * carried)
    assert flown > 100
    motion = HopperMotion()
    step = motion.stance + motion.flight
    herd.go(2.0 * step, (2.0, 0.0, 0.0))
    assert herd.go(step, (2.0, 0.0, 0.0))[:, 0, 0].mean() > 1.9


def test_a_step_takes_as_long_as_the_motion_model_says():
    herd = Herd(speed=2.0, dt=0.002)
    herd.go(3.0, (2.0, 0.0, 0.0))
    stands = []
    for _ in range(5000):
        herd.go(0.002, (2.0, 0.0, 0.0))
        stands.append(bool(herd.kind.stance()[0]))
    down = np.flatnonzero(np.diff(np.array(stands, int)) == 1)
    step, motion = np.diff(down).mean() * 0.002, HopperMotion()
    share = np.mean(stands[down[0] : down[-1]])
    assert step == pytest.approx(motion.stance + motion.flight, rel=0.03)
    assert share * step == pytest.approx(motion.stance, abs=0.015)


@pytest.mark.parametrize("apex", [0.06, 0.12])
def test_the_body_rises_in_flight_as_high_as_it_should(apex):
    herd = Herd(made_of=bodies(apex=apex))
    herd.go(6.0, (0.0, 0.0, 0.0))
    herd.engine._substeps = 1  # from here on, each time step is looked at
    height, contact = [], []
    for _ in range(1000):
        herd.go(0.01, (0.0, 0.0, 0.0))
        height.append(float(herd.height[0]))
        contact.append(herd.data.ncon > 0)
    leaves = np.flatnonzero(np.diff(np.array(contact, int)) == -1)
    rises = [max(height[k : k + 120]) - height[k] for k in leaves if k + 120 < len(height)]
    assert len(rises) > 2 and np.mean(rises) == pytest.approx(apex, rel=0.09)


def test_it_turns_as_told_on_its_way():
    herd = Herd(2)
    turning = herd.go(8.0, (1.0, 0.0, 0.5))[-500:]
    assert herd.fallen == 0 and turning[:, :, 2].mean() == pytest.approx(0.5, rel=0.03)
    assert np.hypot(turning[..., 0], turning[..., 1]).mean() == pytest.approx(1.0, rel=0.1)


def test_it_survives_pushes_from_any_side_in_any_phase():
    """At 1.5 m/s half the robots get 1 m/s more, half 1.5 m/s, one after the other within the time of a step."""
    herd = Herd(48, speed=1.5, spacing=10.0)
    herd.go(2.0, (1.5, 0.0, 0.0))
    angle, size = np.arange(48) * 2.399963, np.where(np.arange(48) % 2, 1.0, 1.5)
    stood = 0
    for k, base in enumerate(herd.base):
        herd.data.qvel[base : base + 2] += size[k] * np.array((np.cos(angle[k]), np.sin(angle[k])))
        stood += int(herd.kind.stance()[k])
        herd.go(0.01, (1.5, 0.0, 0.0))
    assert 10 < stood < 38
    late = herd.go(4.0, (1.5, 0.0, 0.0))[-150:]
    assert herd.fallen == 0
    assert late[:, :, 0].mean() == pytest.approx(1.5, rel=0.03) and abs(late[:, :, 1].mean(axis=0)).max() < 0.1


def test_pushed_too_hard_it_falls():
    herd = Herd(8, speed=1.5, spacing=30.0)
    herd.go(2.0, (1.5, 0.0, 0.0))
    herd.data.qvel[herd.base + 1] += 8.0
    herd.go(4.0, (1.5, 0.0, 0.0))
    assert herd.fallen >= 6


@pytest.mark.parametrize("terrain", [{"roughness": 0.1}, {"friction": 0.3}, {"slope": 10.0}, {"slope": -10.0}], ids=str)
def test_it_masters_rough_slippery_and_sloping_ground(terrain):
    herd = Herd(4, bodies(terrain={**terrain, "extent": 60.0}), speed=1.5, seed=3)
    speed = herd.go(15.0, (1.5, 0.0, 0.0))
    weaves = 0.16 if terrain.get("slope") == -10.0 else 0.08  # downhill it turns to and fro
    assert herd.fallen == 0 and speed[500:, :, 0].mean() == pytest.approx(1.5, rel=weaves)
    if "roughness" in terrain:
        assert np.ptp(herd.model.hfield_data) == 1.0 and float(herd.model.hfield_size[0, 2]) == 0.1
    if "friction" in terrain:
        while herd.data.ncon == 0:
            herd.go(0.01, (1.5, 0.0, 0.0))
        assert herd.data.contact.friction[:, 0] == pytest.approx(0.3)


def test_on_ice_it_falls():
    herd = Herd(4, bodies(terrain={"friction": 0.1}), speed=1.5)
    herd.go(6.0, (1.5, 0.0, 0.0))
    assert herd.fallen == 4


# what bounds it


def test_a_command_that_is_no_number_is_a_stop_and_one_beyond_ability_is_cut():
    herd = Herd(4, spacing=50.0)
    nan, inf = np.nan, np.inf
    herd.go(6.0, [(nan, 0.0, 0.0), (0.0, 0.0, inf), (9.0, 0.0, 0.0), (1.0, 0.0, 0.0)])
    late = herd.go(2.0, [(nan, 0.0, 0.0), (0.0, 0.0, inf), (9.0, 0.0, 0.0), (1.0, 0.0, 0.0)])
    assert herd.fallen == 0 and np.abs(late[:, :2].mean(axis=0)).max() < 0.05
    assert late[:, 2, 0].mean() == pytest.approx(BODIES.hopper.top_speed, rel=0.05)
    assert herd.kind.refused.tolist() == [4000, 4000, 0, 0] and herd.kind.limited.tolist() == [False, False, True, False]
    herd.engine.reset()
    assert not herd.kind.refused.any() and not herd.kind.limited.any()


def test_weak_motors_stay_within_their_bounds_and_bear_less():
    strong, weak, frail = (Herd(4, bodies(hip_torque=t), speed=2.0) for t in (0.0, 15.0, 2.0))
    for herd, bound in ((strong, np.inf), (weak, 15.0), (frail, 2.0)):
        most = 0.0
        for _ in range(500):
            herd.go(0.01, (2.0, 0.0, 0.0))
            hips = herd.data.actuator_force.reshape(4, 4)[:, :3]
            most = max(most, np.abs(hips).max())
        assert most <= bound and (bound > 15.0 or most == bound)
    assert (strong.fallen, weak.fallen, frail.fallen) == (0, 0, 4)


def test_without_enough_thrust_it_sinks_to_the_ground():
    heights = []
    for force in (0.0, 300.0, 30.0):
        herd = Herd(2, bodies(thrust_force=force))
        herd.go(5.0, (0.0, 0.0, 0.0))
        top = np.zeros(2)
        for _ in range(100):
            herd.go(0.01, (0.0, 0.0, 0.0))
            top = np.maximum(top, herd.height)
            leg = herd.data.actuator_force.reshape(2, 4)[:, 3]
            assert force == 0.0 or np.abs(leg).max() <= force
        heights.append(top.mean())
    assert heights[1] == pytest.approx(heights[0], abs=0.02) and heights[2] < heights[0] - 0.08


def test_a_fallen_robot_is_limp_and_lies_on_the_ground():
    herd = Herd(2, spacing=4.0)
    herd.go(1.0, (0.0, 0.0, 0.0))
    herd.data.qvel[herd.base[0] + 4] = 12.0
    herd.go(4.0, (1.0, 0.0, 0.0))
    assert herd.engine.fallen.tolist() == [True, False]
    assert not herd.data.actuator_force.reshape(2, 4)[0].any() and herd.data.actuator_force.reshape(2, 4)[1].any()
    assert 0.1 < herd.height[0] < 0.3 and np.abs(herd.engine.truth().velocity[0]).max() < 1.0
    herd.engine.reset()
    herd.go(1.0, (0.0, 0.0, 0.0))
    assert herd.fallen == 0


def test_hulls_do_not_pass_through_each_other():
    herd = Herd(2, spacing=2.0)
    nearest = np.inf
    for _ in range(400):
        herd.go(0.01, [(0.6, 0.0, 0.0), (-0.6, 0.0, 0.0)])
        nearest = min(nearest, float(np.hypot(*np.diff(herd.engine.truth().position, axis=0)[0])))
    assert 0.55 < nearest < 0.65 and herd.engine.collisions[0] > 0
    assert herd.engine.truth().position[0, 0] < herd.engine.truth().position[1, 0]


def test_a_seed_gives_the_same_bits_and_another_seed_other_steps():
    ends = []
    for seed in (1, 1, 2):
        herd = Herd(3, seed=seed)
        herd.go(2.0, (1.0, 0.0, 0.3))
        ends.append(herd.data.qpos.copy())
    assert np.array_equal(ends[0], ends[1]) and not np.allclose(ends[0], ends[2])


# what is measured of it


def test_the_experiment_tells_firm_ground_from_ice():
    found = [herd_ground.ride(herd_ground.Ride(herd_ground._ground(0.05, friction), 1.5, 4.0, 0)) for friction in (1.0, 0.05)]
    assert [one.stood for one in found] == [herd_ground.ROBOTS, 0]
    share, speed = herd_ground._summary(found, range(2))
    assert share.tolist() == [0.5] and speed == pytest.approx(1.5, rel=0.05)
    assert herd_ground._cell(0.0, np.nan) == "0" and herd_ground._cell(0.5, 1.494) == "50, 1.49"
