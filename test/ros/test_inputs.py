"""The state that a node works with: by the time of day it is of when commands will be obeyed, in simulated time of the last tick."""

import argparse
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("rclpy")

import claims
import rclpy
from emulated import until
from rclpy.signals import SignalHandlerOptions

from swarm_control.core.state import SwarmState
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.nodes.neighbourhood import NeighbourhoodNode
from swarm_control.ros.support.inputs import COMMAND_DELAY, StateInput
from swarm_control.ros.support.node import executor
from swarm_control.scenario.loader import load_prepared

NOW, LATE, SPEED = 1000.0, 0.2, 0.5


class FakeNode:
    """As much of a node as an input needs, at ``NOW``."""

    def __init__(self, source, simulated, *changes):
        self.loaded, self.setup = load_prepared("migrate_boxes", ["robots.0.count=2", *changes])
        self.scenario = self.loaded.scenario
        self.control, self.robots, self.now, self.hear = self.scenario.control, 2, NOW, []
        self.kind = "neighbourhood"
        self.option = lambda name, default, help: source
        self.get_parameter = lambda name: SimpleNamespace(value=simulated)

    def create_subscription(self, kind, name, callback, qos, raw):
        self.hear.append(callback)


def estimated(source, simulated, *changes):
    """What is made of robots that were at x = 0 and 1 m ``LATE`` ago, have been told to go on at ``SPEED``, and do."""
    node = FakeNode(source, simulated, *changes)
    heard = StateInput(node)
    twist = np.tile([SPEED, 0.0, 0.0], (2, 1))
    heard.estimator.note_commands(NOW - 1.0, twist)
    state = SwarmState.of(NOW - LATE, np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), twist)
    if source == "swarm_state":
        node.hear[0](cdr.CloudWriter("map", convert.SWARM_STATE).write(state.time, convert.state_rows(state, None)))
    else:
        for hear, message in zip(
            node.hear, cdr.OdometryWriter("map", ["a", "b"]).write([0, 1], [state.time] * 2, convert.odometry_values(state))
        ):
            hear(message)
    return heard.estimate()


@pytest.mark.parametrize("source", ["odom", "swarm_state"])
def test_real_robots_are_estimated_for_when_they_will_obey(source):
    found = estimated(source, False)
    assert found.time == NOW and found.position[:, 0] == pytest.approx(np.array([0.0, 1.0]) + SPEED * (LATE + COMMAND_DELAY), abs=1e-3)
    found = estimated(source, False, "control.estimation.command_delay=0.4")
    assert found.position[:, 0] == pytest.approx(np.array([0.0, 1.0]) + SPEED * (LATE + 0.4), abs=1e-3)


@pytest.mark.parametrize("source", ["odom", "swarm_state"])
def test_what_was_measured_too_long_ago_is_not_used(source):
    assert not estimated(source, False, "control.safety.odometry_timeout=0.1").valid.any()


def heard_with(covariance, *changes, source="odom"):
    """An input that has heard two robots, of whose poses the second has this ``covariance`` (6, 6); and what was said."""
    node = FakeNode(source, False, "hardware.odometry.max_deviation=0.2", *changes)
    node.served, node.said, node.known_as = (0, 1), [], lambda name: name
    node.get_logger = lambda: SimpleNamespace(error=node.said.append)
    node.every = lambda period, callback: setattr(node, "look", callback)
    node.kind = "motion_model"
    heard = StateInput(node)
    values = convert.odometry_values(SwarmState.of(NOW, np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), np.zeros((2, 3))))
    covariances = np.zeros((2, 2, 6, 6))
    covariances[1, 0] = covariance
    for hear, message in zip(node.hear, cdr.OdometryWriter("map", ["a", "b"]).write([0, 1], [NOW] * 2, values, covariances)):
        hear(message)
    node.look()
    return heard, node.said


SAID = np.diag([0.01, 0.0025, 0.0, 0.0, 0.0, 0.04])


def test_covariances_count_where_they_are_to_be_used():
    heard, said = heard_with(SAID, "hardware.odometry.use_covariance=true")
    assert heard.deviation == pytest.approx(np.array([[0.0, 0.0], [0.1, 0.2]])) and heard.state().valid.all() and not said
    heard.estimate()
    assert heard.estimator.deviation is heard.deviation
    heard, _ = heard_with(SAID)
    heard.estimate()
    assert heard.deviation is None and heard.estimator.deviation is None


@pytest.mark.parametrize(
    "axis, variance, word", [(0, 0.09, "may be off by 0.3 m"), (5, 0.36, "heading may be off by 34°"), (5, np.nan, "heading")]
)
def test_who_is_too_uncertain_is_not_used_and_named(axis, variance, word):
    covariance = SAID.copy()
    covariance[axis, axis] = variance
    heard, said = heard_with(covariance, "hardware.odometry.use_covariance=true")
    assert heard.state().valid.tolist() == [True, False] and len(said) == 1 and word in said[0] and "robot_1 stands" in said[0]


def test_who_gathers_odometry_passes_covariances_on():
    heard, _ = heard_with(SAID, "hardware.odometry.use_covariance=true")
    node = FakeNode("swarm_state", False, "hardware.odometry.max_deviation=0.2", "hardware.odometry.use_covariance=true")
    further = StateInput(node)
    rows = convert.state_rows(heard.state(), None, heard.stamps(), heard.deviation)
    node.hear[0](cdr.CloudWriter("map", convert.UNCERTAIN_STATE).write(NOW, rows))
    assert further.deviation == pytest.approx(heard.deviation) and further.state().valid.all()
    plain = convert.state_rows(heard.state(), None, heard.stamps())
    node.hear[0](cdr.CloudWriter("map", convert.SWARM_STATE).write(NOW, plain))
    assert not further.deviation.any()


def test_simulated_robots_obey_at_once_and_are_of_their_tick():
    found = estimated("swarm_state", True)
    assert found.time == NOW - LATE and found.position[:, 0] == pytest.approx([0.0, 1.0])


@pytest.mark.ros
@pytest.mark.parametrize("simulated", [False, True])
def test_between_lost_messages_real_robots_go_by_their_own_clock(simulated, monkeypatch):
    """A simulator's ticks are its messages."""
    domain = claims.domain()
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain.number))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    words = ["--ros-args", "-p", "source:=swarm_state", "-p", f"use_sim_time:={str(simulated).lower()}"]
    rclpy.init(args=words, signal_handler_options=SignalHandlerOptions.NO)
    node = NeighbourhoodNode(argparse.Namespace(scenario="migrate_boxes", set=[], robots="0"))
    serving, ticks, looks = executor(node), [], []
    monkeypatch.setattr(node._publisher, "publish", ticks.append)
    node.every(node.control.period, lambda: looks.append(1))
    try:
        state = replace(node.setup.start, time=node.now)
        node._input._hear_swarm(cdr.CloudWriter("map", convert.SWARM_STATE).write(node.now, convert.state_rows(state, None)))
        until(lambda: len(looks) >= 5, each=lambda: serving.spin_once(timeout_sec=0.02))
        assert len(ticks) == 1 if simulated else len(ticks) >= 4
    finally:
        serving.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()
        domain.release()
