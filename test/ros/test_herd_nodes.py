"""Robots whose dynamics matter behind the same topics as all others, with real nodes."""

import importlib.util

import numpy as np
import pytest
from graph import Graph

pytestmark = pytest.mark.ros
if importlib.util.find_spec("mujoco") is None:
    pytest.skip("MuJoCo is not installed: there are no robots that hop", allow_module_level=True)


def herd(**more):
    start = {"pattern": "line", "spacing": 3.0, "speed": 1.0}
    return {
        "duration": 600,
        "robots": [{"count": 4, "model": "hopper", "radius": 0.3, "max_speed": 2.5, "max_acceleration": 2.5, "start": start}],
        "control": {"perception": {"radius": 100.0}, "grouping": {"weight": 1.0, "distance": 3.0, "speed": 1.0}}, **more,
    }  # fmt: skip


def cruising(states, lately=2.5):
    """Whether the herd has moved along x at 1 m/s in the last few seconds."""
    velocity = [state.velocity[:, :2].mean(axis=0) for _, state in states[-round(lately / 0.05):] if state.time > 2.0]
    return np.mean(velocity, axis=0) == pytest.approx([1.0, 0.0], abs=0.15)


def test_hoppers_keep_together_and_on_their_legs(tmp_path):
    graph = Graph(tmp_path, herd())
    try:
        graph.until(lambda: graph.states and graph.state.time > 4.5 and cruising(graph.states))
        assert graph.state.fallen is None and graph.state.valid.all()
        graph.until(lambda: graph.status.get("/swarm/simulator", {}).get("fallen") == "0")
        assert graph.status["/swarm/simulator"]["lying"] == ""
    finally:
        graph.close()


def test_who_has_fallen_is_told_in_state_and_diagnostics(tmp_path):
    graph = Graph(tmp_path, herd(bodies={"hopper": {"hip_torque": 2.0}}))  # too weak to stay upright
    try:
        graph.until(lambda: graph.states and graph.state.fallen is not None and graph.state.fallen.all(), timeout=90.0)
        graph.until(lambda: graph.status.get("/swarm/simulator", {}).get("fallen") == "4")
        assert graph.status["/swarm/simulator"]["lying"] == "robot_0, robot_1, robot_2, robot_3"
        first = len(graph.states)
        assert graph.watch(1.0) and all(state.fallen.all() and state.valid.all() for _, state in graph.states[first:])
    finally:
        graph.close()
