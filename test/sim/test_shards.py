"""Herds in shards: threads change no bit, robots of different shards meet as bodies do, and those far apart do not notice each other."""

from dataclasses import replace

import numpy as np
import pytest

from swarm_control.analysis.recording import Trajectory
from swarm_control.analysis.simulation import Simulation
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.loader import load
from swarm_control.sim.mujoco.herd import HerdEngine
from swarm_control.sim.mujoco.hulls import Hulls, near
from swarm_control.sim.mujoco.stepping import split

pytest.importorskip("mujoco")

RADIUS = {"hopper": 0.3, "bicycle": 0.9, "hexapod": 0.02, "omni": 0.3}


def herd(models, poses, speed=0.0, **more):
    """Robots of these models at these poses, that go ahead at a speed."""
    n, poses = len(models), np.asarray(poses, float)
    fleet = Fleet(
        tuple(f"robot_{k}" for k in range(n)), tuple(models), np.array([RADIUS[model] for model in models]),
        *(np.full(n, value) for value in (10.0, 10.0, 2.0, 0.1)),
    )  # fmt: skip
    ahead = speed * np.column_stack((np.cos(poses[:, 2]), np.sin(poses[:, 2]), np.zeros(n)))
    return HerdEngine(fleet, SwarmState.of(0.0, poses, ahead), None, 0.01, Bodies(), 3, **more)


def run(engine, seconds, twist):
    for _ in range(round(seconds / engine.dt)):
        engine.step(Commands(np.broadcast_to(np.asarray(twist, float), (len(engine.fleet), 3))))
    return engine.truth()


