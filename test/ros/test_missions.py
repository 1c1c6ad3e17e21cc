"""Missions of real nodes: sent, awaited and cancelled by commands, hosted and onboard, and over the death of the director."""

import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest
from graph import Graph

from swarm_control.scenario.loader import find
from swarm_control.scenario.yaml_text import read_yaml

pytestmark = pytest.mark.ros(anytime=True)


PERIOD = 0.1
"""``control.period`` (s) of the robots: what is tried here does not depend on it."""


def scenario(name):
    data = read_yaml(find(name))
    return {**data, "duration": 600, "control": {**data["control"], "period": PERIOD}}


def swarm(graph, *words, status=0):
    """What a command prints, while the graph is served."""
    line = sys.executable, "-m", "swarm_control.cli.main", *words
    command = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    graph.until(lambda: command.poll() is not None)
    said = command.stdout.read()
    assert command.returncode == status, said
    return said.split("\n")[:-1]


def states(graph):
    return {one.task.id: one.state for one in graph.mission.tasks}


def test_a_mission_is_sent_watched_and_cancelled_and_outlives_the_director(tmp_path):
    with closing(Graph(tmp_path, scenario("formation_beside_flock"), formation=True, speed=2.0)) as g:
        g.until(lambda: g.states and g.state.time > 0.5)
        assert swarm(g, "send", "go", "90,0", status=2)[1] == "swarm: swarm send: task.group: '' found, expected 'flock', 'wedge'"
        (wedge,) = swarm(g, "send", "go", "0,2,90", "-2,2", "--group", "wedge")
        assert swarm(g, "send", "go", "-1,-1.5", "--group", "flock", "--wait")[-1].endswith("succeeded")
        g.until(lambda: g.mission.groups["wedge"].goal_index > 0 and g.repeated())
        g.kill("director")
        assert swarm(g, "await", wedge)[-1] == f"{wedge} succeeded"
        np.testing.assert_allclose(g.state.position[:5].mean(axis=0), [-2.0, 2.0], atol=0.05)
        line = swarm(g, "send", "form", "shape=line", "--group", "wedge", "--wait")[-1]
        assert line.endswith("succeeded")
        (back,) = swarm(g, "send", "go", "900,2", "--group", "wedge")
        assert swarm(g, "cancel", back) == [f"swarm: {back} cancelled"]
        g.until(lambda: states(g).get(f"{back}/hold") == "succeeded")
        g.until(lambda: np.abs(g.state.velocity[:5]).max() < 0.02)
        assert -2.0 < g.state.position[:5, 0].mean() < 100.0
        assert swarm(g, "cancel", status=1) == ["swarm: no task is running"]


def test_robots_that_keep_their_formation_by_themselves_go_where_they_are_sent(tmp_path):
    names = tuple(f"robot_{k}" for k in range(3))
    with closing(Graph(tmp_path, scenario("formation_translate"), formation=True, onboard=names, speed=3.0)) as g:
        g.until(lambda: g.states and g.state.time > 0.5)
        x, y = g.state.position.mean(axis=0) + np.array([0.3, 0.4])
        assert swarm(g, "send", "go", f"{x},{y}", "--wait")[-1].endswith("succeeded")
        assert np.hypot(*(g.state.position.mean(axis=0) - (x, y))) < 0.1
