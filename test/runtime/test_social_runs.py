"""Social potential fields in whole runs: a cluster forms, leaders lead, robots act at times of their own, the same bits every time."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from swarm_control.analysis.simulation import simulate
from swarm_control.core.state import Commands
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare
from swarm_control.sim.command_timing import CommandTiming


def run(name, *changes):
    loaded = load(str(name), changes)
    return simulate(loaded, prepare(loaded.scenario, loaded.source))


def evenness(position):
    """Mean distance to the nearest neighbour of robots that are not at the rim, and its spread as a share."""
    nearest = cKDTree(position).query(position, 2)[0][:, 1]
    from_middle = np.linalg.norm(position - position.mean(axis=0), axis=1)
    inner = nearest[from_middle < 0.7 * from_middle.max()]
    return inner.mean(), inner.std() / inner.mean()


@pytest.fixture(scope="module")
def cluster():
    return run("cluster").recorder.trajectory()


def test_a_cluster_is_round_even_and_at_rest(cluster):
    pose, velocity = cluster.pose, cluster.velocity
    start, end = pose[0, :, :2], pose[-1, :, :2]
    assert evenness(start)[1] > 0.25 and evenness(end)[1] < 0.1
    offset = end - end.mean(axis=0)
    spread = np.linalg.eigvalsh(offset.T @ offset)
    assert spread[0] / spread[1] > 0.8, "a disc has the same extent in all directions"
    assert np.abs(velocity[-1, :, :2]).mean() < 0.01
    assert np.linalg.norm(end.mean(axis=0) - start.mean(axis=0)) < 0.1, "mutual forces do not move the centre, but for speed limits"


def test_the_equilibrium_distance_scales_the_cluster(cluster):
    """Scaling r₀ and all distances by two leaves the law's magnitudes: the disc is twice as wide."""
    law = "{equilibrium: 4.0, repulsion: 2, attraction: 1, strength: 0.05}"
    wide = run("cluster", f"social.laws=[{law}]", "duration=90").recorder.trajectory()
    ratio = evenness(wide.pose[-1, :, :2])[0] / evenness(cluster.pose[-1, :, :2])[0]
    assert ratio == pytest.approx(2.0, rel=0.03)


@pytest.mark.parametrize("changes", [(), ("simulator.asynchronous=2.5",), ("motion.mode=velocity", "social.friction=0")])
def test_runs_repeat_bit_by_bit(changes):
    first, second = (run("cluster", "duration=3", *changes).recorder.trajectory() for _ in range(2))
    assert np.array_equal(first.pose, second.pose)
    assert not np.array_equal(first.pose, run("cluster", "duration=3", "seed=5", *changes).recorder.trajectory().pose)


@pytest.mark.parametrize(
    "changes",
    [
        ("simulator.asynchronous=3",),
        ("motion.mode=velocity", "motion.mobility=0.5", "social.friction=0"),
        ("motion.mode=step", "motion.step_speed=0.1", "social.friction=0", "social.threshold=0.05"),
        ("robots.0.model=point_mass",),
        ("social.summation=tree",),
        ("accumulation.method=greatest", "separation.weight=1"),
    ],
)
def test_the_cluster_forms_however_robots_act(changes):
    end = run("cluster", *changes).recorder.trajectory().pose[-1, :, :2]
    assert evenness(end)[1] < 0.15


def test_a_leader_takes_the_others_along(tmp_path):
    path = tmp_path / "escort.yaml"
    path.write_text(
        """
duration: 40
robots:
  - {count: 10, group: escort, start: {center: [-2, 0]}}
  - {count: 1, group: chief, role: leading, way: [[0, 0, 0], [6, 3, 25]], start: {pattern: poses, poses: [[0, 0, 0]]}}
control:
  social:
    weight: 1
    friction: 2
    laws:
      - {acts_on: escort, of: chief, equilibrium: 1.0, strength: 5.0}
      - {acts_on: escort, of: escort, terms: [-0.2, 2]}
  accumulation: {method: weighted}
"""
    )
    pose = run(path).recorder.trajectory().pose
    time = 0.05 * np.arange(len(pose))
    way = np.minimum(time, 25.0)[:, None] / 25.0 * np.array([6.0, 3.0])
    assert np.abs(pose[:, 10, :2] - way).max() < 0.05, "nobody moves the leader off its way"
    ring = pose[-1, :10, :2] - [6.0, 3.0]
    distance = np.linalg.norm(ring, axis=1)
    assert (np.abs(distance - distance.mean()) < 0.15).all() and 0.8 < distance.mean() < 2.0
    assert np.linalg.norm(ring.mean(axis=0)) < 0.1, "they are all around it"


def test_laws_that_a_phase_brings_take_effect(tmp_path):
    path = tmp_path / "two.yaml"
    path.write_text(
        """
duration: 30
robots: [{count: 2, model: point_mass, start: {pattern: poses, poses: [[0, 0, 0], [3, 0, 0]]}}]
control: {social: {weight: 1, friction: 2, laws: [{equilibrium: 1.0}]}, accumulation: {method: weighted}}
phases: [{start: 15, set: {social.laws: [{equilibrium: 2.0}]}}]
"""
    )
    pose = run(path).recorder.trajectory().pose
    apart = np.linalg.norm(pose[:, 1, :2] - pose[:, 0, :2], axis=1)
    assert apart[299] == pytest.approx(1.0, abs=0.01) and apart[-1] == pytest.approx(2.0, abs=0.01)


def test_each_robot_takes_commands_at_its_own_rate():
    timing, ticks = CommandTiming(200, 3.0, np.random.default_rng(0)), 400
    heard = np.array([timing.obeyed(Commands(np.full((200, 3), float(k + 1)))).twist[:, 0] for k in range(ticks)])
    turns = (np.diff(heard, axis=0) > 0).sum(axis=0)
    rate = turns / ticks
    assert 0.24 < rate.min() < 0.3 and 0.9 < rate.max() <= 1.0
    assert (np.arange(1, ticks + 1)[:, None] - heard)[5:].max() <= 4.0, "nobody is more than its period behind"
    assert len(np.unique(np.argmax(heard > 0, axis=0))) == 4, "they begin at different times"
    same = CommandTiming(3, 0.0, np.random.default_rng(0))
    assert all((same.obeyed(Commands(np.full((3, 3), float(k)))).twist == k).all() for k in range(20))