@pytest.mark.parametrize(("count", "most", "sizes"), [(3, 4, [3]), (4, 4, [4]), (5, 4, [2, 1, 1, 1]), (105, 32, [27, 26, 26, 26])])
def test_robots_are_split_evenly(count, most, sizes):
    assert [len(part) for part in split(np.arange(count), most)] == sizes
    assert np.array_equal(np.concatenate(split(np.arange(count), most)), np.arange(count))
    assert [len(part) for part in split(np.arange(count), most, 2)] == [-(-count // 2), count // 2]


def test_threads_change_no_bit_where_robots_meet_and_where_not():
    rng = np.random.default_rng(4)
    poses = np.column_stack((1.1 * np.arange(12) % 4.4, 1.1 * (np.arange(12) // 4), rng.uniform(-np.pi, np.pi, 12)))
    found = [run(herd(["hopper"] * 12, poses, pieces=4, threads=threads), 2.0, (0.8, 0.0, 0.3)) for threads in (1, 2, 4)]
    assert all(np.array_equal(one.pose, found[0].pose) and np.array_equal(one.velocity, found[0].velocity) for one in found)
    assert (herd(["hopper"] * 12, poses, pieces=4, threads=2).collisions == 0).all()


def test_who_is_far_from_others_goes_as_if_they_were_not_there():
    poses = [(0.0, 0.0, 0.0), (50.0, 0.0, 1.0)]
    both = run(herd(["hopper", "bicycle"], [*poses[:1], (50.0, 0.0, 1.0)], 4.0), 1.0, (2.0, 0.0, 0.0))
    assert both.pose[0] == pytest.approx(run(herd(["hopper"], poses[:1], 4.0), 1.0, (2.0, 0.0, 0.0)).pose[0], abs=1e-9)


@pytest.mark.parametrize("pieces", [1, 2])
def test_robots_that_run_into_each_other_touch_once_and_do_not_pass_through(pieces):
    engine = herd(["hopper", "hopper"], [(0.0, 0.0, 0.0), (1.4, 0.0, np.pi)], 1.0, pieces=pieces)
    least = np.inf
    for _ in range(200):
        apart = np.diff(run(engine, 0.01, (1.0, 0.0, 0.0)).position, axis=0)[0]
        least = min(least, float(np.hypot(*apart)))
        assert apart[0] > 0.0 or abs(apart[1]) > 0.1, "one went through the other"
    assert 0.1 < least < 0.62 and engine.contacts.bodies.count[0] >= 1 and engine.contacts.bodies.count[1] == 0


def test_footprints_may_overlap_where_bodies_do_not_touch():
    engine = herd(["bicycle", "bicycle"], [(0.0, 0.0, 0.0), (0.0, 1.2, 0.0)], 5.0)
    run(engine, 1.0, (5.0, 0.0, 0.0))
    assert engine.collisions.tolist() == [1, 0]
    assert not engine.contacts.bodies.count.any() and not engine.contacts.touching.any() and not engine.fallen.any()


def test_forces_between_robots_are_equal_and_opposite_and_about_one_point():
    engine = herd(["hopper", "bicycle"], [(0.0, 0.0, 0.0), (0.5, 0.1, 1.0)], 4.0)
    hulls = Hulls(engine.shards, engine.model, 2)
    hulls.press(np.array([[0, 1]]))
    assert hulls.touched == {(0, 1)}
    force, torque = np.zeros(3), np.zeros(3)
    for shard in engine.shards:
        own = shard.data.xfrc_applied
        assert np.abs(own).max() > 10.0
        force += own[:, :3].sum(axis=0)
        torque += (own[:, 3:] + np.cross(shard.data.xipos, own[:, :3])).sum(axis=0)
    assert force == pytest.approx(0.0, abs=1e-9) and torque == pytest.approx(0.0, abs=1e-6)
    hulls.release()
    assert not any(shard.data.xfrc_applied.any() for shard in engine.shards)


def test_only_robots_within_reach_are_looked_at():
    engine = herd(["hopper"] * 3, [(0.0, 0.0, 0.0), (0.8, 0.0, 0.0), (40.0, 0.0, 0.0)])
    assert near(engine.shards, engine.truth(), engine.dt, engine.unit).tolist() == [[0, 1]]


def test_a_robot_that_glides_into_another_pushes_it_and_is_counted():
    engine = herd(["hopper", "omni"], [(0.0, 0.0, 0.0), (-1.5, 0.0, 0.0)])
    twist = np.array([[0.0, 0.0, 0.0], [0.8, 0.0, 0.0]])
    touched = run(engine, 1.8, twist).pose[0, 0]
    assert engine.contacts.bodies.count[0] >= 1 and touched > 0.02
    alone = herd(["hopper", "omni"], [(0.0, 0.0, 0.0), (-9.0, 0.0, 0.0)])
    assert run(alone, 1.8, twist).pose[0, 0] < 0.02 and not alone.contacts.bodies.count.any()


def test_blows_change_velocities_of_those_that_mujoco_moves():
    engine = herd(["hopper", "omni"], [(0.0, 0.0, 0.0), (3.0, 0.0, 0.0)])
    before = [shard.data.qvel.copy() for shard in engine.shards]
    engine.push(np.array([[0.5, -0.2, 0.1], [1.0, 0.0, 0.0]]))
    assert engine.shards[0].data.qvel[:3] - before[0][:3] == pytest.approx([0.5, -0.2, 0.1])
    assert np.array_equal(engine.shards[0].data.qvel[3:], before[0][3:])


@pytest.mark.parametrize("model", ["hopper", "bicycle", "hexapod"])
def test_who_has_fallen_is_set_up_again_elsewhere_and_goes_on(model):
    gap, speed = 6.0 * RADIUS[model], {"hopper": 1.0, "bicycle": 5.0, "hexapod": 0.02}[model]
    engine = herd([model] * 2, [(0.0, 0.0, 0.0), (0.0, gap, 0.0)], speed)
    told = (speed, 0.0, 0.0)
    run(engine, 0.5, told)
    shard = engine.shards[0]
    dof = int(shard.model.body_dofadr[shard.bodies[0]])
    if model == "hexapod":  # onto its back
        shard.data.qpos[shard.kind.roots[0] + 3 : shard.kind.roots[0] + 7] = [0.0, 1.0, 0.0, 0.0]
    else:
        shard.data.qvel[dof + 3] = 14.0
    run(engine, 1.0, told)
    assert engine.fallen.tolist() == [True, False]
    near_it = engine.truth().pose[1].copy()
    assert not engine.place(0, near_it), "there is no room"
    aim = near_it + np.array([0.0, 2.0 * gap, 1.0])
    assert engine.place(0, aim) and engine.truth().pose[0] == pytest.approx(aim, abs=0.05 * gap) and not engine.fallen.any()
    course = np.array([[*told[:2], 0.0]] * 2)
    begin = engine.truth().pose[0].copy()
    end = run(engine, 1.0, course)
    assert end.fallen is None
    way = end.pose[0, :2] - begin[:2]
    assert way @ [np.cos(1.0), np.sin(1.0)] == pytest.approx(speed, rel=0.4)


def test_the_fallen_are_set_up_after_the_time_that_the_scenario_says():
    fleet = Fleet(("a", "b"), ("hopper",) * 2, *(np.full(2, value) for value in (0.3, 3.0, 10.0, 2.0, 0.1)))
    start = SwarmState.of(0.0, np.array([(0.0, 0.0, 0.0), (3.0, 0.0, 0.0)]), np.zeros((2, 3)))
    engine = HerdEngine(fleet, start, None, 0.01, replace(Bodies(), set_up_after=1.0), 0)
    shard = engine.shards[0]
    shard.data.qvel[int(shard.model.body_dofadr[shard.bodies[0]]) + 3] = 14.0
    down = []
    for _ in range(300):
        run(engine, 0.01, (0.0, 0.0, 0.0))
        down.append(bool(engine.fallen[0]))
    assert sum(down) == pytest.approx(100, abs=2) and not down[-1] and not engine.fallen.any()


def test_recordings_have_who_touches_and_the_joints_that_are_asked_for(tmp_path):
    loaded = load("herd_hoppers_turn", ["robots.0.count=2", "duration=0.5", "bodies.record_joints=true"])
    simulation = Simulation(loaded).run()
    simulation.save(tmp_path)
    found = Trajectory.load(tmp_path / "trajectory.npz")
    assert found.joint_names == (("roll", "pitch", "yaw", "leg"),) * 2 and found.joint.shape == (*found.pose.shape[:2], 4)
    assert np.isfinite(found.joint).all() and np.ptp(found.joint[..., 3]) > 0.01
    assert not found.touching.any() and simulation.metrics()["touches"] == 0
