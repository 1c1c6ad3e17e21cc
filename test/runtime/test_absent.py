"""Robots that others drive now, by ``control.away``: not commanded, not waited for, kept clear of; and back again."""

import numpy as np
import pytest

from swarm_control import Simulation
from swarm_control.errors import InputError
from swarm_control.ros.graph.spec import below
from swarm_control.ros.support.lease_topics import check_topics
from swarm_control.scenario.hardware import RobotTopics
from swarm_control.scenario.topic_names import real_topics

FLOCK = {"duration": 60, "goals": [{"position": [3.0, 3.0], "fraction": 1.0}]}


def moved(sim, first=0, last=-1):
    """How far (m) each robot got between two ticks."""
    return np.hypot(*(sim.trajectory.pose[last] - sim.trajectory.pose[first])[:, :2].T)


@pytest.mark.parametrize("model", ["omni", "differential"])
@pytest.mark.parametrize("away", [("robot_4",), ("robot_0", "robot_7", "robot_9")])
def test_the_others_arrive_and_touch_nobody_who_is_away(model, away):
    sim = Simulation("migrate_boxes", seed=3, set={**FLOCK, "control.away": list(away), "robots.0.model": model})
    sim.run(until="arrival")
    gone = np.isin(sim.setup.fleet.names, away)
    assert not moved(sim)[gone].any() and (moved(sim)[~gone] > 3.0).all()
    assert sim.metrics()["arrived_fraction"] == 1.0 and sim.metrics()["collisions"] == 0


def test_who_is_away_is_nobodys_neighbour_leader_or_straggler():
    sim = Simulation("migrate_boxes", seed=3, set={**FLOCK, "control.away": ["robot_4"]})
    for _ in range(60):
        sim.step()
        seen, orders = sim.last.tick.seen, sim.last.orders
        assert not (seen.owner == 4).any() and not (seen.index == 4).any()
        assert np.isnan(orders.goal[4]).all() and orders.lag[4] == 0 and orders.arrived[4]
        assert not sim.last.tick.commands.twist[4].any()


def test_a_robot_that_comes_back_goes_with_the_others():
    back = [{"start": 4.0, "set": {"away": []}}]
    sim = Simulation("migrate_boxes", seed=3, set={**FLOCK, "control.away": ["robot_4"], "phases": back})
    sim.run(until="arrival")
    assert moved(sim, 0, int(np.flatnonzero(sim.trajectory.time <= 4.0)[-1]))[4] == 0.0 and moved(sim)[4] > 3.0
    assert sim.metrics()["arrived_fraction"] == 1.0 and sim.metrics()["collisions"] == 0


def test_a_formation_is_of_those_who_are_there_and_takes_in_who_comes_back():
    changes = {"duration": 90, "control.away": ["robot_2"], "phases": [{"start": 25.0, "set": {"away": []}}]}
    sim = Simulation("formation_obstacles", seed=3, set=changes)
    while sim.time < 24.0:
        sim.step()
    assert len(sim.controller.formation(0).controllers[0].parts[0].structure) == 4 and not moved(sim)[2]
    sim.run(until="arrival")
    assert len(sim.controller.formation(0).controllers[0].parts[0].structure) == 5
    assert sim.metrics()["arrived_fraction"] == 1.0 and sim.metrics()["collisions"] == 0


def test_robots_leave_and_join_when_they_are_asked_to():
    sim = Simulation("migrate_boxes", seed=3, set=FLOCK)
    sim.run(until=2.0)
    left = sim.ask("leave", settings={"robots": ["robot_4", "robot_5"]})
    sim.run(until=4.0)
    standing = sim.state.pose[[4, 5]].copy()
    joined = sim.ask("join", settings={"robots": ["robot_5"]})
    sim.run(until="arrival")
    assert sim.tasks[left].state == sim.tasks[joined].state == "succeeded"
    assert np.array_equal(sim.state.pose[4], standing[0]) and np.hypot(*(sim.state.pose[5] - standing[1])[:2]) > 1.0
    assert sim.metrics()["arrived_fraction"] == 1.0


WRONG = {
    "nobody": ({"robots": []}, "expected robots: a list of names"),
    "no names": ({"robots": [3]}, "expected robots: a list of names"),
    "more": ({"robots": ["robot_1"], "for": 3}, "expected robots: a list of names"),
    "a stranger": ({"robots": ["robot_77"]}, "'robot_77' found, expected the name of a robot: robot_0, robot_1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_task_that_names_nobody_is_refused(name):
    settings, text = WRONG[name]
    sim = Simulation("migrate_boxes", set=FLOCK).run(until=0.2)
    with pytest.raises(InputError) as refused:
        sim.ask("leave", settings=settings)
    assert text in str(refused.value)


def test_nobody_joins_who_is_there_already():
    with pytest.raises(InputError, match="robot_4 found, expected robots that are away: none is"):
        Simulation("migrate_boxes", set=FLOCK).run(until=0.2).ask("join", settings={"robots": ["robot_4"]})


@pytest.mark.parametrize("changes", [{"control.away": ["robot_77"]}, {"phases": [{"start": 1.0, "set": {"away": ["robot_77"]}}]}])
def test_nobody_is_away_who_is_not_there_at_all(changes):
    with pytest.raises(InputError, match="away: 'robot_77' found, expected the name of a robot: robot_0, robot_1"):
        Simulation("migrate_boxes", set=changes)


def test_shared_topics_are_at_the_top_of_the_graph():
    found = real_topics(RobotTopics(shared=True, cmd_vel="/tb{index}/cmd_vel"), ("a", "b")).renamed
    assert found["odom"] == {0: ("/a/odom", "//a/odom"), 1: ("/b/odom", "//b/odom")}
    assert found["cmd_vel"] == {0: ("/a/cmd_vel", "//tb0/cmd_vel"), 1: ("/b/cmd_vel", "//tb1/cmd_vel")}
    assert not real_topics(RobotTopics(shared=True), ("a", "b"), told=True).renamed["odom"], "each swarm has a tracker of its own"
    assert below("/lab", (found["odom"][0], ("/clock", "/clock"))) == (("/lab/a/odom", "/a/odom"), ("/lab/clock", "/lab/clock"))


def test_guards_are_told_of_topics_at_the_top():
    check_topics(["//a/cmd_vel", "/b/cmd_vel"], ["", None])
    for wrong in ("///a", "//", "a//b"):
        with pytest.raises(ValueError, match="expected at most"):
            check_topics([wrong], [""])
