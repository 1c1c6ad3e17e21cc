"""What ``swarm simulate`` says to formations that cannot be made, and what it does with those that only look odd."""

import json

import pytest
import yaml

POINTS = "formation: {enabled: true, shape: points, points: "


@pytest.mark.parametrize(("control", "more", "words"), [
    (POINTS + "[0, 0, 1, 0, 0, 0]}", "", ("control.formation.points", "points 0 and 2 of the structure coincide")),
    (POINTS + "[0, 0, 1, 0]}", "", ("control.formation.points", "2 points found for 3 robots")),
    (POINTS + "[0, 0, 1, 0, 2, 0, 3, 0]}", "", ("control.formation.points", "4 points found for 3 robots")),
    (POINTS + "[0, 0, 1]}", "", ("control.formation.points", "1.5 points")),
    (POINTS + "[0, .nan, 1, 0, 2, 0]}", "", ("control.formation.points", "list of numbers")),
    ("formation: {enabled: true, members: [robot_0, robot_7]}", "", ("control.formation.members", "'robot_7'", "robot_0")),
    ("formation: {enabled: true, members: [robot_0, robot_0]}", "", ("control.formation.members", "twice")),
    ("formation: {enabled: true, members: robot_0}", "", ("control.formation.members", "list of texts")),
    ("formation: {enabled: true, leader: robot_9}", "", ("control.formation", "robot_9")),
    ("formation: {enabled: true, shape: star}", "", ("control.formation.shape", "star", "wedge")),
    ("formation: {enabled: true}", "phases: [{set: {formation.members: [robot_5]}}]", ("phases[0].set", "'robot_5'")),
    ("formation: {enabled: true}", "simulator: {failures: [{robot: robot_3}]}", ("simulator.failures[0].robot", "'robot_3'")),
    ("formation: {enabled: true}", "goals: [{time: -1}]", ("goals[0].time", "-1")),
    ("formation: {enabled: true, split: [1, 1]}", "", ("control.formation.split", "[1, 1] found", "3 robots in all")),
    ("formation: {enabled: true, split: [1.5, 1.5]}", "", ("control.formation.split", "whole numbers")),
    ("formation: {enabled: true, split: [3, 0]}", "", ("control.formation.split", "at least 1")),
    ("formation: {enabled: true}", "phases: [{set: {formation.split: [2]}}]", ("phases[0].set", "split", "[2] found")),
    ("formation: {enabled: true}", "goals: [{part: 1}]", ("goals[0].part", "1 found", "never set")),
    ("formation: {enabled: true, split: [2, 1]}", "goals: [{part: 3}]", ("goals[0].part", "3 found", "at most 2")),
    ("formation: {enabled: true, pivot: [1]}", "", ("control.formation.pivot", "a list of 2 numbers")),
    ("formation: {enabled: true, force_field: {reach: 0}}", "", ("control.formation.force_field.reach", "from 0.01")),
    ("formation: {enabled: true, force_field: on_}", "", ("control.formation.force_field", "a mapping was expected")),
])  # fmt: skip
def test_formations_that_cannot_be_made(swarm, tmp_path, control, more, words):
    (tmp_path / "bad.yaml").write_text(f"robots: [{{count: 3}}]\ncontrol: {{{control}}}\n{more}\n")
    done = swarm("simulate", "bad.yaml", "--out", "o")
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.strip().splitlines()
    assert all(word in line for word in words), line
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(("robots", "formation", "simulator"), [
    (1, {"shape": "wedge"}, {}), (2, {"shape": "circle"}, {}), (3, {"shape": "column"}, {}),
    (3, {"shape": "points", "points": [0, 0, 1, 0, 2, 0]}, {}), (3, {"leader": "robot_1"}, {}),
    (3, {"shape": "wedge", "face_ahead": True}, {}), (3, {"shape": "wedge"}, {"loss": 0.5, "delay": 0.1, "onboard": True}),
])  # fmt: skip
def test_formations_that_can(swarm, tmp_path, robots, formation, simulator):
    scenario = {
        "duration": 40, "robots": [{"count": robots, "start": {"pattern": "line", "spacing": 0.5}}], "simulator": simulator,
        "control": {"formation": {"enabled": True, "spacing": 0.5, **formation}}, "goals": [{"position": [1.0, 0.5], "heading": 30}],
    }  # fmt: skip
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(scenario))
    done = swarm("simulate", "s.yaml", "--until-arrival", "--out", "o")
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "o" / "summary.json").read_text())
    assert summary["arrived_fraction"] == 1.0
    assert summary["formation_error_max"] < 2.0 and summary["collisions"] == 0


def test_robots_of_which_nothing_is_heard_stand(swarm, tmp_path):
    done = swarm("simulate", "formation_translate", "--set", "simulator.loss=1", "--duration", "3", "--out", "o")
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "o" / "summary.json").read_text())
    assert summary["formation_error_mean"] is None and summary["arrived_fraction"] == 0.0


def test_the_list_describes_the_scenarios_with_formations(swarm):
    said = swarm("list").stdout
    for name in ("translate", "rotate", "docking", "failure", "circle", "obstacles"):
        (line,) = [line for line in said.splitlines() if f"formation_{name} " in line]
        assert len(line.split()) > 5


def test_a_formation_that_did_not_go_says_why_when_the_run_has_ended(swarm):
    goal = "goals=[{position: [100, 100]}]"
    lines = swarm("simulate", "formation_gap", "--set", goal, "--duration", "2", "--out", "o").stdout.splitlines()
    (k,) = [k for k, line in enumerate(lines) if "0 % arrived" in line]
    assert lines[k + 1].startswith("formation: goal (100, 100): robot_") and lines[k + 1].endswith(" is off the map")
