"""Many robots: the disc they form, and what a run in real time is read from."""

import importlib.util
import json

import numpy as np
import pytest
from found_again import found_again

from swarm_control.analysis.experiments.flight import Trial
from swarm_control.behaviours.social import Social
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare
from swarm_control.scenario.tree import change
from swarm_control.social.laws import laws_between
from swarm_experiments.papers.social.crowd import read, shared
from swarm_experiments.papers.social.disc import law_of


@pytest.mark.study
def test_what_the_page_says_of_the_disc_holds(lab, tmp_path):
    found_again("social_disc", lab, tmp_path)


@pytest.mark.study
@pytest.mark.ros
def test_fifty_robots_with_nodes_guard_a_castle(lab, tmp_path):
    """All that the page claims but for what depends on how busy the machine is."""
    if importlib.util.find_spec("rclpy") is None:
        pytest.skip("ROS 2 is not installed: nobody guards as nodes do")
    pace = ("real time", "late", "come within the period")
    found = found_again("social_crowd", lab, tmp_path, lambda claim: any(word in claim for word in pace))
    assert found.rows[0][0] == "50"


@pytest.mark.parametrize("robots", [50, 200])
def test_all_guards_together_push_as_twenty_do(robots):
    """Every law's force, times the number of those who exert it, before and during the invasion."""
    usual, crowd = (load("guard_castle", changes).scenario for changes in ((), (f"robots={robots}", *shared(robots))))
    assert [group.count for group in crowd.robots] == [robots - 1, 1]
    r = np.array([0.5, 3.0, 10.0])
    for phase in ({}, 1):
        before, after = (change(s.control, phase and s.phases[phase].set, "phase").social for s in (usual, crowd))
        assert total(before, 20, r) == pytest.approx(total(after, robots - 1, r))


def total(params: Social, guards: int, r):
    """Forces (K, 3) on guards and invader of castle, guards and invader at distances ``r``, from all of each kind."""
    count = {"castle": 1, "guards": guards, "invader": 1}
    found = []
    for on in ("guards", "invader"):
        for of, members in count.items():
            laws = laws_between(params.laws, frozenset({on}), frozenset({of}))
            found.append(members * sum((law.force(r) for law in laws), np.zeros(3)))
    return np.array(found)


def test_a_run_is_read_from_its_files(tmp_path):
    trial = Trial("guard_castle", ("robots=30",), 3)
    loaded = load(trial.scenario, (*trial.changes, "seed=3"))
    pose = np.repeat(prepare(loaded.scenario, loaded.source).start.pose[None], 4, axis=0)
    names = np.array([f"robot_{k}" for k in range(30)])
    np.savez(tmp_path / "trajectory.npz", time=0.05 * np.arange(4), pose=pose, velocity=np.zeros_like(pose), names=names)
    (tmp_path / "summary.json").write_text(json.dumps({"collisions": 2}))
    flight = read(trial, tmp_path)
    assert flight.position.shape == (4, 30, 2) and flight.robots == 30 and flight.summary["collisions"] == 2
    assert len(flight.members("guards")) == 29 and flight.position[0, flight.members("invader")[0]] == pytest.approx([12.0, 3.0])


def test_the_law_for_a_disc_keeps_robots_the_spacing_apart():
    law, disc = law_of(1000)
    assert float(disc.inside(np.array(disc.radius))) == pytest.approx(1000.0, rel=1e-6)
    assert float(disc.spacing(disc.holding(np.array(0.5)))) == pytest.approx(1.0, rel=1e-6)
    assert law.strength * 1000 * law.equilibrium / disc.radius == pytest.approx(1.0), "1 m/s² of attraction at the edge"
