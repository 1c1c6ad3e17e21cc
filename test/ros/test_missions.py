"""Missions of real nodes: sent, awaited and cancelled by commands, hosted and onboard, and over the death of the director."""

import os
import subprocess
from contextlib import closing

import claims
import numpy as np
import pytest
from forked_swarm import forked_swarm
from graph import Graph

from swarm_control.ros.support.mission_client import MissionClient
from swarm_control.runtime.task import Task
from swarm_control.runtime.task_board import KEPT
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
    line = *forked_swarm(), *words
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


@pytest.mark.study
def test_robots_that_keep_their_formation_by_themselves_go_where_they_are_sent(tmp_path):
    names = tuple(f"robot_{k}" for k in range(3))
    with closing(Graph(tmp_path, scenario("formation_translate"), formation=True, onboard=names)) as g:
        g.until(lambda: g.states and g.state.time > 0.5)
        x, y = g.state.position.mean(axis=0) + np.array([0.3, 0.4])
        assert swarm(g, "send", "go", f"{x},{y}", "--wait")[-1].endswith("succeeded")
        assert np.hypot(*(g.state.position.mean(axis=0) - (x, y))) < 0.1


@pytest.mark.study
def test_what_tasks_have_set_and_where_flocks_were_sent_outlives_the_director_and_many_other_tasks(tmp_path):
    phases = [{"name": "column", "start": 0.5, "set": {"groups.wedge.formation.shape": "column"}}]
    with closing(Graph(tmp_path, {**scenario("formation_beside_flock"), "phases": phases}, formation=True, speed=3.0)) as g:
        g.until(lambda: g.states and g.state.time > 1.0)
        assert swarm(g, "send", "form", "shape=line", "spacing=1", "--group", "wedge")[0]
        assert swarm(g, "send", "go", "-1,-1.5", "--group", "flock", "--wait")[-1].endswith("succeeded")
        with MissionClient() as client:
            for k in range(KEPT + 2):
                client.ask(Task(f"wrong {k}", "phase", phase="nothing"))
        g.until(lambda: "wrong 21" in states(g) and g.repeated())
        g.kill("director")
        known = lambda: g.get("virtual_structure", "groups.wedge.formation.shape", "groups.wedge.formation.spacing")  # noqa: E731
        g.until(lambda: any("resuming at" in line for line in g.lines))
        there, moved = g.state.position[5:].copy(), g.state.time + 5.0
        g.until(lambda: g.state.time > moved)
        assert known() == ["line", 1.0]
        assert np.hypot(*(g.state.position[5:] - there).T).max() < 0.3, "the flock stays where it was sent"
        (line,) = swarm(g, "send", "go", "nan,0", "--group", "flock", status=2)
        assert "'nan,0' found, expected X,Y" in line
        assert swarm(g, "send", "form", "self=1", "--group", "wedge", status=2)[1].startswith("swarm: swarm send: task.settings: ")
        g.stop(True)
        id, *_ = swarm(g, "send", "go", "3,2", "--group", "flock")
        g.until(lambda: next(one for one in g.mission.tasks if one.task.id == id).text == "the swarm is stopped")


def test_who_waits_where_nobody_answers_is_told_so(tmp_path):
    domain = claims.domain()
    line = *forked_swarm(), "await", "x", "--wait", "0.5"
    done = subprocess.run(line, capture_output=True, text=True, env={**os.environ, "ROS_DOMAIN_ID": str(domain.number)}, check=False)
    domain.release()
    assert done.returncode == 1 and done.stderr.startswith("swarm: task x: no mission heard within 0.5 s")
